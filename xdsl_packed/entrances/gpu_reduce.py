"""
The entrances of `gpu.all_reduce` and `gpu.subgroup_reduce`: recognised, and declined.

They reduce one value of each thread over many threads, which no variant does yet.
"""

from __future__ import annotations

from xdsl.ir import Operation

from xdsl_packed.entrances.entry import Entrance, Entry
from xdsl_packed.target import GpuTarget


def _read_all_reduce(op: Operation, target: GpuTarget) -> Entry | str:
    return (
        "it combines one value of every thread of the block, which needs shared memory "
        "and barriers: missing is a variant that asks for them at scope cta. "
        "What one thread holds can be reduced before it, by vector.reduction"
    )


def _read_subgroup_reduce(op: Operation, target: GpuTarget) -> Entry | str:
    return (
        "it combines one value of every lane of the warp, which needs shuffles (or "
        "redux.sync): missing is a variant that emits them at scope warp. "
        "What one thread holds can be reduced before it, by vector.reduction"
    )


GPU_ALL_REDUCE = Entrance(_read_all_reduce, mandatory=False)
GPU_SUBGROUP_REDUCE = Entrance(_read_subgroup_reduce, mandatory=False)
