"""packed: one instruction an op."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects import arith
from xdsl.dialects.builtin import VectorType, f32
from xdsl.ir import Attribute, SSAValue

from xdsl_packed.dialects import packed, ptx
from xdsl_packed.dialects.ptx import PtxType
from xdsl_packed.transforms.conversion.conversion import Conversion, Vector, converts
from xdsl_packed.transforms.conversion.floats import add, extremum, multiply
from xdsl_packed.transforms.conversion.types import pair_type, vector_type


def _type(conversion: Conversion, type: Attribute) -> PtxType:
    """The type of a float, or of a pair of floats in one register."""
    if (vector := vector_type(type)) is None:
        return conversion.type(type)
    pair = pair_type(conversion.type(vector.element_type))
    assert pair is not None
    return pair


def _set(conversion: Conversion, value: SSAValue, register: SSAValue) -> None:
    is_pair = isinstance(value.type, VectorType)
    conversion.values[value] = Vector(pair=register) if is_pair else register


_SUMS: Mapping[type[packed.PackedBinaryOp], Callable[..., SSAValue]] = {
    packed.AddOp: add,
    packed.MulOp: multiply,
}
_EXTREMA: Mapping[type[packed.PackedExtremum2Op], type[ptx.ExtremumOp]] = {
    packed.MaxOp: ptx.MaxOp,
    packed.MinOp: ptx.MinOp,
}
_EXTREMA_OF_THREE: Mapping[type[packed.PackedExtremum3Op], type[ptx.Extremum3Op]] = {
    packed.Max3Op: ptx.Max3Op,
    packed.Min3Op: ptx.Min3Op,
}


def _mixed_add(conversion: Conversion, op: packed.AddOp) -> ptx.AddMixedOp | None:
    """The sum of an f32 and a half that only this op wants widened, by one instruction."""
    if op.ftz is not None:
        return None
    for wide, other in ((op.b, op.a), (op.a, op.b)):
        extension = wide.owner
        if not isinstance(extension, arith.ExtFOp) or not wide.has_one_use():
            continue
        half = conversion.element(extension.input.type)
        if not conversion.legal(f"add.rn.f32.{half.value}"):
            continue
        a, b = conversion.register(extension.input), conversion.register(other)
        return ptx.AddMixedOp(half, a, b)
    return None


@converts(packed.AddOp, packed.MulOp)
def _binary(conversion: Conversion, op: packed.AddOp | packed.MulOp) -> None:
    if isinstance(op, packed.AddOp) and op.result.type == f32:
        if (mixed := _mixed_add(conversion, op)) is not None:
            conversion.values[op.result] = conversion.emit(mixed).d
            return
    a, b = conversion.register(op.a), conversion.register(op.b)
    type = _type(conversion, op.result.type)
    result = _SUMS[op.__class__](conversion, type, a, b, ftz=op.ftz is not None)
    _set(conversion, op.result, result)


@converts(packed.FmaOp)
def _fma(conversion: Conversion, op: packed.FmaOp) -> None:
    a, b, c = map(conversion.register, (op.a, op.b, op.c))
    type = _type(conversion, op.result.type)
    fma = conversion.emit(ptx.FmaOp(type, a, b, c, ftz=op.ftz is not None))
    _set(conversion, op.result, fma.d)


@converts(packed.MaxOp, packed.MinOp)
def _extremum(conversion: Conversion, op: packed.MaxOp | packed.MinOp) -> None:
    result = extremum(
        conversion,
        _EXTREMA[op.__class__],
        _type(conversion, op.result.type),
        conversion.register(op.a),
        conversion.register(op.b),
        nan=op.nan is not None,
        ftz=op.ftz is not None,
    )
    _set(conversion, op.result, result)


@converts(packed.Max3Op, packed.Min3Op)
def _extremum_of_three(
    conversion: Conversion, op: packed.Max3Op | packed.Min3Op
) -> None:
    kind = _EXTREMA_OF_THREE[op.__class__]
    a, b, c = map(conversion.register, (op.a, op.b, op.c))
    nan, ftz = op.nan is not None, op.ftz is not None
    extremum = conversion.emit(kind(PtxType.f32, a, b, c, nan=nan, ftz=ftz))
    conversion.values[op.result] = extremum.d


@converts(packed.PackOp)
def _pack(conversion: Conversion, op: packed.PackOp) -> None:
    low, high = conversion.register(op.low), conversion.register(op.high)
    pair = conversion.emit(ptx.PackOp(low, high)).d
    conversion.values[op.result] = Vector([low, high], pair)


@converts(packed.UnpackOp)
def _unpack(conversion: Conversion, op: packed.UnpackOp) -> None:
    low, high = conversion.lanes(op.pair)
    conversion.values[op.low] = low
    conversion.values[op.high] = high
