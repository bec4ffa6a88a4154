"""
Orders: which elements combine, in which step.

An order names the value of a rounded sum or product: it is a pure function of the number
of values, never of the chip, so every chip computes the same bits. It is written down as
a `Fold`, a straight-line program that variants emit and the documentation draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from xdsl.utils.str_enum import StrEnum


class Order(StrEnum):
    """The named orders of a float sum or product. `any` is resolved before dispatch."""

    SEQUENTIAL = "sequential"
    LANES8 = "lanes8"
    TREE = "tree"
    ANY = "any"


Lane = tuple[int, ...]
"""The values one lane combines: two, or three where the operation takes three."""

Step = tuple[Lane, ...]
"""
One or two lanes that combine at once.

A step of two lanes may be issued as one packed instruction: operand `k` is then the pair
(`step[0][k]`, `step[1][k]`). A variant without packed instructions issues the lanes one
after the other; the bits are the same.
"""


@dataclass(frozen=True)
class Fold:
    """
    A straight-line program over numbered values.

    Values `0 .. leaves - 1` are given. Each lane of each step then makes the next number.
    `outputs` are the numbers of the results.
    """

    leaves: int
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]

    def lanes(self) -> Iterator[tuple[int, Lane]]:
        """Every lane in order, with the number of the value it makes."""
        number = self.leaves
        for step in self.steps:
            for lane in step:
                yield number, lane
                number += 1

    def expressions(self) -> tuple[str, ...]:
        """
        The outputs as text, `x3` for leaf 3 and `(a+b)` for a combination.

        For drawing and for comparing two folds; linear in its own length, no recursion.
        """
        text = [f"x{leaf}" for leaf in range(self.leaves)]
        text.extend(
            "(" + "+".join(text[v] for v in lane) + ")" for _, lane in self.lanes()
        )
        return tuple(text[output] for output in self.outputs)

    def depth(self) -> int:
        """The longest chain of steps from a leaf to an output."""
        depths = [0] * self.leaves
        depths.extend(1 + max(depths[v] for v in lane) for _, lane in self.lanes())
        return max(depths[output] for output in self.outputs)


class FoldBuilder:
    """Numbers the lanes of a fold while it is written down, step by step."""

    def __init__(self, leaves: int) -> None:
        self.leaves = leaves
        self._steps: list[Step] = []
        self._next = leaves

    def step(self, *lanes: Lane) -> tuple[int, ...]:
        """Append one step; returns the numbers of the values that its lanes make."""
        self._steps.append(lanes)
        made = tuple(range(self._next, self._next + len(lanes)))
        self._next += len(lanes)
        return made

    def combine(self, *values: int) -> int:
        """Append a step of one lane; returns the number of its value."""
        return self.step(values)[0]

    def build(self, *outputs: int) -> Fold:
        return Fold(self.leaves, tuple(self._steps), outputs)


def _sequential(length: int, accumulate: bool) -> Fold:
    """Left to right, the old destination first."""
    fold = FoldBuilder(length + accumulate)
    values = iter(range(length))
    running = length if accumulate else next(values)
    for value in values:
        running = fold.combine(running, value)
    return fold.build(running)


def _lanes8(length: int, accumulate: bool) -> Fold:
    """
    Eight running lanes, collapsed 8 -> 4 -> 2 -> 1; sequential below 8 elements.

    The seed's order: apache/tvm docs/tirx/tile_primitives/reduction/sm100_packed.rst.
    """
    if length < 8:
        return _sequential(length, accumulate)
    fold = FoldBuilder(length + accumulate)
    lanes = list(range(8))
    if accumulate:
        lanes[0] = fold.combine(0, length)
    full = length - length % 8
    for chunk in range(8, full, 8):
        add_chunk(fold, lanes, chunk)
    return fold.build(collapse_lanes(fold, lanes, range(full, length)))


def add_chunk(fold: FoldBuilder, lanes: list[int], chunk: int) -> None:
    """lanes8: the values from `chunk` on join the eight running lanes, two at a time."""
    for j in (0, 2, 4, 6):
        lanes[j], lanes[j + 1] = fold.step(
            (lanes[j], chunk + j), (lanes[j + 1], chunk + j + 1)
        )


def collapse_lanes(fold: FoldBuilder, lanes: list[int], rest: range) -> int:
    """lanes8: the rest into lane 0, then 8 -> 4 -> 2 -> 1."""
    for value in rest:
        lanes[0] = fold.combine(lanes[0], value)
    lanes[0:2] = fold.step((lanes[0], lanes[2]), (lanes[1], lanes[3]))
    lanes[4:6] = fold.step((lanes[4], lanes[6]), (lanes[5], lanes[7]))
    lanes[0:2] = fold.step((lanes[0], lanes[4]), (lanes[1], lanes[5]))
    return fold.combine(lanes[0], lanes[1])


def _tree(length: int, accumulate: bool) -> Fold:
    """
    The fewest packed adds at the least depth: 1 + ceil((n-2)/2) at ceil(log2 n).

    Neighbours (2i, 2i+1) are the lanes of one pair; with accumulate the old destination is
    the last of the n values. The row of pairs is folded like a strip of paper, first onto
    last, until one pair is left; then its lanes are added. An odd last value is added to one
    lane of a pair that has a level to spare.
    """
    count = length + accumulate
    fold = FoldBuilder(count)
    if count == 1:
        return fold.build(0)
    row = [(i, i + 1) for i in range(0, count - 1, 2)]
    spare = _spare_pair(count, accumulate) if count % 2 else None
    in_low = _odd_into_low(len(row), accumulate)
    folding = 0
    while True:
        if spare is not None and spare[0] == folding:
            low, high = row[spare[1]]
            if in_low:
                low = fold.combine(low, count - 1)
            else:
                high = fold.combine(high, count - 1)
            row[spare[1]] = (low, high)
        if len(row) == 1:
            return fold.build(fold.combine(*row[0]))
        row = _fold_row(fold, row)
        folding += 1


def _fold_row(fold: FoldBuilder, row: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """First onto last, second onto last but one; the middle of an odd row waits at the end."""
    half = len(row) // 2
    folded: list[tuple[int, int]] = []
    for (a, b), (c, d) in zip(row[:half], row[: -half - 1 : -1]):
        low, high = fold.step((a, c), (b, d))
        folded.append((low, high))
    return folded + row[half : len(row) - half]


_OTHER_ROW = frozenset({(51, False), (123, True)})
"""Counts at which the usual row would cost ptxas 13.5 a move."""


def _odd_into_low(pairs: int, accumulate: bool) -> bool:
    """
    Which lane takes the odd value: the high one, save where only the middle pair has room.

    A scalar add into the odd register of a pair costs ptxas one more issue cycle, which 7
    pairs cannot hide; into the even one it may cost a move, but with accumulate from 7
    pairs on the high one may (measured, ptxas 13.5).
    """
    only_middle = pairs & (pairs + 1) == 0
    return only_middle and (pairs >= 7 if accumulate else pairs == 7)


def _spare_pair(count: int, accumulate: bool) -> tuple[int, int]:
    """
    (folding, index in its row) of the pair that takes the odd value.

    The first pair with a level to spare: in the first row that has one, or with accumulate,
    as the old destination may come late, in the last.
    """
    pairs = count // 2
    sizes = [pairs]
    while sizes[-1] > 1:
        sizes.append((sizes[-1] + 1) // 2)
    heights = _levels_below(sizes)
    above = _levels_above(sizes)
    # The least depth, less the odd add and the last one.
    room = (count - 1).bit_length() - 2
    rows = range(max(1, len(sizes) - 1))
    is_late = accumulate != ((count, accumulate) in _OTHER_ROW)
    return next(
        (folding, i)
        for folding in (reversed(rows) if is_late else rows)
        for i in range(sizes[folding])
        if heights[folding][i] + above[folding][i] <= room
    )


def _levels_below(sizes: list[int]) -> list[list[int]]:
    """For each row the packed adds that each of its pairs is made of, one above another."""
    heights = [[0] * sizes[0]]
    for size in sizes[:-1]:
        below, half = heights[-1], size // 2
        folded = [1 + max(below[i], below[-1 - i]) for i in range(half)]
        heights.append(folded + below[half : size - half])
    return heights


def _levels_above(sizes: list[int]) -> list[list[int]]:
    """For each row the packed adds between each of its pairs and the last one."""
    above = [[0]]
    for size in reversed(sizes[:-1]):
        next_row = above[0]
        levels = [
            next_row[min(i, size - 1 - i)] + (2 * i + 1 != size) for i in range(size)
        ]
        above.insert(0, levels)
    return above


_FOLDS: dict[Order, Callable[[int, bool], Fold]] = {
    Order.SEQUENTIAL: _sequential,
    Order.LANES8: _lanes8,
    Order.TREE: _tree,
}


@cache
def fold_of_order(order: Order, length: int, accumulate: bool = False) -> Fold:
    """
    The fold that `order` means for `length` elements (at least 1).

    Leaves 0 .. length - 1 are the elements, row-major; with `accumulate` leaf `length` is
    the old destination. `any` has no fold of its own: resolve it first.
    """
    return _FOLDS[order](length, accumulate)


LONGEST_TREE = 256
"""Above this `any` is lanes8, which a loop can keep with its running values in registers."""


def resolve(order: Order, length: int) -> Order:
    """The named order that `order` stands for: `any` is resolved, others are themselves."""
    if order is not Order.ANY:
        return order
    return Order.TREE if length <= LONGEST_TREE else Order.LANES8


@cache
def ternary_fold(length: int, accumulate: bool = False) -> Fold:
    """
    The fewest three-input steps at the least depth: ceil((n-1)/2) at ceil(log3 n).

    For kinds whose result does not depend on the order. An even count combines its first
    two values first; from then on a row has an odd length. Each round takes threes, two
    neighbours of the row's front and one of its back; what does not fill a three, in the
    middle, waits for the next round.
    """
    count = length + accumulate
    fold = FoldBuilder(count)
    row = list(range(count))
    made: list[int] = []
    if count % 2 == 0:
        made, row = [fold.combine(0, 1)], row[2:]
    while len(row) + len(made) > 1:
        threes, rest = divmod(len(row), 3)
        front = (3 * threes + 1) // 2
        body, waiting = row[:front] + row[front + rest :], row[front : front + rest]
        combined = [
            fold.combine(body[2 * i], body[2 * i + 1], body[2 * threes + i])
            for i in range(threes)
        ]
        made, row = [], [*combined, *waiting, *made]
    return fold.build(*made, *row)


@cache
def three_input_fold(length: int, accumulate: bool = False) -> Fold:
    """
    Four running values that each take a pair of elements a step, for max and min.

    Needs at least 8 elements. These kinds are associative, so this is no order: the
    result does not depend on it. The seed's scheme, with the first step on two elements
    instead of an identity.
    """
    fold = FoldBuilder(length + accumulate)
    running = first_pairs(fold, old=length if accumulate else None)
    full = length - length % 8
    for chunk in range(8, full, 8):
        add_pairs(fold, running, chunk)
    return fold.build(collapse_pairs(fold, running, range(full, length)))


def first_pairs(fold: FoldBuilder, *, old: int | None) -> list[int]:
    """Max and min: four running values of the first eight, the old one with the first."""
    first = fold.combine(0, 1) if old is None else fold.combine(0, 1, old)
    return [first, *(fold.combine(2 * i, 2 * i + 1) for i in (1, 2, 3))]


def add_pairs(fold: FoldBuilder, running: list[int], chunk: int) -> None:
    """Max and min: each running value takes a pair of the eight from `chunk` on."""
    for i in range(4):
        element = chunk + 2 * i
        running[i] = fold.combine(running[i], element, element + 1)


def collapse_pairs(fold: FoldBuilder, running: list[int], rest: range) -> int:
    """Max and min: the rest into the first running value, then all four."""
    for value in rest:
        running[0] = fold.combine(running[0], value)
    last = fold.combine(running[0], running[1])
    return fold.combine(last, running[2], running[3])
