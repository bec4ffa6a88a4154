"""
`packed_16bit`: a thread's f16, bf16 or i16 reduction, two lanes of a register at a time.

Steps are rounded in the type itself. Sums and products of floats keep the order they have,
lanes8 or tree. Where the result does not depend on an order, neighbours (2i, 2i+1) are the
lanes of one pair; the pairs are combined in threes, which ptxas fuses, and at the end the
two lanes of the last pair with what is left over.

This pays where the values come two in a register, as from loads of 4 bytes and more and
from matrix units: 9 instructions for the max of 32, against 16 of scalar code for f16 and
40 for i16. Values in a register each cost one PRMT a pair first.
"""

from __future__ import annotations

from functools import cache

from xdsl_packed.orders import Fold, FoldBuilder, Order, fold_of_order, ternary_fold
from xdsl_packed.reduction import Reduction, Scope
from xdsl_packed.selection.predicates import (
    accumulation,
    exec_scope,
    legal,
    local_scope,
    native,
    order,
    reduction_len,
)
from xdsl_packed.selection.registry import Plan, Reason, Variant
from xdsl_packed.variants.emission import emit_in_pairs
from xdsl_packed.variants.fold import spread
from xdsl_packed.variants.pairs import pair_forms


@cache
def ternary_pairs_fold(length: int, accumulate: bool) -> Fold:
    """
    n values as a row of n // 2 pairs, folded in threes: at least 2 values.

    With accumulate the old destination is the last value. The last step takes the two lanes
    and, where n is odd, the last value: ceil((n // 2 - 1) / 2) + 1 steps.
    """
    count = length + accumulate
    fold = FoldBuilder(count)
    pairs = [(i, i + 1) for i in range(0, count - 1, 2)]
    row = ternary_fold(len(pairs))
    for _, lane in row.lanes():
        lows, highs = zip(*(pairs[operand] for operand in lane))
        low, high = fold.step(lows, highs)
        pairs.append((low, high))
    (last,) = row.outputs
    odd = range(count - count % 2, count)
    return fold.build(fold.combine(*pairs[last], *odd))


_TYPES = ("f16", "bf16", "i16")


def _forms(reduction: Reduction) -> tuple[str, ...] | Reason:
    if reduction.accumulation_type not in _TYPES:
        return f"there are no 16-bit forms of {reduction.accumulation_type}"
    return pair_forms(reduction)


def _element_fold(reduction: Reduction) -> Fold:
    length, accumulate = reduction.length, reduction.accumulate
    if reduction.order is None:
        return ternary_pairs_fold(length, accumulate)
    return fold_of_order(reduction.order, length, accumulate)


def _plan(reduction: Reduction) -> Plan | Reason:
    forms = _forms(reduction)
    if isinstance(forms, str):
        return forms
    element = _element_fold(reduction)
    if all(len(step) == 1 for step in element.steps):
        return f"{reduction.order} has no two lanes at {reduction.length} elements"
    return Plan(spread(element, reduction), forms)


PACKED_16BIT = Variant(
    name="packed_16bit",
    priority=30,
    predicates=(
        exec_scope(Scope.THREAD),
        local_scope(),
        accumulation(*_TYPES),
        reduction_len(4),
        order(Order.LANES8, Order.TREE),
        native(_forms),
        legal(_forms),
    ),
    plan=_plan,
    emit=emit_in_pairs,
)
