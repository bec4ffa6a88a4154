"""A kernel computes the same before and after the passes: one expectation, two roads."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.unit.transforms.lowering import kernel, lower, ptx, run
from xdsl_packed.backend.ptxas import assemble
from xdsl_packed.interpreters import run_function

CHIPS = ("sm_90", "sm_100a")
Array = NDArray[Any]

FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": np.uint16}
INTEGERS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}


def _integers(name: str, count: int) -> Array:
    dtype = INTEGERS[name]
    info = np.iinfo(dtype)
    special = [0, 1, -1, 2, 7, info.min, info.max, info.min + 1]
    random = np.random.default_rng(3).integers(
        info.min, info.max, count, dtype=dtype, endpoint=True
    )
    values = np.array([x for x in special for _ in special], dtype)
    return np.concatenate([values, random])[:count]


def _partners(name: str, count: int) -> Array:
    values = _integers(name, count)
    values[:64] = values[:64].reshape(8, 8).T.flatten()
    values[64:] = values[64:][::-1]
    return values


def _floats(name: str, count: int) -> Array:
    nan, inf = float("nan"), float("inf")
    special = np.array([0.0, -0.0, 1.0, -2.5, nan, inf, -inf, 1e-40])
    pairs = np.array([x for x in special for _ in special])
    random = np.random.default_rng(5).standard_normal(count) * 4
    values = np.concatenate([pairs, random])[:count]
    if name != "bf16":
        return values.astype(FLOATS[name])
    return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def _float_partners(name: str, count: int) -> Array:
    values = _floats(name, count)
    values[:64] = values[:64].reshape(8, 8).T.flatten()
    values[64:] = values[64:][::-1]
    return values


def _same(left: Array, right: Array, name: str) -> None:
    """Equal bits, any NaN like any other."""
    if left.dtype == np.uint16:
        left, right = (
            (a.astype(np.uint32) << 16).view(np.float32) for a in (left, right)
        )
    np.testing.assert_array_equal(left, right, name)
    if left.dtype.kind == "f":
        number = ~np.isnan(left)
        signs = np.signbit(left[number]), np.signbit(right[number])
        np.testing.assert_array_equal(*signs, name)


def check(kernels: dict[str, tuple[str, list[Any]]], chip: str = "sm_90") -> None:
    """
    Run each kernel, given by name with its arguments, as it is and as ptx.

    The kernels are one module, which is assembled for every chip.
    """
    text = "\n".join(source for source, _ in kernels.values())
    source, target = run(text, ""), lower(text, chip)
    for name, (_, arguments) in kernels.items():
        before, after = deepcopy(arguments), deepcopy(arguments)
        run_function(source, name, before)
        run_function(target, name, after)
        for expected, found in zip(before, after):
            _same(np.asarray(expected), np.asarray(found), name)
    for assembled in CHIPS:
        assert assemble(ptx(text, assembled), assembled)


COUNT = 72


def elementwise(name: str, op: str, source: str, target: str, stored: str = "r") -> str:
    """out[i] = op(a[i], b[i]) in a loop; `op` makes %r, and what is stored, of %x and %y."""
    memref, result = f"memref<{COUNT}x{source}, 1>", f"memref<{COUNT}x{target}, 1>"
    return kernel(
        f"%a: {memref}, %b: {memref}, %out: {result}",
        f"""
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {COUNT} : index
  scf.for %i = %c0 to %n step %c1 {{
    %x = memref.load %a[%i] : {memref}
    %y = memref.load %b[%i] : {memref}
    %r = {op}
    memref.store %{stored}, %out[%i] : {result}
  }}
