"""From the fold of one destination element to the fold of a whole reduction."""

from __future__ import annotations

from xdsl_packed.orders import Fold, Step
from xdsl_packed.reduction import Reduction


def spread(element: Fold, reduction: Reduction) -> Fold:
    """
    `element`, the fold of one destination element, done for every destination element.

    Its leaves are `reduction.length` elements, then with accumulate the old destination.
    The result's leaves are all terms, row-major, then all old destination elements.
    """
    sources = reduction.term_count
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
