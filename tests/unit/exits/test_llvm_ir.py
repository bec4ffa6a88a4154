"""LLVM IR, compiled by LLVM's own NVPTX back end: the same code as our own route's."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

import pytest
from xdsl.utils.exceptions import DiagnosticException

from xdsl_packed import compile_reduction, reduction_module
from xdsl_packed.backend.machine_code import read_machine_code
from xdsl_packed.backend.ptxas import assemble
from xdsl_packed.exits.llvm_ir import TRIPLE, llvm_ir
from xdsl_packed.exits.lowering import Lowering, lowerings
from xdsl_packed.reduction import takes_order


def lowering(kind: str, *shape: int, chip: str = "sm_100a", **options: Any) -> Lowering:
    (only,) = lowerings(reduction_module(kind, shape, chip=chip, **options))
    return only


def ptx_by_llvm(ir: str) -> str:
    """What LLVM makes of it, told what the first line says."""
    binding: Any = import_module("llvmlite.binding")
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    told = re.match(r"; llc -mcpu=(\w+) -mattr=(\+ptx\d+)\n", ir)
    assert told, ir
    machine = binding.Target.from_triple(TRIPLE).create_target_machine(
        cpu=told[1], features=told[2], opt=3
    )
    return machine.emit_assembly(binding.parse_assembly(ir))


@pytest.mark.parametrize(
    ("chip", "kind", "length", "options"),
    [
        ("sm_100a", "add", 32, {}),
        ("sm_100a", "add", 33, {"ftz": True, "accumulate": True}),
        ("sm_100a", "maxnumf", 32, {}),
        ("sm_100a", "minimumf", 19, {"accumulate": True}),
        ("sm_90", "add", 32, {}),
        ("sm_90", "mul", 9, {"dtype": "f64"}),
    ],
)
def test_llvm_makes_the_same_machine_code(
    chip: str, kind: str, length: int, options: dict[str, Any]
):
    of = lowering(kind, length, chip=chip, **options)
    cubin = assemble(ptx_by_llvm(llvm_ir([of])), chip)
    theirs = read_machine_code(cubin, of.name)
    ours = compile_reduction(kind, (length,), chip=chip, **options).machine_code()
    if takes_order(of.reduction.kind, of.reduction.element_type):
        assert theirs.expression() == ours.expression()
    for opcode in ("FADD", "FADD2", "FMNMX", "FMNMX3", "DMUL"):
        counts = {code.opcode_counts().get(opcode, 0) for code in (theirs, ours)}
        assert len(counts) == 1, opcode


@pytest.mark.parametrize("dtype", ["f16", "f64", "i8", "i16", "i32", "i64"])
def test_every_type_compiles(dtype: str):
    floats = ("add", "mul", "maxnumf", "minimumf")
    integers = ("add", "mul", "maxsi", "minsi", "maxui", "minui", "and", "or", "xor")
    kinds = floats if dtype.startswith("f") else integers
    every = [
        lowering(kind, 9, dtype=dtype, chip="sm_90", accumulate=True) for kind in kinds
    ]
    assemble(ptx_by_llvm(llvm_ir(every)), "sm_90")


def test_three_inputs_need_a_later_ptx():
    assert llvm_ir([lowering("add", 32)]).startswith(
        "; llc -mcpu=sm_100a -mattr=+ptx86"
    )
    assert llvm_ir([lowering("max", 32)]).startswith(
        "; llc -mcpu=sm_100a -mattr=+ptx88"
    )


def test_the_assembly_is_pure():
    ir = llvm_ir([lowering("add", 32)])
    assert ir.count('call i64 asm  "add.rn.f32x2') == 15
    assert "sideeffect" not in ir


def test_alignment_makes_wide_loads():
    scalar, wide = (
        ptx_by_llvm(llvm_ir([lowering("add", 32)], align=align)) for align in (None, 16)
    )
    assert "ld.global.v2" not in scalar
    assert wide.count("ld.global.v2.b64") == 8


def test_bf16_is_refused():
    with pytest.raises(DiagnosticException, match="elements of bf16, which xDSL"):
        llvm_ir([lowering("add", 9, dtype="bf16")])


def test_without_llvmlite_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    def missing(name: str) -> Any:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("xdsl_packed.exits.llvm_ir.import_module", missing)
    with pytest.raises(DiagnosticException, match=r"pip install 'xdsl-packed\[llvm\]'"):
        llvm_ir([lowering("add", 9)])
