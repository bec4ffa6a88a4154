"""What the packed ops compute: their floating-point contract, lane by lane."""

from __future__ import annotations

import numpy as np
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)

from xdsl_packed.dialects import packed
from xdsl_packed.interpreters import numerics
from xdsl_packed.interpreters.values import aligned, float_name


@register_impls
class PackedFunctions(InterpreterFunctions):
    @impl(packed.AddOp)
    def run_add(
        self, interpreter: Interpreter, op: packed.AddOp, args: PythonValues
    ) -> PythonValues:
        type, ftz = op.result.type, op.ftz is not None
        return (numerics.add(float_name(type), *aligned(type, *args), ftz=ftz),)

    @impl(packed.MulOp)
    def run_mul(
        self, interpreter: Interpreter, op: packed.MulOp, args: PythonValues
    ) -> PythonValues:
        type, ftz = op.result.type, op.ftz is not None
        return (numerics.mul(float_name(type), *aligned(type, *args), ftz=ftz),)

    @impl(packed.FmaOp)
    def run_fma(
        self, interpreter: Interpreter, op: packed.FmaOp, args: PythonValues
    ) -> PythonValues:
        type, ftz = op.result.type, op.ftz is not None
        return (numerics.fma(float_name(type), *aligned(type, *args), ftz=ftz),)

    @impl(packed.MaxOp)
    def run_max(
        self, interpreter: Interpreter, op: packed.MaxOp, args: PythonValues
    ) -> PythonValues:
        type, nan, ftz = op.result.type, op.nan is not None, op.ftz is not None
        a, b = aligned(type, *args)
        return (numerics.maximum(float_name(type), a, b, nan=nan, ftz=ftz),)

    @impl(packed.MinOp)
    def run_min(
        self, interpreter: Interpreter, op: packed.MinOp, args: PythonValues
    ) -> PythonValues:
        type, nan, ftz = op.result.type, op.nan is not None, op.ftz is not None
        a, b = aligned(type, *args)
        return (numerics.minimum(float_name(type), a, b, nan=nan, ftz=ftz),)

    @impl(packed.Max3Op)
    def run_max3(
        self, interpreter: Interpreter, op: packed.Max3Op, args: PythonValues
    ) -> PythonValues:
        nan, ftz = op.nan is not None, op.ftz is not None
        a, b, c = args
        first = numerics.maximum("f32", a, b, nan=nan, ftz=ftz)
        return (numerics.maximum("f32", first, c, nan=nan, ftz=ftz),)

    @impl(packed.Min3Op)
    def run_min3(
        self, interpreter: Interpreter, op: packed.Min3Op, args: PythonValues
    ) -> PythonValues:
        nan, ftz = op.nan is not None, op.ftz is not None
        a, b, c = args
        first = numerics.minimum("f32", a, b, nan=nan, ftz=ftz)
        return (numerics.minimum("f32", first, c, nan=nan, ftz=ftz),)

    @impl(packed.PackOp)
    def run_pack(
        self, interpreter: Interpreter, op: packed.PackOp, args: PythonValues
    ) -> PythonValues:
        return (np.stack(np.broadcast_arrays(*args)),)

    @impl(packed.UnpackOp)
    def run_unpack(
        self, interpreter: Interpreter, op: packed.UnpackOp, args: PythonValues
    ) -> PythonValues:
        low, high = args[0]
        return low, high
