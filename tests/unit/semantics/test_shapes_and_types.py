"""Every shape that TVM's own thread-scope tests have, and every type that `local` takes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.semantics.test_three_roads import check

TVM_LENGTHS = [1, 4, 7, 8, 9, 10, 15, 16, 17, 32, 63, 64, 65, 100, 128, 256]
TVM_AXES = [
    ([4, 8], [0]),
    ([4, 8], [1]),
    ([3, 4, 5], [0, 2]),
    ([2, 3, 4], [-1]),
    ([2, 3, 4], [0]),
]
FLOAT_KINDS = ["add", "mul", "maxnumf", "minnumf", "maximumf", "minimumf"]
INTEGER_KINDS = ["add", "mul", "maxsi", "minsi", "maxui", "minui", "and", "or", "xor"]
CHIPS = ["sm_80", "sm_90", "sm_100a", "sm_120a"]


@pytest.mark.parametrize("chip", ["sm_90", "sm_100a"])
@pytest.mark.parametrize("kind", ["add", "maxnumf", "minnumf"])
def test_tvm_lengths(kind: str, chip: str):
    for length in TVM_LENGTHS:
        check(kind, [length], chip=chip)


@pytest.mark.parametrize("accumulate", [False, True], ids=["fresh", "accumulate"])
@pytest.mark.parametrize("chip", ["sm_90", "sm_100a"])
@pytest.mark.parametrize("kind", FLOAT_KINDS)
def test_tvm_axes(kind: str, chip: str, accumulate: bool):
    for shape, axes in TVM_AXES:
        check(kind, shape, axes=axes, chip=chip, accumulate=accumulate)


@pytest.mark.parametrize("accumulate", [False, True], ids=["fresh", "accumulate"])
def test_no_axis_at_all(accumulate: bool):
    for dtype, kind in (
        ("f32", "add"),
        ("f32", "minimumf"),
        ("i8", "mul"),
        ("bf16", "add"),
    ):
        check(kind, [2, 3], axes=[], dtype=dtype, accumulate=accumulate)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64"])
@pytest.mark.parametrize("kind", FLOAT_KINDS)
def test_float_types(kind: str, dtype: str, chip: str):
    orders = ["lanes8", "sequential"] if kind in ("add", "mul") else [None]
    for order in orders:
        for length in (1, 2, 3, 8, 13, 33):
            check(kind, [length], dtype=dtype, order=order, chip=chip)
    check(kind, [3, 4, 5], axes=[0, 2], dtype=dtype, chip=chip, accumulate=True)


@pytest.mark.parametrize("dtype", ["i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("kind", INTEGER_KINDS)
def test_integer_types(kind: str, dtype: str):
    for chip in ("sm_80", "sm_100a"):
        for length in (1, 2, 7, 8, 33):
            check(kind, [length], dtype=dtype, chip=chip)
    check(kind, [3, 4, 5], axes=[0, 2], dtype=dtype, accumulate=True)


@pytest.mark.parametrize("options", [{}, {"ftz": True}, {"accumulate": True}], ids=str)
def test_products_of_f32(options: dict[str, Any]):
    for order in ("lanes8", "sequential"):
        for length in (1, 2, 7, 8, 9, 17):
            check("mul", [length], order=order, **options)


@pytest.mark.parametrize("chip", ["sm_90", "sm_100a", "sm_120a"])
@pytest.mark.parametrize("kind", ["sumsq", "dot", "absmax"])
def test_sums_of_products_and_absmax(kind: str, chip: str):
    orders = [None] if kind == "absmax" else ["lanes8", "sequential", "tree"]
    for order in orders:
        for length in (1, 2, 3, 7, 8, 9, 16, 19, 33):
            check(kind, [length], order=order, chip=chip, accumulate=length % 2 == 1)
        check(kind, [3, 4], axes=[0], order=order, chip=chip)
        check(kind, [3, 4], axes=[1], order=order, chip=chip, ftz=True)


@pytest.mark.parametrize("chip", ["sm_80", "sm_90", "sm_100a"])
@pytest.mark.parametrize("dtype", ["bf16", "f16"])
@pytest.mark.parametrize("kind", ["add", "sumsq", "dot", "maximumf", "absmax"])
def test_accumulation_in_f32(kind: str, dtype: str, chip: str):
    orders = ["lanes8", "tree"] if kind in ("add", "sumsq", "dot") else [None]
    for order in orders:
        for out in (None, dtype):
            for length in (1, 2, 8, 17):
                check(
                    kind,
                    [length],
                    dtype=dtype,
                    acc="f32",
                    out=out,
                    order=order,
                    chip=chip,
                )
    check(kind, [3, 4], axes=[0], dtype=dtype, acc="f32", accumulate=True, chip=chip)


@pytest.mark.parametrize("kind", ["add", "maxsi", "maxui", "xor"])
def test_wider_integers(kind: str):
    for dtype, acc in (("i8", "i32"), ("i16", "i64"), ("i8", "i16")):
        check(kind, [9], dtype=dtype, acc=acc)
        check(kind, [9], dtype=dtype, acc=acc, out=dtype, accumulate=True)


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("order", ["sequential", "lanes8", "tree"])
def test_columns_keep_their_order(order: str, dtype: str):
    """The innermost axis is kept: neighbouring results share a pair, in any order."""
    for columns in (2, 3, 4):
        for rows in (2, 3, 9):
            variant = check("add", [rows, columns], axes=[0], order=order, dtype=dtype)
            assert variant == "packed_columns"


@pytest.mark.parametrize("accumulate", [False, True], ids=["fresh", "accumulate"])
@pytest.mark.parametrize("order", ["sequential", "lanes8", "tree"])
def test_columns_of_products(order: str, accumulate: bool):
    """Which products are fused depends on the order alone, not on how columns are paired."""
    for rows in (*range(2, 18), 31):
        check("sumsq", [rows, 2], axes=[0], order=order, accumulate=accumulate)