""",
        name,
    )


def _zeros(type: str) -> Array:
    return np.zeros(COUNT, (FLOATS | INTEGERS)[type])


@pytest.mark.parametrize("type", ["i8", "i16", "i32", "i64"])
class Test_integers:
    def test_two_operands(self, type: str) -> None:
        a, b = _integers(type, COUNT), _partners(type, COUNT)
        # Neither zero nor the one quotient that does not fit has a meaning.
        divisor = np.where((b == 0) | ((b == -1) & (a == np.iinfo(a.dtype).min)), 3, b)
        divisor = divisor.astype(a.dtype)
        amount = b % np.array(8 * a.itemsize - 1, a.dtype)
        operands = {
            "addi subi muli andi ori xori maxsi minsi maxui minui": b,
            "divsi remsi divui remui": divisor,
            "shli shrsi shrui": amount,
        }
        check(
            {
                op: (
                    elementwise(op, f"arith.{op} %x, %y : {type}", type, type),
                    [a, second, _zeros(type)],
                )
                for ops, second in operands.items()
                for op in ops.split()
            }
        )

    def test_comparisons(self, type: str) -> None:
        a, b = _integers(type, COUNT), _partners(type, COUNT)
        kernels: dict[str, tuple[str, list[Any]]] = {}
        for predicate in "eq ne slt sle sgt sge ult ule ugt uge".split():
            op = f"arith.cmpi {predicate}, %x, %y : {type}\n%s = arith.extui %r : i1 to i32"
            text = elementwise(predicate, op, type, "i32", "s")
            kernels[predicate] = text, [a, b, _zeros("i32")]
        check(kernels)

    def test_resized(self, type: str) -> None:
        a = _integers(type, COUNT)
        kernels: dict[str, tuple[str, list[Any]]] = {}
        for target in INTEGERS:
            widths = int(type[1:]), int(target[1:])
            ops = ["extsi", "extui"] if widths[0] < widths[1] else ["trunci"]
            if widths[0] == widths[1]:
                continue
            for op in ops:
                name = f"{op}_{target}"
                text = elementwise(
                    name, f"arith.{op} %x : {type} to {target}", type, target
                )
                kernels[name] = text, [a, a, _zeros(target)]
        check(kernels)

    def test_as_floats(self, type: str) -> None:
        integers = _integers(type, COUNT)
        floats = np.random.default_rng(1).uniform(0, 100, COUNT).astype(np.float32)
        kernels: dict[str, tuple[str, list[Any]]] = {}
        for target in ("f16", "f32", "f64"):
            for op in ("sitofp", "uitofp"):
                name = f"{op}_{target}"
                text = elementwise(
                    name, f"arith.{op} %x : {type} to {target}", type, target
                )
                kernels[name] = text, [integers, integers, _zeros(target)]
        for op, values in (("fptosi", -floats), ("fptoui", floats)):
            text = elementwise(op, f"arith.{op} %x : f32 to {type}", "f32", type)
            kernels[op] = text, [values, values, _zeros(type)]
        check(kernels)


@pytest.mark.parametrize("type", ["f16", "bf16", "f32", "f64"])
class Test_floats:
    def test_two_operands(self, type: str) -> None:
        a, b = _floats(type, COUNT), _float_partners(type, COUNT)
        ops = "addf subf mulf divf maximumf minimumf maxnumf minnumf"
        check(
            {
                op: (
                    elementwise(op, f"arith.{op} %x, %y : {type}", type, type),
                    [a, b, _zeros(type)],
                )
                for op in ops.split()
            }
        )

    def test_comparisons(self, type: str) -> None:
        a, b = _floats(type, COUNT), _float_partners(type, COUNT)
        kernels: dict[str, tuple[str, list[Any]]] = {}
        ordered = "oeq ogt oge olt ole one ord"
        for predicate in f"false {ordered} ueq ugt uge ult ule une uno true".split():
            op = f"arith.cmpf {predicate}, %x, %y : {type}\n%s = arith.extui %r : i1 to i32"
            text = elementwise(f"is_{predicate}", op, type, "i32", "s")
            kernels[f"is_{predicate}"] = text, [a, b, _zeros("i32")]
        check(kernels)

    def test_one_operand(self, type: str) -> None:
        a = _floats(type, COUNT)
        widths = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
        kernels = {
            "negf": (
                elementwise("negf", f"arith.negf %x : {type}", type, type),
                [a, a, _zeros(type)],
            )
        }
        for target, width in widths.items():
            op = "extf" if widths[type] < width else "truncf"
            if widths[type] == width:
                continue
            text = elementwise(
                target, f"arith.{op} %x : {type} to {target}", type, target
            )
            kernels[target] = text, [a, a, _zeros(target)]
        check(kernels)


def _f32(count: int) -> Array:
    return np.random.default_rng(count).standard_normal(count).astype(np.float32)


CONSTANTS = "\n".join(f"%c{n} = arith.constant {n} : index" for n in range(10))


class Test_control:
    def test_loops_and_branches(self) -> None:
        swap = f"""
  {CONSTANTS}
  %x0 = memref.load %a[%c0] : memref<8xf32, 1>
  %x1 = memref.load %a[%c1] : memref<8xf32, 1>
  %r, %s = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x0, %q = %x1) -> (f32, f32) {{
    %t = arith.addf %p, %q : f32
    scf.yield %q, %t : f32, f32
  }}
  memref.store %r, %b[%c0] : memref<8xf32, 1>
  memref.store %s, %b[%c1] : memref<8xf32, 1>
