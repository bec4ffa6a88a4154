"""
What a reduction computes, in numpy alone.

Independent of the project: it imports nothing of it and follows the orders as they are
stated in words in docs/floating-point.md. All functions take arrays of any shape and work
element by element, so a trailing axis carries many inputs at once. bf16 is its bits in
uint16.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from math import inf, isfinite
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Combine = Callable[[Any, Any], Any]

SMALLEST_NORMAL_F32 = np.float32(2.0) ** -126


def from_bf16(bits: Array) -> Array:
    return (np.asarray(bits, np.uint32) << 16).view(np.float32)


def to_bf16(values: Array) -> Array:
    """Round to nearest, ties to even; NaN stays NaN."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)


def converted(values: Array, source: str, target: str, kind: str = "add") -> Array:
    """
    Exact to a wider type; to nearest even to a narrower float; integers wrap.

    Integers widen with their sign, those of an unsigned kind without.
    """
    if source == target:
        return values
    if kind in ("maxui", "minui"):
        values = values.view(f"u{values.dtype.itemsize}")
    wide = from_bf16(values) if source == "bf16" else values
    if target == "bf16":
        return to_bf16(wide)
    with np.errstate(all="ignore"):
        return wide.astype(DTYPES[target])


DTYPES: dict[str, type[Any]] = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
}


def flush(values: Array) -> Array:
    """Subnormals to zero of the same sign."""
    is_small = np.abs(values) < SMALLEST_NORMAL_F32
    return np.where(is_small, np.copysign(np.float32(0), values), values)


def larger(a: Array, b: Array, nan: bool) -> Array:
    """The larger; +0.0 is above -0.0; a NaN is dropped, or with `nan` wins."""
    both_zero = (a == 0) & (b == 0)
    zero = np.where(np.signbit(a) & np.signbit(b), -0.0, 0.0).astype(a.dtype)
    number = np.where(both_zero, zero, np.where(a > b, a, b))
    if nan:
        return np.where(np.isnan(a), a, np.where(np.isnan(b), b, number))
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, number))


def combination(kind: str, dtype: str, ftz: bool = False) -> Combine:
    """How two values are combined, rounded once to `dtype`."""
    if dtype.startswith("i"):
        return INTEGER[kind]
    combine = FLOAT[kind]
    if dtype == "bf16":
        return lambda a, b: to_bf16(combine(from_bf16(a), from_bf16(b)))
    if ftz:
        return lambda a, b: flush(combine(flush(a), flush(b)))
    return combine


def _unsigned(combine: Combine) -> Combine:
    def on_unsigned(a: Array, b: Array) -> Array:
        kind = a.dtype.str.replace("i", "u")
        return combine(a.view(kind), b.view(kind)).view(a.dtype)

    return on_unsigned


INTEGER: dict[str, Combine] = {
    "add": np.add,
    "mul": np.multiply,
    "maxsi": np.maximum,
    "minsi": np.minimum,
    "maxui": _unsigned(np.maximum),
    "minui": _unsigned(np.minimum),
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}

FLOAT: dict[str, Combine] = {
    "add": np.add,
    "mul": np.multiply,
    "maxnumf": lambda a, b: larger(a, b, nan=False),
    "minnumf": lambda a, b: -larger(-a, -b, nan=False),
    "maximumf": lambda a, b: larger(a, b, nan=True),
    "minimumf": lambda a, b: -larger(-a, -b, nan=True),
}


@dataclass(frozen=True)
class Terms:
    """
    How terms and values meet.

    `start` makes a value of a term, `absorb` takes a term into a value, `combine` takes two
    values. A term is an element, or the factors of a product.
    """

    start: Callable[[Any], Any]
    absorb: Callable[[Any, Any], Any]
    combine: Combine

    @staticmethod
    def of(kind: str, dtype: str, ftz: bool) -> Terms:
        if kind in ("sumsq", "dot"):
            add, mul = combination("add", dtype, ftz), combination("mul", dtype, ftz)
            fused = fused_multiply_add(dtype, ftz)
            return Terms(
                lambda term: mul(term[0], term[-1]),
                lambda value, term: fused(term[0], term[-1], value),
                add,
            )
        if kind == "absmax":
            largest = combination("maxnumf", dtype, ftz)
            return Terms(
                lambda term: absolute(term[0], dtype),
                lambda value, term: largest(value, absolute(term[0], dtype)),
                largest,
            )
        combine = combination(kind, dtype, ftz)
        return Terms(
            lambda term: term[0],
            lambda value, term: combine(value, term[0]),
            combine,
        )


