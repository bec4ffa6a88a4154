"""
The machine code meets the lower bounds, for every length from 2 to 256.

Arithmetic on what ptxas makes of our kernels: the instructions that compute, the moves that
do not, the dependency depth, and spills. With accumulate the bounds are those of one value
more.
"""

from __future__ import annotations

import pytest

from tests.unit.many_kernels import machine_codes
from xdsl_packed import CompiledKernel, compile_reduction
from xdsl_packed.backend.machine_code import MachineCode

LENGTHS = range(2, 257)
EXTREMA = ["maxnumf", "minnumf", "maximumf", "minimumf"]
CASES = [
    ("add", False, 4),
    ("add", False, 16),
    ("add", True, 16),
    ("maximumf", True, 4),
    *((kind, False, 16) for kind in EXTREMA),
]
"""Kind, accumulate, and the alignment in bytes: scalar loads, or loads of four."""


def compiled(
    kind: str, accumulate: bool, align: int, chip: str
) -> list[CompiledKernel]:
    order = "any" if kind == "add" else None
    return [
        compile_reduction(
            kind, [n], order=order, accumulate=accumulate, align=align, chip=chip
        )
        for n in LENGTHS
    ]


def log3(count: int) -> int:
    """ceil(log3 count)."""
    return next(depth for depth in range(9) if 3**depth >= count)


def shape_of(code: MachineCode) -> tuple[int, int, int, int]:
    spilled = code.spill_loads + code.spill_stores
    return code.arithmetic_count, code.moves, code.dependency_depth, spilled


@pytest.mark.parametrize(("kind", "accumulate", "align"), CASES, ids=str)
def test_on_blackwell(kind: str, accumulate: bool, align: int):
    kernels = compiled(kind, accumulate, align, "sm_100a")
    for length, code in zip(LENGTHS, machine_codes(kernels)):
        count = length + accumulate
        if kind == "add":
            instructions, depth = 1 + -(-(count - 2) // 2), (count - 1).bit_length()
        else:
            instructions, depth = -(-(count - 1) // 2), log3(count)
        assert shape_of(code) == (instructions, 0, depth, 0), code.entry
        check_opcodes(kind, count, code)


def check_opcodes(kind: str, count: int, code: MachineCode) -> None:
    counts = code.opcode_counts()
    if kind == "add":
        scalar = 1 + count % 2 if count > 2 else 1
        assert counts.get("FADD", 0) == scalar, code.entry
    else:
        assert counts.get("FMNMX", 0) == (1 if count % 2 == 0 else 0), code.entry


@pytest.mark.parametrize("kind", ["add", "maximumf"])
def test_on_hopper(kind: str):
    """sm_90 has neither packed nor three-input f32: one instruction a combination."""
    kernels = compiled(kind, accumulate=False, align=16, chip="sm_90")
    for length, code in zip(LENGTHS, machine_codes(kernels)):
        arithmetic, moves, depth, spilled = shape_of(code)
        assert (arithmetic, spilled) == (length - 1, 0), code.entry
        # Beyond 240 values ptxas runs out of registers, and moves one now and then.
        assert moves == 0 or length > 240, code.entry
        if kind == "add":
            assert depth == (length - 1).bit_length(), code.entry


def test_fused_integers_on_hopper():
    """Threes of two-input operations, which ptxas fuses: VIMNMX3 and IADD3."""
    for kind, opcode in (("maxsi", "VIMNMX3"), ("minui", "VIMNMX3"), ("add", "IADD3")):
        lengths = range(3, 257, 2)
        kernels = [
            compile_reduction(kind, [n], dtype="i32", chip="sm_90", align=4)
            for n in lengths
        ]
        for length, code in zip(lengths, machine_codes(kernels)):
            assert code.arithmetic_count == (length - 1) // 2, code.entry
            assert code.dependency_depth == log3(length), code.entry
            assert code.opcode_counts()[opcode] >= (length - 1) // 2, code.entry
