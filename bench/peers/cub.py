"""CUB's ThreadReduce, through nvcc."""

import re
from functools import cache
from pathlib import Path

from bench.ops import OpName
from bench.peer import NotOffered
from bench.peers.nvcc import (
    CUDA_TYPE,
    HEADERS,
    cuda_to_ptx,
    kernel,
    lengths_with,
    nvcc_release,
    split_entries,
    toolkit,
)

_OPERATOR = {
    "sum": "cuda::std::plus<>{}",
    "max": "cuda::maximum<>{}",
    "absmax": "cuda::maximum<>{}",
    "sumsq": "cuda::std::plus<>{}",
    "dot": "cuda::std::plus<>{}",
    "sum_f16": "cuda::std::plus<>{}",
    "sum_bf16": "cuda::std::plus<>{}",
    "sum_i32": "cuda::std::plus<>{}",
    "max_i32": "cuda::maximum<>{}",
}
_ELEMENT = {"absmax": "fabsf(a[i])", "sumsq": "a[i] * a[i]", "dot": "a[i] * b[i]"}
_INCLUDES = (
    "#include <cub/thread/thread_reduce.cuh>\n"
    "#include <cuda/functional>\n"
    "#include <cuda/std/functional>\n"
)


@cache
def _headers() -> Path:
    """The folder of CUB's headers. Raises FileNotFoundError when they are not among the wheels."""
    folder = toolkit() / "include/cccl"
    if not (folder / "cub/thread/thread_reduce.cuh").is_file():
        raise FileNotFoundError("CUB's headers not found: pip install nvidia-cuda-cccl")
    return folder


def _kernel(op: OpName, n: int) -> str:
    if op not in _OPERATOR:
        raise NotOffered("CUB has no operator for a max that keeps NaN")
    element = CUDA_TYPE.get(op, "float")
    return kernel(
        op,
        n,
        f"  {element} values[{n}];\n"
        f"  #pragma unroll\n"
        f"  for (int i = 0; i < {n}; ++i) values[i] = {_ELEMENT.get(op, 'a[i]')};\n"
        f"  out[0] = cub::ThreadReduce(values, {_OPERATOR[op]});",
    )


def _compile(op: OpName, lengths: tuple[int, ...], chip: str) -> dict[int, str]:
    source = HEADERS + _INCLUDES + "".join(_kernel(op, n) for n in lengths)
    return split_entries(cuda_to_ptx(source, chip, [f"-I{_headers()}"]))


_compiled = cache(_compile)


class Cub:
    """`cub::ThreadReduce(values, op)` on an array in registers."""

    name = "CUB"

    def __init__(self) -> None:
        _headers()

    def version(self) -> str:
        text = (_headers() / "cub/version.cuh").read_text()
        found = re.search(r"#\s*define CUB_VERSION (\d+)", text)
        number = int(found.group(1)) if found else 0
        release = f"{number // 100000}.{number // 100 % 1000}.{number % 100}"
        return f"CUB {release} ThreadReduce, nvcc {nvcc_release()}"

    def ptx(self, op: OpName, n: int, chip: str) -> str:
        return _compiled(op, tuple(lengths_with(n)), chip)[n]

    def lower(self, op: OpName, n: int, chip: str) -> object:
        return _compile(op, (n,), chip)
