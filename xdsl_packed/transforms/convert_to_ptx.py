"""From packed and upstream ops to PTX: every pass of that way, in order."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xdsl_packed.target import GpuTarget
from xdsl_packed.transforms.convert_kernels_to_ptx import ConvertKernelsToPtxPass
from xdsl_packed.transforms.expand_local_copies import ExpandLocalCopiesPass
from xdsl_packed.transforms.promote_local_buffers import PromoteLocalBuffersPass
from xdsl_packed.transforms.unroll_local_loops import UnrollLocalLoopsPass


@dataclass(frozen=True)
class ConvertToPtxPass(ModulePass):
    """
    Run expand-local-copies, unroll-local-loops, promote-local-buffers and
    convert-kernels-to-ptx.
    """

    name = "convert-to-ptx"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        GpuTarget.from_module(op, self.name)
        ExpandLocalCopiesPass().apply(ctx, op)
        UnrollLocalLoopsPass().apply(ctx, op)
        PromoteLocalBuffersPass().apply(ctx, op)
        ConvertKernelsToPtxPass().apply(ctx, op)
