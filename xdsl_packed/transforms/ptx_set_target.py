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

    Without a version the printed text has the lowest one that its instructions need. A
    pass option without quotes is a number: version=9.0 is version="9.0".
    """

    name = "ptx-set-target"

    chip: str
    version: str | float | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        version = None if self.version is None else str(self.version)
        GpuTarget.of(self.chip, version).set_on_module(op)