"""
        branches = f"""
  {CONSTANTS}
  scf.for %i = %c0 to %c8 step %c1 {{
    %x = memref.load %a[%i] : memref<8xf32, 1>
    %m = arith.remui %i, %c3 : index
    %even = arith.cmpi eq, %m, %c0 : index
    %y, %pair = scf.if %even -> (f32, vector<2xf32>) {{
      %z = arith.negf %x : f32
      %v = packed.pack %z, %x : f32 to vector<2xf32>
      scf.yield %z, %v : f32, vector<2xf32>
    }} else {{
      %v = packed.pack %x, %x : f32 to vector<2xf32>
      scf.yield %x, %v : f32, vector<2xf32>
    }}
    %low, %high = packed.unpack %pair : vector<2xf32> to f32
    %l = arith.mulf %low, %high : f32
    %sum = arith.addf %l, %y : f32
    %small = arith.cmpi slt, %i, %n : index
    scf.if %small {{
      memref.store %sum, %b[%i] : memref<8xf32, 1>
    }}
  }}
"""
        nested = f"""
  {CONSTANTS}
  %z = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c8 step %c3 iter_args(%outer = %z) -> (f32) {{
    %s = scf.for %j = %i to %n step %c2 iter_args(%inner = %outer) -> (f32) {{
      %x = memref.load %a[%j] : memref<8xf32, 1>
      %t = arith.addf %inner, %x : f32
      scf.yield %t : f32
    }}
    memref.store %s, %b[%i] : memref<8xf32, 1>
    scf.yield %s : f32
  }}
  %never = scf.for %i = %c8 to %c3 step %c1 iter_args(%x = %r) -> (f32) {{
    scf.yield %z : f32
  }}
  memref.store %never, %b[%c7] : memref<8xf32, 1>
