"""NVIDIA's nvcc: on the plain loop, left to right, as a column; and as the compiler of the CUDA that CUB and TVM give."""

import re
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from bench.ops import LENGTHS, OpName
from bench.peer import NotOffered

CUDA_TYPE = {
    "sum_f16": "__half",
    "sum_bf16": "__nv_bfloat16",
    "sum_i32": "int",
    "max_i32": "int",
}
HEADERS = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"

# One step of the loop; nvcc may contract a product and a sum, as it does by default.
_STEP = {
    "sum": "r + a[i]",
    "max": "fmaxf(r, a[i])",
    "absmax": "fmaxf(r, fabsf(a[i]))",
    "sumsq": "r + a[i] * a[i]",
    "dot": "r + a[i] * b[i]",
    "sum_f16": "__hadd(r, a[i])",
    "sum_bf16": "__hadd(r, a[i])",
    "sum_i32": "r + a[i]",
    "max_i32": "max(r, a[i])",
}
_FIRST = {"absmax": "fabsf(a[0])", "sumsq": "a[0] * a[0]", "dot": "a[0] * b[0]"}


@cache
def toolkit() -> Path:
    """The folder of the CUDA wheels (nvidia/cu13). Raises FileNotFoundError when nvcc is not in it."""
    spec = find_spec("nvidia")
    for root in spec.submodule_search_locations or () if spec else ():
        for nvcc in sorted(Path(root).glob("*/bin/nvcc")):
            return nvcc.parent.parent
    raise FileNotFoundError(
        "nvcc not found in the wheels: pip install 'xdsl-packed[bench]'"
    )


def cuda_to_ptx(source: str, chip: str, flags: Sequence[str] = ()) -> str:
    """The PTX of a CUDA translation unit. Raises RuntimeError with nvcc's own words when it refuses."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernel.cu").write_text(source)
        command = [str(toolkit() / "bin/nvcc"), f"-arch={chip}", "-ptx", "-std=c++17"]
        ran = subprocess.run(
            [*command, *flags, "kernel.cu", "-o", "kernel.ptx"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.returncode != 0:
            said = (ran.stderr or ran.stdout).strip().splitlines()
            why = next((line for line in said if "error" in line), "\n".join(said))
            raise RuntimeError(f"nvcc: {why}")
        return Path(folder, "kernel.ptx").read_text()


def kernel(op: OpName, n: int, body: str) -> str:
    """`extern "C"` kernel reduce_n around a body that reads a (and b) and writes out[0]."""
    element = CUDA_TYPE.get(op, "float")
    names = ("a", "b") if op == "dot" else ("a",)
    sources = "".join(f"const {element}* __restrict__ {name}, " for name in names)
    return (
        f'extern "C" __global__ void reduce_{n}({sources}{element}* __restrict__ out) '
        f"{{\n{body}\n}}\n"
    )


def split_entries(ptx: str) -> dict[int, str]:
    """A text of entries reduce_n as one text an entry, by n: the head of the file goes with each."""
    head, *entries = re.split(
        r"(?=^\s*(?://[^\n]*\n)?\s*\.visible \.entry )", ptx, flags=re.M
    )
    return {
        int(found.group(1)): head + entry
        for entry in entries
        if (found := re.search(r"\.entry reduce_(\d+)", entry))
    }


def lengths_with(n: int) -> Iterable[int]:
    """Compiled together: starting nvcc and reading the headers takes longer than sixteen kernels."""
    return LENGTHS if n in LENGTHS else (n,)


def _loop(op: OpName, n: int) -> str:
    if op not in _STEP:
        raise NotOffered("CUDA C++ has no max of floats that keeps NaN")
    element = CUDA_TYPE.get(op, "float")
    return kernel(
        op,
        n,
        f"  {element} r = {_FIRST.get(op, 'a[0]')};\n"
        f"  #pragma unroll\n"
        f"  for (int i = 1; i < {n}; ++i) r = {_STEP[op]};\n"
        f"  out[0] = r;",
    )


@cache
def _compiled(op: OpName, lengths: tuple[int, ...], chip: str) -> dict[int, str]:
    source = HEADERS + "".join(_loop(op, n) for n in lengths)
    return split_entries(cuda_to_ptx(source, chip))


class Nvcc:
    """`r = r + a[i]`, unrolled: scalar code, whose maxima ptxas joins into three-input ones."""

    name = "nvcc"

    def __init__(self) -> None:
        toolkit()

    def version(self) -> str:
        return f"nvcc {nvcc_release()}, plain loop"

    def ptx(self, op: OpName, n: int, chip: str) -> str:
        return _compiled(op, tuple(lengths_with(n)), chip)[n]

    def lower(self, op: OpName, n: int, chip: str) -> object:
        return cuda_to_ptx(_loop(op, n), chip)


@cache
def nvcc_release() -> str:
    said = subprocess.run(
        [str(toolkit() / "bin/nvcc"), "--version"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found = re.search(r"V(\d+\.\d+\.\d+)", said)
    return found.group(1) if found else "of unknown version"
