"""The entrances: which ops are read as reductions, and how."""

from collections.abc import Mapping

from xdsl.ir import Operation

from xdsl_packed.dialects import tile
from xdsl_packed.entrances.entry import Entrance
from xdsl_packed.entrances.tile_reduce import TILE_REDUCE

ENTRANCES: Mapping[type[Operation], Entrance] = {tile.ReduceOp: TILE_REDUCE}
