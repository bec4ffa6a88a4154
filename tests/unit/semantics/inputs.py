"""Inputs that find faults: many at once, along a trailing axis."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

NUMPY_TYPES: dict[str, type[Any]] = {
    "f16": np.float16,
    "bf16": np.uint16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
}


def _as_bf16(values: Array) -> Array:
    return (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def as_type(values: Array, dtype: str) -> Array:
    """`values` as numpy holds `dtype`; bf16 as its bits, truncated."""
    if dtype == "bf16":
        return _as_bf16(values)
    with np.errstate(all="ignore"):
        return values.astype(NUMPY_TYPES[dtype])


def generator(*seed: object) -> np.random.Generator:
    """Random numbers that depend on `seed` alone, whatever the hash seed."""
    return np.random.default_rng(zlib.crc32(repr(seed).encode()))


def specials(dtype: str) -> Array:
    """NaN, infinities, zeros, subnormals and the largest numbers of a float type."""
    smallest = {"f16": 2.0**-24, "bf16": 2.0**-133, "f32": 2.0**-149, "f64": 5e-324}
    normal = {"f16": 2.0**-14, "bf16": 2.0**-126, "f32": 2.0**-126, "f64": 2.0**-1022}
    largest = {"f16": 65504.0, "bf16": 3.38e38, "f32": 3.4e38, "f64": 1.79e308}
    tiny, small, big = smallest[dtype], normal[dtype], largest[dtype]
    values = [np.nan, np.inf, 0.0, tiny, small - tiny, small, big, 1.0, 1.5, 2.0**-20]
    return np.array(values + [-v for v in values])


def float_inputs(count: int, dtype: str, *seed: object) -> Array:
    """
    `count` values by some dozens of inputs.

    Ordinary numbers, numbers of every magnitude, mixtures of specials, all equal zeros and
    infinities, one element alone at every place, and for max and min a larger or a smaller
    element and a NaN at every place over a background.
    """
    random = generator(count, dtype, *seed)
    ordinary = random.standard_normal((count, 8)) * 4
    spread = {"f16": 10, "bf16": 100, "f32": 120, "f64": 900}[dtype]
    wide = ordinary * np.exp2(random.integers(-spread, spread, (count, 8)))
    mixed = random.choice(specials(dtype), (count, 16))
    finite = random.choice(specials(dtype)[np.isfinite(specials(dtype))], (count, 8))
    equal = np.tile([0.0, -0.0, np.inf, -np.inf, np.nan], (count, 1))
    alone = np.eye(count)
    above = np.where(np.eye(count), -1.0, -2.0 - np.arange(count) % 7)
    below = -above
    nan = np.where(np.eye(count), np.nan, -3.0)
    columns = (ordinary, wide, mixed, finite, equal, alone, above, below, nan)
    return as_type(np.concatenate(columns, axis=1), dtype)


def integer_inputs(count: int, dtype: str, *seed: object) -> Array:
    """`count` values by some dozens of inputs: random, extreme, one element alone."""
    random = generator(count, dtype, *seed)
    info = np.iinfo(NUMPY_TYPES[dtype])
    anything = random.integers(
        info.min, info.max, (count, 16), NUMPY_TYPES[dtype], True
    )
    extremes = random.choice(
        np.array([info.min, info.max, 0, 1, -1, info.min + 1], NUMPY_TYPES[dtype]),
        (count, 16),
    )
    alone = np.eye(count, dtype=NUMPY_TYPES[dtype])
    return np.concatenate([anything, extremes, alone, -alone], axis=1)


def inputs(count: int, dtype: str, *seed: object) -> Array:
    if dtype.startswith("i"):
        return integer_inputs(count, dtype, *seed)
    return float_inputs(count, dtype, *seed)


def bits(values: Array, dtype: str) -> Array:
    """The bits, with every NaN as one and the same: its payload is not promised."""
    width = values.dtype.itemsize
    raw = np.ascontiguousarray(values).view(f"u{width}")
    if dtype.startswith("i"):
        return raw
    exponent, infinity = raw & raw.dtype.type(2 ** (8 * width - 1) - 1), INFINITY[dtype]
    return np.where(exponent > infinity, raw.dtype.type(infinity + 1), raw)


INFINITY = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF << 52}