def absolute(values: Array, dtype: str) -> Array:
    return values & np.uint16(0x7FFF) if dtype == "bf16" else np.abs(values)


def fused_multiply_add(dtype: str, ftz: bool) -> Callable[[Any, Any, Any], Any]:
    """a * b + c, rounded once: exact in the rationals, element by element."""

    def one(a: float, b: float, c: float) -> float:
        plain = a * b + c
        if not all(map(isfinite, (a, b, c))):
            return plain
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        if exact == 0:
            return plain
        return float(round_fraction(exact, dtype))

    each = np.frompyfunc(one, 3, 1)

    def fused(a: Array, b: Array, c: Array) -> Array:
        if ftz:
            a, b, c = flush(a), flush(b), flush(c)
        if dtype == "bf16":
            wide = each(*(from_bf16(x).astype(np.float64) for x in (a, b, c)))
            return to_bf16(np.asarray(wide, np.float64).astype(np.float32))
        wide = each(*(np.asarray(x, np.float64) for x in (a, b, c)))
        result = np.asarray(wide, np.float64).astype(np.asarray(a).dtype)
        return flush(result) if ftz else result

    return fused


PRECISION = {
    "f16": (11, -14, 15),
    "bf16": (8, -126, 127),
    "f32": (24, -126, 127),
    "f64": (53, -1022, 1023),
}
"""Bits of the significand, and the least and the largest exponent of normal numbers."""


def round_fraction(exact: Fraction, dtype: str) -> float:
    """The nearest number of `dtype`, ties to even; infinite beyond the largest."""
    digits, least, largest = PRECISION[dtype]
    exponent = floor_log2(abs(exact))
    unit = Fraction(2) ** (max(exponent, least) - digits + 1)
    rounded = round(exact / unit) * unit
    if abs(rounded) >= Fraction(2) ** (largest + 1):
        return inf if exact > 0 else -inf
    return float(rounded) if rounded else (0.0 if exact > 0 else -0.0)


def floor_log2(positive: Fraction) -> int:
    exponent = positive.numerator.bit_length() - positive.denominator.bit_length()
    return exponent if Fraction(2) ** exponent <= positive else exponent - 1


@dataclass(frozen=True)
class Node:
    """A term that no operation has touched yet, or a value."""

    held: Any
    is_term: bool


