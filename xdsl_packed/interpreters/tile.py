"""What the ops of the tile dialect mean: each destination element folded in the op's order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod

import numpy as np
from xdsl.dialects.builtin import IntegerType
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from xdsl_packed.dialects import tile
from xdsl_packed.interpreters import numerics
from xdsl_packed.interpreters.combine import Combine, combination
from xdsl_packed.interpreters.numerics import Value
from xdsl_packed.interpreters.values import dtype_of, float_name
from xdsl_packed.orders import Fold, Order, Step, fold_of_order, resolve
from xdsl_packed.reduction import Kind


@register_impls
class TileFunctions(InterpreterFunctions):
    @impl(tile.ReduceOp)
    def run_reduce(
        self, interpreter: Interpreter, op: tile.ReduceOp, args: PythonValues
    ) -> PythonValues:
        return self._run(op, args)

    @impl(tile.DotOp)
    def run_dot(
        self, interpreter: Interpreter, op: tile.DotOp, args: PythonValues
    ) -> PythonValues:
        return self._run(op, args)

    def _run(self, op: tile.TileReductionOp, args: PythonValues) -> PythonValues:
        *sources, destination = args
        meaning = _Meaning.of(op)
        rows = [
            _rows(source.read(op), op.source_type.get_shape(), op.resolved_axes())
            for source in sources
        ]
        terms = [tuple(map(meaning.widen, term)) for term in zip(*rows)]
        shape = op.dest_type.get_shape()
        olds: list[Value] = []
        if op.accumulate is not None:
            old = np.asarray(destination.read(op))
            old = old.reshape(prod(shape), *old.shape[len(shape) :])
            olds.append(meaning.widen_old(old))
        fold = fold_of_order(_order(op, len(terms)), len(terms), bool(olds))
        result = meaning.narrow(_fold(fold, terms, olds, meaning))
        destination.write(op, result.reshape(*shape, *result.shape[1:]))
        return ()


def _order(op: tile.TileReductionOp, length: int) -> Order:
    """Kinds that take no order give the same bits in every order."""
    return Order.LANES8 if op.order is None else resolve(op.order.data, length)


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


Term = tuple[Value, ...]


@dataclass(frozen=True)
class _Meaning:
    """What one op does to values: see docs/floating-point.md for sums of products."""

    widen: Callable[[Value], Value]
    widen_old: Callable[[Value], Value]
    narrow: Callable[[Value], Value]
    combine: Combine
    lift: Callable[[Term], Value]
    absorb: Callable[[Value, Term], Value]

    @staticmethod
    def of(op: tile.TileReductionOp) -> _Meaning:
        kind, accumulation, ftz = op.kind_name, op.accumulation_type, op.ftz is not None
        element, dest = op.source_type.element_type, op.dest_type.element_type
        widen = partial(_converted, element, accumulation, kind)
        widen_old = partial(_converted, dest, accumulation, kind)
        narrow = partial(_converted, accumulation, dest, kind)
        if kind.is_sum_of_products:
            name = float_name(accumulation)
            add = combination(Kind.ADD, accumulation, ftz=ftz)
            return _Meaning(
                widen,
                widen_old,
                narrow,
                add,
                lambda term: numerics.mul(name, term[0], term[-1], ftz=ftz),
                lambda a, term: numerics.fma(name, term[0], term[-1], a, ftz=ftz),
            )
        magnitude = _unchanged
        if kind is Kind.ABSMAX:
            magnitude = partial(numerics.absolute, float_name(accumulation))
            kind = Kind.MAXNUMF
        combine = combination(kind, accumulation, ftz=ftz)
        return _Meaning(
            lambda value: magnitude(widen(value)),
            lambda value: magnitude(widen_old(value)),
            narrow,
            combine,
            lambda term: term[0],
            lambda a, term: combine(a, term[0]),
        )


def _unchanged(value: Value) -> Value:
    return value


def _converted(source: Attribute, target: Attribute, kind: Kind, value: Value) -> Value:
    """Exact to a wider type, rounded to nearest even to a narrower one; integers wrap."""
    if source == target:
        return value
    if not isa(source, IntegerType):
        return numerics.convert(float_name(source), float_name(target), value)
    values = np.asarray(value)
    if kind in (Kind.MAXUI, Kind.MINUI):
        values = values.view(f"u{values.itemsize}")
    return values.astype(dtype_of(target))


def _fold(
    fold: Fold, terms: Sequence[Term], olds: Sequence[Value], meaning: _Meaning
) -> Value:
    values: dict[int, Value] = {len(terms) + i: old for i, old in enumerate(olds)}

    def value(number: int) -> Value:
        if number < len(terms):
            return meaning.lift(terms[number])
        return values[number]

    number = fold.leaves
    for step in fold.steps:
        absorbed = _absorbed(step, len(terms))
        for a, b in step:
            match absorbed:
                case 1:
                    values[number] = meaning.absorb(value(a), terms[b])
                case 0:
                    values[number] = meaning.absorb(value(b), terms[a])
                case _:
                    values[number] = meaning.combine(value(a), value(b))
            number += 1
    return value(fold.outputs[0])


def _absorbed(step: Step, terms: int) -> int | None:
    """Which operand the lanes of `step` absorb as a product: one that is a term in each."""
    for operand in (1, 0):
        if all(lane[operand] < terms for lane in step):
            return operand
    return None
