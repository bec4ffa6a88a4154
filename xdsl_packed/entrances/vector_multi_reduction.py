"""
The entrance of `vector.multi_reduction`: any dimensions of a vector in registers.

xDSL does not know the op: it arrives unregistered, in generic form. It has no fast-math
flags upstream, so a sum is sequential: accumulator first, then the reduced elements in
row-major order, as upstream's own lowering to vector.reduction does it.

Without dimensions it is its source, and the accumulator takes no part: upstream folds it so
(llvm/llvm-project#188983).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from xdsl.builder import Builder
from xdsl.dialects import vector
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from xdsl_packed.entrances.entry import Access, Entrance, Entry
from xdsl_packed.entrances.fastmath import order_of
from xdsl_packed.entrances.vectors import (
    extract_all,
    kind_of,
    register_tile,
    unknown_kind,
    wrong_source,
)
from xdsl_packed.reduction import Reduction, Scope, takes_order
from xdsl_packed.target import GpuTarget


def _read(op: Operation, target: GpuTarget) -> Entry | str:
    if len(op.operands) != 2 or len(op.results) != 1:
        return (
            f"it has {len(op.operands)} operands and {len(op.results)} results, "
            "expected a vector and an accumulator, and one result"
        )
    type, accumulator, result = *op.operand_types, op.results[0].type
    if not isa(type, VectorType[Attribute]):
        return f"it reduces {type}, expected a vector"
    if (kind := kind_of(op)) is None:
        return unknown_kind(op)
    if (wrong := wrong_source(op, kind, type)) is not None:
        return wrong
    axes = _axes(op, len(type.get_shape()))
    if isinstance(axes, str):
        return axes
    kept = [n for axis, n in enumerate(type.get_shape()) if axis not in axes]
    element = type.element_type
    reduced = VectorType(element, kept) if kept else element
    if result != reduced:
        return (
            f"its result is {result}, expected {reduced}: "
            f"{type} reduced along dimensions {list(axes)}"
        )
    if accumulator != reduced:
        return f"its accumulator is {accumulator}, expected {reduced} as the result"
    tile = register_tile(element)
    reduction = Reduction(
        kind=kind,
        shape=type.get_shape(),
        axes=axes,
        destination_shape=tuple(kept),
        source=tile,
        destination=tile,
        accumulation_type=tile.element_type,
        order=order_of(op) if takes_order(kind, tile.element_type) else None,
        ftz=False,
        accumulate=bool(axes),
        scope=Scope.THREAD,
        target=target,
    )
    return Entry(
        reduction.with_order_resolved(),
        MultiReductionAccess(op, reduction.accumulate),
        None if axes else _NO_DIMENSIONS,
    )


_NO_DIMENSIONS = (
    "has no reduction_dims: its result is its source, and the accumulator takes no part, "
    "as upstream folds it"
)


def _axes(op: Operation, rank: int) -> tuple[int, ...] | str:
    """The reduced dimensions, sorted, from `array<i64: 0, 1>` or, as it was, `[0, 1]`."""
    attribute = op.get_attr_or_prop("reduction_dims")
    if isa(attribute, DenseArrayBase[IntegerType]):
        axes = attribute.get_values()
    elif isa(attribute, ArrayAttr[IntegerAttr]):
        axes = tuple(axis.value.data for axis in attribute)
    else:
        return f"its reduction_dims are {attribute}, expected array<i64: ...>"
    for axis in axes:
        if not 0 <= axis < rank:
            return (
                f"its reduction_dims name dimension {axis} of a vector of rank {rank}"
            )
        if axes.count(axis) > 1:
            return f"its reduction_dims name dimension {axis} twice"
    return tuple(sorted(axes))


@dataclass(frozen=True)
class MultiReductionAccess(Access):
    """A vector and an accumulator of the result's type, a scalar or a smaller vector."""

    op: Operation
    accumulate: bool

    def read(self, builder: Builder) -> list[SSAValue]:
        source, accumulator = self.op.operands
        values = extract_all(source, builder)
        if self.accumulate:
            values.extend(extract_all(accumulator, builder))
        return values

    def write(self, results: Sequence[SSAValue], builder: Builder) -> None:
        _, written = self.op.operands
        if not isa(written.type, VectorType[Attribute]):
            (written,) = results
        else:
            # Every element of the accumulator is replaced.
            indices = product(*map(range, written.type.get_shape()))
            for index, result in zip(indices, results, strict=True):
                insert = vector.InsertOp(result, written, index)
                written = builder.insert(insert).result
        self.op.results[0].replace_all_uses_with(written)


VECTOR_MULTI_REDUCTION = Entrance(_read, mandatory=False)
