"""
NVIDIA's CuTe DSL, with the reductions of FlashAttention-4 (flash_attn/cute/utils.py, fadd_reduce and fmax_reduce).

Four packed accumulators for lengths that eight divides, the DSL's own `TensorSSA.reduce` for the others.
"""

import tempfile
from importlib import import_module
from typing import Any

from bench.ops import ALIGNMENT, OpName
from bench.peer import NotOffered

cutlass: Any = import_module("cutlass")
cute: Any = import_module("cutlass.cute")
nvvm: Any = import_module("cutlass._mlir.dialects.nvvm")

_LANES = 8


def _max(a: Any, b: Any, c: Any = None, *, nan: bool) -> Any:
    third = None if c is None else cutlass.Float32(c).ir_value()
    value = nvvm.fmax(
        cutlass.Float32(a).ir_value(), cutlass.Float32(b).ir_value(), c=third, nan=nan
    )
    return cutlass.Float32(value)


def _add_pairs(x: Any, n: int) -> Any:
    add = cute.arch.add_packed_f32x2
    lanes = [(x[2 * j], x[2 * j + 1]) for j in range(4)]
    for i in range(_LANES, n, _LANES):
        for j in range(4):
            lanes[j] = add(lanes[j], (x[i + 2 * j], x[i + 2 * j + 1]))
    first = add(add(lanes[0], lanes[1]), add(lanes[2], lanes[3]))
    return first[0] + first[1]


def _max_pairs(x: Any, n: int, nan: bool) -> Any:
    best = [_max(x[2 * j], x[2 * j + 1], nan=nan) for j in range(4)]
    for i in range(_LANES, n, _LANES):
        for j in range(4):
            best[j] = _max(best[j], x[i + 2 * j], x[i + 2 * j + 1], nan=nan)
    return _max(_max(best[0], best[1], nan=nan), best[2], best[3], nan=nan)


def _reduce(x: Any, n: int, op: OpName) -> Any:
    """One value from the register tensor `x`."""
    if n % _LANES == 0:
        return _add_pairs(x, n) if op == "sum" else _max_pairs(x, n, op == "maximum")
    if op == "maximum":
        raise NotOffered("TensorSSA.reduce has no max that keeps NaN")
    kind = cute.ReductionOp.ADD if op == "sum" else cute.ReductionOp.MAX
    rest = 0.0 if op == "sum" else float("-inf")
    return x.load().reduce(kind, cutlass.Float32(rest), 0)


def _program(op: OpName, n: int) -> Any:
    """The host function; n and op are captured, because the DSL takes what a closure holds as constants."""

    # The DSL evaluates annotations: quoted ones stay text.
    @cute.kernel
    def reduce(src: "Any", dst: "Any") -> None:
        values = cute.make_tensor(src, cute.make_layout(n))
        result = cute.make_tensor(dst, cute.make_layout(1))
        x = cute.make_rmem_tensor(n, cutlass.Float32)
        for i in cutlass.range_constexpr(n):
            x[i] = values[i]
        result[0] = _reduce(x, n, op)

    @cute.jit
    def launch(src: "Any", dst: "Any") -> None:
        reduce(src, dst).launch(grid=[1, 1, 1], block=[1, 1, 1])

    return launch


class CuteDsl:
    """`cute.compile`; it runs its own ptxas, so its compile time includes one."""

    name = "CuTe DSL"

    def version(self) -> str:
        return f"CuTe DSL {cutlass.__version__}, FlashAttention-4's scheme"

    def ptx(self, op: OpName, n: int, chip: str) -> str:
        if op not in ("sum", "max", "maximum"):
            raise NotOffered("FlashAttention-4 has sum and max of f32")

        pointer = import_module("cutlass.cute.runtime").make_ptr(
            cutlass.Float32,
            ALIGNMENT,
            cute.AddressSpace.gmem,
            assumed_align=ALIGNMENT,
        )
        with tempfile.TemporaryDirectory() as folder:
            compiled = cute.compile(
                _program(op, n),
                pointer,
                pointer,
                options=f"--gpu-arch {chip} --keep-ptx --dump-dir {folder}",
            )
            return compiled.__ptx__

    def lower(self, op: OpName, n: int, chip: str) -> object:
        return self.ptx(op, n, chip)
