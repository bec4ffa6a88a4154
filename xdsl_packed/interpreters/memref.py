"""What the memref ops compute."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.ir import Operation, SSAValue

from xdsl_packed.interpreters.values import Buffer, error, uniform


def indices_of(op: Operation, values: PythonValues) -> list[int]:
    """Index operands, which must be the same for the whole batch."""
    return [uniform(op, "index", value) for value in values]


@register_impls
class MemRefFunctions(InterpreterFunctions):
    """Subviews are views. Reading what was never written is an error."""

    def batch(self, interpreter: Interpreter) -> tuple[int, ...]:
        """The batch axes of this run."""
        return interpreter.get_data(MemRefFunctions, "batch", tuple)

    def set_batch(self, interpreter: Interpreter, batch: tuple[int, ...]) -> None:
        interpreter.set_data(MemRefFunctions, "batch", batch)

    def _allocate(self, interpreter: Interpreter, result: SSAValue) -> Buffer:
        type = SSAValue.get(result, type=MemRefType).type
        return Buffer.unwritten(type, self.batch(interpreter))

    @impl(memref.AllocaOp)
    def run_alloca(
        self, interpreter: Interpreter, op: memref.AllocaOp, args: PythonValues
    ) -> PythonValues:
        if args:
            raise error(op, "has a dynamic size: only static shapes are interpreted")
        return (self._allocate(interpreter, op.memref),)

    @impl(memref.AllocOp)
    def run_alloc(
        self, interpreter: Interpreter, op: memref.AllocOp, args: PythonValues
    ) -> PythonValues:
        if args:
            raise error(op, "has a dynamic size: only static shapes are interpreted")
        return (self._allocate(interpreter, op.memref),)

    @impl(memref.DeallocOp)
    def run_dealloc(
        self, interpreter: Interpreter, op: memref.DeallocOp, args: PythonValues
    ) -> PythonValues:
        return ()

    @impl(memref.LoadOp)
    def run_load(
        self, interpreter: Interpreter, op: memref.LoadOp, args: PythonValues
    ) -> PythonValues:
        buffer, *indices = args
        return (buffer.part(op, indices_of(op, tuple(indices))).read(op),)

    @impl(memref.StoreOp)
    def run_store(
        self, interpreter: Interpreter, op: memref.StoreOp, args: PythonValues
    ) -> PythonValues:
        value, buffer, *indices = args
        buffer.part(op, indices_of(op, tuple(indices))).write(op, value)
        return ()

    @impl(memref.CopyOp)
    def run_copy(
        self, interpreter: Interpreter, op: memref.CopyOp, args: PythonValues
    ) -> PythonValues:
        source, destination = args
        destination.write(op, source.read(op))
        return ()

    @impl(memref.SubviewOp)
    def run_subview(
        self, interpreter: Interpreter, op: memref.SubviewOp, args: PythonValues
    ) -> PythonValues:
        buffer, *dynamic = args
        rest = iter(indices_of(op, tuple(dynamic)))
        offsets, sizes, strides = (
            [next(rest) if n == DYNAMIC_INDEX else n for n in static.get_values()]
            for static in (op.static_offsets, op.static_sizes, op.static_strides)
        )
        if any(stride < 1 for stride in strides):
            raise error(
                op, "has a stride below 1: only positive strides are interpreted"
            )
        part = buffer.part(
            op,
            [
                slice(offset, offset + (size - 1) * stride + 1, stride)
                for offset, size, stride in zip(offsets, sizes, strides)
            ],
        )
        return (
            _without_unit_dimensions(part, tuple(sizes), op.result.type.get_shape()),
        )

    @impl(memref.CastOp)
    def run_cast(
        self, interpreter: Interpreter, op: memref.CastOp, args: PythonValues
    ) -> PythonValues:
        return args

    @impl(memref.MemorySpaceCastOp)
    def run_memory_space_cast(
        self, interpreter: Interpreter, op: memref.MemorySpaceCastOp, args: PythonValues
    ) -> PythonValues:
        return args

    @impl(memref.AssumeAlignmentOp)
    def run_assume_alignment(
        self, interpreter: Interpreter, op: memref.AssumeAlignmentOp, args: PythonValues
    ) -> PythonValues:
        return args

    @impl(memref.DimOp)
    def run_dim(
        self, interpreter: Interpreter, op: memref.DimOp, args: PythonValues
    ) -> PythonValues:
        buffer, index = args
        return (np.int64(buffer.values.shape[uniform(op, "index", index)]),)


def _without_unit_dimensions(
    buffer: Buffer, sizes: tuple[int, ...], kept: tuple[int, ...]
) -> Buffer:
    """A rank-reducing subview: the dimensions of extent 1 that `kept` does not have go."""
    index: list[Any] = []
    wanted = list(kept)
    for position, size in enumerate(sizes):
        remaining = len(sizes) - position
        if size == 1 and remaining > len(wanted):
            index.append(0)
            continue
        index.append(slice(None))
        del wanted[:1]
    selection = (*index, ...)
    written = None if buffer.written is None else buffer.written[selection]
    return Buffer(buffer.values[selection], written)
