"""f16, bf16 and i16 two lanes at a time, and halves summed in f32: the same bits on every chip."""

from __future__ import annotations

import pytest

from tests.unit.semantics.test_three_roads import check
from xdsl_packed import compile_reduction

CHIPS = ["sm_80", "sm_90", "sm_100a", "sm_120a"]
LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 19, 31, 32, 40)
ORDERED_KINDS = ["add", "mul", "sumsq", "dot"]
EXTREMA = ["maxnumf", "minnumf", "maximumf", "minimumf", "absmax"]
PAIRED_INTEGER_KINDS = ["add", "maxsi", "minsi", "maxui", "minui", "and", "or", "xor"]


def expected_variant(dtype: str, chip: str, length: int, *, is_float_sum: bool) -> str:
    """bf16 has add and mul from sm_90 on; max, min and f16 are older."""
    is_legal = chip != "sm_80" or dtype == "f16" or not is_float_sum
    return "packed_16bit" if is_legal and length >= 4 else "local"


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("kind", ORDERED_KINDS)
def test_sums_and_products(kind: str, dtype: str, chip: str):
    for length in LENGTHS:
        for order in ("lanes8", "tree", "sequential"):
            variant = check(
                kind,
                [length],
                dtype=dtype,
                order=order,
                chip=chip,
                accumulate=length % 3 == 0,
            )
            expected = expected_variant(dtype, chip, length, is_float_sum=True)
            if order == "sequential" or (order == "lanes8" and length < 8):
                expected = "local"
            assert variant == expected, (order, length)


@pytest.mark.parametrize("accumulate", [False, True], ids=["fresh", "accumulate"])
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("kind", EXTREMA)
def test_max_and_min(kind: str, dtype: str, chip: str, accumulate: bool):
    for length in LENGTHS:
        variant = check(kind, [length], dtype=dtype, chip=chip, accumulate=accumulate)
        assert variant == expected_variant(dtype, chip, length, is_float_sum=False)


@pytest.mark.parametrize("accumulate", [False, True], ids=["fresh", "accumulate"])
@pytest.mark.parametrize("chip", [*CHIPS, "sm_110a"])
@pytest.mark.parametrize("kind", PAIRED_INTEGER_KINDS)
def test_i16(kind: str, chip: str, accumulate: bool):
    """Bits of two lanes are bits of one register on every chip; sm_110 emulates s16x2."""
    has_pairs = kind in ("and", "or", "xor") or chip not in ("sm_80", "sm_110a")
    for length in LENGTHS:
        variant = check(kind, [length], dtype="i16", chip=chip, accumulate=accumulate)
        expected = "packed_16bit" if has_pairs and length >= 4 else "local"
        assert variant == expected, length


@pytest.mark.parametrize("chip", ["sm_80", "sm_90", "sm_110a"])
@pytest.mark.parametrize("kind", PAIRED_INTEGER_KINDS)
def test_columns_of_i16(kind: str, chip: str):
    has_pairs = kind in ("and", "or", "xor") or chip == "sm_90"
    for columns in (2, 3, 4):
        variant = check(
            kind, [5, columns], axes=[0], dtype="i16", chip=chip, accumulate=True
        )
        assert variant == ("packed_columns" if has_pairs else "local")


def test_products_of_i16_have_no_pairs():
    assert check("mul", [9], dtype="i16", chip="sm_100a") == "local"


def test_forced_where_emulated():
    variant = check("maxsi", [9], dtype="i16", chip="sm_110a", variant="packed_16bit")
    assert variant == "packed_16bit"


@pytest.mark.parametrize(("shape", "axes"), [([4, 9], [1]), ([2, 3, 4], [0, 2])])
@pytest.mark.parametrize("dtype", ["f16", "bf16", "i16"])
@pytest.mark.parametrize("accumulate", [False, True], ids=["fresh", "accumulate"])
def test_many_destinations(
    dtype: str, shape: list[int], axes: list[int], accumulate: bool
):
    kinds = ["add", "maxui"] if dtype == "i16" else ["add", "sumsq", "minimumf"]
    for kind in kinds:
        variant = check(
            kind, shape, axes=axes, dtype=dtype, chip="sm_90", accumulate=accumulate
        )
        assert variant == "packed_16bit"


def test_i8_summed_in_i16():
    for kind in ("add", "maxsi", "maxui"):
        variant = check(kind, [9], dtype="i8", acc="i16", chip="sm_90")
        assert variant == "packed_16bit"


@pytest.mark.parametrize("chip", ["sm_90", "sm_100a", "sm_120a"])
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("order", ["sequential", "lanes8", "tree"])
def test_halves_summed_in_f32(order: str, dtype: str, chip: str):
    """sm_100 and newer add a half to an f32 in one instruction; the bits stay the same."""
    for length in (1, 2, 3, 8, 9, 16, 33):
        for accumulate in (False, True):
            check(
                "add",
                [length],
                dtype=dtype,
                acc="f32",
                order=order,
                chip=chip,
                accumulate=accumulate,
            )
    check("add", [5, 3], axes=[0], dtype=dtype, acc="f32", order=order, chip=chip)


@pytest.mark.parametrize(
    ("chip", "ftz", "adds"),
    [("sm_100a", False, 8), ("sm_100a", True, 0), ("sm_90", False, 0)],
)
def test_mixed_adds(chip: str, ftz: bool, adds: int):
    """Half of 16 f16 are taken by a mixed add; none is with ftz."""
    kernel = compile_reduction(
        "add", [16], dtype="f16", acc="f32", order="tree", chip=chip, ftz=ftz
    )
    assert kernel.ptx.count("add.rn.f32.f16") == adds
    assert kernel.ptx.count("cvt.") == 16 - adds


@pytest.mark.parametrize("kind", ["maximumf", "sumsq"])
@pytest.mark.parametrize(("chip", "mixed"), [("sm_100a", 16), ("sm_90", 0)])
def test_bf16_is_widened_by_adding_minus_zero(kind: str, chip: str, mixed: int):
    kernel = compile_reduction(kind, [16], dtype="bf16", acc="f32", chip=chip)
    assert kernel.ptx.count("add.rn.f32.bf16") == mixed
    assert kernel.ptx.count("cvt.f32.bf16") == 16 - mixed
    check(kind, [16], dtype="bf16", acc="f32", chip=chip)
