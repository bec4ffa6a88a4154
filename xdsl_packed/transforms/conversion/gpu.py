"""gpu: which thread this is, and barriers."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import gpu
from xdsl.ir import Operation, SSAValue

from xdsl_packed.dialects import ptx
from xdsl_packed.dialects.ptx import PtxType, SpecialRegister
from xdsl_packed.transforms.conversion.conversion import Constant, Conversion, converts

_REGISTERS: Mapping[type[Operation], str] = {
    gpu.ThreadIdOp: "tid",
    gpu.BlockIdOp: "ctaid",
    gpu.BlockDimOp: "ntid",
    gpu.GridDimOp: "nctaid",
}


def _special(conversion: Conversion, register: SpecialRegister) -> SSAValue:
    return conversion.cached(
        register, lambda: conversion.emit(ptx.SpecialRegisterOp(register)).d
    )


def _as_index(conversion: Conversion, result: SSAValue, register: SSAValue) -> None:
    """An index has 64 bits: the 32 are extended by zeros, where that is needed at all."""
    extended = conversion.emit(ptx.CvtOp(PtxType.u64, PtxType.u32, register))
    conversion.narrow[extended.d] = register
    conversion.may_be_dead[extended] = None
    conversion.values[result] = extended.d


@converts(gpu.ThreadIdOp, gpu.BlockIdOp, gpu.BlockDimOp, gpu.GridDimOp)
def _dimension(
    conversion: Conversion,
    op: gpu.ThreadIdOp | gpu.BlockIdOp | gpu.BlockDimOp | gpu.GridDimOp,
) -> None:
    name = f"{_REGISTERS[op.__class__]}.{op.dimension.data.value}"
    _as_index(conversion, op.result, _special(conversion, SpecialRegister(name)))


@converts(gpu.GlobalIdOp)
def _global_id(conversion: Conversion, op: gpu.GlobalIdOp) -> None:
    dimension = op.dimension.data.value
    block, size, thread = (
        _special(conversion, SpecialRegister(f"{name}.{dimension}"))
        for name in ("ctaid", "ntid", "tid")
    )
    start = conversion.emit(ptx.MulWideOp(PtxType.u32, block, size)).d
    wide = conversion.emit(ptx.CvtOp(PtxType.u64, PtxType.u32, thread)).d
    conversion.values[op.result] = conversion.emit(
        ptx.AddOp(PtxType.s64, start, wide)
    ).d


@converts(gpu.LaneIdOp)
def _lane_id(conversion: Conversion, op: gpu.LaneIdOp) -> None:
    _as_index(conversion, op.result, _special(conversion, SpecialRegister.laneid))


@converts(gpu.SubgroupSizeOp)
def _subgroup_size(conversion: Conversion, op: gpu.SubgroupSizeOp) -> None:
    conversion.values[op.result] = Constant(PtxType.s64, 32)


@converts(gpu.BarrierOp)
def _barrier(conversion: Conversion, op: gpu.BarrierOp) -> None:
    conversion.emit(ptx.BarSyncOp())
