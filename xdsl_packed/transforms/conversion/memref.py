"""memref: pointers, and accesses at constant offsets from them."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from xdsl_packed.dialects import ptx
from xdsl_packed.dialects.ptx import Space
from xdsl_packed.transforms.conversion.conversion import Conversion, converts
from xdsl_packed.transforms.conversion.types import byte_size


@converts(memref.LoadOp)
def _load(conversion: Conversion, op: memref.LoadOp) -> None:
    (conversion.values[op.res],) = conversion.memory.load(op)


@converts(memref.StoreOp)
def _store(conversion: Conversion, op: memref.StoreOp) -> None:
    conversion.memory.store(op, [conversion.register(op.value)])


@converts(memref.AllocaOp)
def _alloca(conversion: Conversion, op: memref.AllocaOp) -> None:
    memory = conversion.memory
    type = op.memref.type
    assert isa(type, MemRefType[Attribute])
    space = memory.space(type)
    if space is Space.global_:
        raise conversion.error(
            "cannot be lowered to PTX: a kernel allocates in space 5 (local) or 3 (shared)"
        )
    # Without a space it is the thread's own too, as everywhere in MLIR.
    space = Space.local if space is Space.generic else space
    size = byte_size(memory.element(type))
    extent = max(memory.layout(type).extent * size, 1)
    asked = 1 if op.alignment is None else op.alignment.value.data
    # The variable is ours: as aligned as the widest access that could use it.
    alignment = max(asked, size, min(1 << (extent.bit_length() - 1), 16))
    alloc = conversion.emit(ptx.AllocOp(space, extent, alignment))
    memory.define(op.memref, alloc.address, space, alignment)


@converts(memref.SubviewOp, memref.AssumeAlignmentOp, memref.CastOp)
def _view(
    conversion: Conversion,
    op: memref.SubviewOp | memref.AssumeAlignmentOp | memref.CastOp,
) -> None:
    conversion.memory.view(op.results[0])


@converts(memref.MemorySpaceCastOp)
def _space_cast(conversion: Conversion, op: memref.MemorySpaceCastOp) -> None:
    memory = conversion.memory
    source, target = op.source.type, op.dest.type
    assert isa(source, MemRefType[Attribute])
    if not isa(target, MemRefType[Attribute]):
        raise conversion.error(
            f"cannot be lowered to PTX: {target} has an unknown rank"
        )
    pointer = memory.whole(op.source)
    before, after = memory.space(source), memory.space(target)
    if before is not after and Space.generic not in (before, after):
        raise conversion.error(
            f"cannot be lowered to PTX: no {before.value} address is a {after.value} one"
        )
    if before is not after and before is Space.generic:
        pointer = conversion.emit(ptx.CvtaOp(after, pointer, to=True)).d
    elif before is not after:
        pointer = conversion.emit(ptx.CvtaOp(before, pointer)).d
    memory.define(op.dest, pointer, after, byte_size(memory.element(target)))


@converts(memref.CopyOp)
def _copy(conversion: Conversion, op: memref.CopyOp) -> None:
    conversion.memory.copy(op.source, op.destination)
