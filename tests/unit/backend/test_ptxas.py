"""Finding ptxas, and its words when it refuses."""

import os
import stat
from pathlib import Path

import pytest
from xdsl.utils.exceptions import DiagnosticException

from xdsl_packed.backend import ptxas
from xdsl_packed.backend.ptxas import (
    EntryResources,
    assemble,
    assemble_with_resources,
    find_in_wheel,
    find_tool,
)

PTX = """.version 7.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p0)
{
  .reg .b64 %rd0;
  .reg .f32 %f<2>;
  ld.param.u64 %rd0, [p0];
  ld.global.f32 %f0, [%rd0];
  add.rn.f32 %f1, %f0, %f0;
  st.global.f32 [%rd0], %f1;
  ret;
}
"""


def _program(folder: Path, name: str, script: str = "exit 0") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither variables, nor a wheel, nor CUDA, nor a PATH."""
    for variable in ("PTXAS", "NVDISASM", "CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(ptxas, "find_in_wheel", dict[str, Path]().get)


class Test_find_tool:
    def test_order(
        self, nowhere: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        """Each later place is found, and yields to each earlier one."""
        on_path = _program(tmp_path / "path", "ptxas")
        monkeypatch.setenv("PATH", str(on_path.parent))
        assert find_tool("ptxas") == on_path

        in_cuda_path = _program(tmp_path / "cuda_path" / "bin", "ptxas")
        monkeypatch.setenv("CUDA_PATH", str(tmp_path / "cuda_path"))
        assert find_tool("ptxas") == in_cuda_path

        in_cuda_home = _program(tmp_path / "cuda_home" / "bin", "ptxas")
        monkeypatch.setenv("CUDA_HOME", str(tmp_path / "cuda_home"))
        assert find_tool("ptxas") == in_cuda_home

        in_wheel = _program(tmp_path / "wheel", "ptxas")
        monkeypatch.setattr(ptxas, "find_in_wheel", {"ptxas": in_wheel}.get)
        assert find_tool("ptxas") == in_wheel

        named = _program(tmp_path / "named", "my-ptxas")
        monkeypatch.setenv("PTXAS", str(named))
        assert find_tool("ptxas") == named

        explicit = _program(tmp_path / "explicit", "ptxas-13")
        assert find_tool("ptxas", explicit) == explicit
        assert find_tool("ptxas", str(explicit)) == explicit

    def test_each_tool_has_its_own_variable(
        self, nowhere: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        named = _program(tmp_path, "dis")
        monkeypatch.setenv("PTXAS", "/no/such/ptxas")
        monkeypatch.setenv("NVDISASM", str(named))
        assert find_tool("nvdisasm") == named

    @pytest.mark.parametrize(
        ("tool", "wheel"),
        [("ptxas", "nvidia-cuda-nvcc"), ("nvdisasm", "nvidia-cuda-nvdisasm")],
    )
    def test_missing(self, nowhere: None, tool: ptxas.Tool, wheel: str):
        with pytest.raises(DiagnosticException) as error:
            find_tool(tool)
        assert str(error.value) == (
            f"{tool} not found (looked at {tool.upper()}, the wheel {wheel}, CUDA_HOME, CUDA_PATH, PATH): "
            "pip install 'xdsl-packed[cuda]'"
        )

    def test_explicit_is_not_replaced_by_another(self):
        with pytest.raises(DiagnosticException) as error:
            find_tool("ptxas", "/no/such/ptxas")
        assert (
            str(error.value) == "ptxas given explicitly does not exist: /no/such/ptxas"
        )

    def test_variable_is_not_replaced_by_another(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("PTXAS", "/no/such/ptxas")
        with pytest.raises(DiagnosticException) as error:
            find_tool("ptxas")
        assert str(error.value) == "ptxas named by PTXAS does not exist: /no/such/ptxas"

    def test_not_executable(self, tmp_path: Path):
        text = tmp_path / "ptxas"
        text.write_text("not a program")
        for path in (text, tmp_path):
            with pytest.raises(DiagnosticException) as error:
                find_tool("ptxas", path)
            assert (
                str(error.value) == f"ptxas given explicitly is not executable: {path}"
            )

    def test_wheel(self):
        for tool in ("ptxas", "nvdisasm"):
            found = find_in_wheel(tool)
            assert found is not None
            assert found.name == tool
            assert os.access(found, os.X_OK)


class Test_assemble:
    def test_cubin(self):
        cubin = assemble(PTX, "sm_90")
        assert cubin.startswith(b"\x7fELF")
        assert assemble(PTX, "sm_90") == cubin

    def test_resources(self):
        resources = assemble_with_resources(PTX, "sm_90").resources
        assert list(resources) == ["k"]
        registers = resources["k"].registers
        assert 4 <= registers <= 16
        assert resources["k"] == EntryResources(registers, 0, 0, 0)

    def test_resources_of_spills(self):
        values = range(40)
        body = "\n".join(
            (
                *(f"ld.global.f32 %v{i}, [%rd0+{4 * i}];" for i in values),
                *(f"add.rn.f32 %f0, %f0, %v{i};" for i in values),
                *(f"mul.rn.f32 %v{i}, %v{i}, %f0;" for i in values),
                *(f"st.global.f32 [%rd0+{4 * i}], %v{i};" for i in values),
            )
        )
        ptx = PTX.replace("add.rn.f32 %f1, %f0, %f0;", ".reg .f32 %v<40>;\n" + body)
        ptx = ptx.replace("st.global.f32 [%rd0], %f1;", "")
        options = ["--maxrregcount=24"]
        resources = assemble_with_resources(ptx, "sm_90", options=options).resources
        assert resources["k"].registers == 24
        assert resources["k"].spill_stores >= 4 * (40 - 24)
        assert resources["k"].spill_loads >= resources["k"].spill_stores
        assert resources["k"].stack >= resources["k"].spill_stores

    def test_refusal_names_the_line_and_no_file_of_this_machine(self):
        bad = PTX.replace("add.rn.f32", "add.rn.f33")
        with pytest.raises(DiagnosticException) as error:
            assemble(bad, "sm_90")
        first, *rest = str(error.value).splitlines()
        assert first == "ptxas refused the PTX for sm_90:"
        assert rest[0] == "  ptxas <ptx>, line 10; error   : Unknown modifier '.f33'"
        assert "/" not in str(error.value)
        assert "kernel.ptx" not in str(error.value)
        assert "ptxas info" not in str(error.value)

    def test_unknown_chip(self):
        with pytest.raises(DiagnosticException, match=r"sm_77.*\n.*'sm_77' is not"):
            assemble(PTX, "sm_77")

    def test_crash(self, tmp_path: Path):
        crashing = _program(tmp_path, "ptxas", "kill -SEGV $$")
        with pytest.raises(DiagnosticException) as error:
            assemble(PTX, "sm_90", ptxas=crashing)
        assert str(error.value) == "ptxas crashed (SIGSEGV) on the PTX for sm_90"

    def test_silent_failure(self, tmp_path: Path):
        failing = _program(tmp_path, "ptxas", "exit 3")
        with pytest.raises(DiagnosticException) as error:
            assemble(PTX, "sm_90", ptxas=failing)
        assert str(error.value) == "ptxas refused the PTX for sm_90: exit code 3"

    def test_no_cubin(self, tmp_path: Path):
        idle = _program(tmp_path, "ptxas")
        with pytest.raises(DiagnosticException, match="wrote no cubin"):
            assemble(PTX, "sm_90", ptxas=idle)

    def test_not_a_program(self, tmp_path: Path):
        garbage = _program(tmp_path, "ptxas")
        garbage.write_bytes(b"\x7fELF garbage")
        with pytest.raises(DiagnosticException, match="ptxas cannot be run"):
            assemble(PTX, "sm_90", ptxas=garbage)

    def test_stuck(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(ptxas, "_TIMEOUT_SECONDS", 0.2)
        stuck = _program(tmp_path, "ptxas", "exec sleep 60")
        with pytest.raises(DiagnosticException, match="did not end within"):
            assemble(PTX, "sm_90", ptxas=stuck)
