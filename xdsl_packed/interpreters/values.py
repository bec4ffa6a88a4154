"""
How the interpreters hold values: everything is numpy, with the exact width of its type.

=================  =====================================================================
f16, f32, f64      numpy's floats
bf16               its bits, uint16
i8 to i64, index   numpy's signed integers (index is int64); unsigned ops view the bits
i1                 numpy bool
vector<AxBxT>      an array of shape (A, B)
memref<AxBxT>      a `Buffer` over an array of shape (A, B), a view where it is a subview
=================  =====================================================================

Every value may have batch axes behind its own: a memref<32xf32> given as an array of
shape (32, B) makes loads give arrays of shape (B,), and one run evaluates B inputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    TensorType,
    VectorType,
)
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    impl_attr,
    register_impls,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import InterpretationError
from xdsl.utils.hints import isa

from xdsl_packed.diagnostics import message_at
from xdsl_packed.interpreters import numerics
from xdsl_packed.interpreters.numerics import Value

_INTEGERS = {
    1: np.dtype(np.bool_),
    8: np.dtype(np.int8),
    16: np.dtype(np.int16),
    32: np.dtype(np.int32),
    64: np.dtype(np.int64),
}


def error(op: Operation, message: str) -> InterpretationError:
    """The exception to raise when `op` cannot be run."""
    return InterpretationError(message_at(op, "error", message))


def element_type(type: Attribute) -> Attribute:
    """The type of one element of a vector, memref or tensor; a scalar's own."""
    if isa(type, VectorType | MemRefType | TensorType):
        return type.element_type
    return type


def shape_of(type: Attribute) -> tuple[int, ...]:
    """The shape of a vector, memref or tensor; () for a scalar."""
    if isa(type, VectorType | MemRefType | TensorType):
        return type.get_shape()
    return ()


def float_name(type: Attribute) -> str:
    """The name of the float type of a scalar or of the elements, as numerics takes it."""
    name = str(element_type(type))
    if name not in numerics.DTYPES:
        raise InterpretationError(
            f"{name} cannot be interpreted: it is no f16, bf16, f32 or f64"
        )
    return name


def dtype_of(type: Attribute) -> np.dtype[Any]:
    """The numpy type of a scalar or of the elements of a vector or memref."""
    element = element_type(type)
    if isinstance(element, IndexType):
        return np.dtype(np.int64)
    if not isinstance(element, IntegerType):
        return numerics.DTYPES[float_name(element)]
    if (dtype := _INTEGERS.get(element.bitwidth)) is None:
        raise InterpretationError(
            f"{element} cannot be interpreted: expected i1, i8, i16, i32 or i64"
        )
    return dtype


def aligned(type: Attribute, *values: Value) -> tuple[Value, ...]:
    """
    Values of one type with as many batch axes each, so that they broadcast.

    A vector<2xf32> without batch (2,) beside one with (2, B) becomes (2, 1).
    """
    rank = len(shape_of(type))
    if rank == 0:
        return values
    most = max(np.ndim(value) for value in values)
    return tuple(
        np.reshape(value, (*np.shape(value), *(1,) * (most - np.ndim(value))))
        for value in values
    )


def uniform(op: Operation, what: str, value: Value) -> int:
    """An integer or a condition that is the same for the whole batch."""
    flat = np.asarray(value).reshape(-1)
    if (flat != flat[0]).any():
        raise error(
            op, f"has a {what} that differs within the batch: run it input by input"
        )
    return int(flat[0])


@dataclass(frozen=True)
class Buffer:
    """
    A memref: elements, and which of them were written.

    `values` has the memref's shape, then batch axes. `written` has the memref's shape; it
    is None for memory that comes from outside, whose elements all count as written.
    """

    values: NDArray[Any]
    written: NDArray[np.bool_] | None = None

    @classmethod
    def unwritten(cls, type: MemRefType, batch: tuple[int, ...]) -> Buffer:
        shape = type.get_shape()
        return cls(
            np.zeros((*shape, *batch), dtype_of(type)), np.zeros(shape, np.bool_)
        )

    def part(self, op: Operation, index: Sequence[slice | int]) -> Buffer:
        """The view at `index`, one entry a dimension of the memref."""
        selection = tuple(index)
        shape = self.values.shape
        for dimension, (entry, extent) in enumerate(zip(selection, shape)):
            first, last = _ends(entry)
            if not 0 <= first <= last < extent:
                raise error(
                    op,
                    f"reaches index {last if first >= 0 else first} of dimension "
                    f"{dimension}, whose extent is {extent}",
                )
        written = None if self.written is None else self.written[(*selection, ...)]
        return Buffer(self.values[(*selection, ...)], written)

    def read(self, op: Operation) -> Value:
        """A copy of all elements. Raises InterpretationError if one was never written."""
        if self.written is not None and not self.written.all():
            raise error(op, "reads an element that was never written")
        return self.values.copy()[()]

    def write(self, op: Operation, value: Value) -> None:
        """Set all elements."""
        value = np.asarray(value)
        if value.ndim > self.values.ndim:
            raise error(
                op,
                "stores a batch of values into memory without batch axes: "
                "give every memref argument the same batch axes",
            )
        batch = (1,) * (self.values.ndim - value.ndim)
        self.values[...] = value.reshape((*value.shape, *batch))
        if self.written is not None:
            self.written[...] = True


def _ends(entry: slice | int) -> tuple[int, int]:
    """The first and last index that a slice with a positive step, or an index, reaches."""
    if isinstance(entry, int):
        return entry, entry
    start, stop, step = entry.start, entry.stop, entry.step
    return start, start + (stop - 1 - start) // step * step


def constant(attribute: Attribute, type: Attribute) -> Value:
    """The value of a number or dense attribute. Raises InterpretationError on others."""
    dtype = dtype_of(type)
    if isa(attribute, IntegerAttr):
        return np.asarray(attribute.value.data).astype(dtype)[()]
    if isa(attribute, FloatAttr):
        return numerics.from_f64(float_name(type), attribute.value.data)
    if not isa(attribute, DenseIntOrFPElementsAttr):
        raise InterpretationError(
            f"{attribute} cannot be interpreted: expected a number or dense elements"
        )
    # The attribute holds the bits of its elements; a splat holds one of them.
    held = np.dtype(np.uint8) if dtype == np.bool_ else dtype
    flat = np.frombuffer(attribute.data.data, held).astype(dtype)
    shape = attribute.get_shape()
    return (flat.reshape(shape) if flat.size != 1 else np.full(shape, flat[0])).copy()[
        ()
    ]


@register_impls
class AttributeFunctions(InterpreterFunctions):
    """The values of attributes, for arguments given as text."""

    @impl_attr(AnyFloat)
    def float_value(
        self, interpreter: Interpreter, attr: Attribute, attr_type: Attribute
    ) -> Value:
        return constant(attr, attr_type)

    @impl_attr(IntegerType)
    def integer_value(
        self, interpreter: Interpreter, attr: Attribute, attr_type: Attribute
    ) -> Value:
        return constant(attr, attr_type)

    @impl_attr(IndexType)
    def index_value(
        self, interpreter: Interpreter, attr: Attribute, attr_type: Attribute
    ) -> Value:
        return constant(attr, attr_type)

    @impl_attr(VectorType)
    def vector_value(
        self, interpreter: Interpreter, attr: Attribute, attr_type: Attribute
    ) -> Value:
        return constant(attr, attr_type)

    @impl_attr(MemRefType)
    def memref_value(
        self, interpreter: Interpreter, attr: Attribute, attr_type: Attribute
    ) -> Buffer:
        return Buffer(constant(attr, attr_type))
