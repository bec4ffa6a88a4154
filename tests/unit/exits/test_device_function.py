"""PTX device functions, linked by NVIDIA's linkers to callers that other compilers made."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from xdsl.utils.exceptions import DiagnosticException

from tests.unit.exits.cuda_tools import count, function_text, nvcc, nvlink
from xdsl_packed import compile_reduction, reduction_module
from xdsl_packed.backend.machine_code import disassemble
from xdsl_packed.backend.ptxas import assemble
from xdsl_packed.exits.device_function import (
    declaration,
    device_function_module,
    device_function_ptx,
)
from xdsl_packed.exits.lowering import Lowering, lowerings
from xdsl_packed.target import GpuTarget


def lowering(kind: str, *shape: int, chip: str = "sm_100a", **options: Any) -> Lowering:
    (only,) = lowerings(reduction_module(kind, shape, chip=chip, **options))
    return only


def calling_kernel(of: Lowering, by_value: bool) -> str:
    call = f"{of.name}(a, b);"
    if by_value:
        values = ", ".join(f"a[{i}]" for i in range(of.sources))
        call = f"*b = {of.name}({values});"
    t = of.c_element
    head = f'extern "C" __global__ void caller(const {t} *a, {t} *b)'
    return f"{declaration(of, by_value)}\n{head} {{ {call} }}\n"


@pytest.mark.parametrize("by_value", [False, True])
@pytest.mark.parametrize(
    ("kind", "chip", "opcode", "times"),
    [
        ("add", "sm_100a", "FADD2", 15),
        ("add", "sm_90", "FADD", 31),
        ("maxnumf", "sm_100a", "FMNMX3", None),
    ],
)
def test_cuda_cpp_calls_it(
    kind: str,
    chip: str,
    opcode: str,
    times: int | None,
    by_value: bool,
    tmp_path: Path,
):
    of = lowering(kind, 32, chip=chip)
    ptx = device_function_ptx([of], by_value=by_value)
    caller = nvcc(calling_kernel(of, by_value), chip, tmp_path, "-rdc=true")
    function = assemble(ptx, chip, options=["-c"])
    text = disassemble(nvlink(chip, tmp_path, caller, function))
    assert f"`({of.name})" in function_text(text, "caller")
    code = function_text(text, of.name)
    ours = compile_reduction(kind, (32,), chip=chip).machine_code().opcode_counts()
    assert ours[opcode] == (times or ours[opcode])
    for each in ("FADD", "FADD2", "FMNMX", "FMNMX3"):
        assert count(code, each) == ours.get(each, 0)


def test_numba_cuda_calls_it():
    """numba-cuda compiles a kernel and its own linker (nvJitLink) links it, without a GPU."""
    cuda: Any = import_module("numba.cuda")
    types: Any = import_module("numba.types")
    driver: Any = import_module("numba.cuda.cudadrv.driver")
    of = lowering("add", 32)
    signature = f"float32({', '.join(['float32'] * 32)})"
    function = cuda.declare_device(of.name, signature, abi="c")
    names: dict[str, Any] = {"function": function}
    arguments = ", ".join(f"a[{i}]" for i in range(32))
    exec(f"def caller(a, b): b[0] = function({arguments})", names)
    array = types.float32[::1]
    caller, _ = cuda.compile(
        names["caller"],
        types.void(array, array),
        cc=(10, 0, "a"),
        device=False,
        abi="numba",
        output="ptx",
    )
    linker = driver._Linker(cc=(10, 0, "a"))
    linker.add_ptx(caller.encode())
    linker.add_ptx(device_function_ptx([of], by_value=True).encode())
    cubin = linker.complete()
    text = disassemble(getattr(cubin, "code", cubin))
    assert count(function_text(text, of.name), "FADD2") == 15
    assert "CALL" in text


def test_a_declaration_stands_above_the_ptx():
    ptx = device_function_ptx([lowering("sum", 2), lowering("max", 2)], by_value=True)
    first, second, version, *_ = ptx.splitlines()
    assert first == '// extern "C" __device__ float xp_add_2(float, float);'
    assert second == '// extern "C" __device__ float xp_maxnumf_2(float, float);'
    assert version.startswith(".version")
    assert ptx.count(".visible .func (.param .b32") == 2


def test_alignment_makes_wide_loads():
    scalar, wide = (
        device_function_ptx([lowering("add", 32)], align=align) for align in (None, 16)
    )
    assert "ld.v4.b32" not in scalar
    assert wide.count("ld.v4.b32") == 8


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64", "i8", "i16", "i32", "i64"])
def test_every_type_is_passed_by_pointer(dtype: str):
    of = lowering("add", 9, dtype=dtype, accumulate=True)
    assemble(device_function_ptx([of]), "sm_100a", options=["-c"])


def test_the_old_destination_is_the_last_value():
    of = lowering("add", 3, accumulate=True, order="sequential")
    assert declaration(of, by_value=True).count("float") == 5
    ptx = device_function_ptx([of], by_value=True)
    assert ptx.count("ld.param.b32") == 4


@pytest.mark.parametrize("dtype", ["f16", "bf16", "i8", "i16"])
def test_small_types_are_not_passed_by_value(dtype: str):
    of = lowering("add", 9, dtype=dtype)
    with pytest.raises(DiagnosticException, match="pass them by pointer"):
        device_function_module([of], by_value=True)


def test_several_results_are_not_returned():
    of = lowering("add", 4, 8, axes=[0])
    with pytest.raises(DiagnosticException, match="xp_add_4x8_axes0 has 8 results"):
        device_function_module([of], by_value=True)


def test_one_text_is_for_one_target():
    both = [lowering("add", 8, chip=chip) for chip in ("sm_90", "sm_100a")]
    with pytest.raises(DiagnosticException, match="2 targets"):
        device_function_module(both)


def test_the_module_keeps_its_target():
    module = device_function_module([lowering("add", 8)])
    assert GpuTarget.from_module(module, "the test") == GpuTarget.of("sm_100a")
