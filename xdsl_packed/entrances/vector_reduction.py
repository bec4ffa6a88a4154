"""The entrance of `vector.reduction`: a vector in registers, reduced to a scalar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import vector
from xdsl.dialects.builtin import VectorType
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
    if not isinstance(op, vector.ReductionOp):
        return "it is no vector.reduction of xDSL"
    type = op.vector.type
    if not isa(type, VectorType[Attribute]):
        return f"it reduces {type}, expected a vector"
    if (kind := kind_of(op)) is None:
        return unknown_kind(op)
    if (rank := len(type.get_shape())) > 1:
        return (
            f"it reduces {type} of rank {rank}, expected rank 1: "
            "vector.multi_reduction reduces higher ranks"
        )
    if (wrong := wrong_source(op, kind, type)) is not None:
        return wrong
    element = type.element_type
    if op.acc is not None and op.acc.type != element:
        return f"its accumulator is {op.acc.type}, expected {element} as in the vector"
    if op.dest.type != element:
        return f"its result is {op.dest.type}, expected {element} as in the vector"
    tile = register_tile(element)
    reduction = Reduction(
        kind=kind,
        shape=type.get_shape(),
        axes=(0,),
        destination_shape=(),
        source=tile,
        destination=tile,
        accumulation_type=tile.element_type,
        order=order_of(op) if takes_order(kind, tile.element_type) else None,
        ftz=False,
        accumulate=op.acc is not None,
        scope=Scope.THREAD,
        target=target,
    )
    return Entry(reduction.with_order_resolved(), ReductionAccess(op))


@dataclass(frozen=True)
class ReductionAccess(Access):
    """
    The elements of a vector, and a scalar result.

    The operands are looked up when they are read: another reduction that they come from
    may have been replaced by then.
    """

    op: vector.ReductionOp

    def read(self, builder: Builder) -> list[SSAValue]:
        values = extract_all(self.op.vector, builder)
        return values if self.op.acc is None else [*values, self.op.acc]

    def write(self, results: Sequence[SSAValue], builder: Builder) -> None:
        (result,) = results
        self.op.dest.replace_all_uses_with(result)


VECTOR_REDUCTION = Entrance(_read, mandatory=False)
