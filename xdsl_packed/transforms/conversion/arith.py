"""arith: every float operation is rounded to nearest even and never contracted."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    f32,
)
from xdsl.ir import Attribute, Operation, SSAValue

from xdsl_packed.dialects import ptx
from xdsl_packed.dialects.packed import i16x2
from xdsl_packed.dialects.ptx import Comparison, PtxType, Rounding
from xdsl_packed.transforms.conversion.conversion import (
    Constant,
    Conversion,
    Vector,
    converts,
)
from xdsl_packed.transforms.conversion.floats import (
    add,
    convert_float,
    divide,
    extremum,
    multiply,
    subtract,
)
from xdsl_packed.transforms.conversion.types import (
    arithmetic_type,
    byte_size,
    register_bits,
    unsigned,
)

# region constants


@converts(arith.ConstantOp)
def _constant(conversion: Conversion, op: arith.ConstantOp) -> None:
    attribute = op.value
    if isinstance(attribute, DenseIntOrFPElementsAttr):
        type = conversion.element(op.result.type)
        count = prod(attribute.get_shape())
        values = [v for v in attribute.get_values() if not isinstance(v, tuple)]
        if len(values) == 1:
            values *= count
        lanes = [conversion.constant(type, _written(type, value)) for value in values]
        conversion.values[op.result] = Vector(lanes)
        return
    type = conversion.type(op.result.type)
    if not isinstance(attribute, FloatAttr | IntegerAttr):
        raise conversion.error(f"cannot be lowered to PTX: {attribute} is no number")
    conversion.values[op.result] = Constant(type, _written(type, attribute.value.data))


def _written(type: PtxType, value: float) -> float:
    """As ptx.constant takes it: integers wrapped to the signed range of their type."""
    if type.is_float:
        return float(value)
    if type is PtxType.pred:
        return int(value) & 1
    half = 1 << (type.width - 1)
    return (int(value) + half) % (2 * half) - half


# endregion
# region integers


def _narrowed(conversion: Conversion, type: PtxType, value: SSAValue) -> SSAValue:
    """A result of 16-bit arithmetic on i8, wrapped to 8 bits and extended by its sign."""
    if type.width != 8:
        return value
    return conversion.emit(ptx.CvtOp(PtxType.s16, PtxType.s8, value)).d


def _widened(conversion: Conversion, type: PtxType, value: SSAValue) -> SSAValue:
    """An i8 extended by zeros, as unsigned arithmetic other than comparing needs it."""
    if type.width != 8:
        return value
    mask = conversion.constant(PtxType.b16, 0xFF)
    return conversion.emit(ptx.AndOp(PtxType.b16, value, mask)).d


_PAIRS: Mapping[PtxType, PtxType] = {
    PtxType.s16: PtxType.s16x2,
    PtxType.u16: PtxType.u16x2,
    PtxType.b16: PtxType.b32,
}
"""The type in which two 16-bit lanes of a register are computed at once."""


def _on_pair(
    conversion: Conversion,
    op: arith.SignlessIntegerBinaryOperation,
    kind: type[ptx.BinaryOp],
    lane: PtxType,
) -> bool:
    """Build both lanes of a vector<2xi16> as one instruction, where the target has it."""
    if op.result.type != i16x2:
        return False
    pair = _PAIRS[lane]
    if not conversion.legal(f"{kind.mnemonic()}.{pair.value}"):
        return False
    a, b = conversion.register(op.lhs), conversion.register(op.rhs)
    result = conversion.emit(kind(pair, a, b)).d
    conversion.values[op.result] = Vector(pair=result)
    return True


_ON_PREDICATES: Mapping[type[Operation], type[ptx.BinaryOp]] = {
    arith.AddiOp: ptx.XorOp,
    arith.SubiOp: ptx.XorOp,
    arith.MuliOp: ptx.AndOp,
    arith.AndIOp: ptx.AndOp,
    arith.OrIOp: ptx.OrOp,
    arith.XOrIOp: ptx.XorOp,
}
_WRAPPING: Mapping[type[Operation], type[ptx.BinaryOp]] = {
    arith.AddiOp: ptx.AddOp,
    arith.SubiOp: ptx.SubOp,
    arith.MuliOp: ptx.MulOp,
    arith.DivSIOp: ptx.DivOp,
    arith.RemSIOp: ptx.RemOp,
}
_UNSIGNED: Mapping[type[Operation], type[ptx.BinaryOp]] = {
    arith.DivUIOp: ptx.DivOp,
    arith.RemUIOp: ptx.RemOp,
}
_BITWISE: Mapping[type[Operation], type[ptx.BinaryOp]] = {
    arith.AndIOp: ptx.AndOp,
    arith.OrIOp: ptx.OrOp,
    arith.XOrIOp: ptx.XorOp,
}


@converts(
    arith.AddiOp,
    arith.SubiOp,
    arith.MuliOp,
    arith.DivSIOp,
    arith.RemSIOp,
    arith.DivUIOp,
    arith.RemUIOp,
    arith.AndIOp,
    arith.OrIOp,
    arith.XOrIOp,
)
def _integer(conversion: Conversion, op: arith.SignlessIntegerBinaryOperation) -> None:
    type = conversion.element(op.result.type)
    kind = op.__class__
    if kind in _BITWISE and _on_pair(conversion, op, _BITWISE[kind], PtxType.b16):
        return
    if kind is arith.AddiOp and _on_pair(conversion, op, ptx.AddOp, PtxType.s16):
        return

    def lane(operands: tuple[SSAValue, ...]) -> SSAValue:
        a, b = operands
        if type is PtxType.pred:
            if kind not in _ON_PREDICATES:
                raise conversion.error(
                    "cannot be lowered to PTX on i1: extend it first"
                )
            return conversion.emit(_ON_PREDICATES[kind](type, a, b)).d
        if kind in _BITWISE:
            return conversion.emit(_BITWISE[kind](register_bits(type), a, b)).d
        wide = arithmetic_type(type)
        if kind in _WRAPPING:
            result = conversion.emit(_WRAPPING[kind](wide, a, b)).d
        else:
            a, b = (_widened(conversion, type, v) for v in (a, b))
            result = conversion.emit(_UNSIGNED[kind](unsigned(wide), a, b)).d
        return _narrowed(conversion, type, result)

    conversion.elementwise(op.result, lane)
    if isinstance(op.result.type, IndexType):
        owner = conversion.register(op.result).owner
        assert isinstance(owner, Operation)
        conversion.may_be_dead[owner] = None


_EXTREMA: Mapping[type[Operation], tuple[type[ptx.ExtremumOp], bool]] = {
    arith.MaxSIOp: (ptx.MaxOp, True),
    arith.MinSIOp: (ptx.MinOp, True),
    arith.MaxUIOp: (ptx.MaxOp, False),
    arith.MinUIOp: (ptx.MinOp, False),
}


@converts(arith.MaxSIOp, arith.MinSIOp, arith.MaxUIOp, arith.MinUIOp)
def _integer_extremum(
    conversion: Conversion, op: arith.SignlessIntegerBinaryOperation
) -> None:
    kind, is_signed = _EXTREMA[op.__class__]
    type = _compared(conversion, op.result.type, is_signed)
    if _on_pair(conversion, op, kind, type):
        return
    conversion.elementwise(op.result, lambda lane: conversion.emit(kind(type, *lane)).d)


def _compared(conversion: Conversion, type: Attribute, is_signed: bool) -> PtxType:
    """
    The type to compare in. An i8 extended by its sign keeps its unsigned order too, as
    16 bits: the upper half of the range stays the upper half.
    """
    element = arithmetic_type(conversion.element(type))
    if element is PtxType.pred:
        raise conversion.error("cannot be lowered to PTX on i1: extend it first")
    return element if is_signed else unsigned(element)


@converts(arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp)
def _shift(conversion: Conversion, op: arith.SignlessIntegerBinaryOperation) -> None:
    type = conversion.element(op.result.type)
    if type is PtxType.pred:
        raise conversion.error("cannot be lowered to PTX on i1: extend it first")
    wide = arithmetic_type(type)

    def lane(operands: tuple[SSAValue, ...]) -> SSAValue:
        a, amount = operands
        if wide.width != 32:
            amount = conversion.emit(ptx.CvtOp(PtxType.u32, unsigned(wide), amount)).d
        match op:
            case arith.ShLIOp():
                result = ptx.ShlOp(register_bits(type), a, amount)
            case arith.ShRSIOp():
                result = ptx.ShrOp(wide, a, amount)
            case _:
                a = _widened(conversion, type, a)
                result = ptx.ShrOp(unsigned(wide), a, amount)
        return _narrowed(conversion, type, conversion.emit(result).d)

    conversion.elementwise(op.result, lane)


_INTEGER_COMPARISONS = (
    (Comparison.eq, True),
    (Comparison.ne, True),
    (Comparison.lt, True),
    (Comparison.le, True),
    (Comparison.gt, True),
    (Comparison.ge, True),
    (Comparison.lt, False),
    (Comparison.le, False),
    (Comparison.gt, False),
    (Comparison.ge, False),
)
"""By the number of arith's predicate: the comparison, and whether it is signed."""


