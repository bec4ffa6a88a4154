"""Compare-and-select bodies are read as what they compute, for every pair of values."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from xdsl.dialects.linalg.ops import ReduceOp

from tests.unit.entrances.modules import linalg_reduce, parse
from tests.unit.semantics import numpy_reference
from tests.unit.semantics.inputs import Array
from xdsl_packed.entrances.combiner import Combiner, read_combiner
from xdsl_packed.interpreters import run_function
from xdsl_packed.reduction import Kind

FLOAT_PREDICATES = (
    "false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split()
)
INTEGER_PREDICATES = "eq ne slt sle sgt sge ult ule ugt uge".split()
FLOAT_KINDS = (Kind.MAXNUMF, Kind.MINNUMF, Kind.MAXIMUMF, Kind.MINIMUMF)
INTEGER_KINDS = (Kind.MAXSI, Kind.MINSI, Kind.MAXUI, Kind.MINUI)

FLOATS = np.array([np.nan, -np.inf, -2.5, -1.0, -0.0, 0.0, 1e-45, 1.0, 3e38, np.inf])
INTEGERS = np.array([-(2**31), -7, -2, -1, 0, 1, 2, 9, 2**31 - 1])


def read(body: str, element: str) -> Combiner | str:
    module = parse(linalg_reduce(body, [8], [0], element))
    (op,) = (op for op in module.walk() if isinstance(op, ReduceOp))
    return read_combiner(op.region.block)


def run(body: str, element: str, a: Array, b: Array) -> Array:
    """What the body computes, by the interpreter, for all of (a, b)."""
    memref = f"memref<1x{element}, 1>"
    module = parse(f"""
func.func @f(%a: {memref}, %b: {memref}, %results: {memref}) {{
  %c0 = arith.constant 0 : index
  %in = memref.load %a[%c0] : {memref}
  %out = memref.load %b[%c0] : {memref}
  {body}
  memref.store %r, %results[%c0] : {memref}
  func.return
}}""")
    result = np.zeros_like(a)[None]
    run_function(module, "f", [a[None], b[None], result], batch_axes=1)
    return result[0]


def pairs(values: Array, dtype: type) -> tuple[Array, Array]:
    a, b = np.array(list(product(values, values))).T
    return a.astype(dtype), b.astype(dtype)


def check(body: str, element: str) -> Kind | None:
    """
    The kind that is read is what the body computes, up to the sign of a zero; where none
    is read, no kind computes that.
    """
    is_float = element == "f32"
    a, b = pairs(FLOATS, np.float32) if is_float else pairs(INTEGERS, np.int32)
    computed = run(body, element, a, b)
    alike = {
        kind
        for kind in (FLOAT_KINDS if is_float else INTEGER_KINDS)
        if np.array_equal(
            numpy_reference.combination(kind.value, element)(a, b),
            computed,
            equal_nan=is_float,
        )
    }
    combiner = read(body, element)
    if isinstance(combiner, str):
        assert not alike, f"{body}\nis {alike}, but: {combiner}"
        return None
    assert combiner.kind in alike, f"{body}\nis read as {combiner.kind}"
    assert (combiner.remark is not None) == is_float
    return combiner.kind


def nan_tests() -> list[str]:
    """How a condition takes NaN in, as text between %c and %take."""
    forms = ["%take = arith.ori %c, %c : i1"]
    for predicate, value, join in product(
        ("une", "ord"), ("%in", "%out"), ("ori", "andi")
    ):
        forms.append(
            f"%nan = arith.cmpf {predicate}, {value}, {value} : f32\n"
            f"      %take = arith.{join} %c, %nan : i1"
        )
    return forms


@pytest.mark.parametrize("predicate", FLOAT_PREDICATES)
def test_float_bodies(predicate: str):
    for nan_test, swapped in product(nan_tests(), (False, True)):
        first, second = ("%out", "%in") if swapped else ("%in", "%out")
        check(
            f"%c = arith.cmpf {predicate}, %in, %out : f32\n"
            f"      {nan_test}\n"
            f"      %r = arith.select %take, {first}, {second} : f32",
            "f32",
        )


@pytest.mark.parametrize("predicate", INTEGER_PREDICATES)
@pytest.mark.parametrize("swapped", [False, True])
def test_integer_bodies(predicate: str, swapped: bool):
    first, second = ("%out", "%in") if swapped else ("%in", "%out")
    kind = check(
        f"%c = arith.cmpi {predicate}, %in, %out : i32\n"
        f"      %r = arith.select %c, {first}, {second} : i32",
        "i32",
    )
    assert (kind is None) == (predicate in ("eq", "ne"))


def body_of(greater: str, nan: str) -> str:
    return (
        f"%c = arith.cmpf {greater}, %in, %out : f32\n"
        f"      %nan = arith.cmpf une, {nan}, {nan} : f32\n"
        f"      %take = arith.ori %c, %nan : i1\n"
        f"      %r = arith.select %take, %in, %out : f32"
    )


@pytest.mark.parametrize(
    ("greater", "nan", "kind"),
    [
        ("ogt", "%in", Kind.MAXIMUMF),
        ("oge", "%in", Kind.MAXIMUMF),
        ("olt", "%in", Kind.MINIMUMF),
        ("ogt", "%out", Kind.MAXNUMF),
        ("olt", "%out", Kind.MINNUMF),
    ],
)
def test_the_forms_that_producers_print(greater: str, nan: str, kind: Kind):
    assert check(body_of(greater, nan), "f32") is kind


def test_flags_take_the_zeros_and_the_nans_out():
    body = (
        "%c = arith.cmpf ogt, %in, %out fastmath<nnan,nsz> : f32\n"
        "      %r = arith.select %c, %in, %out : f32"
    )
    combiner = read(body, "f32")
    assert isinstance(combiner, Combiner)
    assert (combiner.kind, combiner.remark) == (Kind.MAXNUMF, None)
    without_nsz = read(body.replace("nnan,nsz", "nnan"), "f32")
    assert isinstance(without_nsz, Combiner)
    assert without_nsz.remark is not None
    assert isinstance(read(body.replace("nnan,nsz", "nsz"), "f32"), str)
