"""
`sm100_packed`: the seed's fast path for a thread's f32 vector of 8 or more elements.

Sums in lanes8 order by `add.f32x2`, max and min by the three-input forms. The gate is
apache/tvm's docs/tirx/tile_primitives/reduction/sm100_packed.rst, in its order, then ours.
"""

from __future__ import annotations

from xdsl_packed.orders import Order, fold_of_order, three_input_fold
from xdsl_packed.reduction import Kind, Reduction, Scope
from xdsl_packed.selection.predicates import (
    dst_len,
    dtype,
    exec_scope,
    kind,
    legal,
    local_scope,
    native,
    order,
    reduction_len,
    sm_version,
    src_ndim,
)
from xdsl_packed.selection.registry import Plan, Reason, Variant
from xdsl_packed.variants.packed_f32 import emit_packed_f32, packed_f32_forms
from xdsl_packed.variants.pairs import EXTREMA


def _plan(reduction: Reduction) -> Plan | Reason:
    forms = packed_f32_forms(reduction)
    if isinstance(forms, str):
        return forms
    length, accumulate = reduction.length, reduction.accumulate
    if reduction.kind is Kind.ADD:
        return Plan(fold_of_order(Order.LANES8, length, accumulate), forms)
    return Plan(three_input_fold(length, accumulate), forms)


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
        kind(Kind.ADD, *EXTREMA),
        order(Order.LANES8),
        native(packed_f32_forms),
        legal(packed_f32_forms),
    ),
    plan=_plan,
    emit=emit_packed_f32,
)
