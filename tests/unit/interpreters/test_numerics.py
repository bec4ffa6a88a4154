"""Rounded operations against exact rational arithmetic, and PTX's rules case by case."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from xdsl_packed.interpreters import numerics

FORMATS = {"f16": (11, -14), "bf16": (8, -126), "f32": (24, -126), "f64": (53, -1022)}
"""Precision in bits, and the exponent of the smallest normal number."""

INF = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF0000000000000}
SMALL = ("f16", "bf16", "f32")


def _fraction(dtype: str, word: int) -> Fraction:
    precision, least = FORMATS[dtype]
    width = 8 * numerics.DTYPES[dtype].itemsize
    field = word & ((1 << (precision - 1)) - 1)
    exponent = (word & ((1 << (width - 1)) - 1)) >> (precision - 1)
    hidden = 0 if exponent == 0 else 1 << (precision - 1)
    scale = Fraction(2) ** (max(exponent, 1) - 1 + least - precision + 1)
    return (-1 if word >> (width - 1) else 1) * (field + hidden) * scale


def _round(dtype: str, exact: Fraction) -> int:
    """The bits of `exact` (not zero) rounded to nearest even."""
    precision, least = FORMATS[dtype]
    width = 8 * numerics.DTYPES[dtype].itemsize
    sign = int(exact < 0) << (width - 1)
    exact = abs(exact)
    exponent = exact.numerator.bit_length() - exact.denominator.bit_length()
    if exact < Fraction(2) ** exponent:
        exponent -= 1
    exponent = max(exponent, least)
    # round() of a Fraction is to even.
    significand = round(exact / Fraction(2) ** (exponent - precision + 1))
    word = ((exponent - least) << (precision - 1)) + significand
    return sign | min(word, INF[dtype])


def _words(dtype: str, count: int, seed: int) -> np.ndarray[Any, Any]:
    """Random finite bit patterns: any exponent, close exponents, few bits, subnormals."""
    rng = np.random.default_rng(seed)
    precision, _ = FORMATS[dtype]
    width = 8 * numerics.DTYPES[dtype].itemsize
    word = np.dtype(f"u{width // 8}")
    exponents = INF[dtype] >> (precision - 1)
    low, high = exponents // 2 - precision, exponents // 2 + precision
    exponent = np.concatenate(
        [
            rng.integers(0, exponents, count // 2),
            rng.integers(max(low, 0), min(high, exponents), count - count // 2),
        ]
    )
    field = rng.integers(0, 1 << (precision - 1), count)
    field[::3] &= ~((1 << (precision // 2)) - 1)
    sign = rng.integers(0, 2, count)
    words = sign << (width - 1) | exponent << (precision - 1) | field
    return words.astype(word) if width < 64 else words.view(word)


def _add(a: Fraction, b: Fraction) -> Fraction:
    return a + b


def _sub(a: Fraction, b: Fraction) -> Fraction:
    return a - b


def _mul(a: Fraction, b: Fraction) -> Fraction:
    return a * b


def _div(a: Fraction, b: Fraction) -> Fraction:
    return a / b if b else Fraction(0)


def _fma(a: Fraction, b: Fraction, c: Fraction) -> Fraction:
    return a * b + c


OPERATIONS: dict[str, tuple[Callable[..., Any], Callable[..., Fraction], int]] = {
    "add": (numerics.add, _add, 2),
    "sub": (numerics.sub, _sub, 2),
    "mul": (numerics.mul, _mul, 2),
    "div": (numerics.div, _div, 2),
    "fma": (numerics.fma, _fma, 3),
}


class Test_rounding:
    @pytest.mark.parametrize("dtype", FORMATS)
    @pytest.mark.parametrize("name", OPERATIONS)
    def test_rounds_once(self, name: str, dtype: str):
        operation, exact_operation, arity = OPERATIONS[name]
        words = [_words(dtype, 1500, seed) for seed in range(arity)]
        if name == "fma":
            # Half of the addends nearly cancel or nearly tie with the product.
            product = numerics.mul(
                dtype, *(numerics.from_bits(dtype, w) for w in words[:2])
            )
            near = numerics.bits(dtype, numerics.neg(dtype, product))
            words[2] = np.where(np.arange(1500) % 2, near, words[2])
        results = operation(dtype, *(numerics.from_bits(dtype, w) for w in words))
        for *operands, result in zip(*words, numerics.bits(dtype, results)):
            if any(int(w) & INF[dtype] == INF[dtype] for w in operands):
                continue
            exact = exact_operation(*(_fraction(dtype, int(w)) for w in operands))
            if exact == 0:
                continue
            assert int(result) == _round(dtype, exact), [hex(w) for w in operands]

    @pytest.mark.parametrize("source", FORMATS)
    @pytest.mark.parametrize("target", FORMATS)
    def test_convert_rounds_once(self, source: str, target: str):
        words = _words(source, 1000, 7)
        results = numerics.convert(source, target, numerics.from_bits(source, words))
        for word, result in zip(words, numerics.bits(target, results)):
            exact = _fraction(source, int(word))
            if exact:
                assert int(result) == _round(target, exact)

    @pytest.mark.parametrize("dtype", FORMATS)
    def test_from_integer_rounds_once(self, dtype: str):
        rng = np.random.default_rng(5)
        values = rng.integers(-(2**63), 2**63 - 1, 500) >> rng.integers(0, 60, 500)
        values[:3] = [2**62 + 2**54 + 1, -(2**62) - 2**54 - 1, 2**62 + 2**54]
        results = numerics.bits(dtype, numerics.from_integer(dtype, values))
        for value, result in zip(values, results):
            if value:
                assert int(result) == _round(dtype, Fraction(int(value)))

    def test_fma_of_f32_is_not_two_roundings(self):
        a = np.float32(1 + 2**-12)
        assert numerics.fma("f32", a, a, np.float32(-1)) == np.float32(2**-11 + 2**-24)

    @pytest.mark.parametrize("dtype", FORMATS)
    def test_the_sign_of_an_exact_zero(self, dtype: str):
        zero, minus = numerics.from_f64(dtype, 0.0), numerics.from_f64(dtype, -0.0)
        one = numerics.from_f64(dtype, 1.0)
        less = numerics.from_f64(dtype, -1.0)
        assert numerics.sign_bit(dtype, numerics.add(dtype, minus, minus))
        assert not numerics.sign_bit(dtype, numerics.add(dtype, minus, zero))
        assert not numerics.sign_bit(dtype, numerics.add(dtype, one, less))
        assert not numerics.sign_bit(dtype, numerics.fma(dtype, one, one, less))
        assert numerics.sign_bit(dtype, numerics.fma(dtype, minus, one, minus))
        assert not numerics.sign_bit(dtype, numerics.fma(dtype, minus, one, zero))


class Test_ftz:
    def test_flushes_operands(self):
        small = np.float32(1e-39)
        assert numerics.add("f32", small, np.float32(0)) == small
        assert numerics.add("f32", small, np.float32(0), ftz=True) == 0

    def test_flushes_results_and_keeps_the_sign(self):
        a, b = np.float32(-1.5e-38), np.float32(1.2e-38)
        assert numerics.add("f32", a, b) != 0
        flushed = numerics.add("f32", a, b, ftz=True)
        assert flushed == 0
        assert np.signbit(flushed)

    def test_the_smallest_normal_stays(self):
        least = np.finfo(np.float32).smallest_normal
        assert numerics.flush(least) == least
        assert numerics.flush(np.nextafter(least, np.float32(0))) == 0

    @pytest.mark.parametrize("extremum", [numerics.maximum, numerics.minimum])
    def test_of_maximum_and_minimum(self, extremum: Callable[..., Any]):
        small = np.float32(-1e-39)
        assert extremum("f32", small, small) == small
        flushed = extremum("f32", small, small, ftz=True)
        assert flushed == 0
        assert np.signbit(flushed)

    def test_of_fma(self):
        a = np.float32(2.0**-100)
        assert numerics.fma("f32", a, a, np.float32(2.0**-130)) == np.float32(2.0**-130)
        assert numerics.fma("f32", a, a, np.float32(2.0**-130), ftz=True) == 0


class Test_maximum_and_minimum:
    @pytest.mark.parametrize("dtype", FORMATS)
    @pytest.mark.parametrize(
        ("extremum", "wins"), [(numerics.maximum, 0.0), (numerics.minimum, -0.0)]
    )
    @pytest.mark.parametrize("nan", [False, True])
    def test_signed_zeros(
        self, extremum: Callable[..., Any], wins: float, nan: bool, dtype: str
    ):
        plus, minus = numerics.from_f64(dtype, 0.0), numerics.from_f64(dtype, -0.0)
        expected = numerics.bits(dtype, numerics.from_f64(dtype, wins))
        for a, b in ((plus, minus), (minus, plus)):
            assert numerics.bits(dtype, extremum(dtype, a, b, nan=nan)) == expected

    @pytest.mark.parametrize("dtype", FORMATS)
    @pytest.mark.parametrize("extremum", [numerics.maximum, numerics.minimum])
    def test_nan(self, extremum: Callable[..., Any], dtype: str):
        canonical = numerics.CANONICAL_NAN[dtype]
        signaling = numerics.from_bits(dtype, INF[dtype] | 1)
        one = numerics.from_f64(dtype, 1.0)
        for a, b in ((signaling, one), (one, signaling)):
            assert extremum(dtype, a, b) == one
            assert numerics.bits(dtype, extremum(dtype, a, b, nan=True)) == canonical
        for nan in (False, True):
            both = extremum(dtype, signaling, signaling, nan=nan)
            assert numerics.bits(dtype, both) == canonical

    @pytest.mark.parametrize("dtype", FORMATS)
    def test_ordering(self, dtype: str):
        values = [-np.inf, -2.0, -1.0, 0.0, 1.0, 1.5, np.inf]
        for a in values:
            for b in values:
                x, y = numerics.from_f64(dtype, a), numerics.from_f64(dtype, b)
                largest = numerics.to_f64(dtype, numerics.maximum(dtype, x, y))
                smallest = numerics.to_f64(dtype, numerics.minimum(dtype, x, y))
                assert (smallest, largest) == (min(a, b), max(a, b))


class Test_special_values:
    @pytest.mark.parametrize("dtype", FORMATS)
    def test_arithmetic_nan_is_canonical(self, dtype: str):
        infinite = numerics.from_bits(dtype, INF[dtype])
        negative = numerics.neg(dtype, infinite)
        zero = numerics.from_f64(dtype, 0.0)
        results = (
            numerics.add(dtype, infinite, negative),
            numerics.mul(dtype, infinite, zero),
            numerics.fma(dtype, infinite, zero, zero),
            numerics.fma(dtype, zero, zero, numerics.from_bits(dtype, INF[dtype] | 1)),
            numerics.div(dtype, zero, zero),
            numerics.sqrt(dtype, negative),
        )
        for result in results:
            assert numerics.bits(dtype, result) == numerics.CANONICAL_NAN[dtype]

    @pytest.mark.parametrize("dtype", FORMATS)
    def test_overflow_is_infinite(self, dtype: str):
        largest = numerics.from_bits(dtype, INF[dtype] - 1)
        one = numerics.from_f64(dtype, 1.0)
        assert numerics.bits(dtype, numerics.add(dtype, largest, largest)) == INF[dtype]
        assert numerics.fma(dtype, largest, one, largest) == numerics.from_bits(
            dtype, INF[dtype]
        )
        infinite = numerics.from_bits(dtype, INF[dtype])
        assert numerics.fma(dtype, largest, largest, infinite) == infinite
        minus = numerics.neg(dtype, infinite)
        assert numerics.fma(dtype, largest, largest, minus) == minus

    @pytest.mark.parametrize("dtype", FORMATS)
    def test_neg_and_absolute_touch_the_sign_alone(self, dtype: str):
        signaling = numerics.from_bits(dtype, INF[dtype] | 1)
        negated = numerics.neg(dtype, signaling)
        assert numerics.sign_bit(dtype, negated)
        assert numerics.bits(dtype, numerics.absolute(dtype, negated)) == INF[dtype] | 1


class Test_integers:
    @pytest.mark.parametrize(
        ("target", "value", "expected"),
        [
            (np.int32, 2.9, 2),
            (np.int32, -2.9, -2),
            (np.int32, 3e9, 2**31 - 1),
            (np.int64, 1e30, 2**63 - 1),
            (np.int64, -1e30, -(2**63)),
            (np.uint64, 1e30, 2**64 - 1),
            (np.uint8, -1.0, 0),
            (np.int8, np.nan, 0),
        ],
    )
    def test_to_integer(self, target: type[Any], value: float, expected: int):
        result = numerics.to_integer("f64", np.dtype(target), value)
        assert result.dtype == target
        assert int(result) == expected

    @pytest.mark.parametrize("dtype", SMALL)
    def test_compare(self, dtype: str):
        one, two = (numerics.from_f64(dtype, v) for v in (1.0, 2.0))
        nan = numerics.from_f64(dtype, np.nan)
        assert numerics.compare(dtype, "olt", one, two)
        assert not numerics.compare(dtype, "olt", one, nan)
        assert numerics.compare(dtype, "ult", one, nan)
        assert not numerics.compare(dtype, "one", one, nan)
        assert numerics.compare(dtype, "une", one, nan)
        assert numerics.compare(dtype, "ord", one, two)
        assert numerics.compare(dtype, "uno", one, nan)


class Test_shapes:
    @pytest.mark.parametrize("dtype", FORMATS)
    def test_scalars_stay_scalars_and_arrays_broadcast(self, dtype: str):
        one = numerics.from_f64(dtype, 1.0)
        many = numerics.from_f64(dtype, np.ones((3, 4)))
        for operation in (numerics.add, numerics.mul, numerics.maximum):
            assert operation(dtype, one, one).shape == ()
            assert operation(dtype, one, one).dtype == numerics.DTYPES[dtype]
            assert operation(dtype, one, many).shape == (3, 4)
        assert numerics.fma(dtype, one, many, one).shape == (3, 4)
