"""vector: one register a lane."""

from __future__ import annotations

from math import prod

from xdsl.dialects import vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, VectorType
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.hints import isa

from xdsl_packed.transforms.conversion.conversion import Conversion, converts


def _vector_type(value: SSAValue) -> VectorType[Attribute]:
    assert isa(value.type, VectorType[Attribute])
    return value.type


@converts(vector.LoadOp)
def _load(conversion: Conversion, op: vector.LoadOp) -> None:
    conversion.set_lanes(op.result, conversion.memory.load(op))


@converts(vector.StoreOp)
def _store(conversion: Conversion, op: vector.StoreOp) -> None:
    conversion.memory.store(op, conversion.lanes(op.vector))


def _positions(
    conversion: Conversion,
    type: VectorType[Attribute],
    op: vector.ExtractOp | vector.InsertOp,
) -> slice:
    """The lanes that a position, which may leave out last dimensions, stands for."""
    shape = type.get_shape()
    position = [
        index if isinstance(index, int) else conversion.known.get(index)
        for index in op.get_mixed_position()
    ]
    known = [index for index in position if index is not None]
    if len(known) != len(position):
        raise conversion.error(
            "cannot be lowered to PTX: the position is not constant, and lanes are registers"
        )
    start = 0
    for index, extent in zip(known, shape):
        if not 0 <= index < extent:
            raise conversion.error(f"has position {known} out of range for {type}")
        start = start * extent + index
    length = prod(shape[len(known) :])
    return slice(start * length, (start + 1) * length)


@converts(vector.ExtractOp)
def _extract(conversion: Conversion, op: vector.ExtractOp) -> None:
    lanes = conversion.lanes(op.vector)
    part = _positions(conversion, _vector_type(op.vector), op)
    conversion.set_lanes(op.result, lanes[part])


@converts(vector.InsertOp)
def _insert(conversion: Conversion, op: vector.InsertOp) -> None:
    lanes = list(conversion.lanes(op.dest))
    lanes[_positions(conversion, op.result.type, op)] = conversion.lanes(op.source)
    conversion.set_lanes(op.result, lanes)


@converts(vector.BroadcastOp)
def _broadcast(conversion: Conversion, op: vector.BroadcastOp) -> None:
    """A shape is stretched in front, and where it is 1."""
    target = op.vector.type.get_shape()
    lanes = conversion.lanes(op.source)
    source: tuple[int, ...] = ()
    if isa(op.source.type, VectorType):
        source = _vector_type(op.source).get_shape()
    if len(source) > len(target) or any(
        extent not in (1, wanted)
        for extent, wanted in zip(reversed(source), reversed(target))
    ):
        raise conversion.error(f"{op.source.type} does not stretch to {op.vector.type}")
    for axis in range(len(target) - 1, -1, -1):
        inner = prod(target[axis + 1 :])
        at = axis - (len(target) - len(source))
        if at >= 0 and source[at] == target[axis]:
            continue
        blocks = [lanes[i : i + inner] for i in range(0, len(lanes), inner)]
        lanes = [lane for block in blocks for lane in block * target[axis]]
    conversion.set_lanes(op.vector, lanes)


@converts(vector.ShuffleOp)
def _shuffle(conversion: Conversion, op: vector.ShuffleOp) -> None:
    first, second = conversion.lanes(op.v1), conversion.lanes(op.v2)
    mask = op.mask.get_values()
    if -1 in mask or DYNAMIC_INDEX in mask:
        raise conversion.error("cannot be lowered to PTX: a lane of the mask is poison")
    rows = prod(_vector_type(op.v1).get_shape()[1:])
    both = [*first, *second]
    lanes = [lane for row in mask for lane in both[row * rows : (row + 1) * rows]]
    conversion.set_lanes(op.result, lanes)
