"""What the vector ops compute, on arrays of the vector's shape with batch axes behind."""

from __future__ import annotations

from functools import reduce

import numpy as np
from xdsl.dialects import vector
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.ir import Attribute, Operation

from xdsl_packed.interpreters import numerics
from xdsl_packed.interpreters.combine import combination
from xdsl_packed.interpreters.memref import indices_of
from xdsl_packed.interpreters.numerics import Value
from xdsl_packed.interpreters.values import (
    Buffer,
    aligned,
    dtype_of,
    error,
    float_name,
    shape_of,
)
from xdsl_packed.reduction import Kind


def _region(
    op: Operation, buffer: Buffer, indices: PythonValues, shape: tuple[int, ...]
) -> Buffer:
    """The elements that a vector of `shape` at `indices` covers: the last dimensions."""
    starts = indices_of(op, indices)
    leading = len(starts) - len(shape)
    if leading < 0:
        raise error(op, f"covers {len(shape)} dimensions of a memref of {len(starts)}")
    slices = (
        slice(start, start + extent, 1)
        for start, extent in zip(starts[leading:], shape, strict=True)
    )
    return buffer.part(op, (*starts[:leading], *slices))


def _position(
    op: vector.ExtractOp | vector.InsertOp, dynamic: PythonValues
) -> tuple[int, ...]:
    rest = iter(indices_of(op, dynamic))
    return tuple(
        next(rest) if index == DYNAMIC_INDEX else index
        for index in op.static_position.get_values()
    )


def _checked(op: Operation, position: tuple[int, ...], type: Attribute) -> None:
    for index, extent in zip(position, shape_of(type)):
        if not 0 <= index < extent:
            raise error(op, f"has position {index} in a dimension of extent {extent}")


@register_impls
class VectorFunctions(InterpreterFunctions):
    @impl(vector.LoadOp)
    def run_load(
        self, interpreter: Interpreter, op: vector.LoadOp, args: PythonValues
    ) -> PythonValues:
        buffer, *indices = args
        shape = shape_of(op.result.type)
        return (_region(op, buffer, tuple(indices), shape).read(op),)

    @impl(vector.StoreOp)
    def run_store(
        self, interpreter: Interpreter, op: vector.StoreOp, args: PythonValues
    ) -> PythonValues:
        value, buffer, *indices = args
        shape = shape_of(op.vector.type)
        _region(op, buffer, tuple(indices), shape).write(op, value)
        return ()

    @impl(vector.ExtractOp)
    def run_extract(
        self, interpreter: Interpreter, op: vector.ExtractOp, args: PythonValues
    ) -> PythonValues:
        value, *dynamic = args
        position = _position(op, tuple(dynamic))
        _checked(op, position, op.vector.type)
        return (value[(*position, ...)].copy()[()],)

    @impl(vector.InsertOp)
    def run_insert(
        self, interpreter: Interpreter, op: vector.InsertOp, args: PythonValues
    ) -> PythonValues:
        source, dest, *dynamic = args
        position = _position(op, tuple(dynamic))
        _checked(op, position, op.dest.type)
        rank, source_rank = len(shape_of(op.dest.type)), len(shape_of(op.source.type))
        batch = np.broadcast_shapes(
            np.shape(source)[source_rank:], np.shape(dest)[rank:]
        )
        result = _with_batch(dest, rank, batch).copy()
        result[(*position, ...)] = _with_batch(source, source_rank, batch)
        return (result,)

    @impl(vector.BroadcastOp)
    def run_broadcast(
        self, interpreter: Interpreter, op: vector.BroadcastOp, args: PythonValues
    ) -> PythonValues:
        batch = np.shape(args[0])[len(shape_of(op.source.type)) :]
        return (np.broadcast_to(args[0], (*shape_of(op.vector.type), *batch)).copy(),)

    @impl(vector.ShuffleOp)
    def run_shuffle(
        self, interpreter: Interpreter, op: vector.ShuffleOp, args: PythonValues
    ) -> PythonValues:
        mask = list(op.mask.get_values())
        if min(mask) < 0:
            raise error(op, "has a mask element -1: its value is not defined")
        rank = len(shape_of(op.v1.type))
        batch = np.broadcast_shapes(*(np.shape(value)[rank:] for value in args))
        both = [_with_batch(value, rank, batch) for value in args]
        joined = np.concatenate(both) if rank else np.stack(both)
        return (joined[mask],)

    @impl(vector.FMAOp)
    def run_fma(
        self, interpreter: Interpreter, op: vector.FMAOp, args: PythonValues
    ) -> PythonValues:
        type = op.res.type
        return (numerics.fma(float_name(type), *aligned(type, *args)),)

    @impl(vector.BitcastOp)
    def run_bitcast(
        self, interpreter: Interpreter, op: vector.BitcastOp, args: PythonValues
    ) -> PythonValues:
        rank, target = len(shape_of(op.source.type)), dtype_of(op.result.type)
        if np.bool_ in (args[0].dtype, target):
            raise error(op, "casts the bits of i1: extend it instead")
        last = np.ascontiguousarray(np.moveaxis(args[0], rank - 1, -1))
        return (np.moveaxis(last.view(target), -1, rank - 1),)

    @impl(vector.ReductionOp)
    def run_reduction(
        self, interpreter: Interpreter, op: vector.ReductionOp, args: PythonValues
    ) -> PythonValues:
        """In order, the accumulator first (MLIR, without `reassoc`)."""
        value, *accumulator = args
        combine = combination(Kind(op.kind.data.value), op.dest.type, ftz=False)
        return (reduce(combine, (*accumulator, *value)),)


def _with_batch(value: Value, rank: int, batch: tuple[int, ...]) -> Value:
    """The value with exactly these batch axes behind its own `rank` axes."""
    own, present = np.shape(value)[:rank], np.shape(value)[rank:]
    padded = np.reshape(value, (*own, *(1,) * (len(batch) - len(present)), *present))
    return np.broadcast_to(padded, (*own, *batch))