"""
        parameters = "%a: memref<8xf32, 1>, %b: memref<8xf32, 1>, %n: index"
        kernels: dict[str, tuple[str, list[Any]]] = {}
        for name, body in {
            "swap": swap,
            "branches": branches,
            "nested": nested,
        }.items():
            for count in (0, 1, 5, 8):
                text = kernel(parameters, body, f"{name}{count}")
                kernels[f"{name}{count}"] = (
                    text,
                    [_f32(8), np.zeros(8, np.float32), count],
                )
        check(kernels)

    def test_local_buffers(self) -> None:
        """Unrolled and kept loops, subviews, branches, aliasing copies, whole vectors."""
        unrolled = f"""
  {CONSTANTS}
  %l = memref.alloca() : memref<2x4xf32, 5>
  %other = memref.alloca() : memref<8xf32, 5>
  scf.for %i = %c0 to %c2 step %c1 {{
    scf.for %j = %c0 to %c4 step %c1 {{
      %k0 = arith.muli %i, %c4 : index
      %k = arith.addi %k0, %j : index
      %x = memref.load %a[%k] : memref<8xf32, 1>
      memref.store %x, %l[%i, %j] : memref<2x4xf32, 5>
      memref.store %x, %other[%k] : memref<8xf32, 5>
    }}
  }}
  %column = memref.subview %l[0, 1] [2, 1] [1, 1] : memref<2x4xf32, 5> to memref<2xf32, strided<[4], offset: 1>, 5>
  %every = memref.subview %other[1] [3] [2] : memref<8xf32, 5> to memref<3xf32, strided<[2], offset: 1>, 5>
  %first = memref.subview %other[0] [3] [1] : memref<8xf32, 5> to memref<3xf32, strided<[1]>, 5>
  "memref.copy"(%every, %first) : (memref<3xf32, strided<[2], offset: 1>, 5>, memref<3xf32, strided<[1]>, 5>) -> ()
  %x = memref.load %column[%c1] : memref<2xf32, strided<[4], offset: 1>, 5>
  memref.store %x, %other[%c3] : memref<8xf32, 5>
  "memref.copy"(%other, %b) : (memref<8xf32, 5>, memref<8xf32, 1>) -> ()
"""
        carried = f"""
  {CONSTANTS}
  %acc = memref.alloca() : memref<2xf32, 5>
  %late = memref.alloca() : memref<1xf32, 5>
  %z = arith.constant 0.0 : f32
  memref.store %z, %acc[%c0] : memref<2xf32, 5>
  memref.store %z, %acc[%c1] : memref<2xf32, 5>
  scf.for %i = %c0 to %c8 step %c1 {{
    %x = memref.load %a[%i] : memref<8xf32, 1>
    %y = memref.load %acc[%c0] : memref<2xf32, 5>
    %s = arith.addf %x, %y : f32
    memref.store %s, %acc[%c0] : memref<2xf32, 5>
    memref.store %s, %late[%c0] : memref<1xf32, 5>
    %big = arith.cmpi sgt, %i, %n : index
    scf.if %big {{
      %old = memref.load %acc[%c1] : memref<2xf32, 5>
      %new = arith.addf %old, %x : f32
      memref.store %new, %acc[%c1] : memref<2xf32, 5>
    }}
  }}
  %both = vector.load %acc[%c0] : memref<2xf32, 5>, vector<2xf32>
  %double = arith.addf %both, %both : vector<2xf32>
  vector.store %double, %b[%c0] : memref<8xf32, 1>, vector<2xf32>
  %last = memref.load %late[%c0] : memref<1xf32, 5>
  memref.store %last, %b[%c2] : memref<8xf32, 1>
"""
        vectors = f"""
  {CONSTANTS}
  %l = memref.alloca() : memref<8xf32, 5>
  %v = vector.load %a[%c0] : memref<8xf32, 1>, vector<8xf32>
  vector.store %v, %l[%c0] : memref<8xf32, 5>, vector<8xf32>
  %x = memref.load %l[%c7] : memref<8xf32, 5>
  memref.store %x, %l[%c0] : memref<8xf32, 5>
  %w = vector.load %l[%c0] : memref<8xf32, 5>, vector<4xf32>
  vector.store %w, %b[%c4] : memref<8xf32, 1>, vector<4xf32>
"""
        dynamic = f"""
  {CONSTANTS}
  %l = memref.alloca() : memref<8xf32, 5>
  "memref.copy"(%a, %l) : (memref<8xf32, 1>, memref<8xf32, 5>) -> ()
  %x = memref.load %l[%n] : memref<8xf32, 5>
  memref.store %x, %l[%c2] : memref<8xf32, 5>
  "memref.copy"(%l, %b) : (memref<8xf32, 5>, memref<8xf32, 1>) -> ()
