"""The entrances: which ops are read as reductions, and how."""

from collections.abc import Mapping

from xdsl_packed.entrances.entry import Entrance
from xdsl_packed.entrances.gpu_reduce import GPU_ALL_REDUCE, GPU_SUBGROUP_REDUCE
from xdsl_packed.entrances.linalg_reduce import LINALG_REDUCE
from xdsl_packed.entrances.tile_reduce import TILE_REDUCTION
from xdsl_packed.entrances.vector_multi_reduction import VECTOR_MULTI_REDUCTION
from xdsl_packed.entrances.vector_reduction import VECTOR_REDUCTION

ENTRANCES: Mapping[str, Entrance] = {
    "gpu.all_reduce": GPU_ALL_REDUCE,
    "gpu.subgroup_reduce": GPU_SUBGROUP_REDUCE,
    "linalg.reduce": LINALG_REDUCE,
    "tile.dot": TILE_REDUCTION,
    "tile.reduce": TILE_REDUCTION,
    "vector.multi_reduction": VECTOR_MULTI_REDUCTION,
    "vector.reduction": VECTOR_REDUCTION,
}
"""By the op's name, as xDSL does not know all of these ops."""
