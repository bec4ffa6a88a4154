"""Where the elements of a memref stand: memory space, and offset and strides in elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import product

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
)
from xdsl.dialects.utils import get_dynamic_index_list
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from xdsl_packed.constants import KnownIntegers
from xdsl_packed.diagnostics import error_at


class MemorySpace(IntEnum):
    """NVVM's numbers of the memory spaces (LLVM's NVPTX usage guide, "Address Spaces")."""

    GENERIC = 0
    GLOBAL = 1
    SHARED = 3
    LOCAL = 5


_SPACE_BY_TEXT = {
    "#gpu.address_space<global>": MemorySpace.GLOBAL,
    "#gpu.address_space<workgroup>": MemorySpace.SHARED,
    "#gpu.address_space<private>": MemorySpace.LOCAL,
    "#nvvm.memory_space<generic>": MemorySpace.GENERIC,
    "#nvvm.memory_space<global>": MemorySpace.GLOBAL,
    "#nvvm.memory_space<shared>": MemorySpace.SHARED,
    "#nvvm.memory_space<local>": MemorySpace.LOCAL,
}


def memory_space(attribute: Attribute) -> MemorySpace | None:
    """
    The space that a memref's memory space attribute means, or None for one we do not know.

    Integers count by value, whatever their type; the attributes of gpu and nvvm, which
    xDSL does not have, by their text.
    """
    match attribute:
        case NoneAttr():
            return MemorySpace.GENERIC
        case IntegerAttr():
            return _space(attribute.value.data)
        case IntAttr():
            return _space(attribute.data)
        case _:
            return _SPACE_BY_TEXT.get(str(attribute).replace(" ", ""))


def _space(number: int) -> MemorySpace | None:
    return next((space for space in MemorySpace if space == number), None)


def is_local(value: SSAValue) -> bool:
    """Whether `value` is a memref in local memory (space 5)."""
    return (
        isa(value.type, MemRefType)
        and memory_space(value.type.memory_space) is MemorySpace.LOCAL
    )


@dataclass(frozen=True)
class Layout:
    """A static shape, and the offset and strides of its elements, in elements."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    def element(self, index: Sequence[int]) -> int:
        """The number of the element at `index`, which is in range."""
        return self.offset + sum(
            i * s for i, s in zip(index, self.strides, strict=True)
        )

    def contains(self, index: Sequence[int]) -> bool:
        return all(0 <= i < n for i, n in zip(index, self.shape, strict=True))

    def indices(self) -> Iterator[tuple[int, ...]]:
        """Every index, in row-major order."""
        return product(*(range(n) for n in self.shape))

    @property
    def extent(self) -> int:
        """How many elements from the base pointer on the memref spans; 0 when it is empty."""
        if 0 in self.shape:
            return 0
        return 1 + self.element([n - 1 for n in self.shape])

    def subview(
        self, offsets: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
    ) -> Layout:
        return Layout(
            tuple(sizes),
            tuple(a * b for a, b in zip(self.strides, strides, strict=True)),
            self.element(offsets),
        )


def static_layout(type: Attribute) -> Layout | str:
    """The layout of a memref type, or what is not static about it."""
    if not isa(type, MemRefType):
        return f"{type} is no memref with a rank"
    shape = type.get_shape()
    if DYNAMIC_INDEX in shape:
        return f"{type} has a dynamic shape: give every extent"
    strides = type.get_strides()
    if strides is None:
        return (
            f"{type} has a layout that is not strided: use strided<[...], offset: ...>"
        )
    offset = type.get_offset()
    static = tuple(stride for stride in strides if stride is not None)
    if len(static) != len(shape) or offset is None:
        return f"{type} has dynamic strides or a dynamic offset: give them as numbers"
    if any(stride < 0 for stride in static):
        return f"{type} has a negative stride: strides are 0 or more"
    return Layout(shape, static, offset)


@dataclass(frozen=True)
class Subview:
    """
    What a `memref.subview` selects.

    `layout` counts the offsets that are not constant as 0; `dynamic` holds those, each
    with the stride, in elements, that it is multiplied by.
    """

    layout: Layout
    dynamic: tuple[tuple[SSAValue, int], ...]


def subview(op: memref.SubviewOp, source: Layout, known: KnownIntegers) -> Subview:
    """
    What `op` selects from a `source` layout; the result type is recomputed, never trusted.

    Raises DiagnosticException at `op` when sizes or strides are not constant, when it
    leaves the source, and when its result type is another.
    """
    offsets = _constants(known, op.static_offsets.get_values(), op.offsets)
    sizes = _static(
        op, "sizes", _constants(known, op.static_sizes.get_values(), op.sizes)
    )
    strides = _static(
        op, "strides", _constants(known, op.static_strides.get_values(), op.strides)
    )
    if not len(source.shape) == len(offsets) == len(sizes) == len(strides):
        raise error_at(
            op, "needs one offset, size and stride for each source dimension"
        )
    for axis, (offset, size, stride, extent) in enumerate(
        zip(offsets, sizes, strides, source.shape)
    ):
        start = offset if isinstance(offset, int) else 0
        last = start + (size - 1) * stride
        if size and not (0 <= start < extent and 0 <= last < extent):
            raise error_at(
                op,
                f"selects {start} to {last} of dimension {axis}, which has extent {extent}",
            )
    full = source.subview(
        [offset if isinstance(offset, int) else 0 for offset in offsets], sizes, strides
    )
    dynamic = tuple(
        (offset, stride)
        for offset, stride in zip(offsets, source.strides)
        if not isinstance(offset, int)
    )
    return Subview(_as_result(op, full, moves=bool(dynamic)), dynamic)


def _constants(
    known: KnownIntegers, static: Sequence[int], operands: Sequence[SSAValue]
) -> list[int | SSAValue]:
    """The constant of each position, or the value where it is not constant."""
    mixed = get_dynamic_index_list(static, operands, DYNAMIC_INDEX)
    return [
        value
        if isinstance(value, int) or (number := known.get(value)) is None
        else number
        for value in mixed
    ]


def _static(op: Operation, what: str, values: Sequence[int | SSAValue]) -> list[int]:
    static = [value for value in values if isinstance(value, int)]
    if len(static) != len(values):
        raise error_at(op, f"has dynamic {what}: give them as numbers")
    return static


def _as_result(op: memref.SubviewOp, full: Layout, *, moves: bool) -> Layout:
    """
    `full` as `op` types it, dimensions of size 1 dropped where the result has fewer.

    `moves` says that a dynamic offset is added, so that the type cannot know the offset.
    """
    type = op.result.type
    shape, strides, offset = type.get_shape(), type.get_strides(), type.get_offset()
    kept: list[int] = []
    for axis, (size, stride) in enumerate(zip(full.shape, full.strides)):
        position = len(kept)
        if (
            strides is not None
            and position < len(shape)
            and shape[position] == size
            and strides[position] in (None, stride)
        ):
            kept.append(axis)
        elif size != 1:
            break
    else:
        if len(kept) == len(shape) and offset in (None, None if moves else full.offset):
            return Layout(
                tuple(full.shape[axis] for axis in kept),
                tuple(full.strides[axis] for axis in kept),
                full.offset,
            )
    where = "a dynamic offset" if moves else f"offset {full.offset}"
    raise error_at(
        op,
        f"has result type {type}, but it selects shape {list(full.shape)}, "
        f"strides {list(full.strides)}, {where}",
    )
