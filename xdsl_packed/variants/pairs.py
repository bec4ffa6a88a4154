"""Emitting a fold whose two-lane steps become packed operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.builder import Builder
from xdsl.ir import Operation, SSAValue

from xdsl_packed.dialects import packed
from xdsl_packed.orders import Fold

Combine = Callable[[SSAValue, SSAValue], Operation]


def emit_in_pairs(
    fold: Fold, leaves: Sequence[SSAValue], combine: Combine, builder: Builder
) -> list[SSAValue]:
    """
    Emit every step of two lanes as one operation on pairs, every other one on scalars.

    `combine` makes the operation on whatever type its operands have. Scalars are packed
    when a pair needs them, pairs are unpacked when a scalar is needed, both at most once.
    """
    scalars: dict[int, SSAValue] = dict(enumerate(leaves))
    pairs: dict[tuple[int, int], SSAValue] = {}
    pair_of: dict[int, tuple[int, int]] = {}

    def scalar(number: int) -> SSAValue:
        if number not in scalars:
            low, high = pair_of[number]
            unpacked = builder.insert(packed.UnpackOp(pairs[low, high]))
            scalars[low], scalars[high] = unpacked.low, unpacked.high
        return scalars[number]

    def pair(low: int, high: int) -> SSAValue:
        if (low, high) not in pairs:
            made = builder.insert(packed.PackOp(scalar(low), scalar(high)))
            pairs[low, high] = made.result
        return pairs[low, high]

    number = fold.leaves
    for step in fold.steps:
        if len(step) == 2:
            (a0, b0), (a1, b1) = step
            both = builder.insert(combine(pair(a0, a1), pair(b0, b1))).results[0]
            lanes = (number, number + 1)
            pairs[lanes] = both
            pair_of[number] = pair_of[number + 1] = lanes
        else:
            ((a, b),) = step
            alone = builder.insert(combine(scalar(a), scalar(b))).results[0]
            scalars[number] = alone
        number += len(step)
    return [scalar(output) for output in fold.outputs]
