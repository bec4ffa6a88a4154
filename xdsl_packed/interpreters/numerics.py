"""
Arithmetic of PTX and MLIR types on numpy values, bit for bit.

A value is a numpy scalar or array; every function is elementwise and broadcasts, so a
trailing batch axis comes for free. Types go by their name, which MLIR and PTX share:
`f16`, `f32` and `f64` are numpy's floats, `bf16` is its bits as uint16.

The rules (PTX ISA, "Floating Point Instructions", and add, mul, fma, max, min):

- results round once, to nearest even;
- `ftz` flushes f32 subnormal operands and results to sign-preserving zero;
- -0.0 is below +0.0; without `nan` a number wins over NaN, with it NaN wins;
- a NaN result is always the type's canonical NaN (PTX leaves the payload open).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import copysign, inf, isfinite, isnan, nan
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Value: TypeAlias = NDArray[Any]
"""A numpy array, or a numpy scalar where there is no axis."""

DTYPES: Mapping[str, np.dtype[Any]] = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(np.uint16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
"""How a float type is held."""

_BITS: Mapping[str, np.dtype[Any]] = {
    "f16": np.dtype(np.uint16),
    "bf16": np.dtype(np.uint16),
    "f32": np.dtype(np.uint32),
    "f64": np.dtype(np.uint64),
}

CANONICAL_NAN: Mapping[str, int] = {
    "f16": 0x7FFF,
    "bf16": 0x7FFF,
    "f32": 0x7FFFFFFF,
    "f64": 0x7FF8000000000000,
}
"""PTX ISA: f16, bf16 and f32 instructions return these; f64's is the IEEE default."""

_quiet = np.errstate(all="ignore")


def bits(dtype: str, value: ArrayLike) -> Value:
    """The bits of a float as an unsigned integer of its width."""
    return np.asarray(value, DTYPES[dtype]).view(_BITS[dtype])[()]


def from_bits(dtype: str, value: ArrayLike) -> Value:
    """The float of type `dtype` that has these bits."""
    return np.asarray(value, _BITS[dtype]).view(DTYPES[dtype])[()]


def is_nan(dtype: str, value: ArrayLike) -> Value:
    return np.isnan(_readable(dtype, value))


def sign_bit(dtype: str, value: ArrayLike) -> Value:
    return np.signbit(_readable(dtype, value))


def flush(value: ArrayLike) -> Value:
    """f32 subnormals to sign-preserving zero."""
    x = np.asarray(value, np.float32)
    subnormal = np.abs(x) < np.finfo(np.float32).smallest_normal
    return np.where(subnormal, np.copysign(np.float32(0), x), x)[()]


def _readable(dtype: str, value: ArrayLike) -> Value:
    """A float that numpy can calculate with: the value itself, or bf16 widened to f32."""
    x = np.asarray(value, DTYPES[dtype])
    if dtype != "bf16":
        return x
    return (x.astype(np.uint32) << np.uint32(16)).view(np.float32)


@_quiet
def to_f64(dtype: str, value: ArrayLike) -> Value:
    """Exact."""
    return _readable(dtype, value).astype(np.float64)[()]


@_quiet
def from_f64(dtype: str, value: ArrayLike) -> Value:
    """Rounded once, to nearest even; NaN is canonical."""
    x = np.asarray(value, np.float64)
    if dtype != "bf16":
        return _canonical(dtype, x.astype(DTYPES[dtype]))
    word = _to_f32_odd(x).view(np.uint32).astype(np.uint64)
    rounded = (word + 0x7FFF + ((word >> 16) & 1)) >> 16
    return _canonical(dtype, np.where(np.isnan(x), 0x7FFF, rounded).astype(np.uint16))


def _to_f32_odd(x: Value) -> Value:
    """f64 to f32 rounded to odd, so that a second rounding to fewer bits is exact."""
    nearest = np.asarray(x.astype(np.float32))
    return _odd(nearest, x - nearest.astype(np.float64), np.dtype(np.uint32))


def _odd(nearest: Value, error: Value, word: np.dtype[Any]) -> Value:
    """
    Turn round-to-nearest into round-to-odd: where the exact value is `nearest + error`
    with an error, take the neighbour with an odd last bit.
    """
    pattern: Value = nearest.view(word)
    one: Value = np.ones((), word)
    away = (error > 0) == (nearest > 0)
    neighbour: Value = np.where(away, pattern + one, pattern - one)
    moves = (error != 0) & ~np.isnan(error) & ((pattern & one) == 0)
    return np.where(moves, neighbour, pattern).astype(word).view(nearest.dtype)


def _canonical(dtype: str, result: ArrayLike) -> Value:
    x = np.asarray(result, DTYPES[dtype])
    return np.where(is_nan(dtype, x), from_bits(dtype, CANONICAL_NAN[dtype]), x)[()]


