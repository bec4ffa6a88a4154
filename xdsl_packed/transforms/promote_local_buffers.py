"""Local buffers that are only accessed at constant indices become SSA values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import Pure
from xdsl.utils.hints import isa

from xdsl_packed.constants import KnownIntegers
from xdsl_packed.diagnostics import error_at, remark_at
from xdsl_packed.dialects import packed
from xdsl_packed.layouts import (
    Layout,
    is_local,
    static_layout,
    subview,
)

Lane: TypeAlias = tuple[SSAValue, tuple[int, ...]]
"""A vector and a position in it."""

_Accessor: TypeAlias = memref.LoadOp | memref.StoreOp | vector.LoadOp | vector.StoreOp


@dataclass(frozen=True)
class PromoteLocalBuffersPass(ModulePass):
    """
    Turn each `memref.alloca` in local memory (space 5) into SSA values, where all that
    accesses it, also through subviews, is a load or store at constant indices.

    Values go straight through `scf.for`, as loop-carried values, and `scf.if`. A buffer
    that has to stay in memory gets a remark. An element that is read before it is written,
    and a constant index out of range, are errors at the op.
    """

    name = "promote-local-buffers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        known = KnownIntegers()
        promotion = _Promotion()
        allocas = [
            alloca
            for alloca in op.walk()
            if isinstance(alloca, memref.AllocaOp) and is_local(alloca.memref)
        ]
        for alloca in allocas:
            reason = promotion.add(_Buffer(alloca), known)
            if reason is not None:
                remark_at(alloca, f"stays in local memory: {reason}")
                _check_ever_written(alloca)
        if promotion.accesses:
            promotion.walk_regions(op)
        promotion.erase_buffers()


def _check_ever_written(alloca: memref.AllocaOp) -> None:
    """Raise at the first read of a buffer in memory to which nothing writes."""
    reads = set[Operation]()
    views: list[SSAValue] = [alloca.memref]
    for view in views:
        for use in view.uses:
            match op := use.operation:
                case memref.SubviewOp() | memref.AssumeAlignmentOp():
                    views.append(op.results[0])
                case memref.LoadOp() | vector.LoadOp():
                    reads.add(op)
                case memref.CopyOp() if use.index == 0:
                    reads.add(op)
                case _:
                    return
    block = alloca.parent_block()
    ops = () if block is None else (o for top in block.ops for o in top.walk())
    for op in ops:
        if op in reads:
            raise error_at(
                op, "reads a local buffer that nothing writes to: store to it first"
            )


@dataclass
class _Buffer:
    """An alloca, and what reaches it."""

    alloca: memref.AllocaOp
    views: list[Operation] = field(default_factory=list[Operation])
    accesses: list[_Access] = field(default_factory=list["_Access"])

    def find_accesses(self, known: KnownIntegers) -> str | None:
        """Fill `views` and `accesses`, or say why the buffer has to stay in memory."""
        layout = static_layout(self.alloca.memref.type)
        if isinstance(layout, str):
            return layout
        pending: list[tuple[SSAValue, Layout]] = [(self.alloca.memref, layout)]
        for value, layout in pending:
            for use in value.uses:
                reason = self._follow(use.operation, use.index, layout, pending, known)
                if reason is not None:
                    return reason
        return None

    def _follow(
        self,
        op: Operation,
        operand: int,
        layout: Layout,
        pending: list[tuple[SSAValue, Layout]],
        known: KnownIntegers,
    ) -> str | None:
        match op:
            case memref.SubviewOp() if operand == 0:
                selected = subview(op, layout, known)
                if selected.dynamic:
                    return "a subview of it has an offset that is not constant"
                self.views.append(op)
                pending.append((op.result, selected.layout))
            case memref.AssumeAlignmentOp():
                self.views.append(op)
                pending.append((op.result, layout))
            case (
                memref.LoadOp() | memref.StoreOp() | vector.LoadOp() | vector.StoreOp()
            ):
                return self._access(op, layout, known)
            case _:
                return f"'{op.name}' uses it"
        return None

    def _access(
        self, op: _Accessor, layout: Layout, known: KnownIntegers
    ) -> str | None:
        index = known.get_all(op.indices)
        if index is None:
            return f"an index of a '{op.name}' is not constant"
        if not _stays_inside(op, self.alloca):
            return f"a '{op.name}' is in a region other than scf.for and scf.if"
        shape = _accessed_shape(op)
        leading = (1,) * (len(index) - len(shape))
        indices = [
            tuple(i + o for i, o in zip(index, offset))
            for offset in product(*map(range, leading + shape))
        ]
        for at in indices[:1] + indices[-1:]:
            if not layout.contains(at):
                raise error_at(
                    op,
                    f"has index {list(at)} out of range for shape {list(layout.shape)}",
                )
        self.accesses.append(_Access(op, index, tuple(map(layout.element, indices))))
        return None


@dataclass(frozen=True)
class _Access:
    """A load or store, its index, and the elements of the buffer that it touches."""

    op: _Accessor
    index: tuple[int, ...]
    elements: tuple[int, ...]

    @property
    def writes(self) -> bool:
        return isinstance(self.op, memref.StoreOp | vector.StoreOp)


def _accessed_shape(op: _Accessor) -> tuple[int, ...]:
    """The shape of the vector that `op` moves; a vector covers the last dimensions."""
    match op:
        case vector.LoadOp():
            return op.result.type.get_shape()
        case vector.StoreOp():
            return SSAValue.get(op.vector, type=VectorType).type.get_shape()
        case _:
            return ()


def _enclosing(op: Operation, outermost: Operation) -> Iterator[Operation]:
    """The ops around `op`, up to the block that `outermost` is in."""
    block = outermost.parent_block()
    while op.parent_block() is not block:
        parent = op.parent_op()
        if parent is None:
            return
        op = parent
        yield op


def _stays_inside(op: Operation, alloca: Operation) -> bool:
    """Whether only loops and ifs stand between `op` and the block of `alloca`."""
    return all(isinstance(o, scf.ForOp | scf.IfOp) for o in _enclosing(op, alloca))


def _blocks(op: Operation) -> Iterator[Block]:
    for region in op.regions:
        yield from region.blocks


@dataclass
class _Promotion:
    """
    The buffers that go, and one forward walk that replaces their loads and stores.

    The elements of all buffers are numbered through; `values` holds what each is at the
    place that the walk has reached.
    """

    accesses: dict[Operation, _Access] = field(default_factory=dict[Operation, _Access])
    first_element: dict[Operation, int] = field(default_factory=dict[Operation, int])
    """For each access, the number of its buffer's element 0."""
    touched: dict[Operation, dict[int, None]] = field(
        default_factory=dict[Operation, dict[int, None]]
    )
    """For each loop or if around an access to a buffer outside, the elements written in it."""
    types: dict[int, Attribute] = field(default_factory=dict[int, Attribute])
    buffers: list[_Buffer] = field(default_factory=list[_Buffer])
    elements: int = 0
    values: dict[int, SSAValue | Lane] = field(
        default_factory=dict[int, SSAValue | Lane]
    )
    extracted: dict[Lane, SSAValue] = field(default_factory=dict[Lane, SSAValue])
    known: KnownIntegers = field(default_factory=KnownIntegers)
    indices: dict[Operation, None] = field(default_factory=dict[Operation, None])
    """What computed the indices of erased accesses."""

    def add(self, buffer: _Buffer, known: KnownIntegers) -> str | None:
        """Take `buffer`, or say why it has to stay in memory."""
        reason = buffer.find_accesses(known)
        if reason is not None:
            return reason
        self.buffers.append(buffer)
        start = self.elements
        for access in buffer.accesses:
            self.accesses[access.op] = access
            self.first_element[access.op] = start
            self.elements = max(
                self.elements, 1 + start + max(access.elements, default=0)
            )
            written = [start + e for e in access.elements] if access.writes else []
            for around in _enclosing(access.op, buffer.alloca):
                self.touched.setdefault(around, {}).update(dict.fromkeys(written))
        return None

    def walk_regions(self, op: Operation) -> None:
        for block in _blocks(op):
            self._walk(block)

    def _walk(self, block: Block) -> None:
        op = block.first_op
        while op is not None:
            following = op.next_op
            if op in self.accesses:
                self._replace(self.accesses[op])
            elif op not in self.touched:
                self.walk_regions(op)
            elif isinstance(op, scf.ForOp):
                self._walk_for(op)
            elif isinstance(op, scf.IfOp):
                self._walk_if(op)
            op = following

    def _replace(self, access: _Access) -> None:
        start = self.first_element[access.op]
        elements = [start + element for element in access.elements]
        match op := access.op:
            case memref.StoreOp():
                self.values[elements[0]] = op.value
            case vector.StoreOp():
                positions = product(*map(range, _accessed_shape(op)))
                for element, position in zip(elements, positions):
                    self.values[element] = (op.vector, position)
            case memref.LoadOp():
                op.res.replace_all_uses_with(self._read(access, elements)[0])
            case vector.LoadOp():
                op.result.replace_all_uses_with(self._read_vector(access, op, elements))
        self._erase(op)

    def _read(self, access: _Access, elements: Sequence[int]) -> list[SSAValue]:
        self._check_written(access, elements)
        return [self._scalar(element) for element in elements]

    def _check_written(self, access: _Access, elements: Sequence[int]) -> None:
        if all(element in self.values for element in elements):
            return
        raise error_at(
            access.op,
            f"reads index {list(access.index)} of a local buffer before it is written "
            "(or where only some of the ways to it write it): store it first",
        )

    def _scalar(self, element: int) -> SSAValue:
        value = self.values[element]
        if isinstance(value, SSAValue):
            return value
        if (known := self.extracted.get(value)) is None:
            known = self.extracted[value] = _extract(*value)
        return known

    def _read_vector(
        self, access: _Access, op: vector.LoadOp, elements: Sequence[int]
    ) -> SSAValue:
        self._check_written(access, elements)
        type = op.result.type
        if (whole := self._whole(type, elements)) is not None:
            return whole
        return _vector(type, [self._scalar(element) for element in elements], op)

    def _whole(self, type: VectorType, elements: Sequence[int]) -> SSAValue | None:
        """The vector of this type whose lanes the elements are, in order."""
        first = self.values[elements[0]]
        if isinstance(first, SSAValue) or first[0].type != type:
            return None
        positions = product(*map(range, type.get_shape()))
        lanes = [(first[0], position) for position in positions]
        return first[0] if [self.values[e] for e in elements] == lanes else None

    def _walk_for(self, loop: scf.ForOp) -> None:
        """Carry each element that the body writes through the loop."""
        block = loop.body.block
        written = list(self.touched[loop])
        carried = [element for element in written if element in self.values]
        initial = [self._scalar(element) for element in carried]
        for element, value in zip(carried, initial):
            self.values[element] = block.insert_arg(value.type, len(block.args))
        self._walk(block)
        final = [self._scalar(element) for element in carried]

        bounds = self.known.get_all((loop.lb, loop.ub, loop.step))
        if bounds is not None and range(*bounds):
            # The loop runs, so what it writes is written after it: the start does not matter.
            for element in written:
                if element in carried or element not in self.values:
                    continue
                value = self._scalar(element)
                if (zero := _zero(value.type)) is None:
                    continue
                Rewriter.insert_op(zero, InsertPoint.before(loop))
                block.insert_arg(value.type, len(block.args))
                carried.append(element)
                initial.append(zero.result)
                final.append(value)

        terminator = block.last_op
        assert isinstance(terminator, scf.YieldOp)
        terminator.operands = (*terminator.operands, *final)
        new_loop = scf.ForOp(
            loop.lb,
            loop.ub,
            loop.step,
            (*loop.iter_args, *initial),
            loop.detach_region(loop.body),
        )
        for element in written:
            self.values.pop(element, None)
        self._put_in_place(loop, new_loop, carried)

    def _walk_if(self, branch: scf.IfOp) -> None:
        """What either side writes is a result, where both know its value."""
        written = list(self.touched[branch])
        before = {e: self.values[e] for e in written if e in self.values}
        after = list[dict[int, SSAValue | Lane]]()
        for region in branch.regions:
            for block in region.blocks:
                self._walk(block)
            after.append({e: self.values[e] for e in written if e in self.values})
            for element in written:
                self.values.pop(element, None)
            self.values.update(before)

        yielded = [e for e in written if all(e in known for known in after)]
        regions = [branch.detach_region(region) for region in tuple(branch.regions)]
        for region, known in zip(regions, after):
            self.values.update(known)
            terminator = _terminator(region)
            values = [self._scalar(element) for element in yielded]
            terminator.operands = (*terminator.operands, *values)
        types = [self._scalar(element).type for element in yielded]
        new_branch = scf.IfOp(
            branch.cond, (*branch.result_types, *types), regions[0], regions[1]
        )
        for element in written:
            self.values.pop(element, None)
        self._put_in_place(branch, new_branch, yielded)

    def _put_in_place(
        self, old: Operation, new: Operation, elements: Sequence[int]
    ) -> None:
        """Replace `old` by `new`, whose last results are what `elements` are from here."""
        new.location = old.location
        new.attributes = old.attributes.copy()
        Rewriter.insert_op(new, InsertPoint.before(old))
        for before, after in zip(old.results, new.results):
            before.replace_all_uses_with(after)
            after.name_hint = before.name_hint
        added = new.results[len(old.results) :]
        self.values.update(zip(elements, added, strict=True))
        Rewriter.erase_op(old)

    def _erase(self, op: _Accessor) -> None:
        self._note_indices(op.indices)
        Rewriter.erase_op(op)

    def _note_indices(self, values: Iterable[SSAValue]) -> None:
        for value in values:
            if isinstance(owner := value.owner, Operation):
                self.indices[owner] = None

    def erase_buffers(self) -> None:
        """Erase the buffers, the views of them, and what only computed their indices."""
        for buffer in self.buffers:
            for view in reversed(buffer.views):
                self._note_indices(view.operands[1:])
                Rewriter.erase_op(view)
            Rewriter.erase_op(buffer.alloca)
        while self.indices:
            op, _ = self.indices.popitem()
            if any(result.uses for result in op.results):
                continue
            if not op.has_trait(Pure, value_if_unregistered=False):
                continue
            self._note_indices(op.operands)
            Rewriter.erase_op(op)


