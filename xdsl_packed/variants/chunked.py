"""
`chunked`: a tile in global or shared memory, read in a loop.

The running values are in registers: the eight lanes of lanes8, one of sequential, four of a
max, min or integer kind. The code has a bounded size, and the order is the op's. A tile that
fits the registers is read at once instead, and then any order will do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint

from xdsl_packed.orders import (
    Fold,
    FoldBuilder,
    Order,
    add_chunk,
    add_pairs,
    collapse_lanes,
    collapse_pairs,
    first_pairs,
    fold_of_order,
    ternary_fold,
)
from xdsl_packed.reduction import FLOAT_EXTREMA, Kind, Reduction, Scope, Storage
from xdsl_packed.selection.predicates import exec_scope, legal, reduction_len
from xdsl_packed.selection.registry import (
    Elements,
    Plan,
    Predicate,
    Reason,
    Variant,
)
from xdsl_packed.variants.algebra import (
    Algebra,
    Term,
    accepted_algebra,
    algebra_of,
    extremum_form,
)
from xdsl_packed.variants.emission import (
    Leaves,
    emit_pairs,
    emit_scalars,
    emit_three_inputs,
    leaves_of,
)
from xdsl_packed.variants.fold import spread
from xdsl_packed.variants.pairs import pair_forms

CHUNK = 8
CHUNKS_A_TRIP = 4
"""How many chunks one trip of the loop takes: enough loads in flight, and little code."""

MOST_DESTINATIONS = 64
"""Each destination element has a loop of its own."""

MOST_AT_ONCE = 256
"""The largest tile that is read at once; a thread has at most 255 registers."""


def _is_loop(reduction: Reduction) -> bool:
    return reduction.term_count > MOST_AT_ONCE


def _in_memory(reduction: Reduction) -> Reason | None:
    storage = reduction.source.storage
    if storage in (Storage.GLOBAL, Storage.SHARED, Storage.GENERIC):
        return None
    return f"source is in {storage} storage, expected global or shared memory"


def _one_axis(reduction: Reduction) -> Reason | None:
    if len(reduction.axes) == 1 or not _is_loop(reduction):
        return None
    return f"reduces {len(reduction.axes)} axes, expected one: the loop runs along it"


def _few_destinations(reduction: Reduction) -> Reason | None:
    if reduction.destination_length <= MOST_DESTINATIONS or not _is_loop(reduction):
        return None
    return (
        f"destination has {reduction.destination_length} elements, "
        f"expected {MOST_DESTINATIONS} or fewer"
    )


def _no_long_tree(reduction: Reduction) -> Reason | None:
    if reduction.order is not Order.TREE or not _is_loop(reduction):
        return None
    return (
        f"order is tree over {reduction.term_count} elements, which no loop keeps: "
        f"expected {MOST_AT_ONCE} elements or fewer, or lanes8 or sequential"
    )


def _forms(reduction: Reduction) -> tuple[str, ...] | Reason:
    """The packed or three-input forms where they are native, else the scalar ones."""
    algebra = algebra_of(reduction)
    if isinstance(algebra, str):
        return algebra
    fast = _fast_forms(reduction)
    return algebra.forms if fast is None else fast


def _fast_forms(reduction: Reduction) -> tuple[str, ...] | None:
    """The forms of the fast way to emit, or None where the chip does not have them."""
    if reduction.kind in FLOAT_EXTREMA:
        if reduction.accumulation_type != "f32":
            return None
        forms: tuple[str, ...] | Reason = (f"{extremum_form(reduction)} 3in",)
    elif reduction.order is None:
        # Its running values stand alone, not in pairs.
        return None
    else:
        forms = pair_forms(reduction)
    if isinstance(forms, str):
        return None
    is_native = all(map(reduction.target.is_native, forms))
    is_legal = all(reduction.target.refusal(form) is None for form in forms)
    return forms if is_native and is_legal else None


@dataclass(frozen=True)
class _Loop:
    """
    The fold of a long reduction in three parts.

    `prologue` makes the running values of the first elements and the old destination,
    `body` takes the elements of one trip into them, `epilogue` takes the rest and makes the
    result. `start` is the first element of the first trip.
    """

    prologue: Fold
    body: Fold
    epilogue: Fold
    start: int
    step: int
    trips: int


def _loop(reduction: Reduction) -> _Loop:
    if reduction.order is Order.SEQUENTIAL:
        return _sequential_loop(reduction.length, reduction.accumulate)
    return _lanes_loop(reduction)


def _sequential_loop(length: int, accumulate: bool) -> _Loop:
    start = 0 if accumulate else 1
    step = CHUNK * CHUNKS_A_TRIP
    trips = (length - start) // step
    rest = length - start - trips * step
    return _Loop(
        Fold(1, (), (0,)),
        fold_of_order(Order.SEQUENTIAL, step, accumulate=True),
        fold_of_order(Order.SEQUENTIAL, rest, accumulate=True)
        if rest
        else Fold(1, (), (0,)),
        start,
        step,
        trips,
    )


def _lanes_loop(reduction: Reduction) -> _Loop:
    length, accumulate = reduction.length, reduction.accumulate
    is_sum = reduction.order is not None
    step = CHUNK * CHUNKS_A_TRIP
    chunks = length // CHUNK - 1
    trips, left = divmod(chunks, CHUNKS_A_TRIP)
    rest = left * CHUNK + length % CHUNK
    return _Loop(
        _first_lanes(accumulate) if is_sum else _first_running(accumulate),
        _take(step, step, is_sum, collapse=False),
        _take(left * CHUNK, rest, is_sum, collapse=True),
        CHUNK,
        step,
        trips,
    )


def _first_lanes(accumulate: bool) -> Fold:
    fold = FoldBuilder(CHUNK + accumulate)
    lane0 = fold.combine(0, CHUNK) if accumulate else 0
    return fold.build(lane0, *range(1, CHUNK))


def _first_running(accumulate: bool) -> Fold:
    fold = FoldBuilder(CHUNK + accumulate)
    return fold.build(*first_pairs(fold, old=CHUNK if accumulate else None))


def _take(full: int, terms: int, is_sum: bool, *, collapse: bool) -> Fold:
    """Take `full` of the `terms` in chunks into the running values; collapse with the rest."""
    count = CHUNK if is_sum else CHUNK // 2
    fold = FoldBuilder(terms + count)
    running = list(range(terms, terms + count))
    for chunk in range(0, full, CHUNK):
        (add_chunk if is_sum else add_pairs)(fold, running, chunk)
    if not collapse:
        return fold.build(*running)
    finish = collapse_lanes if is_sum else collapse_pairs
    return fold.build(finish(fold, running, range(full, terms)))


def _plan(reduction: Reduction) -> Plan | Reason:
    """The whole fold, unrolled: what the loop computes, and what is emitted from values."""
    forms = _forms(reduction)
    if isinstance(forms, str):
        return forms
    return Plan(spread(_element_fold(reduction), reduction), forms, _is_loop(reduction))


def _element_fold(reduction: Reduction) -> Fold:
    if reduction.order is not None:
        return fold_of_order(reduction.order, reduction.length, reduction.accumulate)
    return ternary_fold(reduction.length, reduction.accumulate)


def _emit_fold(
    reduction: Reduction, fold: Fold, leaves: Leaves, builder: Builder
) -> list[SSAValue]:
    algebra = accepted_algebra(reduction)
    if _fast_forms(reduction) is None:
        return emit_scalars(fold, algebra, leaves, builder)
    if reduction.kind in FLOAT_EXTREMA:
        return emit_three_inputs(fold, algebra, leaves, builder)
    return emit_pairs(fold, algebra, leaves, builder)


def _emit(
    reduction: Reduction, plan: Plan, leaves: Sequence[SSAValue], builder: Builder
) -> list[SSAValue]:
    return _emit_fold(reduction, plan.fold, leaves_of(reduction, leaves), builder)


def _emit_loop(
    reduction: Reduction, plan: Plan, elements: Elements, builder: Builder
) -> list[SSAValue]:
    emissions = [
        _Emission(reduction, elements, number)
        for number in range(reduction.destination_length)
    ]
    if reduction.length < 2 * CHUNK:
        return [emission.emit_at_once(builder) for emission in emissions]
    loop = _loop(reduction)
    return [emission.emit_loop(loop, builder) for emission in emissions]


@dataclass(frozen=True)
class _Emission:
    """One destination element."""

    reduction: Reduction
    elements: Elements
    number: int

    def emit_at_once(self, builder: Builder) -> SSAValue:
        terms = self.terms(range(self.reduction.length), builder)
        olds = self.olds(builder)
        (value,) = self.part(_element_fold(self.reduction), terms, olds, builder)
        return self.algebra().narrow(builder, value)

    def emit_loop(self, loop: _Loop, builder: Builder) -> SSAValue:
        olds = self.olds(builder)
        taken = loop.prologue.leaves - len(olds)
        running = self.part(
            loop.prologue, self.terms(range(taken), builder), olds, builder
        )
        if loop.trips:
            running = self.trips(loop, running, builder)
        first = loop.start + loop.trips * loop.step
        terms = self.terms(range(first, self.reduction.length), builder)
        (value,) = self.part(loop.epilogue, terms, running, builder)
        return self.algebra().narrow(builder, value)

    def algebra(self) -> Algebra:
        return accepted_algebra(self.reduction)

    def olds(self, builder: Builder) -> list[SSAValue]:
        """The old destination in the accumulation type, where it takes part."""
        if not self.reduction.accumulate:
            return []
        old = self.elements.old(self.number, builder)
        return [self.algebra().widen(builder, old)]

    def part(
        self,
        fold: Fold,
        terms: Sequence[Term],
        running: Sequence[SSAValue],
        builder: Builder,
    ) -> list[SSAValue]:
        leaves = Leaves(terms, running, is_part=True)
        return _emit_fold(self.reduction, fold, leaves, builder)

    def trips(
        self, loop: _Loop, running: list[SSAValue], builder: Builder
    ) -> list[SSAValue]:
        bounds = (loop.start, loop.start + loop.trips * loop.step, loop.step)
        lower, upper, step = (
            builder.insert(
                arith.ConstantOp(IntegerAttr.from_index_int_value(bound))
            ).result
            for bound in bounds
        )
        body = Block(arg_types=[lower.type, *(value.type for value in running)])
        inside = Builder(InsertPoint.at_end(body))
        place, *carried = body.args
        terms = self.terms(range(loop.step), inside, place)
        results = self.part(loop.body, terms, carried, inside)
        inside.insert(scf.YieldOp(*results))
        made = builder.insert(scf.ForOp(lower, upper, step, running, body))
        return list(made.results)

    def terms(
        self, places: range, builder: Builder, start: SSAValue | None = None
    ) -> list[Term]:
        sources = range(2 if self.reduction.kind is Kind.DOT else 1)
        indices = [self.index(place, builder, start) for place in places]
        return [
            tuple(self.elements.element(source, index, builder) for source in sources)
            for index in indices
        ]

    def index(
        self, place: int, builder: Builder, start: SSAValue | None
    ) -> list[SSAValue | int]:
        """The index of the element at `place` along the axis, after `start` if it is given."""
        (axis,) = self.reduction.axes
        index: list[SSAValue | int] = list(self.kept_index())
        along: SSAValue | int = place
        if start is not None and place:
            offset = arith.ConstantOp(IntegerAttr.from_index_int_value(place))
            constant = builder.insert(offset).result
            along = builder.insert(arith.AddiOp(start, constant)).result
        elif start is not None:
            along = start
        index.insert(axis, along)
        return index

    def kept_index(self) -> list[int]:
        """The index of the destination element, over the kept axes."""
        (axis,) = self.reduction.axes
        kept = [n for a, n in enumerate(self.reduction.shape) if a != axis]
        index: list[int] = []
        rest = self.number
        for extent in reversed(kept):
            rest, here = divmod(rest, extent)
            index.insert(0, here)
        return index


CHUNKED = Variant(
    name="chunked",
    priority=10,
    predicates=(
        exec_scope(Scope.THREAD),
        Predicate("in_memory", _in_memory),
        Predicate("one_axis", _one_axis),
        Predicate("few_destinations", _few_destinations),
        reduction_len(1),
        Predicate("no_long_tree", _no_long_tree),
        legal(_forms),
    ),
    plan=_plan,
    emit=_emit,
    emit_loop=_emit_loop,
)
