"""Record the GPU target on the module, where the passes after it read it."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xdsl_packed.target import GpuTarget


@dataclass(frozen=True)
class PtxSetTarget(ModulePass):
    """
    Sets the module attributes `ptx.chip` and, when a version is given, `ptx.version`.

    Without a version the printed text has the lowest one that its instructions need.
    """

    name = "ptx-set-target"

    chip: str
    version: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        GpuTarget.of(self.chip, self.version).set_on_module(op)