def _terminator(region: Region) -> scf.YieldOp:
    """The yield of a branch; an empty one gets it."""
    if region.blocks.first is None:
        region.add_block(Block((scf.YieldOp(),)))
    terminator = region.block.last_op
    assert isinstance(terminator, scf.YieldOp)
    return terminator


def _extract(source: SSAValue, position: tuple[int, ...]) -> SSAValue:
    """Extract right where `source` is defined, so that it serves every later use."""
    type = SSAValue.get(source, type=VectorType).type.element_type
    op = vector.ExtractOp(source, position, type)
    Rewriter.insert_op(op, _after(source))
    return op.result


def _after(value: SSAValue) -> InsertPoint:
    owner = value.owner
    if isinstance(owner, Block):
        return InsertPoint.at_start(owner)
    return InsertPoint.after(owner)


def _vector(type: VectorType, lanes: Sequence[SSAValue], at: Operation) -> SSAValue:
    """A vector of these lanes, in row-major order, built before `at`."""
    before = InsertPoint.before(at)
    if type.get_shape() == (2,) and isinstance(
        type.element_type, Float16Type | BFloat16Type | Float32Type
    ):
        pair = packed.PackOp(*lanes)
        Rewriter.insert_op(pair, before)
        return pair.result
    first = vector.BroadcastOp(lanes[0], type)
    Rewriter.insert_op(first, before)
    result: SSAValue = first.vector
    positions = list(product(*map(range, type.get_shape())))
    for lane, position in zip(lanes[1:], positions[1:]):
        insert = vector.InsertOp(lane, result, position)
        Rewriter.insert_op(insert, before)
        result = insert.result
    return result


def _zero(type: Attribute) -> arith.ConstantOp | None:
    """A constant of this type, or None where arith has none."""
    if isinstance(type, AnyFloat):
        return arith.ConstantOp(FloatAttr(0.0, type))
    if isa(type, IndexType | IntegerType):
        return arith.ConstantOp(IntegerAttr(0, type))
    return None
