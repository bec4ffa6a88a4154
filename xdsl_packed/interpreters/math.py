"""What the math ops compute; exp2 and rsqrt are approximations on the chip."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import math
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.ir import Attribute

from xdsl_packed.interpreters import numerics
from xdsl_packed.interpreters.numerics import Value
from xdsl_packed.interpreters.values import aligned, float_name


def _float(
    type: Attribute, operation: Callable[..., Value], args: PythonValues
) -> PythonValues:
    return (operation(float_name(type), *aligned(type, *args)),)


@register_impls
class MathFunctions(InterpreterFunctions):
    @impl(math.FmaOp)
    def run_fma(
        self, interpreter: Interpreter, op: math.FmaOp, args: PythonValues
    ) -> PythonValues:
        return _float(op.result.type, numerics.fma, args)

    @impl(math.AbsFOp)
    def run_absf(
        self, interpreter: Interpreter, op: math.AbsFOp, args: PythonValues
    ) -> PythonValues:
        return _float(op.result.type, numerics.absolute, args)

    @impl(math.SqrtOp)
    def run_sqrt(
        self, interpreter: Interpreter, op: math.SqrtOp, args: PythonValues
    ) -> PythonValues:
        return _float(op.result.type, numerics.sqrt, args)

    @impl(math.RsqrtOp)
    def run_rsqrt(
        self, interpreter: Interpreter, op: math.RsqrtOp, args: PythonValues
    ) -> PythonValues:
        return _float(op.result.type, numerics.rsqrt, args)

    @impl(math.Exp2Op)
    def run_exp2(
        self, interpreter: Interpreter, op: math.Exp2Op, args: PythonValues
    ) -> PythonValues:
        return _float(op.result.type, numerics.exp2, args)
