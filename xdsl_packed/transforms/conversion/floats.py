"""
Float arithmetic where a chip lacks an instruction for the type.

Every way round rounds once, to nearest even, as the instruction itself would.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from xdsl_packed.dialects import ptx
from xdsl_packed.dialects.ptx import Comparison, PtxType, Rounding
from xdsl_packed.transforms.conversion.conversion import Conversion

_HALVES = (PtxType.f16, PtxType.bf16)
_PAIRS = {PtxType.f16x2: PtxType.f16, PtxType.bf16x2: PtxType.bf16}


def add(
    conversion: Conversion,
    type: PtxType,
    a: SSAValue,
    b: SSAValue,
    *,
    ftz: bool = False,
) -> SSAValue:
    """a + b; bf16 without an add is a * 1 + b, which is exact before the rounding."""
    op = ptx.AddOp(type, a, b, ftz=ftz)
    if conversion.legal(op.form()) or not _has_fma(conversion, type):
        return conversion.emit(op).d
    one = _every_lane(conversion, type, 1.0)
    return conversion.emit(ptx.FmaOp(type, a, one, b)).d


def subtract(
    conversion: Conversion, type: PtxType, a: SSAValue, b: SSAValue
) -> SSAValue:
    """a - b; bf16 without a sub is b * -1 + a."""
    op = ptx.SubOp(type, a, b)
    if conversion.legal(op.form()) or not _has_fma(conversion, type):
        return conversion.emit(op).d
    minus_one = _every_lane(conversion, type, -1.0)
    return conversion.emit(ptx.FmaOp(type, b, minus_one, a)).d


def multiply(
    conversion: Conversion,
    type: PtxType,
    a: SSAValue,
    b: SSAValue,
    *,
    ftz: bool = False,
) -> SSAValue:
    """a * b; bf16 without a mul is a * b + -0.0, which keeps the sign of a zero."""
    op = ptx.MulOp(type, a, b, ftz=ftz)
    if conversion.legal(op.form()) or not _has_fma(conversion, type):
        return conversion.emit(op).d
    minus_zero = _every_lane(conversion, type, -0.0)
    return conversion.emit(ptx.FmaOp(type, a, b, minus_zero)).d


def _has_fma(conversion: Conversion, type: PtxType) -> bool:
    return _PAIRS.get(type, type) is PtxType.bf16 and conversion.legal(
        f"fma.rn.{type.value}"
    )


def _every_lane(conversion: Conversion, type: PtxType, value: float) -> SSAValue:
    if type not in _PAIRS:
        return conversion.constant(type, value)
    lane = conversion.constant(_PAIRS[type], value)
    return conversion.cached(
        (lane, "twice"), lambda: conversion.emit(ptx.PackOp(lane, lane)).d
    )


def divide(conversion: Conversion, type: PtxType, a: SSAValue, b: SSAValue) -> SSAValue:
    """
    a / b. Halves are divided as f32, whose quotient rounds to the same half: f32 has more
    than twice the bits of either, plus two (Figueroa, "When is double rounding
    innocuous?", 1995).
    """
    if type not in _HALVES:
        return conversion.emit(ptx.DivOp(type, a, b)).d
    wide = [convert_float(conversion, PtxType.f32, type, value) for value in (a, b)]
    quotient = conversion.emit(ptx.DivOp(PtxType.f32, *wide)).d
    return convert_float(conversion, type, PtxType.f32, quotient)


def square_root(conversion: Conversion, type: PtxType, a: SSAValue) -> SSAValue:
    """The square root; of halves as f32, as in `divide`."""
    if type not in _HALVES:
        return conversion.emit(ptx.SqrtOp(type, a)).d
    wide = convert_float(conversion, PtxType.f32, type, a)
    root = conversion.emit(ptx.SqrtOp(PtxType.f32, wide)).d
    return convert_float(conversion, type, PtxType.f32, root)


def extremum(
    conversion: Conversion,
    kind: type[ptx.ExtremumOp],
    type: PtxType,
    a: SSAValue,
    b: SSAValue,
    *,
    nan: bool,
    ftz: bool = False,
) -> SSAValue:
    """
    The maximum or minimum. Where the chip has none that propagates NaN (f64; f32 below
    sm_80), one that drops it, and a select.
    """
    op = kind(type, a, b, nan=nan, ftz=ftz)
    if not nan or type not in (PtxType.f32, PtxType.f64) or conversion.legal(op.form()):
        return conversion.emit(op).d
    number = conversion.emit(kind(type, a, b, ftz=ftz)).d
    unordered = conversion.emit(ptx.SetpOp(Comparison.nan, type, a, b)).p
    quiet = conversion.constant(type, float("nan"))
    return conversion.emit(ptx.SelpOp(type, quiet, number, unordered)).d


def convert_float(
    conversion: Conversion, target: PtxType, source: PtxType, a: SSAValue
) -> SSAValue:
    """
    `a` widened exactly, or rounded once.

    A bf16 and -0.0 add up to the bf16 as f32, by one FHADD. Of a cvt ptxas 13.5 makes two
    instructions where the bf16 is the upper half of a register.
    """
    if target is source:
        return a
    if (target, source) == (PtxType.f32, PtxType.bf16):
        if conversion.legal("add.rn.f32.bf16"):
            minus_zero = conversion.constant(target, -0.0)
            return conversion.emit(ptx.AddMixedOp(source, a, minus_zero)).d
    widens = target.width > source.width
    rounding = None if widens else Rounding.rn
    op = ptx.CvtOp(target, source, a, rounding=rounding)
    if widens and source in _HALVES and not conversion.legal(op.form()):
        single = conversion.emit(ptx.CvtOp(PtxType.f32, source, a)).d
        return convert_float(conversion, target, PtxType.f32, single)
    return conversion.emit(op).d
