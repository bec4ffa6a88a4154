"""Reductions whose source and destination are memrefs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from xdsl.builder import Builder
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import FixedBitwidthType, IndexType, IntegerAttr, MemRefType
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.hints import isa

from xdsl_packed.constants import KnownIntegers
from xdsl_packed.entrances.entry import Access
from xdsl_packed.layouts import memory_space, static_layout, subview
from xdsl_packed.reduction import Storage, Tile
from xdsl_packed.selection.registry import Elements


def check_subviews(tile: SSAValue) -> None:
    """Raises DiagnosticException at a subview whose result type is not what it selects."""
    op = tile.owner
    if not isinstance(op, memref.SubviewOp):
        return
    check_subviews(op.source)
    layout = static_layout(op.source.type)
    if not isinstance(layout, str):
        subview(op, layout, KnownIntegers())


def element_bytes(element: Attribute) -> int:
    """The alignment of an element in memory; index is 64-bit."""
    width = element.bitwidth if isinstance(element, FixedBitwidthType) else 64
    return max(1, width // 8)


def memref_tile(type: MemRefType) -> Tile | str:
    """The side of a reduction that a memref of `type` is, or why it cannot be one."""
    layout = static_layout(type)
    if isinstance(layout, str):
        return layout
    space = memory_space(type.memory_space)
    if space is None:
        return (
            f"{type} is in memory space {type.memory_space}: "
            "expected 1 (global), 3 (shared), 5 (local) or none"
        )
    element = type.element_type
    return Tile(str(element), Storage(space.name.lower()), element_bytes(element))


@dataclass(frozen=True)
class MemRefAccess(Access, Elements):
    """Source memrefs and a destination memref, read and written element by element."""

    sources: tuple[SSAValue, ...]
    destination: SSAValue
    accumulate: bool

    def read(self, builder: Builder) -> list[SSAValue]:
        # The old destination first: loaded last it would cost ptxas moves to pair it.
        indices = _Indices(builder)
        olds = _load_all(self.destination, indices) if self.accumulate else []
        values = [v for tile in self.sources for v in _load_all(tile, indices)]
        return values + olds

    def element(
        self, source: int, index: Sequence[SSAValue | int], builder: Builder
    ) -> SSAValue:
        return _load(self.sources[source], _Indices(builder).mixed(index), builder)

    def old(self, number: int, builder: Builder) -> SSAValue:
        index = list(_all_indices(self.destination))[number]
        return _load(self.destination, _Indices(builder).at(index), builder)

    def write(self, results: Sequence[SSAValue], builder: Builder) -> None:
        indices = _Indices(builder)
        for index, result in zip(_all_indices(self.destination), results, strict=True):
            builder.insert(
                memref.StoreOp.get(result, self.destination, indices.at(index))
            )


_INDEX = IndexType()


class _Indices:
    """Constant indices, each made once."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self._made: dict[int, SSAValue] = {}

    def at(self, index: tuple[int, ...]) -> list[SSAValue]:
        return [self._constant(i) for i in index]

    def mixed(self, index: Sequence[SSAValue | int]) -> list[SSAValue]:
        return [self._constant(i) if isinstance(i, int) else i for i in index]

    def _constant(self, i: int) -> SSAValue:
        if i not in self._made:
            value = IntegerAttr.from_index_int_value(i)
            constant = arith.ConstantOp.create(
                result_types=(_INDEX,), properties={"value": value}
            )
            self._made[i] = self.builder.insert(constant).results[0]
        return self._made[i]


def _all_indices(tile: SSAValue) -> product[tuple[int, ...]]:
    shape = tile.type.get_shape() if isa(tile.type, MemRefType) else ()
    return product(*(range(extent) for extent in shape))


def _load(tile: SSAValue, index: Sequence[SSAValue], builder: Builder) -> SSAValue:
    types = (tile.type.element_type,) if isa(tile.type, MemRefType) else ()
    load = memref.LoadOp.create(operands=(tile, *index), result_types=types)
    return builder.insert(load).results[0]


def _load_all(tile: SSAValue, indices: _Indices) -> list[SSAValue]:
    return [
        _load(tile, indices.at(index), indices.builder) for index in _all_indices(tile)
    ]
