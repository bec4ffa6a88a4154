"""Addresses, and neighbouring loads and stores as one vector access."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import gcd
from typing import TYPE_CHECKING, TypeAlias

from xdsl.dialects import arith, gpu, memref, scf, vector
from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.traits import NoMemoryEffect, Pure
from xdsl.utils.hints import isa

from xdsl_packed.dialects import ptx
from xdsl_packed.dialects.ptx import PtxType, Space
from xdsl_packed.layouts import (
    Layout,
    MemorySpace,
    memory_space,
    static_layout,
    subview,
)
from xdsl_packed.transforms.conversion.types import byte_size

if TYPE_CHECKING:
    from xdsl_packed.transforms.conversion.conversion import Conversion

Terms: TypeAlias = tuple[tuple[SSAValue, int], ...]
"""Index values of the source, and the bytes that one step of each moves."""

Accessor: TypeAlias = memref.LoadOp | memref.StoreOp | vector.LoadOp | vector.StoreOp

_SPACES: Mapping[MemorySpace, Space] = {
    MemorySpace.GENERIC: Space.generic,
    MemorySpace.GLOBAL: Space.global_,
    MemorySpace.SHARED: Space.shared,
    MemorySpace.LOCAL: Space.local,
}


# Enough to keep loads in flight, and few enough to keep in registers.
_COPIED_AT_ONCE = 64
_MOST_COPIED = 1 << 16


@dataclass(frozen=True, eq=False)
class View:
    """
    What a memref is in PTX: a pointer, and how its elements stand from there.

    `alignments` are facts about where the pointer plus the terms is: for each (a, o) the
    address o bytes further is a multiple of a.
    """

    root: SSAValue
    """The argument or alloca of the source that the pointer comes from."""
    space: Space
    element: PtxType
    layout: Layout
    terms: Terms
    alignments: tuple[tuple[int, int], ...]

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return byte_size(self.element)


@dataclass(frozen=True)
class Address:
    """What the neighbours of one vector access share: pointer and index values."""

    root: SSAValue
    terms: Terms


@dataclass(frozen=True, eq=False)
class Access:
    """A load or store: its address, and the bytes from there of each element, in order."""

    view: View
    address: Address
    alignments: tuple[tuple[int, int], ...]
    offsets: tuple[int, ...]


@dataclass(eq=False)
class Chunk:
    """One PTX access of 1, 2, 4 or 8 neighbours; `lanes` fills as they become known."""

    view: View
    address: Address
    offset: int
    length: int
    lanes: dict[int, SSAValue] = field(default_factory=dict[int, SSAValue])

    @property
    def is_complete(self) -> bool:
        return len(self.lanes) == self.length


Place: TypeAlias = tuple[Chunk, int]
"""A chunk and the lane of it where an element is."""


@dataclass
class Memory:
    """The memrefs of one function, and which loads and stores go together."""

    conversion: Conversion
    pointers: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """The register of each root."""
    views: dict[SSAValue, View] = field(default_factory=dict[SSAValue, View])
    _accesses: dict[Operation, Access] = field(default_factory=dict[Operation, Access])
    _places: dict[Operation, list[Place]] = field(
        default_factory=dict[Operation, list[Place]]
    )

    # region memrefs

    def define(
        self, root: SSAValue, pointer: SSAValue, space: Space, alignment: int
    ) -> None:
        """`root` is a memref at `pointer`, which is a multiple of `alignment` bytes."""
        type = root.type
        assert isa(type, MemRefType[Attribute])
        self.pointers[root] = pointer
        self.views[root] = View(
            root,
            space,
            self.element(type),
            self.layout(type),
            (),
            ((alignment, 0),),
        )

    def element(self, type: MemRefType[Attribute]) -> PtxType:
        return self.conversion.type(type.element_type)

    def layout(self, type: Attribute) -> Layout:
        layout = static_layout(type)
        if isinstance(layout, str):
            raise self.conversion.error(f"cannot be lowered to PTX: {layout}")
        return layout

    def space(self, type: MemRefType[Attribute]) -> Space:
        space = memory_space(type.memory_space)
        if space is None:
            raise self.conversion.error(
                f"cannot be lowered to PTX: memory space {type.memory_space} of {type} "
                "is not known; there are 1 (global), 3 (shared), 5 (local), and none"
            )
        return _SPACES[space]

    def view(self, value: SSAValue) -> View:
        """What `value` is in PTX; what views it are looked through."""
        if (known := self.views.get(value)) is not None:
            return known
        owner = value.owner
        match owner:
            case memref.SubviewOp():
                found = self._subview(owner)
            case memref.AssumeAlignmentOp():
                found = self._aligned(owner)
            case memref.CastOp():
                found = self._cast(owner)
            case _:
                raise self.conversion.error(
                    f"uses a {value.type} that is no argument, no memref.alloca, and no "
                    "subview of one"
                )
        self.views[value] = found
        return found

    def _subview(self, op: memref.SubviewOp) -> View:
        source = self.view(op.source)
        selected = subview(op, source.layout, self.conversion.known)
        layout, added = selected.layout, Terms()
        for offset, stride in selected.dynamic:
            base, scale, constant = self.affine(offset)
            layout = replace(layout, offset=layout.offset + constant * stride)
            added += ((base, scale * stride * source.size),)
        return replace(
            source,
            layout=layout,
            terms=_merge(source.terms, added),
            alignments=self._aligned_with(source.alignments, added),
        )

    def _aligned(self, op: memref.AssumeAlignmentOp) -> View:
        source = self.view(op.memref)
        fact = (op.alignment.value.data, source.layout.offset * source.size)
        return replace(source, alignments=(*source.alignments, fact))

    def _cast(self, op: memref.CastOp) -> View:
        source = self.view(op.source)
        type = op.dest.type
        if not isa(type, MemRefType[Attribute]) or (
            type.element_type
            != SSAValue.get(op.source, type=MemRefType).type.element_type
        ):
            raise self.conversion.error(
                f"cannot be lowered to PTX: a cast to {type} is another element type or "
                "an unknown rank"
            )
        layout = self.layout(type)
        if layout != source.layout:
            raise self.conversion.error(
                f"cannot be lowered to PTX: {type} does not lie as {op.source.type} does"
            )
        return source

    # endregion
    # region addresses

    def affine(self, value: SSAValue) -> tuple[SSAValue, int, int]:
        """`value` as base * scale + constant, modulo 2^64; a constant has scale 0."""
        scale, constant = 1, 0
        known = self.conversion.known
        while True:
            if (number := known.get(value)) is not None:
                return value, 0, constant + scale * number
            owner = value.owner
            match owner:
                case arith.AddiOp() | arith.SubiOp() | arith.MuliOp():
                    left, right = owner.operands
                case _:
                    return value, scale, constant
            left_number, right_number = known.get(left), known.get(right)
            match owner:
                case arith.AddiOp() if right_number is not None:
                    value, constant = left, constant + scale * right_number
                case arith.AddiOp() if left_number is not None:
                    value, constant = right, constant + scale * left_number
                case arith.SubiOp() if right_number is not None:
                    value, constant = left, constant - scale * right_number
                case arith.MuliOp() if right_number is not None:
                    value, scale = left, scale * right_number
                case arith.MuliOp() if left_number is not None:
                    value, scale = right, scale * left_number
                case _:
                    return value, scale, constant

    def access(self, op: Accessor) -> Access:
        """
        Where `op` loads or stores.

        Raises DiagnosticException at `op` when a constant index is out of range.
        """
        if (known := self._accesses.get(op)) is not None:
            return known
        conversion = self.conversion
        outer, conversion.source = conversion.source, op
        view = self.view(
            op.memref if isinstance(op, memref.LoadOp | memref.StoreOp) else op.base
        )
        found = self._access(view, op.indices, accessed_shape(op))
        conversion.source = outer
        self._accesses[op] = found
        return found

    def _access(
        self, view: View, indices: Sequence[SSAValue], shape: tuple[int, ...]
    ) -> Access:
        layout, size = view.layout, view.size
        leading = len(layout.shape) - len(shape)
        extents = (1,) * leading + shape
        start, added = layout.offset, Terms()
        for axis, (index, stride) in enumerate(zip(indices, layout.strides)):
            base, scale, constant = self.affine(index)
            start += constant * stride
            if scale:
                added += ((base, scale * stride * size),)
            elif not 0 <= constant <= layout.shape[axis] - extents[axis]:
                raise self.conversion.error(
                    f"has index {constant} out of range for dimension {axis} of shape "
                    f"{list(layout.shape)}"
                )
        offsets = tuple(
            (start + sum(i * s for i, s in zip(index, layout.strides))) * size
            for index in product(*map(range, extents))
        )
        return Access(
            view,
            Address(view.root, _merge(view.terms, added)),
            self._aligned_with(view.alignments, added),
            offsets,
        )

    def _aligned_with(
        self, alignments: tuple[tuple[int, int], ...], added: Terms
    ) -> tuple[tuple[int, int], ...]:
        """The facts that are left when the terms are added."""
        if not added:
            return alignments
        step = gcd(*(scale * self._divisor(index) for index, scale in added))
        return tuple((gcd(a, step), at) for a, at in alignments)

    def _divisor(self, index: SSAValue) -> int:
        """A number that `index` is known to be a multiple of: a loop's counter has one."""
        block = index.owner
        loop = block.parent_op() if isinstance(block, Block) else None
        if not isinstance(loop, scf.ForOp) or index is not loop.body.block.args[0]:
            return 1
        bounds = self.conversion.known.get_all((loop.lb, loop.step))
        return 1 if bounds is None else gcd(*bounds)

    def pointer(self, address: Address) -> SSAValue:
        """The register with the address, without what is constant."""
        if not address.terms:
            return self.pointers[address.root]
        return self.conversion.cached(address, lambda: self._add_terms(address))

    def _add_terms(self, address: Address) -> SSAValue:
        *first, (index, scale) = address.terms
        pointer = self.pointer(Address(address.root, tuple(first)))
        conversion = self.conversion
        register = conversion.register(index)
        if scale == 1:
            return conversion.emit(ptx.AddOp(PtxType.s64, pointer, register)).d
        if (
            narrow := conversion.narrow.get(register)
        ) is not None and 0 < scale < 1 << 31:
            factor = conversion.constant(PtxType.u32, scale)
            moved = conversion.emit(ptx.MulWideOp(PtxType.u32, narrow, factor)).d
            return conversion.emit(ptx.AddOp(PtxType.s64, pointer, moved)).d
        factor = conversion.constant(PtxType.s64, scale)
        return conversion.emit(ptx.MadOp(PtxType.s64, register, factor, pointer)).d

    def whole(self, value: SSAValue) -> SSAValue:
        """The bare pointer of a memref, to pass on: the layout of its type counts from it."""
        view = self.view(value)
        type = value.type
        assert isa(type, MemRefType[Attribute])
        pointer = self.pointer(Address(view.root, view.terms))
        moved = (view.layout.offset - (type.get_offset() or 0)) * view.size
        conversion = self.conversion
        if moved:
            constant = conversion.constant(PtxType.s64, moved)
            pointer = conversion.emit(ptx.AddOp(PtxType.s64, pointer, constant)).d
        if view.space is not self.space(type):
            pointer = conversion.emit(ptx.CvtaOp(view.space, pointer)).d
        return pointer

    # endregion
    # region loads and stores

    def load(self, op: memref.LoadOp | vector.LoadOp) -> list[SSAValue]:
        """The registers that `op` loads, with those of its neighbours where one access can."""
        access = self.access(op)
        if op not in self._places:
            self._plan_loads(op, access)
        places = self._places[op]
        for chunk, _ in places:
            if not chunk.is_complete:
                self._emit_load(chunk)
        return [chunk.lanes[lane] for chunk, lane in places]

    def store(
        self, op: memref.StoreOp | vector.StoreOp, values: Sequence[SSAValue]
    ) -> None:
        """Store `values`, with those of its neighbours, at the place of the last of them."""
        access = self.access(op)
        if op not in self._places:
            self._plan_stores(op, access)
        for (chunk, lane), value in zip(self._places[op], values, strict=True):
            chunk.lanes[lane] = value
            if chunk.is_complete:
                self._emit_store(chunk)

    def copy(self, source: SSAValue, target: SSAValue) -> None:
        """
        Copy every element, a few at a time; the two do not overlap.

        Raises DiagnosticException at the op when they are too many to write out.
        """
        first, second = (self._whole_access(memref) for memref in (source, target))
        count = len(first.offsets)
        if count > _MOST_COPIED:
            raise self.conversion.error(
                f"cannot be lowered to PTX: it copies {count} elements, at most "
                f"{_MOST_COPIED}; write a loop"
            )
        loads, stores = self._chunks("ld", [first]), self._chunks("st", [second])
        for start in range(0, count, _COPIED_AT_ONCE):
            piece = slice(start, start + _COPIED_AT_ONCE)
            places = [loads[offset] for offset in first.offsets[piece]]
            for chunk, _ in places:
                if not chunk.is_complete:
                    self._emit_load(chunk)
            for (chunk, lane), offset in zip(places, second.offsets[piece]):
                stored, position = stores[offset]
                stored.lanes[position] = chunk.lanes[lane]
                if stored.is_complete:
                    self._emit_store(stored)

    def _whole_access(self, memref: SSAValue) -> Access:
        view = self.view(memref)
        return self._access(view, (), view.layout.shape)

    def _emit_load(self, chunk: Chunk) -> None:
        pointer, offset = self._pointer_and_offset(chunk)
        conversion = self.conversion
        view = chunk.view
        type = PtxType.b8 if view.element is PtxType.pred else view.element
        load = conversion.emit(
            ptx.LdOp(view.space, type, pointer, lanes=chunk.length, offset=offset)
        )
        for lane, loaded in enumerate(load.results):
            if view.element is PtxType.pred:
                zero = conversion.constant(PtxType.s16, 0)
                loaded = conversion.emit(
                    ptx.SetpOp(ptx.Comparison.ne, PtxType.s16, loaded, zero)
                ).p
            chunk.lanes[lane] = loaded

    def _emit_store(self, chunk: Chunk) -> None:
        pointer, offset = self._pointer_and_offset(chunk)
        conversion = self.conversion
        view = chunk.view
        values = [chunk.lanes[lane] for lane in range(chunk.length)]
        if view.element is PtxType.pred:
            zero, one = (conversion.constant(PtxType.b16, bit) for bit in (0, 1))
            values = [
                conversion.emit(ptx.SelpOp(PtxType.b16, one, zero, value)).d
                for value in values
            ]
        type = PtxType.b8 if view.element.width <= 8 else view.element
        conversion.emit(ptx.StOp(view.space, type, pointer, values, offset=offset))

    def _pointer_and_offset(self, chunk: Chunk) -> tuple[SSAValue, int]:
        pointer = self.pointer(chunk.address)
        if -(1 << 31) <= chunk.offset < 1 << 31:
            return pointer, chunk.offset
        conversion = self.conversion
        constant = conversion.constant(PtxType.s64, chunk.offset)
        return conversion.emit(ptx.AddOp(PtxType.s64, pointer, constant)).d, 0

    def _plan_loads(self, op: Operation, access: Access) -> None:
        """Group the loads from one memref, from `op` to where something may write it."""
        groups: dict[Address, list[tuple[Operation, Access]]] = {}
        for other in _from(op):
            if not isinstance(other, memref.LoadOp | vector.LoadOp):
                if self._may_write(other, access.view):
                    break
                continue
            if other in self._places or not self._is_known(other):
                continue
            candidate = self.access(other)
            if candidate.view.root is access.view.root:
                groups.setdefault(candidate.address, []).append((other, candidate))
        for group in groups.values():
            self._place("ld", group)

    def _plan_stores(self, op: Operation, access: Access) -> None:
        """Group the stores at one address, from `op` to where something else may touch it."""
        group: list[tuple[Operation, Access]] = []
        written = set[int]()
        for other in _from(op):
            if isinstance(other, memref.LoadOp | vector.LoadOp):
                if not self._is_known(other) or self._may_alias(other, access.view):
                    break
                continue
            if not isinstance(other, memref.StoreOp | vector.StoreOp):
                if not _is_harmless(other):
                    break
                continue
            if not self._is_known(other):
                break
            candidate = self.access(other)
            if candidate.address != access.address:
                if self._may_alias(other, access.view):
                    break
                continue
            if not written.isdisjoint(candidate.offsets):
                break
            written.update(candidate.offsets)
            group.append((other, candidate))
        self._place("st", group)

    def _place(self, mnemonic: str, group: Sequence[tuple[Operation, Access]]) -> None:
        """Give each element of a group its lane of a chunk."""
        place = self._chunks(mnemonic, [access for _, access in group])
        for op, access in group:
            self._places[op] = [place[offset] for offset in access.offsets]

    def _chunks(self, mnemonic: str, group: Sequence[Access]) -> dict[int, Place]:
        """The chunks that cover a group, each as long as may be; by offset."""
        facts = dict.fromkeys(fact for access in group for fact in access.alignments)
        first = group[0]
        offsets = sorted({offset for access in group for offset in access.offsets})
        place: dict[int, Place] = {}
        while len(place) < len(offsets):
            start = len(place)
            ahead = offsets[start : start + 8]
            length = self._length(mnemonic, first.view, ahead, tuple(facts))
            chunk = Chunk(first.view, first.address, offsets[start], length)
            place |= {ahead[lane]: (chunk, lane) for lane in range(length)}
        return place

    def _length(
        self,
        mnemonic: str,
        view: View,
        offsets: Sequence[int],
        facts: Sequence[tuple[int, int]],
    ) -> int:
        """How many of the elements at `offsets`, ascending, one access may cover."""
        size = view.size
        alignment = max(gcd(a, offsets[0] - at) for a, at in facts)
        neighbours = 1
        while (
            neighbours < len(offsets)
            and offsets[neighbours] == offsets[0] + neighbours * size
        ):
            neighbours += 1
        type = "b8" if view.element.width <= 8 else view.element.bits
        for length in (8, 4, 2):
            form = f"{mnemonic}{view.space.suffix}.v{length}.{type}"
            if (
                length <= neighbours
                and alignment % (length * size) == 0
                and self.conversion.legal(form)
            ):
                return length
        return 1

    # endregion
    # region aliasing

    def _is_known(self, op: Accessor) -> bool:
        """Whether the memref of `op` is defined by now; one that is not is another buffer's."""
        value = op.memref if isinstance(op, memref.LoadOp | memref.StoreOp) else op.base
        while value not in self.views:
            owner = value.owner
            if not isinstance(
                owner, memref.SubviewOp | memref.AssumeAlignmentOp | memref.CastOp
            ):
                return False
            value = owner.operands[0]
        return True

    def _may_alias(self, op: Accessor, view: View) -> bool:
        other = self.access(op).view
        if other.root is view.root or Space.generic in (other.space, view.space):
            return True
        if other.space is not view.space:
            return False
        buffers = (other.root.owner, view.root.owner)
        return not any(isinstance(owner, memref.AllocaOp) for owner in buffers)

    def _may_write(self, op: Operation, view: View) -> bool:
        """Whether `op`, which is no load, may write what is loaded from `view`."""
        if isinstance(op, memref.StoreOp | vector.StoreOp):
            return self._is_known(op) and self._may_alias(op, view)
        return not _is_harmless(op)

    # endregion


