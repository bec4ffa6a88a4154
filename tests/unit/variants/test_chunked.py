"""Tiles in global memory: a loop of bounded size, the op's order, the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.utils.exceptions import DiagnosticException

from tests.unit.many_kernels import machine_codes
from tests.unit.semantics.inputs import bits
from tests.unit.semantics.test_three_roads import (
    destinations,
    meaning,
    run,
    side_by_side,
)
from xdsl_packed import compile_reduction, lower, parse_text, reduction_module

LENGTHS = [257, 263, 264, 288, 300, 511, 512, 1000, 1025]
BATCH = 40
"""Inputs side by side; all that tests/unit/semantics/inputs.py makes would be thousands."""


def few(array: np.ndarray[Any, np.dtype[Any]]) -> np.ndarray[Any, np.dtype[Any]]:
    columns = np.unique(np.linspace(0, array.shape[-1] - 1, BATCH, dtype=int))
    return np.ascontiguousarray(array[..., columns])


def check(kind: str, shape: list[int], **options: Any) -> None:
    options = {
        "axes": None,
        "dtype": "f32",
        "order": None,
        "acc": None,
        "out": None,
    } | options
    kernel = compile_reduction(kind, shape, **options)
    assert kernel.variant == "chunked"
    sources = [
        few(side_by_side(kind, shape, options["dtype"], number))
        for number in range(2 if kind == "dot" else 1)
    ]
    destination = kernel.reduction.destination
    old = destinations(
        kernel.reduction.destination_shape,
        destination.element_type,
        sources[0].shape[-1],
    )
    expected = meaning(kind, sources, old, shape, options)
    tile = reduction_module(kind, shape, **options)
    for stage, module in (("tile", tile), ("ptx", kernel.module)):
        got = run(module, kernel.entry, [*sources, old])
        name = destination.element_type
        wrong = bits(got, name) != bits(expected, name)
        assert not wrong.any(), (
            f"{stage} {kind} {shape}: {got[wrong]}, {expected[wrong]}"
        )


@pytest.mark.parametrize("chip", ["sm_90", "sm_100a"])
@pytest.mark.parametrize("order", ["lanes8", "sequential"])
def test_sums(order: str, chip: str):
    for length in LENGTHS:
        check("add", [length], order=order, chip=chip, accumulate=length % 2 == 1)


def test_any_is_lanes8_beyond_the_registers():
    by_order = [
        compile_reduction("add", [257], order=order).reduction
        for order in ("any", "lanes8")
    ]
    assert by_order[0] == by_order[1]


@pytest.mark.parametrize("kind", ["maxnumf", "minimumf", "absmax", "sumsq", "dot"])
def test_other_kinds(kind: str):
    for length in LENGTHS[:4]:
        check(kind, [length], accumulate=length % 2 == 1)


def test_other_types():
    check("maxui", [300], dtype="i8")
    check("add", [300], dtype="i64", accumulate=True)
    check("add", [300], dtype="bf16")
    check("sumsq", [300], dtype="bf16", acc="f32")


def test_several_destinations():
    check("add", [3, 300], axes=[1])
    check("maximumf", [300, 3], axes=[0], accumulate=True)


def test_the_code_is_small_whatever_the_length():
    lengths = (300, 4096, 65536)
    kernels = [compile_reduction("add", [n], align=16) for n in lengths]
    kernels += [compile_reduction("maxnumf", [n], align=16) for n in lengths]
    for kernel, code in zip(kernels, machine_codes(kernels)):
        assert len(code.instructions) < 300, kernel.entry
        assert code.spill_stores == code.spill_loads == 0
        assert len(kernel.ptx) < 10_000


def test_the_loop_adds_in_pairs():
    (code,) = machine_codes([compile_reduction("add", [4096])])
    counts = code.opcode_counts()
    # 16 in the loop, 12 in what is left of a trip, 3 at the end, and the last scalar one.
    assert (counts["FADD2"], counts["FADD"]) == (31, 1)


def test_the_loop_loads_four_at_a_time():
    """The counter is a multiple of eight, so the alignment of the pointer holds in the loop."""
    (code,) = machine_codes([compile_reduction("add", [4096], align=16)])
    # 8 elements before the loop, 32 in it, 24 after it.
    assert code.opcode_counts()["LDG"] == 2 + 8 + 6


SHARED = """
func.func @k(%src: memref<64xf32, 3>, %dst: memref<1xf32, 1>) attributes {gpu.kernel} {
  tile.reduce <add> %src into %dst : memref<64xf32, 3>, memref<1xf32, 1>
  func.return
}
"""


def test_shared_memory():
    _, module = parse_text(SHARED)
    (decision,) = lower(module, chip="sm_90").decisions
    assert decision.chosen == "chunked"
    loads = [op for op in module.walk() if op.name == "ptx.ld"]
    assert loads
    assert all("shared" in str(op) for op in loads)


def test_what_it_does_not_take():
    with pytest.raises(DiagnosticException, match="reduces 2 axes, expected one"):
        compile_reduction("add", [30, 30])
    with pytest.raises(DiagnosticException, match="expected 64 or fewer"):
        compile_reduction("add", [100, 30], axes=[1])
    with pytest.raises(
        DiagnosticException,
        match="order is tree over 300 elements, which no loop keeps",
    ):
        compile_reduction("add", [300], order="tree")


IN_MEMORY = """
func.func @k(%src: memref<{n}xf32, 1>, %dst: memref<1xf32, 1>) attributes {{gpu.kernel}} {{
  tile.reduce <{kind}> %src into %dst {options} : memref<{n}xf32, 1>, memref<1xf32, 1>
  func.return
}}
"""


@pytest.mark.parametrize("chip", ["sm_90", "sm_100a"])
@pytest.mark.parametrize(
    "options", ["", "accumulate", "order(tree)", "order(sequential)"]
)
@pytest.mark.parametrize("kind", ["add", "sumsq"])
def test_short_tiles_in_memory(kind: str, options: str, chip: str):
    """Every length up to some chunks: the op as it is, and lowered."""
    for length in range(1, 41):
        text = IN_MEMORY.format(n=length, kind=kind, options=options)
        source = few(side_by_side(kind, [length], "f32", 0))
        old = destinations((1,), "f32", source.shape[-1])
        _, module = parse_text(text)
        expected = run(module, "k", [source, old])
        lower(module, chip=chip)
        got = run(module, "k", [source, old])
        assert (bits(got, "f32") == bits(expected, "f32")).all(), (length, options)
