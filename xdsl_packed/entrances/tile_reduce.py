"""The entrance of `tile.reduce`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from xdsl.builder import Builder
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import FixedBitwidthType, IntegerAttr, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.utils.hints import isa

from xdsl_packed.dialects.tile import ReduceOp
from xdsl_packed.entrances.entry import Access, Entrance, Entry
from xdsl_packed.orders import Order
from xdsl_packed.reduction import Reduction, Storage, Tile, takes_order
from xdsl_packed.target import GpuTarget
from xdsl_packed.transforms.constants import KnownIntegers
from xdsl_packed.transforms.layouts import memory_space, static_layout, subview


def _read(op: Operation, target: GpuTarget) -> Entry | str:
    if not isinstance(op, ReduceOp):
        return "it is no tile.reduce"
    for operand in op.operands:
        _check_subviews(operand)
    source, destination = _tile(op.source_type), _tile(op.dest_type)
    if isinstance(source, str):
        return source
    if isinstance(destination, str):
        return destination
    kind, element = op.kind.data, source.element_type
    order = op.order.data if op.order is not None else Order.LANES8
    reduction = Reduction(
        kind=kind,
        shape=op.source_type.get_shape(),
        axes=op.resolved_axes(),
        destination_shape=op.dest_type.get_shape(),
        source=source,
        destination=destination,
        accumulation_type=element,
        order=order if takes_order(kind, element) else None,
        ftz=op.ftz is not None,
        accumulate=op.accumulate is not None,
        scope=op.scope.data,
        target=target,
        variant=op.variant.data if op.variant is not None else None,
    )
    return Entry(
        reduction.with_order_resolved(),
        MemRefAccess(op.source, op.dest, reduction.accumulate),
    )


def _check_subviews(tile: SSAValue) -> None:
    """Raises DiagnosticException at a subview whose result type is not what it selects."""
    op = tile.owner
    if not isinstance(op, memref.SubviewOp):
        return
    _check_subviews(op.source)
    layout = static_layout(op.source.type)
    if not isinstance(layout, str):
        subview(op, layout, KnownIntegers())


def _tile(type: MemRefType) -> Tile | str:
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
    width = element.bitwidth if isinstance(element, FixedBitwidthType) else 64
    return Tile(str(element), Storage(space.name.lower()), max(1, width // 8))


@dataclass(frozen=True)
class MemRefAccess(Access):
    """A source and a destination memref, read and written element by element."""

    source: SSAValue
    destination: SSAValue
    accumulate: bool

    def read(self, builder: Builder) -> list[SSAValue]:
        indices = _Indices(builder)
        values = _load_all(self.source, indices)
        if self.accumulate:
            values.extend(_load_all(self.destination, indices))
        return values

    def write(self, results: Sequence[SSAValue], builder: Builder) -> None:
        indices = _Indices(builder)
        for index, result in zip(_all_indices(self.destination), results, strict=True):
            builder.insert(
                memref.StoreOp.get(result, self.destination, indices.at(index))
            )


class _Indices:
    """Constant indices, each made once."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self._made: dict[int, SSAValue] = {}

    def at(self, index: tuple[int, ...]) -> list[SSAValue]:
        return [self._constant(i) for i in index]

    def _constant(self, i: int) -> SSAValue:
        if i not in self._made:
            constant = arith.ConstantOp(IntegerAttr.from_index_int_value(i))
            self._made[i] = self.builder.insert(constant).result
        return self._made[i]


def _all_indices(tile: SSAValue) -> product[tuple[int, ...]]:
    shape = tile.type.get_shape() if isa(tile.type, MemRefType) else ()
    return product(*(range(extent) for extent in shape))


def _load_all(tile: SSAValue, indices: _Indices) -> list[SSAValue]:
    insert = indices.builder.insert
    return [
        insert(memref.LoadOp.get(tile, indices.at(index))).res
        for index in _all_indices(tile)
    ]


TILE_REDUCE = Entrance(_read, mandatory=True)
