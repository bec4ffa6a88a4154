"""
How the values of a reduction are combined on a chip.

One place says which operations do it, which PTX forms they become, and what cannot be
done. The operations work on scalars and, lane by lane, on pairs alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from xdsl.builder import Builder
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IntegerType,
    bf16,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Operation, SSAValue

from xdsl_packed.dialects import packed
from xdsl_packed.reduction import FLOAT_EXTREMA, Kind, Reduction

Term = tuple[SSAValue, ...]
"""What a source contributes at one place: the element, or the two factors of a product."""


@dataclass(frozen=True)
class Algebra:
    """
    The operations of one reduction.

    `widen` brings an element to the accumulation type and `narrow` a result to the
    destination's; `lift` makes a value of a widened term, `absorb` combines a value with a
    widened term, `combine` two values. `combine_three` combines three f32 at once, for max
    and min. `forms` are the PTX forms of all but that. With `absorbs_by_lane` a term is
    absorbed on scalars alone, as the chip widens it by the same instruction.
    """

    forms: tuple[str, ...]
    combine: Callable[[Builder, SSAValue, SSAValue], SSAValue]
    lift: Callable[[Builder, Term], SSAValue]
    absorb: Callable[[Builder, SSAValue, Term], SSAValue]
    widen: Callable[[Builder, SSAValue], SSAValue]
    narrow: Callable[[Builder, SSAValue], SSAValue]
    combine_three: (
        Callable[[Builder, SSAValue, SSAValue, SSAValue], SSAValue] | None
    ) = None
    absorbs_by_lane: bool = False


def algebra_of(reduction: Reduction) -> Algebra | str:
    """The operations for `reduction` on its target, or why there are none."""
    accumulation = reduction.accumulation_type
    if (wrong := _unsupported(reduction.element_type)) is not None:
        return wrong
    if (wrong := _unsupported(accumulation)) is not None:
        return wrong
    if accumulation in _INTEGERS:
        return _converted(_integer_algebra(reduction.kind, accumulation), reduction)
    if reduction.kind in FLOAT_EXTREMA:
        return _converted(_extremum_algebra(reduction), reduction)
    return _converted(_sum_algebra(reduction), reduction)


def accepted_algebra(reduction: Reduction) -> Algebra:
    """
    The operations for a reduction that a variant has accepted, for emitters.

    Raises ValueError where there are none: the variant emits without having been asked.
    """
    algebra = algebra_of(reduction)
    if isinstance(algebra, str):
        raise ValueError(f"the variant was not asked before it emits: {algebra}")
    return algebra


_FLOATS: dict[str, AnyFloat] = {"f16": f16, "bf16": bf16, "f32": f32, "f64": f64}
_INTEGERS: dict[str, IntegerType] = {"i8": i8, "i16": i16, "i32": i32, "i64": i64}


def _unsupported(element: str) -> str | None:
    if element in _FLOATS or element in _INTEGERS:
        return None
    if element == "i1":
        return "there is no code for i1, whose add is xor: widen the elements first"
    if element == "index":
        return "index has no fixed width: cast the elements to i32 or i64 first"
    return (
        f"there is no code for {element}: "
        "expected f16, bf16, f32, f64, i8, i16, i32 or i64"
    )


def _insert(builder: Builder, op: Operation) -> SSAValue:
    return builder.insert(op).results[0]


def _unchanged(_: Builder, value: SSAValue) -> SSAValue:
    return value


def _plain(
    forms: tuple[str, ...],
    operation: Callable[[SSAValue, SSAValue], Operation],
) -> Algebra:
    """Terms are values, and combining two is one operation."""
    return Algebra(
        forms,
        combine=lambda builder, a, b: _insert(builder, operation(a, b)),
        lift=lambda _, term: term[0],
        absorb=lambda builder, a, term: _insert(builder, operation(a, term[0])),
        widen=_unchanged,
        narrow=_unchanged,
    )


# Sums and products of floats


def ftz_modifier(reduction: Reduction) -> str:
    return ".ftz" if reduction.ftz else ""


def _sum_algebra(reduction: Reduction) -> Algebra:
    element, ftz = reduction.accumulation_type, reduction.ftz
    modifier = f".rn{ftz_modifier(reduction)}.{element}"
    if reduction.kind.is_sum_of_products:
        return _product_sum_algebra(reduction, modifier)
    if reduction.kind is Kind.MUL:
        algebra = _plain((f"mul{modifier}",), lambda a, b: packed.MulOp(a, b, ftz=ftz))
    else:
        algebra = _plain((f"add{modifier}",), lambda a, b: packed.AddOp(a, b, ftz=ftz))
    if element == "bf16" and reduction.target.refusal(algebra.forms[0]) is not None:
        return _bf16_by_fma(reduction.kind is Kind.ADD)
    return algebra


def _product_sum_algebra(reduction: Reduction, modifier: str) -> Algebra:
    """A term is one product; it is rounded with the sum it is fused into."""
    ftz = reduction.ftz

    def lift(builder: Builder, term: Term) -> SSAValue:
        return _insert(builder, packed.MulOp(term[0], term[-1], ftz=ftz))

    def absorb(builder: Builder, a: SSAValue, term: Term) -> SSAValue:
        return _insert(builder, packed.FmaOp(term[0], term[-1], a, ftz=ftz))

    forms = (f"add{modifier}", f"mul{modifier}", f"fma{modifier}")
    sums = _plain(forms, lambda a, b: packed.AddOp(a, b, ftz=ftz))
    sums = replace(sums, lift=lift, absorb=absorb)
    if modifier.endswith(".bf16") and reduction.target.refusal(forms[0]) is not None:
        return _bf16_products_by_fma(sums)
    return sums


def _bf16_products_by_fma(sums: Algebra) -> Algebra:
    """Below sm_90, where neither sum nor product is one instruction."""
    add, mul = _bf16_by_fma(is_add=True), _bf16_by_fma(is_add=False)

    def lift(builder: Builder, term: Term) -> SSAValue:
        return mul.combine(builder, term[0], term[-1])

    return replace(sums, forms=add.forms, combine=add.combine, lift=lift)


def _bf16_by_fma(is_add: bool) -> Algebra:
    """Below sm_90 bf16 has fma alone: a*1 + b and a*b + -0 round once, like add and mul."""

    def combine(builder: Builder, a: SSAValue, b: SSAValue) -> SSAValue:
        neutral = FloatAttr(1.0 if is_add else -0.0, bf16)
        constant = _insert(builder, arith.ConstantOp(neutral))
        operands = (a, constant, b) if is_add else (a, b, constant)
        return _insert(builder, packed.FmaOp(*operands))

    return Algebra(
        ("fma.rn.bf16",),
        combine=combine,
        lift=lambda _, term: term[0],
        absorb=lambda builder, a, term: combine(builder, a, term[0]),
        widen=_unchanged,
        narrow=_unchanged,
    )


# Maxima and minima of floats

Extremum2 = type[packed.MaxOp] | type[packed.MinOp]
Extremum3 = type[packed.Max3Op] | type[packed.Min3Op]

EXTREMUM_OPS: dict[Kind, tuple[str, Extremum2, Extremum3]] = {
    Kind.MAXNUMF: ("max", packed.MaxOp, packed.Max3Op),
    Kind.MAXIMUMF: ("max", packed.MaxOp, packed.Max3Op),
    Kind.ABSMAX: ("max", packed.MaxOp, packed.Max3Op),
    Kind.MINNUMF: ("min", packed.MinOp, packed.Min3Op),
    Kind.MINIMUMF: ("min", packed.MinOp, packed.Min3Op),
}
"""The mnemonic, the op of two operands, and the op of three."""


def extremum_form(reduction: Reduction) -> str:
    """The form of two inputs: `max.ftz.NaN.f32`."""
    mnemonic = EXTREMUM_OPS[reduction.kind][0]
    nan = ".NaN" if reduction.kind.propagates_nan else ""
    return f"{mnemonic}{ftz_modifier(reduction)}{nan}.{reduction.accumulation_type}"


def _extremum_algebra(reduction: Reduction) -> Algebra:
    if reduction.accumulation_type == "f64" and reduction.kind.propagates_nan:
        return _f64_with_nan(reduction.kind)
    _, operation, three = EXTREMUM_OPS[reduction.kind]
    nan, ftz = reduction.kind.propagates_nan, reduction.ftz

    def combine_three(
        builder: Builder, a: SSAValue, b: SSAValue, c: SSAValue
    ) -> SSAValue:
        return _insert(builder, three(a, b, c, nan=nan, ftz=ftz))

    algebra = _plain(
        (extremum_form(reduction),), lambda a, b: operation(a, b, nan=nan, ftz=ftz)
    )
    if reduction.accumulation_type == "f32":
        algebra = replace(algebra, combine_three=combine_three)
    return (
        _of_magnitudes(algebra, reduction) if reduction.kind is Kind.ABSMAX else algebra
    )


def _of_magnitudes(algebra: Algebra, reduction: Reduction) -> Algebra:
    """Every element, and the old destination, by its magnitude."""
    form = f"abs{ftz_modifier(reduction)}.{reduction.accumulation_type}"

    def magnitude(builder: Builder, value: SSAValue) -> SSAValue:
        return _insert(builder, math.AbsFOp(value))

    return replace(algebra, forms=(*algebra.forms, form), widen=magnitude)


def _f64_with_nan(kind: Kind) -> Algebra:
    """PTX has no max.NaN.f64: compare, and select a NaN."""
    mnemonic, operation, _ = EXTREMUM_OPS[kind]

    def combine(builder: Builder, a: SSAValue, b: SSAValue) -> SSAValue:
        number = _insert(builder, operation(a, b))
        unordered = _insert(builder, arith.CmpfOp(a, b, "uno"))
        nan = _insert(builder, arith.ConstantOp(FloatAttr(float("nan"), f64)))
        return _insert(builder, arith.SelectOp(unordered, nan, number))

    return Algebra(
        (f"{mnemonic}.f64", "setp.nan.f64", "selp.b64"),
        combine=combine,
        lift=lambda _, term: term[0],
        absorb=lambda builder, a, term: combine(builder, a, term[0]),
        widen=_unchanged,
        narrow=_unchanged,
    )


# Integers

_INTEGER_OPS: dict[Kind, tuple[str, Callable[[SSAValue, SSAValue], Operation]]] = {
    Kind.ADD: ("add.s{}", arith.AddiOp),
    Kind.MUL: ("mul.lo.s{}", arith.MuliOp),
    Kind.MAXSI: ("max.s{}", arith.MaxSIOp),
    Kind.MINSI: ("min.s{}", arith.MinSIOp),
    Kind.MAXUI: ("max.u{}", arith.MaxUIOp),
    Kind.MINUI: ("min.u{}", arith.MinUIOp),
    Kind.AND: ("and.b{}", arith.AndIOp),
    Kind.OR: ("or.b{}", arith.OrIOp),
    Kind.XOR: ("xor.b{}", arith.XOrIOp),
}


def is_unsigned(kind: Kind) -> bool:
    return kind in (Kind.MAXUI, Kind.MINUI)


def _integer_algebra(kind: Kind, element: str) -> Algebra:
    """PTX has no 8-bit arithmetic: i8 is widened by the kind's signedness, and wrapped."""
    form, operation = _INTEGER_OPS[kind]
    if element != "i8":
        return _plain((form.format(element[1:]),), operation)
    extend = arith.ExtUIOp if is_unsigned(kind) else arith.ExtSIOp
    conversion = "cvt.u32.u8" if is_unsigned(kind) else "cvt.s32.s8"

    def widen(builder: Builder, value: SSAValue) -> SSAValue:
        return _insert(builder, extend(value, i32))

    def narrow(builder: Builder, value: SSAValue) -> SSAValue:
        return _insert(builder, arith.TruncIOp(value, i8))

    words = _plain((form.format(32), conversion), operation)
    return replace(words, widen=widen, narrow=narrow)


