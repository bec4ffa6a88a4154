"""
`packed_tree`: the fewest instructions at the least depth, for every length.

Sums in tree order by f32x2 forms: 1 + ceil((n-2)/2) of them at depth ceil(log2 n). Max and
min by three-input forms: ceil((n-1)/2) at depth ceil(log3 n). Any rank, axes and
destination; each destination element has the tree of its own length.
"""

from __future__ import annotations

from xdsl_packed.orders import Order, fold_of_order, ternary_fold
from xdsl_packed.reduction import FLOAT_EXTREMA, Kind, Reduction, Scope
from xdsl_packed.selection.predicates import (
    accumulation,
    exec_scope,
    kind,
    legal,
    local_scope,
    native,
    order,
    reduction_len,
)
from xdsl_packed.selection.registry import Plan, Reason, Variant
from xdsl_packed.variants.fold import spread
from xdsl_packed.variants.packed_f32 import emit_packed_f32, packed_f32_forms
from xdsl_packed.variants.pairs import EXTREMA, SUMS


def _plan(reduction: Reduction) -> Plan | Reason:
    forms = packed_f32_forms(reduction)
    if isinstance(forms, str):
        return forms
    length, accumulate = reduction.length, reduction.accumulate
    if reduction.kind in FLOAT_EXTREMA:
        element = ternary_fold(length, accumulate)
    else:
        element = fold_of_order(Order.TREE, length, accumulate)
    return Plan(spread(element, reduction), forms)


PACKED_TREE = Variant(
    name="packed_tree",
    priority=30,
    predicates=(
        exec_scope(Scope.THREAD),
        local_scope(),
        accumulation("f32"),
        reduction_len(3),
        kind(*SUMS, *EXTREMA, Kind.ABSMAX),
        order(Order.TREE),
        native(packed_f32_forms),
        legal(packed_f32_forms),
    ),
    plan=_plan,
    emit=emit_packed_f32,
)