"""
        parameters = "%a: memref<8xf32, 1>, %b: memref<8xf32, 1> {llvm.align = 16 : i64}, %n: index"
        bodies = {
            "unrolled": unrolled,
            "carried": carried,
            "vectors": vectors,
            "dynamic": dynamic,
        }
        check(
            {
                name: (
                    kernel(parameters, body, name),
                    [_f32(8), np.zeros(8, np.float32), 3],
                )
                for name, body in bodies.items()
            }
        )


class Test_other_ops:
    @pytest.mark.parametrize("type", ["f16", "f32", "f64"])
    def test_math(self, type: str) -> None:
        a, b = _floats(type, COUNT), _float_partners(type, COUNT)
        kernels: dict[str, tuple[str, list[Any]]] = {}
        ops = {
            "sqrt": f"math.sqrt %x : {type}",
            "absf": f"math.absf %x : {type}",
            "fma": f"math.fma %x, %y, %x : {type}",
        }
        if type == "f32":
            ops |= {
                "ex2": "math.exp2 %x : f32",
                "rsq": "math.rsqrt %x : f32",
            }
        for name, op in ops.items():
            text = elementwise(name, op, type, type)
            kernels[name] = text, [a, b, _zeros(type)]
        check(kernels)

    def test_booleans(self) -> None:
        """i1 in predicates, in memory, as parameters; logic, selects, conversions."""
        text = """
func.func @logic(%a: memref<8xi1, 1>, %b: memref<8xi32, 1>, %p: i1, %s: i8) attributes {gpu.kernel} {
  CONSTANTS
  %x = memref.load %a[%c0] : memref<8xi1, 1>
  %y = memref.load %a[%c1] : memref<8xi1, 1>
  %and = arith.andi %x, %p : i1
  %or = arith.ori %and, %y : i1
  %xor = arith.xori %or, %x : i1
  %sum = arith.addi %xor, %p : i1
  %same = arith.cmpi eq, %sum, %y : i1
  %chosen = arith.select %same, %x, %y : i1
  memref.store %chosen, %a[%c2] : memref<8xi1, 1>
  memref.store %sum, %a[%c3] : memref<8xi1, 1>
  %signed = arith.extsi %same : i1 to i32
  %narrow = arith.trunci %signed : i32 to i1
  %back = arith.extui %narrow : i1 to i32
  %byte = arith.extsi %s : i8 to i32
  %real = arith.uitofp %same : i1 to f32
  %bits = arith.bitcast %real : f32 to i32
  memref.store %signed, %b[%c0] : memref<8xi32, 1>
  memref.store %back, %b[%c1] : memref<8xi32, 1>
  memref.store %byte, %b[%c2] : memref<8xi32, 1>
  memref.store %bits, %b[%c3] : memref<8xi32, 1>
  func.return
}
""".replace("CONSTANTS", CONSTANTS)
        kernels: dict[str, tuple[str, list[Any]]] = {}
        for number in range(8):
            bits = [bool(number & 1), bool(number & 2), *[False] * 6]
            arguments = [
                np.array(bits),
                np.zeros(8, np.int32),
                np.bool_(number & 4),
                np.int8(number - 4),
            ]
            kernels[f"logic{number}"] = (
                text.replace("@logic", f"@logic{number}"),
                arguments,
            )
        check(kernels)

    def test_vectors(self) -> None:
        body = f"""
  {CONSTANTS}
  %m = vector.load %a[%c1, %c0] : memref<4x8xf32, 1>, vector<2x4xf32>
  %row = vector.extract %m[1] : vector<4xf32> from vector<2x4xf32>
  %all = vector.broadcast %row : vector<4xf32> to vector<2x4xf32>
  %x = vector.extract %m[0, 3] : f32 from vector<2x4xf32>
  %put = vector.insert %x, %all [0, 1] : f32 into vector<2x4xf32>
  %two = vector.insert %row, %put [1] : vector<4xf32> into vector<2x4xf32>
  %k = arith.constant dense<2.0> : vector<2x4xf32>
  %o = arith.constant dense<[1.0, -0.0, 3.0, 4.0]> : vector<4xf32>
  %f = vector.fma %two, %k, %all : vector<2x4xf32>
  %last = vector.extract %f[0] : vector<4xf32> from vector<2x4xf32>
  %n = arith.addf %last, %o : vector<4xf32>
  %p = vector.shuffle %n, %row [7, 0, 2, 5] : vector<4xf32>, vector<4xf32>
  vector.store %f, %b[%c0, %c0] : memref<4x8xf32, 1>, vector<2x4xf32>
  vector.store %p, %b[%c2, %c4] : memref<4x8xf32, 1>, vector<4xf32>
  %part = memref.subview %a[0, 0] [1, 8] [1, 1] : memref<4x8xf32, 1> to memref<1x8xf32, strided<[8, 1]>, 1>
  %to = memref.subview %b[3, 0] [1, 8] [1, 1] : memref<4x8xf32, 1> to memref<1x8xf32, strided<[8, 1], offset: 24>, 1>
  "memref.copy"(%part, %to) : (memref<1x8xf32, strided<[8, 1]>, 1>, memref<1x8xf32, strided<[8, 1], offset: 24>, 1>) -> ()
