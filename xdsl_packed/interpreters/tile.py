"""What tile.reduce means: each destination element folded in the op's order."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)

from xdsl_packed.dialects import tile
from xdsl_packed.interpreters.combine import Combine, combination
from xdsl_packed.interpreters.numerics import Value
from xdsl_packed.orders import Fold, Order, fold_of_order, resolve


@register_impls
class TileFunctions(InterpreterFunctions):
    @impl(tile.ReduceOp)
    def run_reduce(
        self, interpreter: Interpreter, op: tile.ReduceOp, args: PythonValues
    ) -> PythonValues:
        source, destination = args
        rows = _rows(source.read(op), op.source_type.get_shape(), op.resolved_axes())
        leaves = list(rows)
        shape = op.dest_type.get_shape()
        if op.accumulate is not None:
            old = np.asarray(destination.read(op))
            leaves.append(old.reshape(prod(shape), *old.shape[len(shape) :]))
        fold = fold_of_order(_order(op), len(rows), op.accumulate is not None)
        combine = combination(
            op.kind.data, op.source_type.element_type, ftz=op.ftz is not None
        )
        (result,) = _fold(fold, leaves, combine)
        destination.write(op, result.reshape(*shape, *result.shape[1:]))
        return ()


def _order(op: tile.ReduceOp) -> Order:
    """Kinds that take no order give the same bits in every order."""
    return Order.LANES8 if op.order is None else resolve(op.order.data)


def _rows(source: Value, shape: tuple[int, ...], axes: tuple[int, ...]) -> Value:
    """
    The reduced elements, row-major, along the first axis; along the second the
    destination elements, row-major; then the batch.
    """
    rank, source = len(shape), np.asarray(source)
    kept = tuple(axis for axis in range(rank) if axis not in axes)
    ordered = source.transpose(*axes, *kept, *range(rank, source.ndim))
    length = prod(shape[axis] for axis in axes)
    return ordered.reshape(
        length, prod(shape[axis] for axis in kept), *source.shape[rank:]
    )


def _fold(fold: Fold, leaves: list[Value], combine: Combine) -> list[Value]:
    values = list(leaves)
    for _, (first, *rest) in fold.lanes():
        value = values[first]
        for other in rest:
            value = combine(value, values[other])
        values.append(value)
    return [values[output] for output in fold.outputs]
