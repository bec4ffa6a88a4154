"""The upstream ops on numpy values: exact widths, views, poison, batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.utils.exceptions import InterpretationError

from xdsl_packed.frontend import parse_text, verify
from xdsl_packed.interpreters import run_function


def _run(text: str, *args: Any, batch_axes: int = 0) -> tuple[Any, ...]:
    _, module = parse_text(text, "k.mlir")
    verify(module)
    return run_function(module, "f", args, batch_axes=batch_axes)


def _apply(op: str, type: str, *args: Any, result: str | None = None) -> Any:
    """The result of one op on operands of one type."""
    names = ", ".join(f"%{i}" for i in range(len(args)))
    inputs = ", ".join(f"%{i}: {type}" for i in range(len(args)))
    casts = result is not None and not op.startswith("arith.cmp")
    result = result or type
    return _run(
        f"func.func @f({inputs}) -> {result} {{\n"
        f"  %r = {op} {names} : {type}{f' to {result}' if casts else ''}\n"
        f"  func.return %r : {result}\n}}",
        *args,
    )[0]


class Test_arith:
    @pytest.mark.parametrize(
        ("op", "type", "args", "expected"),
        [
            ("arith.addi", "i8", (127, 1), -128),
            ("arith.muli", "i64", (2**62, 4), 0),
            ("arith.subi", "i32", (-(2**31), 1), 2**31 - 1),
            ("arith.addi", "i1", (True, True), False),
            ("arith.maxsi", "i8", (-1, 1), 1),
            ("arith.maxui", "i8", (-1, 1), -1),
            ("arith.minui", "i8", (-1, 1), 1),
            ("arith.maxsi", "i1", (True, False), False),
            ("arith.maxui", "i1", (True, False), True),
            ("arith.divsi", "i32", (-7, 2), -3),
            ("arith.floordivsi", "i32", (-7, 2), -4),
            ("arith.ceildivsi", "i32", (7, 2), 4),
            ("arith.ceildivsi", "i32", (-7, 2), -3),
            ("arith.remsi", "i32", (-7, 2), -1),
            ("arith.divui", "i8", (-1, 2), 127),
            ("arith.remui", "i8", (-1, 2), 1),
            ("arith.ceildivui", "i8", (-1, 2), -128),
            ("arith.shli", "i8", (1, 7), -128),
            ("arith.shrsi", "i8", (-128, 7), -1),
            ("arith.shrui", "i8", (-128, 7), 1),
            ("arith.xori", "i16", (-1, 1), -2),
        ],
    )
    def test_integers(self, op: str, type: str, args: tuple[Any, ...], expected: Any):
        result = _apply(op, type, *args)
        assert result == expected
        width = 1 if type == "i1" else int(type[1:]) // 8
        assert result.dtype.itemsize == width

    @pytest.mark.parametrize(
        ("predicate", "a", "b", "expected"),
        [
            ("slt", -1, 1, True),
            ("ult", -1, 1, False),
            ("uge", -1, 1, True),
            ("eq", 3, 3, True),
            ("ne", 3, 3, False),
            ("sge", -1, -1, True),
        ],
    )
    def test_cmpi(self, predicate: str, a: int, b: int, expected: bool):
        result = _apply(f"arith.cmpi {predicate},", "i32", a, b, result="i1")
        assert result.dtype == np.bool_
        assert result == expected

    @pytest.mark.parametrize(
        ("predicate", "expected"),
        [("olt", False), ("ult", True), ("uno", True), ("ord", False), ("une", True)],
    )
    def test_cmpf_with_nan(self, predicate: str, expected: bool):
        assert (
            _apply(f"arith.cmpf {predicate},", "f32", 1.0, np.nan, result="i1")
            == expected
        )

    def test_floats_have_their_own_width(self):
        half = _apply("arith.addf", "f16", 2048.0, 1.0)
        assert half.dtype == np.float16
        assert half == 2048
        brain = _apply("arith.addf", "bf16", 256.0, 1.0)
        assert brain.dtype == np.uint16
        assert brain == 0x4380
        assert _apply("arith.addf", "f32", 2.0**24, 1.0) == 2**24
        assert _apply("arith.addf", "f64", 2.0**24, 1.0) == 2**24 + 1

    def test_maximum_kinds_differ_on_nan(self):
        assert _apply("arith.maxnumf", "f32", 1.0, np.nan) == 1
        assert np.isnan(_apply("arith.maximumf", "f32", 1.0, np.nan))
        assert _apply("arith.minnumf", "f32", np.nan, 1.0) == 1
        assert np.isnan(_apply("arith.minimumf", "f32", np.nan, 1.0))

    @pytest.mark.parametrize(
        ("op", "source", "target", "value", "expected"),
        [
            ("arith.extsi", "i8", "i32", -1, -1),
            ("arith.extui", "i8", "i32", -1, 255),
            ("arith.extsi", "i1", "i8", True, -1),
            ("arith.extui", "i1", "i8", True, 1),
            ("arith.trunci", "i32", "i8", 384, -128),
            ("arith.trunci", "i32", "i1", 2, False),
            ("arith.index_cast", "i32", "index", -5, -5),
            ("arith.sitofp", "i32", "f32", 2**24 + 1, 2**24),
            ("arith.uitofp", "i8", "f32", -1, 255),
            ("arith.fptosi", "f32", "i8", -3.7, -3),
            ("arith.fptoui", "f32", "i8", 255.0, -1),
            ("arith.truncf", "f32", "bf16", 1.0, 0x3F80),
            ("arith.extf", "bf16", "f32", np.uint16(0x3F80), 1.0),
            ("arith.bitcast", "f32", "i32", 1.0, 0x3F800000),
        ],
    )
    def test_casts(self, op: str, source: str, target: str, value: Any, expected: Any):
        assert _apply(op, source, value, result=target) == expected

    def test_division_by_zero_names_the_op(self):
        with pytest.raises(InterpretationError) as caught:
            _apply("arith.divsi", "i32", 1, 0)
        assert str(caught.value) == "k.mlir:2:3: error: 'arith.divsi' divides by zero"

    def test_dense_constants_keep_their_bits(self):
        (result,) = _run(
            "func.func @f() -> vector<2xf32> {\n"
            '  %0 = arith.constant dense<"0x010080FF0000C07F"> : vector<2xf32>\n'
            "  func.return %0 : vector<2xf32>\n}"
        )
        assert result.view(np.uint32).tolist() == [0xFF800001, 0x7FC00000]

    def test_splat_constants(self):
        (result,) = _run(
            "func.func @f() -> vector<3xi16> {\n"
            "  %0 = arith.constant dense<7> : vector<3xi16>\n"
            "  func.return %0 : vector<3xi16>\n}"
        )
        assert result.tolist() == [7, 7, 7]
        assert result.dtype == np.int16


class Test_math:
    @pytest.mark.parametrize(
        ("op", "args", "expected"),
        [
            ("math.absf", (-2.0,), 2.0),
            ("math.sqrt", (4.0,), 2.0),
            ("math.rsqrt", (4.0,), 0.5),
            ("math.exp2", (3.0,), 8.0),
            ("math.fma", (2.0, 3.0, 1.0), 7.0),
        ],
    )
    def test_values(self, op: str, args: tuple[float, ...], expected: float):
        result = _apply(op, "f32", *args)
        assert result == expected
        assert result.dtype == np.float32


SUM_LOOP = """
func.func @f(%m: memref<4x4xf32>) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %init = arith.constant 0.0 : f32
  %sum = scf.for %i = %zero to %four step %one iter_args(%s = %init) -> (f32) {
    %x = memref.load %m[%i, %i] : memref<4x4xf32>
    %n = arith.addf %s, %x : f32
    scf.yield %n : f32
  }
  func.return %sum : f32
}
"""


class Test_memref_and_scf:
    def test_loop(self):
        m = np.arange(16, dtype=np.float32).reshape(4, 4)
        assert _run(SUM_LOOP, m) == (np.trace(m),)

    def test_loop_on_a_batch(self):
        m = np.arange(48, dtype=np.float32).reshape(4, 4, 3)
        (result,) = _run(SUM_LOOP, m, batch_axes=1)
        assert result.tolist() == np.trace(m).tolist()

    def test_a_view_of_the_caller_s_array_is_enough(self):
        m = np.arange(64, dtype=np.float32).reshape(8, 8)[::2, 1::2]
        assert _run(SUM_LOOP, m) == (np.trace(m),)

    def test_subview_is_a_view(self):
        m = np.zeros((4, 6), np.int32)
        _run(
            "func.func @f(%m: memref<4x6xi32>) {\n"
            "  %v = memref.subview %m[1, 0] [1, 3] [1, 2] : memref<4x6xi32> to "
            "memref<3xi32, strided<[2], offset: 6>>\n"
            "  %i = arith.constant 2 : index\n"
            "  %x = arith.constant 9 : i32\n"
            "  memref.store %x, %v[%i] : memref<3xi32, strided<[2], offset: 6>>\n"
            "  func.return\n}",
            m,
        )
        assert m[1, 4] == 9
        assert m.sum() == 9

    def test_rank_reduction_drops_the_right_dimension(self):
        m = np.arange(6, dtype=np.int32).reshape(1, 6)
        result = np.zeros((1, 3), np.int32)
        _run(
            "func.func @f(%m: memref<1x6xi32>, %r: memref<1x3xi32>) {\n"
            "  %v = memref.subview %m[0, 1] [1, 3] [1, 2] : memref<1x6xi32> to "
            "memref<3xi32, strided<[2], offset: 1>>\n"
            "  %w = memref.subview %r[0, 0] [1, 3] [1, 1] : memref<1x3xi32> to "
            "memref<3xi32>\n"
            '  "memref.copy"(%v, %w) : (memref<3xi32, strided<[2], offset: 1>>, '
            "memref<3xi32>) -> ()\n"
            "  func.return\n}",
            m,
            result,
        )
        assert result.tolist() == [[1, 3, 5]]

    def test_overlapping_copy(self):
        m = np.arange(4, dtype=np.int8)
        _run(
            "func.func @f(%m: memref<4xi8>) {\n"
            "  %a = memref.subview %m[0] [3] [1] : memref<4xi8> to memref<3xi8>\n"
            "  %b = memref.subview %m[1] [3] [1] : memref<4xi8> to "
            "memref<3xi8, strided<[1], offset: 1>>\n"
            '  "memref.copy"(%a, %b) : (memref<3xi8>, '
            "memref<3xi8, strided<[1], offset: 1>>) -> ()\n"
            "  func.return\n}",
            m,
        )
        assert m.tolist() == [0, 0, 1, 2]

    def test_a_condition_chooses(self):
        text = (
            "func.func @f(%c: i1) -> i32 {\n"
            "  %r = scf.if %c -> (i32) {\n"
            "    %x = arith.constant 1 : i32\n    scf.yield %x : i32\n"
            "  } else {\n"
            "    %x = arith.constant 2 : i32\n    scf.yield %x : i32\n"
            "  }\n"
            "  func.return %r : i32\n}"
        )
        assert _run(text, True) == (1,)
        assert _run(text, False) == (2,)
        assert _run(text, np.array([True, True])) == (1,)
        with pytest.raises(InterpretationError, match="differs within the batch"):
            _run(text, np.array([True, False]))


ALLOCA = """
func.func @f(%m: memref<2xf32>, %i: index) -> f32 {
  %a = memref.alloca() : memref<4xf32, 5 : i32>
  %v = memref.subview %a[1] [2] [1] : memref<4xf32, 5 : i32> to memref<2xf32, strided<[1], offset: 1>, 5 : i32>
  "memref.copy"(%m, %v) : (memref<2xf32>, memref<2xf32, strided<[1], offset: 1>, 5 : i32>) -> ()
  %x = memref.load %a[%i] : memref<4xf32, 5 : i32>
  func.return %x : f32
}
"""


class Test_unwritten_and_out_of_range:
    def test_written_through_a_view(self):
        m = np.array([5, 6], np.float32)
        assert _run(ALLOCA, m, 1) == (5,)
        assert _run(ALLOCA, m, 2) == (6,)

    def test_on_a_batch(self):
        m = np.array([[5, 6], [7, 8]], np.float32)
        (result,) = _run(ALLOCA, m, 2, batch_axes=1)
        assert result.tolist() == [7, 8]

    @pytest.mark.parametrize("index", [0, 3])
    def test_reading_what_was_not_written(self, index: int):
        with pytest.raises(InterpretationError) as caught:
            _run(ALLOCA, np.zeros(2, np.float32), index)
        assert str(caught.value) == (
            "k.mlir:6:3: error: 'memref.load' reads an element that was never written"
        )

    @pytest.mark.parametrize("index", [-1, 4])
    def test_out_of_range(self, index: int):
        with pytest.raises(InterpretationError) as caught:
            _run(ALLOCA, np.zeros(2, np.float32), index)
        assert str(caught.value) == (
            f"k.mlir:6:3: error: 'memref.load' reaches index {index} of dimension 0, "
            "whose extent is 4"
        )

    def test_a_batch_into_memory_without(self):
        text = (
            "func.func @f(%x: f32, %m: memref<1xf32>) {\n"
            "  %i = arith.constant 0 : index\n"
            "  memref.store %x, %m[%i] : memref<1xf32>\n"
            "  func.return\n}"
        )
        with pytest.raises(InterpretationError, match="without batch axes"):
            _run(text, np.zeros(3, np.float32), np.zeros(1, np.float32))


class Test_vector:
    TEXT = """