"""
        text = kernel(
            "%a: memref<4x8xf32, 1> {llvm.align = 32 : i64}, %b: memref<4x8xf32, 1>",
            body,
        )
        check({"k": (text, [_f32(32).reshape(4, 8), np.zeros((4, 8), np.float32)])})


class Test_random_accesses:
    """Loads and stores in any order, of arguments that may be one and the same memory."""

    @pytest.mark.parametrize("seed", range(8))
    def test_order_is_kept(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        lines = [CONSTANTS, "%v0 = arith.constant 1.0 : f32"]
        values, buffers = 1, ["a", "b", "l"]
        lines += ["%l = memref.alloca() : memref<10xf32, 5>"]
        lines += [f"memref.store %v0, %l[%c{i}] : memref<10xf32, 5>" for i in range(10)]
        types = {
            "a": "memref<10xf32>",
            "b": "memref<10xf32, 1>",
            "l": "memref<10xf32, 5>",
        }
        for _ in range(60):
            buffer, index = buffers[random.integers(3)], random.integers(8)
            if random.random() < 0.5:
                lines.append(
                    f"%v{values} = memref.load %{buffer}[%c{index}] : {types[buffer]}"
                )
                values += 1
                continue
            if random.random() < 0.2:
                wide = (
                    f"vector.load %{buffer}[%c{index}] : {types[buffer]}, vector<2xf32>"
                )
                lines.append(f"%w{values} = {wide}")
                lines.append(
                    f"vector.store %w{values}, %{buffer}[%c{random.integers(8)}] : {types[buffer]}, vector<2xf32>"
                )
                values += 1
                lines.append(
                    f"%v{values - 1} = vector.extract %w{values - 1}[1] : f32 from vector<2xf32>"
                )
                continue
            x, y = random.integers(values, size=2)
            lines.append(f"%s{len(lines)} = arith.addf %v{x}, %v{y} : f32")
            lines.append(
                f"memref.store %s{len(lines) - 1}, %{buffer}[%c{index}] : {types[buffer]}"
            )
        lines.append(
            '"memref.copy"(%l, %out) : (memref<10xf32, 5>, memref<10xf32, 1>) -> ()'
        )
        text = kernel(
            "%a: memref<10xf32> {llvm.align = 16 : i64}, "
            "%b: memref<10xf32, 1> {llvm.align = 16 : i64}, %out: memref<10xf32, 1>",
            "\n".join(lines),
        )
        shared = _f32(10)
        check({"k": (text, [shared, shared, np.zeros(10, np.float32)])})
