"""Builtin types as PTX types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from xdsl_packed.dialects.ptx import PtxType

_FLOATS: Mapping[type[Attribute], PtxType] = {
    Float16Type: PtxType.f16,
    BFloat16Type: PtxType.bf16,
    Float32Type: PtxType.f32,
    Float64Type: PtxType.f64,
}
_INTEGERS: Mapping[int, PtxType] = {
    1: PtxType.pred,
    8: PtxType.s8,
    16: PtxType.s16,
    32: PtxType.s32,
    64: PtxType.s64,
}
_UNSIGNED: Mapping[PtxType, PtxType] = {
    PtxType.s8: PtxType.u8,
    PtxType.s16: PtxType.u16,
    PtxType.s32: PtxType.u32,
    PtxType.s64: PtxType.u64,
}
_PAIRS: Mapping[PtxType, PtxType] = {
    PtxType.f16: PtxType.f16x2,
    PtxType.bf16: PtxType.bf16x2,
    PtxType.f32: PtxType.f32x2,
}


def vector_type(type: Attribute) -> VectorType[Attribute] | None:
    """`type` when it is a vector; much faster than `isa`, and asked for most ops."""
    return cast(VectorType[Attribute], type) if isinstance(type, VectorType) else None


def scalar_type(type: Attribute) -> PtxType | None:
    """
    The PTX type of a float, integer or index, signed for integers; None for any other.

    An i1 is a predicate; an i8 lives in a 16-bit register, extended by its sign.
    """
    if isinstance(type, IndexType):
        return PtxType.s64
    if isa(type, IntegerType):
        return _INTEGERS.get(type.width.data)
    return _FLOATS.get(type.__class__)


def unsigned(type: PtxType) -> PtxType:
    """The unsigned integer type of this width."""
    return _UNSIGNED[type]


def register_bits(type: PtxType) -> PtxType:
    """The untyped bits of the register that holds this type: b16 for s8."""
    return PtxType.b16 if type.width == 8 else PtxType(type.bits)


def arithmetic_type(type: PtxType) -> PtxType:
    """The type to compute an integer in: 16 bits for s8 and u8, which have no arithmetic."""
    if type is PtxType.s8:
        return PtxType.s16
    return PtxType.u16 if type is PtxType.u8 else type


def pair_type(lane: PtxType) -> PtxType | None:
    """The type of two such lanes in one register, or None where there is none."""
    return _PAIRS.get(lane)


def byte_size(type: PtxType) -> int:
    """Its size in memory; a predicate takes a byte."""
    return max(type.width // 8, 1)