# An accumulation type of its own


def _converted(algebra: Algebra, reduction: Reduction) -> Algebra:
    """With the conversions to the accumulation type, and from it to the destination's."""
    element, accumulation = reduction.element_type, reduction.accumulation_type
    if element != accumulation:
        algebra = _widened(algebra, reduction)
    if reduction.destination.element_type != accumulation:
        algebra = _narrowed(algebra, reduction)
    return algebra


def _widened(algebra: Algebra, reduction: Reduction) -> Algebra:
    accumulation = reduction.accumulation_type
    if accumulation in _FLOATS:
        target = _FLOATS[accumulation]
        forms = (*algebra.forms, _widening_form(reduction))

        def extend(builder: Builder, value: SSAValue) -> SSAValue:
            if value.type == target:
                return algebra.widen(builder, value)
            return algebra.widen(builder, _insert(builder, arith.ExtFOp(value, target)))

        widened = replace(algebra, forms=forms, widen=extend)
        if not _absorbs_halves(reduction):
            return widened
        forms = (*forms, _mixed_add_form(reduction))
        return replace(widened, forms=forms, absorbs_by_lane=True)

    integer = _INTEGERS[accumulation]
    operation = arith.ExtUIOp if is_unsigned(reduction.kind) else arith.ExtSIOp

    def extend_integer(builder: Builder, value: SSAValue) -> SSAValue:
        if value.type == integer:
            return algebra.widen(builder, value)
        return algebra.widen(builder, _insert(builder, operation(value, integer)))

    return replace(algebra, widen=extend_integer)


