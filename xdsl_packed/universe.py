"""The `xdsl.universe` entry point: lazy factories only, so that listing costs nothing."""

from __future__ import annotations

from xdsl.ir import Dialect
from xdsl.passes import ModulePass
from xdsl.universe import Universe
from xdsl.utils.frontend import Frontend
from xdsl.utils.target import Target


def _tile() -> Dialect:
    from xdsl_packed.dialects.tile import TILE

    return TILE


def _packed() -> Dialect:
    from xdsl_packed.dialects.packed import PACKED

    return PACKED


def _ptx() -> Dialect:
    from xdsl_packed.dialects.ptx import PTX

    return PTX


def _ptx_set_target() -> type[ModulePass]:
    from xdsl_packed.transforms.ptx_set_target import PtxSetTarget

    return PtxSetTarget


def _tile_dispatch() -> type[ModulePass]:
    from xdsl_packed.transforms.tile_dispatch import TileDispatchPass

    return TileDispatchPass


def _expand_local_copies() -> type[ModulePass]:
    from xdsl_packed.transforms.expand_local_copies import ExpandLocalCopiesPass

    return ExpandLocalCopiesPass


def _unroll_local_loops() -> type[ModulePass]:
    from xdsl_packed.transforms.unroll_local_loops import UnrollLocalLoopsPass

    return UnrollLocalLoopsPass


def _fold_reduction_chains() -> type[ModulePass]:
    from xdsl_packed.transforms.fold_reduction_chains import FoldReductionChainsPass

    return FoldReductionChainsPass


def _promote_local_buffers() -> type[ModulePass]:
    from xdsl_packed.transforms.promote_local_buffers import PromoteLocalBuffersPass

    return PromoteLocalBuffersPass


def _convert_kernels_to_ptx() -> type[ModulePass]:
    from xdsl_packed.transforms.convert_kernels_to_ptx import ConvertKernelsToPtxPass

    return ConvertKernelsToPtxPass


def _convert_packed_to_llvm() -> type[ModulePass]:
    from xdsl_packed.transforms.convert_packed_to_llvm import ConvertPackedToLlvmPass

    return ConvertPackedToLlvmPass


def _convert_to_ptx() -> type[ModulePass]:
    from xdsl_packed.transforms.convert_to_ptx import ConvertToPtxPass

    return ConvertToPtxPass


def _ptx_target() -> type[Target]:
    from xdsl_packed.backend.ptx_target import PtxTarget

    return PtxTarget


def _mlir_with_locations() -> type[Frontend]:
    from xdsl_packed.frontend import MlirWithLocations

    return MlirWithLocations


XDSL_PACKED_UNIVERSE = Universe(
    all_dialects={"tile": _tile, "packed": _packed, "ptx": _ptx},
    all_passes={
        "convert-kernels-to-ptx": _convert_kernels_to_ptx,
        "convert-packed-to-llvm": _convert_packed_to_llvm,
        "convert-to-ptx": _convert_to_ptx,
        "expand-local-copies": _expand_local_copies,
        "fold-reduction-chains": _fold_reduction_chains,
        "promote-local-buffers": _promote_local_buffers,
        "ptx-set-target": _ptx_set_target,
        "tile-dispatch": _tile_dispatch,
        "unroll-local-loops": _unroll_local_loops,
    },
    all_targets={"ptx": _ptx_target},
    all_frontends={"mlir-with-locations": _mlir_with_locations},
)
