"""The entrance of `tile.reduce` and `tile.dot`."""

from __future__ import annotations

from xdsl.ir import Operation

from xdsl_packed.dialects.tile import TileReductionOp
from xdsl_packed.entrances.entry import Entrance, Entry
from xdsl_packed.entrances.memrefs import MemRefAccess, check_subviews, memref_tile
from xdsl_packed.orders import Order
from xdsl_packed.reduction import Reduction, takes_order
from xdsl_packed.target import GpuTarget


def _read(op: Operation, target: GpuTarget) -> Entry | str:
    if not isinstance(op, TileReductionOp):
        return "it is no reduction of the tile dialect"
    for operand in op.operands:
        check_subviews(operand)
    source, destination = memref_tile(op.source_type), memref_tile(op.dest_type)
    if isinstance(source, str):
        return source
    if isinstance(destination, str):
        return destination
    kind, accumulation = op.kind_name, str(op.accumulation_type)
    order = op.order.data if op.order is not None else Order.LANES8
    reduction = Reduction(
        kind=kind,
        shape=op.source_type.get_shape(),
        axes=op.resolved_axes(),
        destination_shape=op.dest_type.get_shape(),
        source=source,
        destination=destination,
        accumulation_type=accumulation,
        order=order if takes_order(kind, accumulation) else None,
        ftz=op.ftz is not None,
        accumulate=op.accumulate is not None,
        scope=op.scope.data,
        target=target,
        variant=op.variant.data if op.variant is not None else None,
    )
    access = MemRefAccess(op.sources, op.destination, reduction.accumulate)
    return Entry(reduction.with_order_resolved(), access)


TILE_REDUCTION = Entrance(_read, mandatory=True)
