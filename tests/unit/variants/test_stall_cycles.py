"""
The stall cycles that ptxas writes, for values that are in registers at the start.

The loads of a kernel are replaced by one `tcgen05.ld` and its wait, so that what is left is
the reduction. The table is the best of all schemes tried by hand (ptxas 13.5, sm_100a).
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.unit.many_kernels import machine_codes
from xdsl_packed import CompiledKernel, compile_reduction

BEST = {
    "add": {8: 15, 9: 17, 12: 19, 15: 22, 16: 23, 31: 38, 32: 39, 33: 40}
    | {63: 70, 64: 71, 100: 107, 127: 134, 128: 135},
    "maxnumf": {8: 13, 9: 13, 12: 17, 15: 19, 16: 21, 31: 35, 32: 37, 33: 37}
    | {63: 67, 64: 69, 100: 105, 127: 131, 128: 133},
}
LOAD = re.compile(r"    ld\.global\.b32 (%r\d+), \[%rd0(?:\+\d+)?\];\n")
PARAMETERS = re.compile(r"    ld\.param\.b64 %rd1, .*\n")


def values_in_registers(kernel: CompiledKernel) -> CompiledKernel:
    """The kernel, with its elements from one tcgen05.ld of the next power of two values."""
    registers = LOAD.findall(kernel.ptx)
    assert len(registers) == kernel.reduction.length
    count = 1 << (len(registers) - 1).bit_length()
    spare = [f"%spare{i}" for i in range(count - len(registers))]
    loaded = ", ".join((*registers, *spare))
    text = LOAD.sub("", kernel.ptx)
    (parameters,) = PARAMETERS.findall(text)
    from_tensor_memory = (
        f"{parameters}    .reg .b32 %spare<{count + 1}>, %place;\n"
        f"    ld.param.u32 %place, [{kernel.entry}_param_0];\n"
        f"    tcgen05.ld.sync.aligned.32x32b.x{count}.b32 {{{loaded}}}, [%place];\n"
        "    tcgen05.wait::ld.sync.aligned;\n"
    )
    return replace(kernel, ptx=text.replace(parameters, from_tensor_memory))


@pytest.mark.parametrize("kind", BEST)
def test_as_good_as_the_best_known(kind: str):
    best = BEST[kind]
    kernels = [
        values_in_registers(
            compile_reduction(kind, [n], order="any" if kind == "add" else None)
        )
        for n in best
    ]
    cycles = {n: code.stall_cycles for n, code in zip(best, machine_codes(kernels))}
    assert all(cycles[n] <= best[n] for n in best), cycles


def test_never_slower_than_lanes8_with_values_in_registers():
    lengths = range(8, 129)
    cycles = [
        [
            code.stall_cycles
            for code in machine_codes(
                values_in_registers(compile_reduction("add", [n], order=order))
                for n in lengths
            )
        ]
        for order in ("any", "lanes8")
    ]
    slower = [n for n, tree, lanes in zip(lengths, *cycles) if tree > lanes]
    assert slower == []
