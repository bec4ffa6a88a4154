"""Copies from or to local buffers become loads and stores of their elements."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
)
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from xdsl_packed.diagnostics import error_at
from xdsl_packed.layouts import is_local


@dataclass(frozen=True)
class ExpandLocalCopiesPass(ModulePass):
    """
    Turn each `memref.copy` whose source or target is a local buffer into `memref.load` and
    `memref.store` of every element at constant indices.

    All elements are read before the first is written, so the two may overlap.
    """

    name = "expand-local-copies"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        copies = [copy for copy in op.walk() if isinstance(copy, memref.CopyOp)]
        for copy in copies:
            if is_local(copy.source) or is_local(copy.destination):
                _expand(copy)


def _expand(copy: memref.CopyOp) -> None:
    shape = SSAValue.get(copy.source, type=MemRefType).type.get_shape()
    if DYNAMIC_INDEX in shape:
        raise error_at(
            copy,
            f"copies {copy.source.type}, a dynamic shape, from or to a local buffer: "
            "give every extent",
        )
    builder = Builder(InsertPoint.before(copy))
    numbers = [
        builder.insert(arith.ConstantOp(IntegerAttr(number, IndexType()))).result
        for number in range(max(shape, default=0))
    ]
    indices = list(product(*(numbers[:extent] for extent in shape)))
    loads = [builder.insert(memref.LoadOp.get(copy.source, index)) for index in indices]
    for load, index in zip(loads, indices):
        builder.insert(memref.StoreOp.get(load, copy.destination, index))
    for op in loads:
        op.location = copy.location
    Rewriter.erase_op(copy)
