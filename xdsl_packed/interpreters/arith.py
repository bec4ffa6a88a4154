"""
What the arith ops compute.

Floats follow `numerics` (fastmath flags allow other bits, they do not ask for them);
integers wrap. An unsigned op looks at the same bits as unsigned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.ir import Attribute, Operation

from xdsl_packed.interpreters import numerics
from xdsl_packed.interpreters.numerics import Value
from xdsl_packed.interpreters.values import (
    aligned,
    constant,
    dtype_of,
    error,
    float_name,
)

_CMPI = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_CMPF = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)
"""The predicates by number (MLIR's ArithBase.td)."""

_RELATIONS: dict[str, Callable[[Value, Value], Value]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}

_quiet = np.errstate(all="ignore")


def signed(value: Value) -> Value:
    """The value as a signed number: true, the one i1 with its sign bit set, is -1."""
    x = np.asarray(value)
    return -x.astype(np.int8) if x.dtype == np.bool_ else x


def unsigned(value: Value) -> Value:
    """The same bits as an unsigned number."""
    x = np.asarray(value)
    if x.dtype == np.bool_:
        return x.astype(np.uint8)
    return x.view(np.dtype(f"u{x.dtype.itemsize}"))


def wrapped(value: Any, dtype: np.dtype[Any]) -> Value:
    """The low bits of an integer as `dtype`."""
    x = np.asarray(value)
    return ((x & 1) != 0 if dtype == np.bool_ else x.astype(dtype))[()]


@_quiet
def integers(
    type: Attribute,
    operation: Callable[..., Any],
    view: Callable[[Value], Value],
    operands: PythonValues,
) -> Value:
    """An integer operation on operands of `type`, seen through `view`, wrapped."""
    values = (view(value) for value in aligned(type, *operands))
    return wrapped(operation(*values), dtype_of(type))


def _quotient(a: Value, b: Value) -> Value:
    """Toward zero."""
    return (a - np.fmod(a, b)) // b


def _ceiling(a: Value, b: Value) -> Value:
    return -(-a // b)


def _unsigned_ceiling(a: Value, b: Value) -> Value:
    return a // b + (a % b != 0)


def _shift(
    op: Operation, type: Attribute, args: PythonValues, left: bool, is_signed: bool
) -> PythonValues:
    width = 8 * dtype_of(type).itemsize
    value, amount = aligned(type, *args)
    if (unsigned(amount) >= width).any():
        raise error(op, f"shifts by {width} bits or more: the result is not defined")
    shift: Callable[..., Any] = np.left_shift if left else np.right_shift
    view = signed if is_signed else unsigned
    return (wrapped(shift(view(value), view(amount)), dtype_of(type)),)


def _nonzero(op: Operation, divisor: Value) -> None:
    if (np.asarray(divisor) == 0).any():
        raise error(op, "divides by zero")


@register_impls
class ArithFunctions(InterpreterFunctions):
    @impl(arith.ConstantOp)
    def run_constant(
        self, interpreter: Interpreter, op: arith.ConstantOp, args: PythonValues
    ) -> PythonValues:
        return (constant(op.value, op.result.type),)

    @impl(arith.SelectOp)
    def run_select(
        self, interpreter: Interpreter, op: arith.SelectOp, args: PythonValues
    ) -> PythonValues:
        condition, yes, no = args
        if op.cond.type == i1:
            yes, no = aligned(op.result.type, yes, no)
        else:
            condition, yes, no = aligned(op.result.type, condition, yes, no)
        return (np.where(condition, yes, no)[()],)

    @impl(arith.CmpiOp)
    def run_cmpi(
        self, interpreter: Interpreter, op: arith.CmpiOp, args: PythonValues
    ) -> PythonValues:
        predicate = _CMPI[op.predicate.value.data]
        view = unsigned if predicate.startswith("u") else signed
        a, b = (view(value) for value in aligned(op.lhs.type, *args))
        return (_RELATIONS[predicate[-2:]](a, b)[()],)

    @impl(arith.CmpfOp)
    def run_cmpf(
        self, interpreter: Interpreter, op: arith.CmpfOp, args: PythonValues
    ) -> PythonValues:
        a, b = aligned(op.lhs.type, *args)
        predicate = _CMPF[op.predicate.value.data]
        if predicate in ("false", "true"):
            shape = np.broadcast_shapes(np.shape(a), np.shape(b))
            return (np.full(shape, predicate == "true")[()],)
        return (numerics.compare(float_name(op.lhs.type), predicate, a, b),)

    def _float(
        self,
        type: Attribute,
        operation: Callable[..., Value],
        args: PythonValues,
        **modifiers: bool,
    ) -> PythonValues:
        return (operation(float_name(type), *aligned(type, *args), **modifiers),)

    @impl(arith.AddfOp)
    def run_addf(
        self, interpreter: Interpreter, op: arith.AddfOp, args: PythonValues
    ) -> PythonValues:
        return self._float(op.result.type, numerics.add, args)

    @impl(arith.SubfOp)
    def run_subf(
        self, interpreter: Interpreter, op: arith.SubfOp, args: PythonValues
    ) -> PythonValues:
        return self._float(op.result.type, numerics.sub, args)

    @impl(arith.MulfOp)
    def run_mulf(
        self, interpreter: Interpreter, op: arith.MulfOp, args: PythonValues
    ) -> PythonValues:
        return self._float(op.result.type, numerics.mul, args)

    @impl(arith.DivfOp)
    def run_divf(
        self, interpreter: Interpreter, op: arith.DivfOp, args: PythonValues
    ) -> PythonValues:
        return self._float(op.result.type, numerics.div, args)

    @impl(arith.NegfOp)
    def run_negf(
        self, interpreter: Interpreter, op: arith.NegfOp, args: PythonValues
    ) -> PythonValues:
        return self._float(op.result.type, numerics.neg, args)

    @impl(arith.MaxnumfOp)
    def run_maxnumf(
        self, interpreter: Interpreter, op: arith.MaxnumfOp, args: PythonValues
    ) -> PythonValues:
        return self._float(op.result.type, numerics.maximum, args)

    @impl(arith.MinnumfOp)
    def run_minnumf(
        self, interpreter: Interpreter, op: arith.MinnumfOp, args: PythonValues
    ) -> PythonValues:
        return self._float(op.result.type, numerics.minimum, args)

    @impl(arith.MaximumfOp)
    def run_maximumf(
        self, interpreter: Interpreter, op: arith.MaximumfOp, args: PythonValues
    ) -> PythonValues:
        return self._float(op.result.type, numerics.maximum, args, nan=True)

    @impl(arith.MinimumfOp)
    def run_minimumf(
        self, interpreter: Interpreter, op: arith.MinimumfOp, args: PythonValues
    ) -> PythonValues:
        return self._float(op.result.type, numerics.minimum, args, nan=True)

    @impl(arith.AddiOp)
    def run_addi(
        self, interpreter: Interpreter, op: arith.AddiOp, args: PythonValues
    ) -> PythonValues:
        return (integers(op.result.type, np.add, unsigned, args),)

    @impl(arith.SubiOp)
    def run_subi(
        self, interpreter: Interpreter, op: arith.SubiOp, args: PythonValues
    ) -> PythonValues:
        return (integers(op.result.type, np.subtract, unsigned, args),)

    @impl(arith.MuliOp)
    def run_muli(
        self, interpreter: Interpreter, op: arith.MuliOp, args: PythonValues
    ) -> PythonValues:
        return (integers(op.result.type, np.multiply, unsigned, args),)

    @impl(arith.AndIOp)
    def run_andi(
        self, interpreter: Interpreter, op: arith.AndIOp, args: PythonValues
    ) -> PythonValues:
        return (integers(op.result.type, np.bitwise_and, unsigned, args),)

    @impl(arith.OrIOp)
    def run_ori(
        self, interpreter: Interpreter, op: arith.OrIOp, args: PythonValues
    ) -> PythonValues:
        return (integers(op.result.type, np.bitwise_or, unsigned, args),)

    @impl(arith.XOrIOp)
    def run_xori(
        self, interpreter: Interpreter, op: arith.XOrIOp, args: PythonValues
    ) -> PythonValues:
        return (integers(op.result.type, np.bitwise_xor, unsigned, args),)

    @impl(arith.MaxSIOp)
    def run_maxsi(
        self, interpreter: Interpreter, op: arith.MaxSIOp, args: PythonValues
    ) -> PythonValues:
        return (integers(op.result.type, np.maximum, signed, args),)

    @impl(arith.MinSIOp)
    def run_minsi(
        self, interpreter: Interpreter, op: arith.MinSIOp, args: PythonValues
    ) -> PythonValues:
        return (integers(op.result.type, np.minimum, signed, args),)

    @impl(arith.MaxUIOp)
    def run_maxui(
        self, interpreter: Interpreter, op: arith.MaxUIOp, args: PythonValues
    ) -> PythonValues:
        return (integers(op.result.type, np.maximum, unsigned, args),)

    @impl(arith.MinUIOp)
    def run_minui(
        self, interpreter: Interpreter, op: arith.MinUIOp, args: PythonValues
    ) -> PythonValues:
        return (integers(op.result.type, np.minimum, unsigned, args),)

    @impl(arith.DivSIOp)
    def run_divsi(
        self, interpreter: Interpreter, op: arith.DivSIOp, args: PythonValues
    ) -> PythonValues:
        _nonzero(op, args[1])
        return (integers(op.result.type, _quotient, signed, args),)

    @impl(arith.RemSIOp)
    def run_remsi(
        self, interpreter: Interpreter, op: arith.RemSIOp, args: PythonValues
    ) -> PythonValues:
        _nonzero(op, args[1])
        return (integers(op.result.type, np.fmod, signed, args),)

    @impl(arith.FloorDivSIOp)
    def run_floordivsi(
        self, interpreter: Interpreter, op: arith.FloorDivSIOp, args: PythonValues
    ) -> PythonValues:
        _nonzero(op, args[1])
        return (integers(op.result.type, np.floor_divide, signed, args),)

    @impl(arith.CeilDivSIOp)
    def run_ceildivsi(
        self, interpreter: Interpreter, op: arith.CeilDivSIOp, args: PythonValues
    ) -> PythonValues:
        _nonzero(op, args[1])
        return (integers(op.result.type, _ceiling, signed, args),)

    @impl(arith.DivUIOp)
    def run_divui(
        self, interpreter: Interpreter, op: arith.DivUIOp, args: PythonValues
    ) -> PythonValues:
        _nonzero(op, args[1])
        return (integers(op.result.type, np.floor_divide, unsigned, args),)

    @impl(arith.RemUIOp)
    def run_remui(
        self, interpreter: Interpreter, op: arith.RemUIOp, args: PythonValues
    ) -> PythonValues:
        _nonzero(op, args[1])
        return (integers(op.result.type, np.remainder, unsigned, args),)

    @impl(arith.CeilDivUIOp)
    def run_ceildivui(
        self, interpreter: Interpreter, op: arith.CeilDivUIOp, args: PythonValues
    ) -> PythonValues:
        _nonzero(op, args[1])
        return (integers(op.result.type, _unsigned_ceiling, unsigned, args),)

    @impl(arith.ShLIOp)
    def run_shli(
        self, interpreter: Interpreter, op: arith.ShLIOp, args: PythonValues
    ) -> PythonValues:
        return _shift(op, op.result.type, args, True, False)

    @impl(arith.ShRUIOp)
    def run_shrui(
        self, interpreter: Interpreter, op: arith.ShRUIOp, args: PythonValues
    ) -> PythonValues:
        return _shift(op, op.result.type, args, False, False)

    @impl(arith.ShRSIOp)
    def run_shrsi(
        self, interpreter: Interpreter, op: arith.ShRSIOp, args: PythonValues
    ) -> PythonValues:
        return _shift(op, op.result.type, args, False, True)

    @impl(arith.BitcastOp)
    def run_bitcast(
        self, interpreter: Interpreter, op: arith.BitcastOp, args: PythonValues
    ) -> PythonValues:
        bits = np.asarray(args[0])
        target = dtype_of(op.result.type)
        if np.bool_ in (bits.dtype, target):
            raise error(op, "casts the bits of i1: extend it instead")
        return (bits.view(target)[()],)

    @impl(arith.IndexCastOp)
    def run_index_cast(
        self, interpreter: Interpreter, op: arith.IndexCastOp, args: PythonValues
    ) -> PythonValues:
        return (wrapped(signed(args[0]), dtype_of(op.result.type)),)

    @impl(arith.ExtSIOp)
    def run_extsi(
        self, interpreter: Interpreter, op: arith.ExtSIOp, args: PythonValues
    ) -> PythonValues:
        return (wrapped(signed(args[0]), dtype_of(op.result.type)),)

    @impl(arith.ExtUIOp)
    def run_extui(
        self, interpreter: Interpreter, op: arith.ExtUIOp, args: PythonValues
    ) -> PythonValues:
        return (wrapped(unsigned(args[0]), dtype_of(op.result.type)),)

    @impl(arith.TruncIOp)
    def run_trunci(
        self, interpreter: Interpreter, op: arith.TruncIOp, args: PythonValues
    ) -> PythonValues:
        return (wrapped(args[0], dtype_of(op.result.type)),)

    @impl(arith.SIToFPOp)
    def run_sitofp(
        self, interpreter: Interpreter, op: arith.SIToFPOp, args: PythonValues
    ) -> PythonValues:
        return (numerics.from_integer(float_name(op.result.type), signed(args[0])),)

    @impl(arith.UIToFPOp)
    def run_uitofp(
        self, interpreter: Interpreter, op: arith.UIToFPOp, args: PythonValues
    ) -> PythonValues:
        return (numerics.from_integer(float_name(op.result.type), unsigned(args[0])),)

    @impl(arith.FPToSIOp)
    def run_fptosi(
        self, interpreter: Interpreter, op: arith.FPToSIOp, args: PythonValues
    ) -> PythonValues:
        target = dtype_of(op.result.type)
        return (numerics.to_integer(float_name(op.input.type), target, args[0]),)

    @impl(arith.FPToUIOp)
    def run_fptoui(
        self, interpreter: Interpreter, op: arith.FPToUIOp, args: PythonValues
    ) -> PythonValues:
        target = np.dtype(f"u{dtype_of(op.result.type).itemsize}")
        value = numerics.to_integer(float_name(op.input.type), target, args[0])
        return (value.view(dtype_of(op.result.type)),)

    @impl(arith.ExtFOp)
    def run_extf(
        self, interpreter: Interpreter, op: arith.ExtFOp, args: PythonValues
    ) -> PythonValues:
        source, target = float_name(op.input.type), float_name(op.result.type)
        return (numerics.convert(source, target, args[0]),)

    @impl(arith.TruncFOp)
    def run_truncf(
        self, interpreter: Interpreter, op: arith.TruncFOp, args: PythonValues
    ) -> PythonValues:
        source, target = float_name(op.input.type), float_name(op.result.type)
        return (numerics.convert(source, target, args[0]),)