func.func @f(%m: memref<2x4xf32>) -> (f32, vector<2xf32>, vector<4xf32>) {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %v = vector.load %m[%one, %two] : memref<2x4xf32>, vector<2xf32>
  %x = vector.extract %v[1] : f32 from vector<2xf32>
  %c = arith.constant dense<[10.0, 20.0]> : vector<2xf32>
  %w = vector.insert %x, %c[0] : f32 into vector<2xf32>
  %s = arith.addf %w, %c : vector<2xf32>
  vector.store %s, %m[%one, %one] : memref<2x4xf32>, vector<2xf32>
  %t = vector.shuffle %v, %c[0, 3, 1, 2] : vector<2xf32>, vector<2xf32>
  func.return %x, %s, %t : f32, vector<2xf32>, vector<4xf32>
}
"""

    def test_values(self):
        m = np.arange(8, dtype=np.float32).reshape(2, 4)
        x, s, t = _run(self.TEXT, m)
        assert x == 7
        assert s.tolist() == [17, 40]
        assert t.tolist() == [6, 20, 7, 10]
        assert m.tolist() == [[0, 1, 2, 3], [4, 17, 40, 7]]

    def test_a_batch_gives_what_each_input_gives(self):
        rng = np.random.default_rng(0)
        batch = rng.random((2, 4, 5), np.float32)
        alone = [batch[..., i].copy() for i in range(5)]
        results = _run(self.TEXT, batch, batch_axes=1)
        for i, m in enumerate(alone):
            for one, many in zip(_run(self.TEXT, m), results):
                assert np.array_equal(one, many[..., i])
            assert np.array_equal(m, batch[..., i])

    @pytest.mark.parametrize(
        ("kind", "expected"), [("add", 3e8), ("maxnumf", 3e8), ("mul", 0)]
    )
    def test_reduction_is_ordered_accumulator_first(self, kind: str, expected: float):
        text = (
            "func.func @f(%v: vector<3xf32>, %a: f32) -> f32 {\n"
            f"  %r = vector.reduction <{kind}>, %v, %a : vector<3xf32> into f32\n"
            "  func.return %r : f32\n}"
        )
        v = np.array([1, 0, 3e8], np.float32)
        assert _run(text, v, 0.0) == (np.float32(expected),)

    def test_reduction_without_accumulator_in_order(self):
        text = (
            "func.func @f(%v: vector<4xf32>) -> f32 {\n"
            "  %r = vector.reduction <add>, %v : vector<4xf32> into f32\n"
            "  func.return %r : f32\n}"
        )
        v = np.array([1, 2**24, -(2**24), 1], np.float32)
        assert _run(text, v) == (1,)

    def test_broadcast_bitcast_and_fma(self):
        text = (
            "func.func @f(%x: f32) -> (vector<2xf32>, vector<1xi64>) {\n"
            "  %v = vector.broadcast %x : f32 to vector<2xf32>\n"
            "  %w = vector.fma %v, %v, %v : vector<2xf32>\n"
            "  %b = vector.bitcast %w : vector<2xf32> to vector<1xi64>\n"
            "  func.return %w, %b : vector<2xf32>, vector<1xi64>\n}"
        )
        w, b = _run(text, 2.0)
        assert w.tolist() == [6, 6]
        assert b.tolist() == [0x40C0000040C00000]
        w, b = _run(text, np.array([2, 0, 1], np.float32))
        assert w.tolist() == [[6, 0, 2], [6, 0, 2]]
        assert b.shape == (1, 3)


class Test_functions:
    def test_gpu_func_in_its_module(self):
        text = """
