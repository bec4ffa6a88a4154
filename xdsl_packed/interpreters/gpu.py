"""What the gpu ops compute: one thread, the first, runs alone."""

from __future__ import annotations

import numpy as np
from xdsl.dialects import gpu
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    TerminatorValue,
    impl,
    impl_terminator,
    register_impls,
)

_ZERO = (np.int64(0),)
_ONE = (np.int64(1),)


@register_impls
class GpuFunctions(InterpreterFunctions):
    @impl(gpu.ThreadIdOp)
    def run_thread_id(
        self, interpreter: Interpreter, op: gpu.ThreadIdOp, args: PythonValues
    ) -> PythonValues:
        return _ZERO

    @impl(gpu.BlockIdOp)
    def run_block_id(
        self, interpreter: Interpreter, op: gpu.BlockIdOp, args: PythonValues
    ) -> PythonValues:
        return _ZERO

    @impl(gpu.GlobalIdOp)
    def run_global_id(
        self, interpreter: Interpreter, op: gpu.GlobalIdOp, args: PythonValues
    ) -> PythonValues:
        return _ZERO

    @impl(gpu.LaneIdOp)
    def run_lane_id(
        self, interpreter: Interpreter, op: gpu.LaneIdOp, args: PythonValues
    ) -> PythonValues:
        return _ZERO

    @impl(gpu.SubgroupIdOp)
    def run_subgroup_id(
        self, interpreter: Interpreter, op: gpu.SubgroupIdOp, args: PythonValues
    ) -> PythonValues:
        return _ZERO

    @impl(gpu.BlockDimOp)
    def run_block_dim(
        self, interpreter: Interpreter, op: gpu.BlockDimOp, args: PythonValues
    ) -> PythonValues:
        return _ONE

    @impl(gpu.GridDimOp)
    def run_grid_dim(
        self, interpreter: Interpreter, op: gpu.GridDimOp, args: PythonValues
    ) -> PythonValues:
        return _ONE

    @impl(gpu.BarrierOp)
    def run_barrier(
        self, interpreter: Interpreter, op: gpu.BarrierOp, args: PythonValues
    ) -> PythonValues:
        return ()

    @impl_terminator(gpu.ReturnOp)
    def run_return(
        self, interpreter: Interpreter, op: gpu.ReturnOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(args), ()