@converts(arith.CmpiOp)
def _compare_integers(conversion: Conversion, op: arith.CmpiOp) -> None:
    comparison, is_signed = _INTEGER_COMPARISONS[op.predicate.value.data]
    type = conversion.element(op.lhs.type)

    def lane(operands: tuple[SSAValue, ...]) -> SSAValue:
        a, b = operands
        if type is not PtxType.pred:
            compared = arithmetic_type(type)
            compared = compared if is_signed else unsigned(compared)
            return conversion.emit(ptx.SetpOp(comparison, compared, a, b)).p
        if comparison not in (Comparison.eq, Comparison.ne):
            raise conversion.error("cannot be lowered to PTX on i1: extend it first")
        differ = conversion.emit(ptx.XorOp(type, a, b)).d
        if comparison is Comparison.ne:
            return differ
        return conversion.emit(ptx.NotOp(type, differ)).d

    conversion.elementwise(op.result, lane)


@converts(arith.IndexCastOp, arith.ExtSIOp, arith.TruncIOp)
def _resize(
    conversion: Conversion, op: arith.IndexCastOp | arith.ExtSIOp | arith.TruncIOp
) -> None:
    source = conversion.element(op.input.type)
    target = conversion.element(op.result.type)
    conversion.elementwise(
        op.result, lambda lane: _resized(conversion, target, source, *lane)
    )
    # A 32-bit index that is used as one needs no extension.
    if isinstance(op, arith.IndexCastOp) and target is PtxType.s64:
        owner = conversion.register(op.result).owner
        assert isinstance(owner, Operation)
        if isinstance(owner, ptx.CvtOp):
            conversion.may_be_dead[owner] = None


