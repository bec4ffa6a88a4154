"""
The entrance of `linalg.reduce` on memrefs.

The old elements of `outs` take part, first: a fold of the body from there through the
reduced elements in row-major order, as the op's lowering to loops does it.
"""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.linalg.ops import ReduceOp
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from xdsl_packed.dialects.tile import wrong_kind
from xdsl_packed.entrances.combiner import read_combiner
from xdsl_packed.entrances.entry import Entrance, Entry
from xdsl_packed.entrances.memrefs import MemRefAccess, check_subviews, memref_tile
from xdsl_packed.reduction import Reduction, Scope, takes_order
from xdsl_packed.target import GpuTarget


def _read(op: Operation, target: GpuTarget) -> Entry | str:
    if not isinstance(op, ReduceOp):
        return "it is no linalg.reduce of xDSL"
    source_type, destination_type = op.input.type, op.init.type
    if not isa(source_type, MemRefType[Attribute]) or not isa(
        destination_type, MemRefType[Attribute]
    ):
        return (
            f"it reduces {source_type} into {destination_type}, expected memrefs: "
            "bufferize the tensors first"
        )
    source, destination = memref_tile(source_type), memref_tile(destination_type)
    if isinstance(source, str):
        return source
    if isinstance(destination, str):
        return destination
    for operand in op.operands:
        check_subviews(operand)
    shape, axes = source_type.get_shape(), op.dimensions.get_values()
    if (wrong := _wrong_shape(shape, axes, destination_type.get_shape())) is not None:
        return wrong
    combiner = read_combiner(op.region.block)
    if isinstance(combiner, str):
        return combiner
    kind = combiner.kind
    if source.element_type != destination.element_type:
        return f"it reduces {source.element_type} into {destination.element_type}, expected one type"
    if (wrong := wrong_kind(kind, source_type.element_type)) is not None:
        return wrong
    reduction = Reduction(
        kind=kind,
        shape=shape,
        axes=tuple(sorted(axes)),
        destination_shape=destination_type.get_shape(),
        source=source,
        destination=destination,
        accumulation_type=source.element_type,
        order=combiner.order if takes_order(kind, source.element_type) else None,
        ftz=False,
        accumulate=True,
        scope=Scope.THREAD,
        target=target,
    )
    return Entry(
        reduction.with_order_resolved(),
        MemRefAccess((op.input,), op.init, accumulate=True),
        combiner.remark,
    )


def _wrong_shape(
    shape: tuple[int, ...], axes: tuple[int, ...], destination: tuple[int, ...]
) -> str | None:
    for axis in axes:
        if not 0 <= axis < len(shape):
            return f"its dimensions name {axis}, out of range for rank {len(shape)}"
        if axes.count(axis) > 1:
            return f"its dimensions name {axis} twice"
    kept = tuple(n for axis, n in enumerate(shape) if axis not in axes)
    if kept != destination:
        return (
            f"it reduces shape {list(shape)} along {list(axes)} into shape "
            f"{list(destination)}, expected {list(kept)}"
        )
    if 0 in shape:
        return f"it reduces shape {list(shape)}, which has no elements"
    return None


LINALG_REDUCE = Entrance(_read, mandatory=False)
