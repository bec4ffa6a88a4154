"""math: what PTX has one instruction for."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import math, vector
from xdsl.ir import Operation

from xdsl_packed.dialects import ptx
from xdsl_packed.transforms.conversion.conversion import Conversion, converts
from xdsl_packed.transforms.conversion.floats import square_root
from xdsl_packed.transforms.conversion.types import arithmetic_type

_APPROXIMATE: Mapping[type[Operation], type[ptx.Ex2Op | ptx.Lg2Op | ptx.RsqrtOp]] = {
    math.Exp2Op: ptx.Ex2Op,
    math.Log2Op: ptx.Lg2Op,
    math.RsqrtOp: ptx.RsqrtOp,
}


@converts(math.Exp2Op, math.Log2Op, math.RsqrtOp)
def _approximate(
    conversion: Conversion, op: math.Exp2Op | math.Log2Op | math.RsqrtOp
) -> None:
    """
    PTX has these by an error bound only (2^-22 for ex2.approx.f32 and rsqrt.approx.f32),
    as CUDA's exp2f, __log2f and rsqrtf use them.
    """
    kind = _APPROXIMATE[op.__class__]
    type = conversion.element(op.result.type)
    conversion.elementwise(op.result, lambda lane: conversion.emit(kind(type, *lane)).d)


@converts(math.SqrtOp)
def _sqrt(conversion: Conversion, op: math.SqrtOp) -> None:
    type = conversion.element(op.result.type)
    conversion.elementwise(op.result, lambda lane: square_root(conversion, type, *lane))


@converts(math.AbsFOp, math.AbsIOp)
def _abs(conversion: Conversion, op: math.AbsFOp | math.AbsIOp) -> None:
    type = arithmetic_type(conversion.element(op.result.type))
    conversion.elementwise(
        op.result, lambda lane: conversion.emit(ptx.AbsOp(type, *lane)).d
    )


@converts(math.FmaOp, vector.FMAOp)
def _fma(conversion: Conversion, op: math.FmaOp | vector.FMAOp) -> None:
    result = op.results[0]
    type = conversion.element(result.type)
    conversion.elementwise(
        result, lambda lane: conversion.emit(ptx.FmaOp(type, *lane)).d
    )
