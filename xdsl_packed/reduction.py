"""
Reduction: the normal form of "reduce this". Frozen, hashable, no SSA values in it.

Predicates and plans see only this record, whatever op it was read from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from xdsl.utils.str_enum import StrEnum

from xdsl_packed.orders import Order, resolve

if TYPE_CHECKING:
    from xdsl_packed.target import GpuTarget


class Kind(StrEnum):
    """The combining operations, by MLIR's names (`vector.CombiningKind`)."""

    ADD = "add"
    MUL = "mul"
    MAXNUMF = "maxnumf"
    MINNUMF = "minnumf"
    MAXIMUMF = "maximumf"
    MINIMUMF = "minimumf"
    MAXSI = "maxsi"
    MINSI = "minsi"
    MAXUI = "maxui"
    MINUI = "minui"
    AND = "and"
    OR = "or"
    XOR = "xor"
    ABSMAX = "absmax"
    """maxnumf of |x|: the quantizer's reduction."""
    SUMSQ = "sumsq"
    """The sum of x * x, each product fused into the sum."""
    DOT = "dot"
    """The sum of x * y over two sources, each product fused into the sum: tile.dot."""

    @property
    def takes_float(self) -> bool:
        return self in _FLOAT_KINDS

    @property
    def takes_integer(self) -> bool:
        return self not in _FLOAT_ONLY_KINDS

    @property
    def propagates_nan(self) -> bool:
        """maximumf and minimumf answer NaN if any value is NaN; the others drop it."""
        return self in (Kind.MAXIMUMF, Kind.MINIMUMF)

    @property
    def is_sum_of_products(self) -> bool:
        return self in (Kind.SUMSQ, Kind.DOT)


FLOAT_EXTREMA = frozenset(
    (Kind.MAXNUMF, Kind.MINNUMF, Kind.MAXIMUMF, Kind.MINIMUMF, Kind.ABSMAX)
)
"""The kinds that are a float maximum or minimum."""

_FLOAT_ONLY_KINDS = FLOAT_EXTREMA | {Kind.SUMSQ, Kind.DOT}
_FLOAT_KINDS = _FLOAT_ONLY_KINDS | {Kind.ADD, Kind.MUL}
_ORDERED_KINDS = (Kind.ADD, Kind.MUL, Kind.SUMSQ, Kind.DOT)


class Scope(StrEnum):
    """Who holds the values of one reduction."""

    THREAD = "thread"
    WARP = "warp"
    WARPGROUP = "warpgroup"
    CTA = "cta"


class Storage(StrEnum):
    """Where a tile lives. `register` is an SSA vector, `generic` an unnamed space."""

    REGISTER = "register"
    LOCAL = "local"
    SHARED = "shared"
    GLOBAL = "global"
    GENERIC = "generic"


FLOAT_TYPES = ("f16", "bf16", "f32", "f64")


def takes_order(kind: Kind, element_type: str) -> bool:
    """Whether the grouping shows in the bits: float sums and products, nothing else."""
    return kind in _ORDERED_KINDS and element_type in FLOAT_TYPES


@dataclass(frozen=True)
class Tile:
    """One side of a reduction: element type by MLIR's name, storage, alignment in bytes."""

    element_type: str
    storage: Storage
    alignment: int


@dataclass(frozen=True)
class Reduction:
    """
    Reduce `shape` along `axes` with `kind`.

    `accumulation_type` is the type that values are widened to and combined in.

    `axes` are sorted and not negative. `destination_shape` holds the destination as the op
    has it; its elements, row-major, are the kept axes row-major. `order` is never `any`,
    and None for kinds that take none. `variant` is the variant the op names, if it does.
    """

    kind: Kind
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    destination_shape: tuple[int, ...]
    source: Tile
    destination: Tile
    accumulation_type: str
    order: Order | None
    ftz: bool
    accumulate: bool
    scope: Scope
    target: GpuTarget
    variant: str | None = None

    @property
    def element_type(self) -> str:
        return self.source.element_type

    @cached_property
    def length(self) -> int:
        """How many elements one destination element is reduced from; 1 without axes."""
        return prod(self.shape[axis] for axis in self.axes)

    @cached_property
    def destination_length(self) -> int:
        return prod(self.destination_shape)

    @property
    def term_count(self) -> int:
        """How many elements each source has."""
        return prod(self.shape)

    @property
    def is_elementwise(self) -> bool:
        """No axis at all: a copy, or with accumulate a combination element by element."""
        return not self.axes

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """
        For each destination element the row-major source numbers it is reduced from,
        themselves in row-major order of the reduced axes.
        """
        strides = [prod(self.shape[axis + 1 :]) for axis in range(len(self.shape))]
        kept = [axis for axis in range(len(self.shape)) if axis not in self.axes]
        inner = _offsets(self.shape, strides, self.axes)
        return tuple(
            tuple(start + offset for offset in inner)
            for start in _offsets(self.shape, strides, kept)
        )

    def with_order_resolved(self) -> Reduction:
        if self.order is None:
            return self
        return replace(self, order=resolve(self.order, self.length))


def _offsets(
    shape: tuple[int, ...], strides: list[int], axes: tuple[int, ...] | list[int]
) -> list[int]:
    indices = product(*(range(shape[axis]) for axis in axes))
    return [sum(i * strides[a] for i, a in zip(index, axes)) for index in indices]
