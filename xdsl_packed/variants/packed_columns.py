"""
`packed_columns`: neighbouring destination elements share a pair.

Where the innermost axis is kept, the elements that two neighbouring destinations are reduced
from stand side by side, so that lane 0 of every operation works for one and lane 1 for the
other. Each lane keeps its own order, whatever it is, so this is legal for ordered sums.
"""

from __future__ import annotations

from xdsl_packed.orders import Fold, Order, Step, fold_of_order, ternary_fold
from xdsl_packed.reduction import Reduction, Scope
from xdsl_packed.selection.predicates import (
    exec_scope,
    legal,
    local_scope,
    native,
)
from xdsl_packed.selection.registry import Plan, Predicate, Reason, Variant
from xdsl_packed.variants.emission import emit_in_pairs
from xdsl_packed.variants.pairs import pair_forms


def _innermost_kept(reduction: Reduction) -> Reason | None:
    rank = len(reduction.shape)
    if not rank or rank - 1 in reduction.axes:
        return "the innermost axis is reduced, so no two results stand side by side"
    if reduction.shape[-1] < 2:
        return (
            f"the innermost axis has extent {reduction.shape[-1]}, expected 2 or more"
        )
    if reduction.length + reduction.accumulate < 2:
        return "nothing is combined"
    return None


def _fused_lane_by_lane(reduction: Reduction) -> Reason | None:
    """Which products are fused is decided a step at a time, and here a step is one lane."""
    if reduction.kind.is_sum_of_products and reduction.order is Order.TREE:
        return (
            "in tree order which products are fused depends on both lanes of a step, "
            "and here the two lanes are two results"
        )
    return None


def _plan(reduction: Reduction) -> Plan | Reason:
    forms = pair_forms(reduction)
    if isinstance(forms, str):
        return forms
    return Plan(_columns(reduction), forms)


def _element_fold(reduction: Reduction) -> Fold:
    if reduction.order is None:
        return ternary_fold(reduction.length, reduction.accumulate)
    return fold_of_order(reduction.order, reduction.length, reduction.accumulate)


def _columns(reduction: Reduction) -> Fold:
    """The fold of one destination, done for two at a time: two lanes a step."""
    element, terms = _element_fold(reduction), reduction.term_count
    made = terms + reduction.destination_length * reduction.accumulate
    leaves, steps, outputs = made, list[Step](), list[int]()
    columns = reduction.shape[-1]
    for start in range(0, reduction.destination_length, columns):
        for first in range(start, start + columns, 2):
            places = range(first, min(first + 2, start + columns))
            numbers = [
                [*reduction.groups[place], terms + place][: element.leaves]
                for place in places
            ]
            for _, lane in element.lanes():
                steps.append(tuple(tuple(n[v] for v in lane) for n in numbers))
                for values in numbers:
                    values.append(made)
                    made += 1
            outputs.extend(values[element.outputs[0]] for values in numbers)
    return Fold(leaves, tuple(steps), tuple(outputs))


PACKED_COLUMNS = Variant(
    name="packed_columns",
    priority=40,
    predicates=(
        exec_scope(Scope.THREAD),
        local_scope(),
        Predicate("innermost_kept", _innermost_kept),
        Predicate("fused_products", _fused_lane_by_lane),
        native(pair_forms),
        legal(pair_forms),
    ),
    plan=_plan,
    emit=emit_in_pairs,
)
