"""
Emitting a fold: in scalar code, in pairs, or by three-input operations.

Which products of a sum of products are fused is a matter of the fold alone, so that every
variant gives the same bits. In a step whose second operands are all terms they are absorbed
(`fma`); else in one whose first operands are all terms these are; else terms are lifted to
values (`mul`) and the values combined. Sums of elements do not see the difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.ir import SSAValue

from xdsl_packed.dialects import packed
from xdsl_packed.orders import Fold, Lane, Step
from xdsl_packed.reduction import Kind, Reduction
from xdsl_packed.selection.registry import Plan
from xdsl_packed.variants.algebra import Algebra, Term, accepted_algebra


@dataclass(frozen=True)
class Leaves:
    """
    What a fold is given: terms, then old destinations.

    `is_part` says that the fold is part of a reduction: its olds are values in the
    accumulation type already, and so are its results.
    """

    terms: Sequence[Term]
    olds: Sequence[SSAValue]
    is_part: bool = False


def leaves_of(reduction: Reduction, values: Sequence[SSAValue]) -> Leaves:
    """All source elements, source by source, then the old destination's."""
    count = reduction.term_count
    sources = 2 if reduction.kind is Kind.DOT else 1
    terms = zip(*(values[s * count : (s + 1) * count] for s in range(sources)))
    return Leaves(list(terms), values[sources * count :])


class _Scalars:
    """The numbered values of a fold: terms, old destinations, then what its lanes make."""

    def __init__(self, algebra: Algebra, leaves: Leaves, builder: Builder) -> None:
        self.algebra, self.leaves, self.builder = algebra, leaves, builder
        self._terms: dict[int, Term] = {}
        self._values: dict[int, SSAValue] = {}

    def is_term(self, number: int) -> bool:
        return number < len(self.leaves.terms)

    def term(self, number: int) -> Term:
        if number not in self._terms:
            self._terms[number] = tuple(
                self.algebra.widen(self.builder, element)
                for element in self.leaves.terms[number]
            )
        return self._terms[number]

    def value(self, number: int) -> SSAValue:
        if number not in self._values:
            self._values[number] = self._leaf(number)
        return self._values[number]

    def _leaf(self, number: int) -> SSAValue:
        if self.is_term(number):
            return self.algebra.lift(self.builder, self.term(number))
        old = self.leaves.olds[number - len(self.leaves.terms)]
        return old if self.leaves.is_part else self.algebra.widen(self.builder, old)

    def define(self, number: int, value: SSAValue) -> None:
        self._values[number] = value

    def results(self, fold: Fold) -> list[SSAValue]:
        values = [self.value(number) for number in fold.outputs]
        if self.leaves.is_part:
            return values
        return [self.algebra.narrow(self.builder, value) for value in values]

    def absorbed(self, step: Step) -> int | None:
        """Which operand, 1 or 0, the lanes of `step` absorb: one that is a term in each."""
        for operand in (1, 0):
            if all(self.is_term(lane[operand]) for lane in step):
                return operand
        return None

    def lane(self, lane: Lane, absorbed: int | None) -> SSAValue:
        algebra, builder = self.algebra, self.builder
        a, b, *rest = lane
        match absorbed:
            case 1:
                value = algebra.absorb(builder, self.value(a), self.term(b))
            case 0:
                value = algebra.absorb(builder, self.value(b), self.term(a))
            case _:
                value = algebra.combine(builder, self.value(a), self.value(b))
        for other in rest:
            value = algebra.combine(builder, value, self.value(other))
        return value


def emit_scalars(
    fold: Fold, algebra: Algebra, leaves: Leaves, builder: Builder
) -> list[SSAValue]:
    """Every lane in scalar code; a lane of three as two operations, which ptxas may fuse."""
    scalars = _Scalars(algebra, leaves, builder)
    number = fold.leaves
    for step in fold.steps:
        absorbed = scalars.absorbed(step)
        for lane in step:
            scalars.define(number, scalars.lane(lane, absorbed))
            number += 1
    return scalars.results(fold)