@converts(arith.ExtUIOp)
def _extend_by_zeros(conversion: Conversion, op: arith.ExtUIOp) -> None:
    source = conversion.element(op.input.type)
    target = conversion.element(op.result.type)
    if source is PtxType.pred:
        conversion.elementwise(
            op.result, lambda lane: _selected(conversion, target, 1, *lane)
        )
        return
    conversion.elementwise(
        op.result,
        lambda lane: (
            conversion.emit(ptx.CvtOp(unsigned(target), unsigned(source), *lane)).d
        ),
    )


def _resized(
    conversion: Conversion, target: PtxType, source: PtxType, a: SSAValue
) -> SSAValue:
    """An integer extended by its sign, or truncated."""
    if target is source:
        return a
    if source is PtxType.pred:
        return _selected(conversion, target, -1, a)
    if target is PtxType.pred:
        bits = register_bits(source)
        one, zero = (conversion.constant(bits, bit) for bit in (1, 0))
        low = conversion.emit(ptx.AndOp(bits, a, one)).d
        return conversion.emit(
            ptx.SetpOp(Comparison.ne, arithmetic_type(source), low, zero)
        ).p
    if byte_size(target) > byte_size(source) or target is PtxType.s8:
        return conversion.emit(ptx.CvtOp(target, source, a)).d
    return conversion.emit(ptx.CvtOp(unsigned(target), unsigned(source), a)).d


def _selected(
    conversion: Conversion, target: PtxType, value: float, p: SSAValue
) -> SSAValue:
    """`value` where `p` holds, else zero."""
    zero = 0.0 if target.is_float else 0
    one = float(value) if target.is_float else int(value)
    a, b = conversion.constant(target, one), conversion.constant(target, zero)
    return conversion.emit(ptx.SelpOp(register_bits(target), a, b, p)).d


# endregion
# region floats


@converts(arith.AddfOp, arith.SubfOp, arith.MulfOp, arith.DivfOp)
def _float(
    conversion: Conversion,
    op: arith.AddfOp | arith.SubfOp | arith.MulfOp | arith.DivfOp,
) -> None:
    type = conversion.element(op.result.type)
    build = {
        arith.AddfOp: add,
        arith.SubfOp: subtract,
        arith.MulfOp: multiply,
        arith.DivfOp: divide,
    }[op.__class__]
    conversion.elementwise(op.result, lambda lane: build(conversion, type, *lane))


_FLOAT_EXTREMA: Mapping[type[Operation], tuple[type[ptx.ExtremumOp], bool]] = {
    arith.MaximumfOp: (ptx.MaxOp, True),
    arith.MinimumfOp: (ptx.MinOp, True),
    arith.MaxnumfOp: (ptx.MaxOp, False),
    arith.MinnumfOp: (ptx.MinOp, False),
}


@converts(arith.MaximumfOp, arith.MinimumfOp, arith.MaxnumfOp, arith.MinnumfOp)
def _float_extremum(
    conversion: Conversion,
    op: arith.MaximumfOp | arith.MinimumfOp | arith.MaxnumfOp | arith.MinnumfOp,
) -> None:
    kind, nan = _FLOAT_EXTREMA[op.__class__]
    type = conversion.element(op.result.type)
    conversion.elementwise(
        op.result, lambda lane: extremum(conversion, kind, type, *lane, nan=nan)
    )