_HARMLESS: tuple[type[Operation], ...] = (
    gpu.ThreadIdOp,
    gpu.BlockIdOp,
    gpu.BlockDimOp,
    gpu.GridDimOp,
    gpu.GlobalIdOp,
    gpu.LaneIdOp,
    gpu.SubgroupSizeOp,
    memref.AllocaOp,
)


def _is_harmless(op: Operation) -> bool:
    """Whether `op` touches no memory that something else can see."""
    if isinstance(op, _HARMLESS):
        return True
    return op.has_trait(Pure, value_if_unregistered=False) or op.has_trait(
        NoMemoryEffect, value_if_unregistered=False
    )


def _from(op: Operation) -> Iterator[Operation]:
    """`op` and what follows it in its block."""
    following: Operation | None = op
    while following is not None:
        yield following
        following = following.next_op


def accessed_shape(op: Accessor) -> tuple[int, ...]:
    """The shape of the vector that `op` moves, which covers the last dimensions."""
    match op:
        case vector.LoadOp():
            return op.result.type.get_shape()
        case vector.StoreOp():
            return SSAValue.get(op.vector, type=VectorType).type.get_shape()
        case _:
            return ()


def _merge(terms: Terms, added: Terms) -> Terms:
    """The sum of both: one term an index value, in the order of their first mention."""
    scales: dict[SSAValue, int] = {}
    for index, scale in (*terms, *added):
        scales[index] = scales.get(index, 0) + scale
    return tuple((index, scale) for index, scale in scales.items() if scale)