def emit_three_inputs(
    fold: Fold, algebra: Algebra, leaves: Leaves, builder: Builder
) -> list[SSAValue]:
    """A max or min of f32 whose lanes of three are one operation."""
    scalars = _Scalars(algebra, leaves, builder)
    combine_three = algebra.combine_three
    if combine_three is None:
        raise ValueError("the algebra has no operation of three")
    for number, lane in fold.lanes():
        values = [scalars.value(operand) for operand in lane]
        combine = combine_three if len(values) == 3 else algebra.combine
        result = combine(builder, *values)
        scalars.define(number, result)
    return scalars.results(fold)


class _Pairs:
    """The pairs of a fold: packed when one is needed, unpacked when a lane is, each once."""

    def __init__(self, scalars: _Scalars) -> None:
        self.scalars = scalars
        self._insert = scalars.builder.insert
        self._values: dict[tuple[int, int], SSAValue] = {}
        self._terms: dict[tuple[int, int], Term] = {}
        self._pair_of: dict[int, tuple[int, int]] = {}

    def value(self, low: int, high: int) -> SSAValue:
        if (low, high) not in self._values:
            self._values[low, high] = self._pack(low, high)
        return self._values[low, high]

    def _pack(self, low: int, high: int) -> SSAValue:
        scalars = self.scalars
        if scalars.is_term(low) and scalars.is_term(high):
            return scalars.algebra.lift(scalars.builder, self.term(low, high))
        self.lane(low)
        self.lane(high)
        operation = packed.PackOp(scalars.value(low), scalars.value(high))
        return self._insert(operation).result

    def term(self, low: int, high: int) -> Term:
        if (low, high) not in self._terms:
            lanes = zip(self.scalars.term(low), self.scalars.term(high))
            self._terms[low, high] = tuple(
                self._insert(packed.PackOp(a, b)).result for a, b in lanes
            )
        return self._terms[low, high]

    def lane(self, number: int) -> None:
        """Make the scalar `number` known, where it is a lane of a pair."""
        if (pair := self._pair_of.get(number)) is None:
            return
        unpacked = self._insert(packed.UnpackOp(self._values[pair]))
        for lane, value in zip(pair, (unpacked.low, unpacked.high)):
            del self._pair_of[lane]
            self.scalars.define(lane, value)

    def define(self, low: int, high: int, value: SSAValue) -> None:
        self._values[low, high] = value
        self._pair_of[low] = self._pair_of[high] = (low, high)

    def combined(self, step: Step) -> SSAValue:
        algebra, builder = self.scalars.algebra, self.scalars.builder
        (a, b, *rest) = zip(*step)
        match self.scalars.absorbed(step):
            case 1:
                value = algebra.absorb(builder, self.value(*a), self.term(*b))
            case 0:
                value = algebra.absorb(builder, self.value(*b), self.term(*a))
            case _:
                value = algebra.combine(builder, self.value(*a), self.value(*b))
        for operand in rest:
            value = algebra.combine(builder, value, self.value(*operand))
        return value


def emit_pairs(
    fold: Fold, algebra: Algebra, leaves: Leaves, builder: Builder
) -> list[SSAValue]:
    """
    Every step of two lanes as one operation on pairs, every other one on scalars; so are
    those that absorb terms where the algebra does that by lane.
    """
    scalars = _Scalars(algebra, leaves, builder)
    pairs = _Pairs(scalars)
    number = fold.leaves
    for step in fold.steps:
        absorbed = scalars.absorbed(step)
        is_by_lane = absorbed is not None and algebra.absorbs_by_lane
        if len(step) == 2 and not is_by_lane:
            pairs.define(number, number + 1, pairs.combined(step))
            number += 2
            continue
        for lane in step:
            for operand in lane:
                pairs.lane(operand)
            scalars.define(number, scalars.lane(lane, absorbed))
            number += 1
    for output in fold.outputs:
        pairs.lane(output)
    return scalars.results(fold)


def emit_in_pairs(
    reduction: Reduction, plan: Plan, leaves: Sequence[SSAValue], builder: Builder
) -> list[SSAValue]:
    """The emitter of a variant that does the whole of its plan by `emit_pairs`."""
    algebra = accepted_algebra(reduction)
    return emit_pairs(plan.fold, algebra, leaves_of(reduction, leaves), builder)
