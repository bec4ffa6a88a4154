"""From the fold of one destination element to the fold of a whole reduction."""

from __future__ import annotations

from math import prod

from xdsl_packed.orders import Fold, Order, Step, fold_of_order
from xdsl_packed.reduction import Reduction


def ordered_fold(reduction: Reduction) -> Fold:
    """
    Each destination element in the order that `reduction` names.

    Kinds that take no order are folded sequentially: the result does not depend on it.
    """
    order = reduction.order or Order.SEQUENTIAL
    return spread(
        fold_of_order(order, reduction.length, reduction.accumulate), reduction
    )


def spread(element: Fold, reduction: Reduction) -> Fold:
    """
    `element`, the fold of one destination element, done for every destination element.

    Its leaves are `reduction.length` elements, then with accumulate the old destination.
    The result's leaves are all source elements, then all old destination elements.
    """
    sources = prod(reduction.shape)
    leaves = sources + reduction.destination_length * reduction.accumulate
    if reduction.destination_length == 1:
        return element
    steps: list[Step] = []
    outputs: list[int] = []
    made = leaves
    for position, group in enumerate(reduction.groups):
        numbers = [*group, sources + position][: element.leaves]
        for step in element.steps:
            steps.append(tuple(tuple(numbers[v] for v in lane) for lane in step))
            numbers.extend(range(made, made + len(step)))
            made += len(step)
        outputs.extend(numbers[output] for output in element.outputs)
    return Fold(leaves, tuple(steps), tuple(outputs))