def _rounded(
    operation: Callable[..., Any],
    dtype: str,
    operands: tuple[ArrayLike, ...],
    ftz: bool,
) -> Value:
    """
    One IEEE operation, rounded once.

    numpy rounds f32 and f64 once. f16 goes through f32 and bf16 through f64, which hold
    more than twice as many bits and two: the second rounding changes nothing.
    """
    if dtype == "bf16":
        return from_f64(dtype, operation(*(to_f64(dtype, x) for x in operands)))
    if not ftz:
        values = (np.asarray(x, DTYPES[dtype]) for x in operands)
        return _canonical(dtype, operation(*values))
    return _canonical(dtype, flush(operation(*map(flush, operands))))


@_quiet
def add(dtype: str, a: ArrayLike, b: ArrayLike, *, ftz: bool = False) -> Value:
    """a + b: `add.rn{.ftz}`."""
    return _rounded(np.add, dtype, (a, b), ftz)


@_quiet
def sub(dtype: str, a: ArrayLike, b: ArrayLike, *, ftz: bool = False) -> Value:
    """a - b: `sub.rn{.ftz}`."""
    return _rounded(np.subtract, dtype, (a, b), ftz)


@_quiet
def mul(dtype: str, a: ArrayLike, b: ArrayLike, *, ftz: bool = False) -> Value:
    """a * b: `mul.rn{.ftz}`."""
    return _rounded(np.multiply, dtype, (a, b), ftz)


@_quiet
def div(dtype: str, a: ArrayLike, b: ArrayLike, *, ftz: bool = False) -> Value:
    """a / b: `div.rn{.ftz}`."""
    return _rounded(np.divide, dtype, (a, b), ftz)


@_quiet
def sqrt(dtype: str, a: ArrayLike, *, ftz: bool = False) -> Value:
    """The square root, rounded to nearest: `sqrt.rn{.ftz}`."""
    return _rounded(np.sqrt, dtype, (a,), ftz)


@_quiet
def rsqrt(dtype: str, a: ArrayLike, *, ftz: bool = False) -> Value:
    """
    1 / sqrt(a), calculated in f64 and rounded.

    `rsqrt.approx` is an approximation (PTX ISA: 2 ulp), so its bits may differ from these.
    """
    return _through_f64(lambda x: 1 / np.sqrt(x), dtype, a, ftz)


@_quiet
def exp2(dtype: str, a: ArrayLike, *, ftz: bool = False) -> Value:
    """
    2 ** a, calculated in f64 and rounded.

    `ex2.approx` is an approximation (PTX ISA: 2 ulp), so its bits may differ from these.
    """
    return _through_f64(np.exp2, dtype, a, ftz)


def _through_f64(
    operation: Callable[[Value], Any], dtype: str, a: ArrayLike, ftz: bool
) -> Value:
    result = from_f64(dtype, operation(to_f64(dtype, flush(a) if ftz else a)))
    return flush(result) if ftz else result


@_quiet
def fma(
    dtype: str, a: ArrayLike, b: ArrayLike, c: ArrayLike, *, ftz: bool = False
) -> Value:
    """a * b + c, rounded once: `fma.rn{.ftz}`."""
    if dtype == "f64":
        return _canonical(dtype, _fma_f64(a, b, c))
    x, y, z = (to_f64(dtype, flush(v) if ftz else v) for v in (a, b, c))
    # The product of two floats of 24 bits or fewer is exact in f64.
    product = np.asarray(x * y)
    total = np.asarray(product + z)
    # The error of the sum (Knuth's two-sum), exact; NaN where the sum is not finite.
    back = total - product
    error = (product - (total - back)) + (z - back)
    result = from_f64(dtype, _odd(total, error, np.dtype(np.uint64)))
    return flush(result) if ftz else result


def _fma_f64_one(a: float, b: float, c: float) -> float:
    if not (isfinite(a) and isfinite(b) and isfinite(c)):
        # No rounding: the product of finite values beside an infinite c may not overflow.
        if isfinite(a) and isfinite(b):
            return c
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        negative = copysign(1, a) * copysign(1, b) < 0
        if (a == 0 or b == 0) and c == 0:
            return -0.0 if negative and copysign(1, c) < 0 else 0.0
        return 0.0
    sign = -1.0 if exact < 0 else 1.0
    try:
        # int / int rounds once, subnormal results too.
        return sign * (abs(exact.numerator) / exact.denominator)
    except OverflowError:
        return sign * inf


