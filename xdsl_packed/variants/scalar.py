"""
How two values of one kind and type are combined in scalar code on a chip.

One place says which operations do it, which PTX forms they become, and what cannot be
done; `local` and the scalar steps of other variants use it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, bf16, f64, i8, i32
from xdsl.ir import Operation, SSAValue

from xdsl_packed.dialects import packed
from xdsl_packed.reduction import Kind, Reduction

Combine = Callable[[Builder, SSAValue, SSAValue], SSAValue]
Convert = Callable[[Builder, SSAValue], SSAValue]


def _unchanged(_: Builder, value: SSAValue) -> SSAValue:
    return value


@dataclass(frozen=True)
class ScalarCode:
    """
    The scalar code of one combination.

    `widen` is applied to every value before, `narrow` to every result after; `forms` are
    the PTX forms that all of it becomes.
    """

    forms: tuple[str, ...]
    combine: Combine
    widen: Convert = _unchanged
    narrow: Convert = _unchanged


def scalar_code(reduction: Reduction) -> ScalarCode | str:
    """The scalar code for `reduction` on its target, or why there is none."""
    if reduction.element_type in ("f32", "f16"):
        return _float_code(reduction)
    if reduction.element_type == "f64":
        return _f64_code(reduction)
    if reduction.element_type == "bf16":
        return _bf16_code(reduction)
    if reduction.element_type in ("i16", "i32", "i64"):
        return _integer_code(reduction.kind, int(reduction.element_type[1:]))
    if reduction.element_type == "i8":
        return _i8_code(reduction.kind)
    if reduction.element_type == "i1":
        return "there is no code for i1, whose add is xor: widen the elements first"
    if reduction.element_type == "index":
        return "index has no fixed width: cast the elements to i32 or i64 first"
    return (
        f"there is no code for {reduction.element_type}: "
        "expected f16, bf16, f32, f64, i8, i16, i32 or i64"
    )


def float_modifiers(reduction: Reduction) -> str:
    """The modifiers of max and min forms: `.ftz`, `.NaN`."""
    ftz = ".ftz" if reduction.ftz else ""
    return ftz + (".NaN" if reduction.kind.propagates_nan else "")


_EXTREMA = {
    Kind.MAXNUMF: ("max", packed.MaxOp),
    Kind.MAXIMUMF: ("max", packed.MaxOp),
    Kind.MINNUMF: ("min", packed.MinOp),
    Kind.MINIMUMF: ("min", packed.MinOp),
}


def _float_code(reduction: Reduction) -> ScalarCode:
    kind, element, ftz = reduction.kind, reduction.element_type, reduction.ftz
    if kind in _EXTREMA:
        mnemonic, extremum = _EXTREMA[kind]
        nan = kind.propagates_nan
        return ScalarCode(
            (f"{mnemonic}{float_modifiers(reduction)}.{element}",),
            lambda builder, a, b: _result(builder, extremum(a, b, nan=nan, ftz=ftz)),
        )
    mnemonic, arithmetic = (
        ("add", packed.AddOp) if kind is Kind.ADD else ("mul", packed.MulOp)
    )
    modifier = ".ftz" if ftz else ""
    return ScalarCode(
        (f"{mnemonic}.rn{modifier}.{element}",),
        lambda builder, a, b: _result(builder, arithmetic(a, b, ftz=ftz)),
    )


def _f64_code(reduction: Reduction) -> ScalarCode:
    """PTX has no max.NaN.f64: compare, and select a NaN."""
    if not reduction.kind.propagates_nan:
        return _float_code(reduction)
    mnemonic, extremum = _EXTREMA[reduction.kind]

    def combine(builder: Builder, a: SSAValue, b: SSAValue) -> SSAValue:
        number = builder.insert(extremum(a, b))
        unordered = builder.insert(arith.CmpfOp(a, b, "uno"))
        nan = builder.insert(arith.ConstantOp(FloatAttr(float("nan"), f64)))
        return _result(builder, arith.SelectOp(unordered, nan, number))

    return ScalarCode((f"{mnemonic}.f64", "setp.nan.f64", "selp.b64"), combine)


def _bf16_code(reduction: Reduction) -> ScalarCode:
    """Below sm_90 bf16 has fma alone: a*1 + b and a*b + -0 round once, like add and mul."""
    code = _float_code(reduction)
    if reduction.kind in _EXTREMA or reduction.target.refusal(code.forms[0]) is None:
        return code
    is_add = reduction.kind is Kind.ADD

    def combine(builder: Builder, a: SSAValue, b: SSAValue) -> SSAValue:
        neutral = builder.insert(
            arith.ConstantOp(FloatAttr(1.0 if is_add else -0.0, bf16))
        ).result
        operands = (a, neutral, b) if is_add else (a, b, neutral)
        return _result(builder, packed.FmaOp(*operands))

    return ScalarCode(("fma.rn.bf16",), combine)


_INTEGER: dict[Kind, tuple[str, Callable[[SSAValue, SSAValue], Operation]]] = {
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


def _integer_code(kind: Kind, width: int) -> ScalarCode:
    form, operation = _INTEGER[kind]
    return ScalarCode(
        (form.format(width),),
        lambda builder, a, b: _result(builder, operation(a, b)),
    )


def _i8_code(kind: Kind) -> ScalarCode:
    """PTX has no 8-bit arithmetic: widened to i32 by the kind's signedness, and wrapped."""
    is_unsigned = kind in (Kind.MAXUI, Kind.MINUI)
    extend = arith.ExtUIOp if is_unsigned else arith.ExtSIOp
    code = _integer_code(kind, 32)
    return ScalarCode(
        (*code.forms, "cvt.u32.u8" if is_unsigned else "cvt.s32.s8"),
        code.combine,
        lambda builder, value: _result(builder, extend(value, i32)),
        lambda builder, value: _result(builder, arith.TruncIOp(value, i8)),
    )


def _result(builder: Builder, op: Operation) -> SSAValue:
    return builder.insert(op).results[0]