"gpu.module"() <{sym_name = "m"}> ({
  "gpu.func"() <{function_type = (memref<1xi64>) -> (), kernel}> ({
  ^bb0(%m: memref<1xi64>):
    %i = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
    %n = "gpu.block_dim"() <{dimension = #gpu<dim x>}> : () -> index
    %x = arith.index_cast %n : index to i64
    memref.store %x, %m[%i] : memref<1xi64>
    "gpu.return"() : () -> ()
  }) {sym_name = "f"} : () -> ()
}) : () -> ()
"""
        m = np.zeros(1, np.int64)
        assert _run(text, m) == ()
        assert m.tolist() == [1]

    def test_call(self):
        text = (
            "func.func @g(%x: i32) -> i32 {\n"
            "  %y = arith.addi %x, %x : i32\n  func.return %y : i32\n}\n"
            "func.func @f(%x: i32) -> i32 {\n"
            "  %y = func.call @g(%x) : (i32) -> i32\n  func.return %y : i32\n}"
        )
        assert _run(text, 21) == (42,)

    def test_branches(self):
        text = (
            "func.func @f(%x: i32) -> i32 {\n"
            "  %zero = arith.constant 0 : i32\n"
            "  %one = arith.constant 1 : i32\n"
            "  cf.br ^loop(%x, %zero : i32, i32)\n"
            "^loop(%n: i32, %s: i32):\n"
            "  %t = arith.addi %s, %n : i32\n"
            "  %m = arith.subi %n, %one : i32\n"
            "  %c = arith.cmpi sgt, %m, %zero : i32\n"
            "  cf.cond_br %c, ^loop(%m, %t : i32, i32), ^end\n"
            "^end:\n"
            "  func.return %t : i32\n}"
        )
        assert _run(text, 4) == (10,)

    @pytest.mark.parametrize(
        ("args", "message"),
        [
            ((), "k.mlir:1:1: error: 'func.func' @f takes 1 arguments, got 0"),
            (
                (np.zeros(3, np.float32),),
                "k.mlir:1:1: error: 'func.func' takes as argument 0 a numpy array of "
                "float32 (2,), got float32 (3,)",
            ),
            (
                (np.zeros(2),),
                "k.mlir:1:1: error: 'func.func' takes as argument 0 a numpy array of "
                "float32 (2,), got float64 (2,)",
            ),
            (
                (1.0,),
                "k.mlir:1:1: error: 'func.func' takes as argument 0 a numpy array of "
                "float32 (2,), got 1.0",
            ),
        ],
    )
    def test_arguments_that_do_not_fit(self, args: tuple[Any, ...], message: str):
        with pytest.raises(InterpretationError) as caught:
            _run("func.func @f(%m: memref<2xf32>) {\n  func.return\n}", *args)
        assert str(caught.value) == message

    def test_an_op_that_has_no_meaning_here(self):
        with pytest.raises(InterpretationError) as caught:
            _run('func.func @f() {\n  "test.op"() : () -> ()\n  func.return\n}')
        assert str(caught.value) == (
            "k.mlir:2:3: error: 'test.op' cannot be interpreted"
        )

    def test_an_unknown_name(self):
        _, module = parse_text("func.func @g() {\n  func.return\n}")
        with pytest.raises(InterpretationError) as caught:
            run_function(module, "f", ())
        assert str(caught.value) == (
            "error: there is no function @f: the module has @g"
        )
