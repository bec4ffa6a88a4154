"""The CUDA C++ header, compiled by nvcc: the same expression as our own kernel's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from xdsl.utils.exceptions import DiagnosticException

from tests.unit.exits.cuda_tools import count, function_text, nvcc
from xdsl_packed import compile_reduction, reduction_module
from xdsl_packed.backend.machine_code import disassemble, read_machine_code
from xdsl_packed.exits.cuda_header import cuda_header
from xdsl_packed.exits.lowering import Lowering, lowerings
from xdsl_packed.frontend import parse_text
from xdsl_packed.reduction import takes_order

KERNEL = """
extern "C" __global__ void kernel_{f}(const {t} *source, {t} *destination)
{{
    {t} x[{n}];
    for (int i = 0; i < {n}; i++)
        x[i] = source[i];
    {call}
}}
"""

CASES: list[tuple[str, int, dict[str, Any]]] = [
    ("add", 32, {"ftz": True}),
    ("add", 33, {"accumulate": True}),
    ("add", 16, {"order": "sequential"}),
    ("minimumf", 19, {"accumulate": True, "ftz": True}),
    ("mul", 12, {}),
    ("sumsq", 17, {}),
    ("absmax", 18, {}),
    ("add", 21, {"order": "tree"}),
]

FLOAT_KINDS = ("add", "mul", "maxnumf", "minimumf")
INTEGER_KINDS = ("add", "mul", "maxsi", "minui", "and", "or", "xor")


def lowering(kind: str, *shape: int, chip: str = "sm_100a", **options: Any) -> Lowering:
    (only,) = lowerings(reduction_module(kind, shape, chip=chip, **options))
    return only


def kernel(of: Lowering) -> str:
    old = ", destination[0]" if of.reduction.accumulate else ""
    call = f"destination[0] = {of.name}(x{old});"
    if of.results != 1:
        call = (
            f"{of.c_element} y[{of.results}];\n"
            f"for (int i = 0; i < {of.results}; i++) y[i] = destination[i];\n"
            f"{of.name}(x, y);\n"
            f"for (int i = 0; i < {of.results}; i++) destination[i] = y[i];"
        )
    return KERNEL.format(f=of.name, t=of.c_element, n=of.sources, call=call)


def compiled(
    every: Sequence[Lowering], chip: str, folder: Path, *options: str
) -> bytes:
    """The cubin with one kernel for each function of a header."""
    (folder / "xp.cuh").write_text(cuda_header(every))
    source = '#include "xp.cuh"\n' + "".join(map(kernel, every))
    return nvcc(source, chip, folder, *options)


@pytest.mark.parametrize("chip", ["sm_90", "sm_100a"])
def test_it_is_the_code_of_our_own_kernels(chip: str, tmp_path: Path):
    every = [lowering(kind, n, **options) for kind, n, options in CASES]
    # With -ftz=true nvcc makes __fadd_rn flush: the header's bits do not depend on it.
    cubin = compiled(every, chip, tmp_path, "-ftz=true")
    for of, (kind, n, options) in zip(every, CASES, strict=True):
        ours = compile_reduction(kind, (n,), chip=chip, **options).machine_code()
        theirs = read_machine_code(cubin, f"kernel_{of.name}")
        if takes_order(of.reduction.kind, of.reduction.element_type):
            assert theirs.expression() == ours.expression(), of.name
        for opcode in ("FADD", "FADD2", "FMUL", "FMNMX", "FMNMX3"):
            counts = {code.opcode_counts().get(opcode, 0) for code in (theirs, ours)}
            assert len(counts) == 1, (of.name, opcode)


@pytest.mark.parametrize(
    ("chip", "packed", "scalar"),
    [
        ("sm_75", 0, 31),
        ("sm_90", 0, 31),
        ("sm_100a", 15, 1),
        ("sm_103", 15, 1),
        ("sm_120", 0, 31),
    ],
)
def test_it_is_packed_where_that_is_native(
    chip: str, packed: int, scalar: int, tmp_path: Path
):
    every = [lowering("add", 32), lowering("maxnumf", 32)]
    text = disassemble(compiled(every, chip, tmp_path))
    add, maximum = (function_text(text, f"kernel_{of.name}") for of in every)
    assert (count(add, "FADD2"), count(add, "FADD")) == (packed, scalar)
    if packed == 0:
        assert (count(maximum, "FMNMX3"), count(maximum, "FMNMX")) == (0, 31)
        return
    ours = compile_reduction("maxnumf", (32,), chip="sm_100a").machine_code()
    assert ours.opcode_counts()["FMNMX3"] >= 13
    for opcode in ("FMNMX3", "FMNMX"):
        assert count(maximum, opcode) == ours.opcode_counts().get(opcode, 0)


def test_every_type_compiles(tmp_path: Path):
    floats = [(kind, t) for t in ("f64", "f16", "bf16") for kind in FLOAT_KINDS]
    integers = [
        (kind, t) for t in ("i8", "i16", "i32", "i64") for kind in INTEGER_KINDS
    ]
    every = [lowering(kind, 9, dtype=dtype) for kind, dtype in (*floats, *integers)]
    every += [
        lowering(kind, 9, dtype=dtype, accumulate=True) for kind, dtype in integers
    ]
    text = disassemble(compiled(every, "sm_90", tmp_path))
    for name, opcode, least in (
        ("xp_add_f64_9", "DADD", 8),
        ("xp_mul_f64_9", "DMUL", 8),
        ("xp_add_f16_9", "H(ADD|FMA)2", 5),
        ("xp_add_bf16_9", "H(ADD|FMA)2", 5),
        # Two pairs of threes, and one of the two lanes and the odd value.
        ("xp_maxnumf_bf16_9", "V?HMNMX2?", 3),
        ("xp_maxsi_i32_9", "VIMNMX3?", 4),
        ("xp_add_i64_9", "IADD3", 8),
    ):
        assert count(function_text(text, f"kernel_{name}"), opcode) >= least, name


def test_several_results_with_an_old_destination(tmp_path: Path):
    of = lowering("add", 4, 8, axes=[0], accumulate=True)
    counts = read_machine_code(compiled([of], "sm_90", tmp_path)).opcode_counts()
    assert of.name == "xp_add_4x8_axes0_accumulate"
    assert counts["FADD"] == 32


def test_headers_are_included_together_and_twice(tmp_path: Path):
    for name, length in (("one", 32), ("two", 33), ("three", 32)):
        header = cuda_header([lowering("add", length)])
        (tmp_path / f"{name}.cuh").write_text(header)
    (tmp_path / "xp.cuh").write_text(
        '#include "one.cuh"\n#include "two.cuh"\n#include "three.cuh"\n#include "one.cuh"\n'
    )
    source = '#include "xp.cuh"\n' + kernel(lowering("add", 33))
    code = read_machine_code(nvcc(source, "sm_100a", tmp_path))
    assert code.opcode_counts()["FADD2"] == 15


def test_an_older_toolkit_takes_the_portable_code():
    header = cuda_header([lowering("add", 32), lowering("maxnumf", 32)])
    guards = [line for line in header.splitlines() if line.startswith("#if defined")]
    assert [guard[-7:] for guard in guards] == [">= 1207", ">= 1209"]
    assert all("__CUDA_ARCH__ == 1000" in guard for guard in guards)


def test_a_kind_that_old_chips_lack_says_so():
    header = cuda_header([lowering("maximumf", 32)])
    assert '#error "xp_maximumf_32 needs sm_80 or newer"' in header


def test_each_reduction_of_a_module_once():
    _, module = parse_text(
        """
        builtin.module attributes {ptx.chip = "sm_100a"} {
          func.func @f(%a: memref<32xf32, 5>, %b: memref<1xf32, 5>) {
            tile.reduce <add> %a into %b : memref<32xf32, 5>, memref<1xf32, 5>
            tile.reduce <maxnumf> %a into %b : memref<32xf32, 5>, memref<1xf32, 5>
            tile.reduce <add> %a into %b : memref<32xf32, 5>, memref<1xf32, 5>
            return
          }
        }
        """,
        "two.mlir",
    )
    before = str(module)
    assert [each.name for each in lowerings(module)] == ["xp_add_32", "xp_maxnumf_32"]
    assert str(module) == before


def test_two_sources_are_refused():
    with pytest.raises(DiagnosticException, match="reads two sources"):
        lowering("dot", 32)


def test_a_module_without_a_reduction_is_refused():
    _, module = parse_text(
        'builtin.module attributes {ptx.chip = "sm_90"} { func.func @f() { return } }',
        "none.mlir",
    )
    with pytest.raises(DiagnosticException, match="no reduction that can be lowered"):
        lowerings(module)
