"""Another xDSL project, whose own pass runs passes of ours by their names."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.universe import Universe

PIPELINE = "ptx-set-target{{chip={chip}}},tile-dispatch,convert-to-ptx"


@dataclass(frozen=True)
class ForeignLowerPass(ModulePass):
    name = "foreign-lower"

    chip: str = "sm_90"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        passes = Universe.get_multiverse().all_passes
        spec = PIPELINE.format(chip=self.chip)
        PassPipeline.parse_spec(passes, spec, None).apply(ctx, op)


UNIVERSE = Universe(all_passes={"foreign-lower": lambda: ForeignLowerPass})
