"""The CUDA compiler and linker of the `cuda` extra, for tests that compile CUDA C++."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from xdsl_packed.backend.ptxas import find_tool


def _run(tool: Path, *arguments: str, folder: Path) -> None:
    done = subprocess.run(
        [str(tool), *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _tool(name: str) -> Path:
    """A program that the wheels put beside ptxas."""
    return find_tool("ptxas").with_name(name)


def _host_compiler(folder: Path) -> Path:
    """What nvcc preprocesses with: the machine's own, else clang of the wheel `ziglang`."""
    for name in ("g++", "clang++"):
        if (found := shutil.which(name)) is not None:
            return Path(found)
    assert find_spec("ziglang"), "nvcc needs g++, clang++ or the wheel ziglang"
    script = folder / "clang++"
    # zig has the headers of one glibc, 2.42, but says that they are an older one's unless
    # told otherwise; CUDA's headers go by what it says.
    target = f"{platform.machine()}-linux-gnu.2.42"
    compiler = f"{sys.executable} -m ziglang c++ -target {target}"
    script.write_text(f'#!/bin/sh\nexec {compiler} "$@"\n')
    script.chmod(0o755)
    return script


def nvcc(source: str, chip: str, folder: Path, *options: str) -> bytes:
    """The cubin of a CUDA C++ source that may include files in `folder`."""
    (folder / "kernel.cu").write_text(source)
    host = ("-ccbin", str(_host_compiler(folder)), "-allow-unsupported-compiler")
    output = ("-cubin", "kernel.cu", "-o", "kernel.cubin")
    _run(_tool("nvcc"), *host, f"-arch={chip}", *options, *output, folder=folder)
    return (folder / "kernel.cubin").read_bytes()


def nvcc_program(source: str, chip: str, folder: Path, name: str) -> None:
    """A program of the host, with the CUDA runtime in it, written to `folder`/`name`."""
    (folder / f"{name}.cu").write_text(source)
    host = ("-ccbin", str(_host_compiler(folder)), "-allow-unsupported-compiler")
    output = ("-cudart", "static", f"{name}.cu", "-o", name)
    _run(_tool("nvcc"), *host, f"-arch={chip}", *output, folder=folder)


def nvlink(chip: str, folder: Path, *objects: bytes) -> bytes:
    """The cubin that relocatable objects are linked to."""
    names: list[str] = []
    for position, content in enumerate(objects):
        names.append(f"object{position}.cubin")
        (folder / names[-1]).write_bytes(content)
    arguments = (f"-arch={chip}", *names, "-o", "linked.cubin")
    _run(_tool("nvlink"), *arguments, folder=folder)
    return (folder / "linked.cubin").read_bytes()


def function_text(disassembly: str, name: str) -> str:
    """What nvdisasm prints for one function of a cubin."""
    _, _, rest = disassembly.partition(f"\t.section\t.text.{name},")
    assert rest, f"no function {name}"
    return rest.partition("\t.section\t")[0]


def count(text: str, opcode: str) -> int:
    return len(re.findall(rf"\s(?:{opcode})[\s.]", text))
