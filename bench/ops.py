"""The reductions that the benchmark compares, and the lower bound of each on a chip with native packed and three-input forms."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

OpName: TypeAlias = Literal[
    "sum",
    "max",
    "maximum",
    "absmax",
    "sumsq",
    "dot",
    "sum_f16",
    "sum_bf16",
    "sum_i32",
    "max_i32",
]


@dataclass(frozen=True)
class Bound:
    """The least number of computing instructions, and the least depth of the chain from a loaded value to the stored one."""

    instructions: int
    depth: int


@dataclass(frozen=True)
class Op:
    """
    A reduction of `n` elements of `dtype` to one.

    `kind` is its name in `compile_reduction`; `sources` counts the arrays it reads; `bound` takes `n`, which is at
    least 2.
    """

    name: OpName
    title: str
    kind: str
    dtype: str
    sources: int
    bound: Callable[[int], Bound]


def _ceil_log(base: int, n: int) -> int:
    """The least d with base ** d >= n."""
    depth, reach = 0, 1
    while reach < n:
        depth, reach = depth + 1, reach * base
    return depth


def _packed_add(n: int) -> Bound:
    # An instruction adds in two lanes at most, and the last one joins the two lanes.
    return Bound(1 + (n - 1) // 2, _ceil_log(2, n))


def _three_input(n: int) -> Bound:
    # An instruction with three inputs leaves two values fewer.
    return Bound(n // 2, _ceil_log(3, n))


def _packed_fma(n: int) -> Bound:
    # Two products an instruction, and the one that joins the two lanes takes no product.
    return Bound(1 + (n + 1) // 2, 1 + _ceil_log(2, n))


OPS = (
    Op("sum", "sum of f32", "add", "f32", 1, _packed_add),
    Op("max", "max of f32, NaN dropped", "maxnumf", "f32", 1, _three_input),
    Op("maximum", "max of f32, NaN kept", "maximumf", "f32", 1, _three_input),
    Op("absmax", "max of |x|, f32, NaN dropped", "absmax", "f32", 1, _three_input),
    Op("sumsq", "sum of x*x, f32", "sumsq", "f32", 1, _packed_fma),
    Op("dot", "sum of x*y, f32", "dot", "f32", 2, _packed_fma),
    Op("sum_f16", "sum of f16, steps in f16", "add", "f16", 1, _packed_add),
    Op("sum_bf16", "sum of bf16, steps in bf16", "add", "bf16", 1, _packed_add),
    Op("sum_i32", "sum of i32", "add", "i32", 1, _three_input),
    Op("max_i32", "max of i32, signed", "maxsi", "i32", 1, _three_input),
)

LENGTHS = (8, 9, 12, 15, 16, 24, 31, 32, 33, 48, 63, 64, 100, 127, 128, 256)

# Bytes: every compiler that can be told is told that its sources are aligned so.
ALIGNMENT = 16
