"""
`sm100_packed`: the seed's fast path for a thread's f32 vector of 8 or more elements.

Sums in lanes8 order by `add.f32x2`, max and min by the three-input forms. The gate is
apache/tvm's docs/tirx/tile_primitives/reduction/sm100_packed.rst, in its order, then ours.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.ir import SSAValue

from xdsl_packed.dialects import packed
from xdsl_packed.orders import Fold, Order, three_input_fold
from xdsl_packed.reduction import Kind, Reduction, Scope
from xdsl_packed.selection.predicates import (
    dst_len,
    dtype,
    exec_scope,
    kind,
    legal,
    local_scope,
    order,
    reduction_len,
    sm_version,
    src_ndim,
)
from xdsl_packed.selection.registry import Plan, Reason, Variant
from xdsl_packed.variants.fold import ordered_fold
from xdsl_packed.variants.pairs import emit_in_pairs
from xdsl_packed.variants.scalar import float_modifiers

_THREE_INPUT = {
    Kind.MAXNUMF: ("max", packed.MaxOp, packed.Max3Op),
    Kind.MAXIMUMF: ("max", packed.MaxOp, packed.Max3Op),
    Kind.MINNUMF: ("min", packed.MinOp, packed.Min3Op),
    Kind.MINIMUMF: ("min", packed.MinOp, packed.Min3Op),
}


def _forms(reduction: Reduction) -> tuple[str, ...] | Reason:
    if reduction.kind is Kind.ADD:
        ftz = ".ftz" if reduction.ftz else ""
        return (f"add.rn{ftz}.f32x2", f"add.rn{ftz}.f32")
    if reduction.kind not in _THREE_INPUT:
        return f"there is no packed form of {reduction.kind}"
    form = f"{_THREE_INPUT[reduction.kind][0]}{float_modifiers(reduction)}.f32"
    return (f"{form} 3in", form)


def _plan(reduction: Reduction) -> Plan | Reason:
    forms = _forms(reduction)
    if isinstance(forms, str):
        return forms
    if reduction.kind is Kind.ADD:
        return Plan(ordered_fold(reduction), forms)
    return Plan(three_input_fold(reduction.length, reduction.accumulate), forms)


def _emit(
    reduction: Reduction, plan: Plan, leaves: Sequence[SSAValue], builder: Builder
) -> list[SSAValue]:
    if reduction.kind is Kind.ADD:
        return emit_in_pairs(
            plan.fold,
            leaves,
            lambda a, b: packed.AddOp(a, b, ftz=reduction.ftz),
            builder,
        )
    return _emit_three_input(reduction, plan.fold, leaves, builder)


def _emit_three_input(
    reduction: Reduction, fold: Fold, leaves: Sequence[SSAValue], builder: Builder
) -> list[SSAValue]:
    _, two, three = _THREE_INPUT[reduction.kind]
    nan, ftz = reduction.kind.propagates_nan, reduction.ftz
    values = list(leaves)
    for _, lane in fold.lanes():
        operands = [values[number] for number in lane]
        operation = two if len(operands) == 2 else three
        values.append(builder.insert(operation(*operands, nan=nan, ftz=ftz)).result)
    return [values[output] for output in fold.outputs]


SM100_PACKED = Variant(
    name="sm100_packed",
    priority=20,
    predicates=(
        exec_scope(Scope.THREAD),
        local_scope(),
        dst_len(1),
        src_ndim(1),
        dtype("f32"),
        sm_version(100),
        reduction_len(8),
        kind(Kind.ADD, *_THREE_INPUT),
        order(Order.LANES8),
        legal(_forms),
    ),
    plan=_plan,
    emit=_emit,
)