@converts(arith.NegfOp)
def _negate(conversion: Conversion, op: arith.NegfOp) -> None:
    type = conversion.element(op.result.type)
    conversion.elementwise(
        op.result, lambda lane: conversion.emit(ptx.NegOp(type, *lane)).d
    )


_FLOAT_COMPARISONS = (
    None,
    Comparison.eq,
    Comparison.gt,
    Comparison.ge,
    Comparison.lt,
    Comparison.le,
    Comparison.ne,
    Comparison.num,
    Comparison.equ,
    Comparison.gtu,
    Comparison.geu,
    Comparison.ltu,
    Comparison.leu,
    Comparison.neu,
    Comparison.nan,
    None,
)
"""By the number of arith's predicate, of which the first is false and the last true."""


@converts(arith.CmpfOp)
def _compare_floats(conversion: Conversion, op: arith.CmpfOp) -> None:
    number = op.predicate.value.data
    comparison = _FLOAT_COMPARISONS[number]
    type = conversion.element(op.lhs.type)

    def lane(operands: tuple[SSAValue, ...]) -> SSAValue:
        a, b = operands
        if comparison is None:
            return conversion.constant(PtxType.pred, int(number != 0))
        compared = type
        if not conversion.legal(f"setp.{comparison.value}.{type.value}"):
            compared = PtxType.f32
            a, b = (convert_float(conversion, compared, type, v) for v in (a, b))
        return conversion.emit(ptx.SetpOp(comparison, compared, a, b)).p

    conversion.elementwise(op.result, lane)


@converts(arith.SelectOp)
def _select(conversion: Conversion, op: arith.SelectOp) -> None:
    type = conversion.element(op.result.type)

    def lane(operands: tuple[SSAValue, ...]) -> SSAValue:
        p, a, b = operands
        if type is not PtxType.pred:
            return conversion.emit(ptx.SelpOp(register_bits(type), a, b, p)).d
        first = conversion.emit(ptx.AndOp(type, p, a)).d
        other = conversion.emit(ptx.NotOp(type, p)).d
        second = conversion.emit(ptx.AndOp(type, other, b)).d
        return conversion.emit(ptx.OrOp(type, first, second)).d

    conversion.elementwise(op.result, lane)


# endregion
# region conversions


@converts(arith.ExtFOp, arith.TruncFOp)
def _resize_float(conversion: Conversion, op: arith.ExtFOp | arith.TruncFOp) -> None:
    source = conversion.element(op.input.type)
    target = conversion.element(op.result.type)
    conversion.elementwise(
        op.result, lambda lane: convert_float(conversion, target, source, *lane)
    )
    # An add that widens by itself takes the half.
    if op.result.type == f32:
        owner = conversion.register(op.result).owner
        assert isinstance(owner, Operation)
        conversion.may_be_dead[owner] = None


@converts(arith.SIToFPOp, arith.UIToFPOp)
def _integer_to_float(
    conversion: Conversion, op: arith.SIToFPOp | arith.UIToFPOp
) -> None:
    is_signed = isinstance(op, arith.SIToFPOp)
    source = conversion.element(op.input.type)
    target = conversion.element(op.result.type)

    def lane(operands: tuple[SSAValue, ...]) -> SSAValue:
        (a,) = operands
        if source is PtxType.pred:
            return _selected(conversion, target, -1 if is_signed else 1, a)
        integer = source if is_signed else unsigned(source)
        return conversion.emit(ptx.CvtOp(target, integer, a, rounding=Rounding.rn)).d

    conversion.elementwise(op.result, lane)


@converts(arith.FPToSIOp, arith.FPToUIOp)
def _float_to_integer(
    conversion: Conversion, op: arith.FPToSIOp | arith.FPToUIOp
) -> None:
    source = conversion.element(op.input.type)
    signed = conversion.element(op.result.type)
    if signed is PtxType.pred:
        raise conversion.error("cannot be lowered to PTX to i1: compare with zero")
    target = signed if isinstance(op, arith.FPToSIOp) else unsigned(signed)

    def lane(operands: tuple[SSAValue, ...]) -> SSAValue:
        (a,) = operands
        integer = conversion.emit(ptx.CvtOp(target, source, a, rounding=Rounding.rzi)).d
        return _narrowed(conversion, target, integer)

    conversion.elementwise(op.result, lane)


@converts(arith.BitcastOp)
def _bitcast(conversion: Conversion, op: arith.BitcastOp) -> None:
    source = conversion.element(op.input.type)
    target = conversion.element(op.result.type)
    if source.width != target.width:
        raise conversion.error(
            f"cannot be lowered to PTX: {op.input.type} and {op.result.type} do not have "
            "lanes of one width"
        )
    # Registers have a width and no type.
    conversion.set_lanes(op.result, conversion.lanes(op.input))


# endregion
