"""
What a reduction computes, in numpy alone.

Independent of the project: it imports nothing of it and follows the orders as they are
stated in words in docs/floating-point.md. All functions take arrays of any shape and work
element by element, so a trailing axis carries many inputs at once. bf16 is its bits in
uint16.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Combine = Callable[[Any, Any], Any]

SMALLEST_NORMAL_F32 = np.float32(2.0) ** -126


def from_bf16(bits: Array) -> Array:
    return (np.asarray(bits, np.uint32) << 16).view(np.float32)


def to_bf16(values: Array) -> Array:
    """Round to nearest, ties to even; NaN stays NaN."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)


def flush(values: Array) -> Array:
    """Subnormals to zero of the same sign."""
    is_small = np.abs(values) < SMALLEST_NORMAL_F32
    return np.where(is_small, np.copysign(np.float32(0), values), values)


def larger(a: Array, b: Array, nan: bool) -> Array:
    """The larger; +0.0 is above -0.0; a NaN is dropped, or with `nan` wins."""
    both_zero = (a == 0) & (b == 0)
    zero = np.where(np.signbit(a) & np.signbit(b), -0.0, 0.0).astype(a.dtype)
    number = np.where(both_zero, zero, np.where(a > b, a, b))
    if nan:
        return np.where(np.isnan(a), a, np.where(np.isnan(b), b, number))
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, number))


def combination(kind: str, dtype: str, ftz: bool = False) -> Combine:
    """How two values are combined, rounded once to `dtype`."""
    if dtype.startswith("i"):
        return INTEGER[kind]
    combine = FLOAT[kind]
    if dtype == "bf16":
        return lambda a, b: to_bf16(combine(from_bf16(a), from_bf16(b)))
    if ftz:
        return lambda a, b: flush(combine(flush(a), flush(b)))
    return combine


def _unsigned(combine: Combine) -> Combine:
    def on_unsigned(a: Array, b: Array) -> Array:
        kind = a.dtype.str.replace("i", "u")
        return combine(a.view(kind), b.view(kind)).view(a.dtype)

    return on_unsigned


INTEGER: dict[str, Combine] = {
    "add": np.add,
    "mul": np.multiply,
    "maxsi": np.maximum,
    "minsi": np.minimum,
    "maxui": _unsigned(np.maximum),
    "minui": _unsigned(np.minimum),
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}

FLOAT: dict[str, Combine] = {
    "add": np.add,
    "mul": np.multiply,
    "maxnumf": lambda a, b: larger(a, b, nan=False),
    "minnumf": lambda a, b: -larger(-a, -b, nan=False),
    "maximumf": lambda a, b: larger(a, b, nan=True),
    "minimumf": lambda a, b: -larger(-a, -b, nan=True),
}


def sequential(combine: Combine, values: Sequence[Array], old: Array | None) -> Array:
    """Left to right, the old destination first."""
    values = [*([] if old is None else [old]), *values]
    total = values[0]
    for value in values[1:]:
        total = combine(total, value)
    return total


def lanes8(combine: Combine, values: Sequence[Array], old: Array | None) -> Array:
    """Eight lanes over chunks of eight, the rest into lane 0, then 8 -> 4 -> 2 -> 1."""
    if len(values) < 8:
        return sequential(combine, values, old)
    lane = list(values[:8])
    if old is not None:
        lane[0] = combine(lane[0], old)
    rest = len(values) % 8
    for start in range(8, len(values) - rest, 8):
        lane = [combine(lane[j], values[start + j]) for j in range(8)]
    for value in values[len(values) - rest :]:
        lane[0] = combine(lane[0], value)
    four = [combine(lane[j], lane[j + 2]) for j in (0, 1, 4, 5)]
    two = [combine(four[j], four[j + 2]) for j in (0, 1)]
    return combine(two[0], two[1])


ORDERS = {"sequential": sequential, "lanes8": lanes8}


def reduce(
    kind: str,
    source: Array,
    axes: Sequence[int],
    *,
    rank: int,
    dtype: str = "f32",
    order: str = "lanes8",
    ftz: bool = False,
    old: Array | None = None,
) -> Array:
    """
    Reduce the first `rank` dimensions of `source` along `axes`.

    `old` is the old destination, in the shape of the kept dimensions. Dimensions after
    `rank` are inputs side by side.
    """
    shape = source.shape[:rank]
    axes = sorted(axis % rank for axis in axes)
    kept = [axis for axis in range(rank) if axis not in axes]
    combine = combination(kind, dtype, ftz)
    result = np.empty(
        [shape[axis] for axis in kept] + list(source.shape[rank:]), source.dtype
    )
    with np.errstate(all="ignore"):
        for place in product(*(range(shape[axis]) for axis in kept)):
            values: list[Array] = []
            for inner in product(*(range(shape[axis]) for axis in axes)):
                index = dict(zip(kept, place)) | dict(zip(axes, inner))
                values.append(source[tuple(index[axis] for axis in range(rank))])
            before = None if old is None else old[place]
            result[place] = ORDERS[order](combine, values, before)
    return result