def _mixed_add_form(reduction: Reduction) -> str:
    """What adds a half to an f32 and widens it at once, on chips that have it."""
    return f"add.rn.{reduction.accumulation_type}.{reduction.element_type}"


def _widening_form(reduction: Reduction) -> str:
    """A bf16 is widened by adding -0.0, where the chip does that in one instruction."""
    mixed = _mixed_add_form(reduction)
    if mixed == "add.rn.f32.bf16" and reduction.target.is_native(mixed):
        return mixed
    return f"cvt.{reduction.accumulation_type}.{reduction.element_type}"


def _absorbs_halves(reduction: Reduction) -> bool:
    """
    Whether a sum adds halves to f32 as they are.

    An FHADD a term, in place of a conversion and half an FADD2: 32 bf16 in registers take
    39 instructions in lanes8 and 40 in tree order, where cvt and FADD2 take 64; 32 f16 as
    many, where those take 48 (sm_100a, ptxas 13.5, which makes no FHADD of them).
    """
    if reduction.kind is not Kind.ADD or reduction.ftz:
        return False
    return reduction.target.is_native(_mixed_add_form(reduction))


def _narrowed(algebra: Algebra, reduction: Reduction) -> Algebra:
    element = reduction.destination.element_type
    if element in _FLOATS:
        target = _FLOATS[element]

        def truncate(builder: Builder, value: SSAValue) -> SSAValue:
            result = algebra.narrow(builder, value)
            return _insert(builder, arith.TruncFOp(result, target))

        form = f"cvt.rn.{element}.{reduction.accumulation_type}"
        return replace(algebra, forms=(*algebra.forms, form), narrow=truncate)

    integer = _INTEGERS[element]

    def truncate_integer(builder: Builder, value: SSAValue) -> SSAValue:
        result = algebra.narrow(builder, value)
        return _insert(builder, arith.TruncIOp(result, integer))

    return replace(algebra, narrow=truncate_integer)