class Fold:
    """Steps of one reduction; a step is the one or two lanes that are combined at once."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    def value(self, node: Node) -> Array:
        return self.terms.start(node.held) if node.is_term else node.held

    def step(self, *lanes: tuple[Node, Node]) -> list[Node]:
        """
        Terms are absorbed where the second operands of all lanes are terms, else where the
        first ones are; else values are made of them and combined.
        """
        if all(second.is_term for _, second in lanes):
            made = [self.terms.absorb(self.value(a), b.held) for a, b in lanes]
        elif all(first.is_term for first, _ in lanes):
            made = [self.terms.absorb(self.value(b), a.held) for a, b in lanes]
        else:
            made = [self.terms.combine(self.value(a), self.value(b)) for a, b in lanes]
        return [Node(value, False) for value in made]

    def one(self, a: Node, b: Node) -> Node:
        return self.step((a, b))[0]


def sequential(fold: Fold, nodes: Sequence[Node], old: Node | None) -> Node:
    """Left to right, the old destination first."""
    nodes = [*([] if old is None else [old]), *nodes]
    running = nodes[0]
    for node in nodes[1:]:
        running = fold.one(running, node)
    return running


def lanes8(fold: Fold, nodes: Sequence[Node], old: Node | None) -> Node:
    """Eight lanes over chunks of eight, the rest into lane 0, then 8 -> 4 -> 2 -> 1."""
    if len(nodes) < 8:
        return sequential(fold, nodes, old)
    lane = list(nodes[:8])
    if old is not None:
        lane[0] = fold.one(lane[0], old)
    rest = len(nodes) % 8
    for start in range(8, len(nodes) - rest, 8):
        for j in (0, 2, 4, 6):
            chunk = nodes[start + j : start + j + 2]
            lane[j : j + 2] = fold.step((lane[j], chunk[0]), (lane[j + 1], chunk[1]))
    for node in nodes[len(nodes) - rest :]:
        lane[0] = fold.one(lane[0], node)
    lane[0:2] = fold.step((lane[0], lane[2]), (lane[1], lane[3]))
    lane[4:6] = fold.step((lane[4], lane[6]), (lane[5], lane[7]))
    lane[0:2] = fold.step((lane[0], lane[4]), (lane[1], lane[5]))
    return fold.one(lane[0], lane[1])


def reduce(
    kind: str,
    sources: Sequence[Array],
    axes: Sequence[int],
    *,
    rank: int,
    dtype: str = "f32",
    order: str = "lanes8",
    ftz: bool = False,
    old: Array | None = None,
) -> Array:
    """
    Reduce the first `rank` dimensions of the sources along `axes`, in their own type.

    `old` is the old destination, in the shape of the kept dimensions. Dimensions after
    `rank` are inputs side by side. `dot` has two sources, other kinds one.
    """
    first = sources[0]
    shape = first.shape[:rank]
    axes = sorted(axis % rank for axis in axes)
    kept = [axis for axis in range(rank) if axis not in axes]
    fold = Fold(Terms.of(kind, dtype, ftz))
    result = np.empty(
        [shape[axis] for axis in kept] + list(first.shape[rank:]), first.dtype
    )
    with np.errstate(all="ignore"):
        for place in product(*(range(shape[axis]) for axis in kept)):
            nodes: list[Node] = []
            for inner in product(*(range(shape[axis]) for axis in axes)):
                index = dict(zip(kept, place)) | dict(zip(axes, inner))
                at = tuple(index[axis] for axis in range(rank))
                nodes.append(Node(tuple(source[at] for source in sources), True))
            before = None
            if old is not None:
                magnitude = (
                    absolute(old[place], dtype) if kind == "absmax" else old[place]
                )
                before = Node(magnitude, False)
            result[place] = fold.value(ORDERS[order](fold, nodes, before))
    return result


def tree(fold: Fold, nodes: Sequence[Node], old: Node | None) -> Node:
    """
    A row of neighbouring pairs, folded first onto last until one pair is left.

    The old destination is the last value. An odd last value joins one lane of the first
    pair at which the tree keeps the depth ceil(log2 n): in the first row that has one, with
    an old destination in the last such row.
    """
    nodes = [*nodes, *([] if old is None else [old])]
    count = len(nodes)
    if count == 1:
        return nodes[0]
    place = None
    if count % 2:
        place = odd_place(count, old is not None)
    row = [[nodes[i], nodes[i + 1]] for i in range(0, count - 1, 2)]
    folding = 0
    while True:
        if place is not None and place[0] == folding:
            pair = row[place[1]]
            pair[place[2]] = fold.one(pair[place[2]], nodes[-1])
        if len(row) == 1:
            return fold.one(*row[0])
        half = len(row) // 2
        folded = [
            fold.step((row[i][0], row[-1 - i][0]), (row[i][1], row[-1 - i][1]))
            for i in range(half)
        ]
        row = folded + row[half : len(row) - half]
        folding += 1


@cache
def odd_place(count: int, late: bool) -> tuple[int, int, int]:
    """(folding, index, lane) of the pair that an odd last value joins, by trying them all."""
    pairs = count // 2
    lane = 1
    if pairs in (7, 15, 31, 63, 127) and (late or pairs == 7):
        lane = 0
    if (count, late) in ((51, False), (123, True)):
        late = not late
    rows, size = [pairs], pairs
    while size > 2:
        size = -(-size // 2)
        rows.append(size)
    places = [(folding, range(size)) for folding, size in enumerate(rows)]
    least = (count - 1).bit_length()
    for folding, indices in reversed(places) if late else places:
        for index in indices:
            if depth_with_odd(pairs, folding, index) == least:
                return folding, index, lane
    raise ValueError(count)


def depth_with_odd(pairs: int, folding: int, index: int) -> int:
    """The depth of the tree when the odd value joins this pair."""
    row, now = [0] * pairs, 0
    while True:
        if now == folding:
            row[index] += 1
        if len(row) == 1:
            return row[0] + 1
        half = len(row) // 2
        folded = [1 + max(row[i], row[-1 - i]) for i in range(half)]
        row = folded + row[half : len(row) - half]
        now += 1


ORDERS = {"sequential": sequential, "lanes8": lanes8, "tree": tree}