def _fma_f64(a: ArrayLike, b: ArrayLike, c: ArrayLike) -> Value:
    def one(x: Any, y: Any, z: Any) -> float:
        result = _fma_f64_one(float(x), float(y), float(z))
        return nan if isnan(result) else result

    return np.asarray(np.frompyfunc(one, 3, 1)(a, b, c), np.float64)


def _extremum(
    dtype: str, a: ArrayLike, b: ArrayLike, nan: bool, ftz: bool, largest: bool
) -> Value:
    a, b = np.asarray(a, DTYPES[dtype]), np.asarray(b, DTYPES[dtype])
    if ftz:
        a, b = flush(a), flush(b)
    x, y = _readable(dtype, a), _readable(dtype, b)
    low, high = (y, x) if largest else (x, y)
    # Equal values differ in the sign of zero at most.
    first = (high > low) | ((x == y) & np.signbit(low))
    result = np.where(first, a, b)
    if not nan:
        result = np.where(np.isnan(x), b, np.where(np.isnan(y), a, result))
        return _canonical(dtype, result)
    some_nan = np.isnan(x) | np.isnan(y)
    return np.where(some_nan, from_bits(dtype, CANONICAL_NAN[dtype]), result)[()]


@_quiet
def maximum(
    dtype: str, a: ArrayLike, b: ArrayLike, *, nan: bool = False, ftz: bool = False
) -> Value:
    """The larger: `max{.ftz}{.NaN}`; arith.maximumf with `nan`, arith.maxnumf without."""
    return _extremum(dtype, a, b, nan, ftz, True)


@_quiet
def minimum(
    dtype: str, a: ArrayLike, b: ArrayLike, *, nan: bool = False, ftz: bool = False
) -> Value:
    """The smaller: `min{.ftz}{.NaN}`; arith.minimumf with `nan`, arith.minnumf without."""
    return _extremum(dtype, a, b, nan, ftz, False)


def neg(dtype: str, a: ArrayLike) -> Value:
    """The sign bit flipped, of NaN too."""
    return from_bits(dtype, bits(dtype, a) ^ _sign(dtype))


def absolute(dtype: str, a: ArrayLike) -> Value:
    """The sign bit cleared, of NaN too."""
    return from_bits(dtype, bits(dtype, a) & ~_sign(dtype))


def _sign(dtype: str) -> Any:
    word = _BITS[dtype]
    return word.type(1 << (8 * word.itemsize - 1))


@_quiet
def convert(source: str, target: str, value: ArrayLike) -> Value:
    """From one float type to another, rounded once."""
    return from_f64(target, to_f64(source, value))


@_quiet
def from_integer(dtype: str, value: ArrayLike) -> Value:
    """An integer (numpy's type says which) as a float, rounded once."""
    x = np.asarray(value)
    if dtype != "bf16":
        return x.astype(DTYPES[dtype])[()]
    # f64 holds 53 bits: from there on, keep a sticky bit where bf16 cannot see more.
    wide = np.abs(x.astype(np.float64)) >= 2.0**52
    low = x.dtype.type(min(0xFFFF, np.iinfo(x.dtype).max))
    sticky = (x & ~low) | np.where((x & low) != 0, (low >> 1) + 1, 0).astype(x.dtype)
    return from_f64(dtype, np.where(wide, sticky, x).astype(np.float64))


@_quiet
def to_integer(dtype: str, target: np.dtype[Any], value: ArrayLike) -> Value:
    """Toward zero, clamped to the target's range, NaN as 0: `cvt.rzi`."""
    x = np.trunc(to_f64(dtype, value))
    limits = np.iinfo(target)
    # float(max) of 64-bit types rounds up, to the first value that does not fit.
    above, below = x >= float(limits.max), x <= float(limits.min)
    inside = np.where(above | below | np.isnan(x), 0.0, x).astype(target)
    clamped = np.where(above, limits.max, np.where(below, limits.min, inside))
    return clamped.astype(target)[()]


def compare(dtype: str, predicate: str, a: ArrayLike, b: ArrayLike) -> Value:
    """
    Compare as `arith.cmpf` and `setp` do.

    `oeq` to `one` are false and `ueq` to `une` true when an operand is NaN; `ord` and
    `uno` ask for that alone.
    """
    x, y = _readable(dtype, a), _readable(dtype, b)
    unordered = np.isnan(x) | np.isnan(y)
    if predicate in ("ord", "uno"):
        return (unordered if predicate == "uno" else ~unordered)[()]
    relation: Callable[[Value, Value], Value] = _RELATIONS[predicate[1:]]
    if predicate.startswith("o"):
        return (relation(x, y) & ~unordered)[()]
    return (relation(x, y) | unordered)[()]


_RELATIONS: Mapping[str, Callable[[Value, Value], Value]] = {
    "eq": np.equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
    "ne": np.not_equal,
}
