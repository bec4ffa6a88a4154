"""
The compilers that the benchmark compares with, one file each.

A peer translates one kernel: one thread loads `n` values from global memory at its first parameter (and `n` more at
its second, where the op has two sources), reduces them in registers, and stores the result at its last. It answers in
PTX, so that the same ptxas assembles every column.
"""

from importlib import import_module
from typing import Protocol

from bench.ops import OpName


class Peer(Protocol):
    """One column of the tables."""

    name: str

    def version(self) -> str:
        """What is installed, for the heading."""
        ...

    def ptx(self, op: OpName, n: int, chip: str) -> str:
        """
        The kernel as PTX text with one entry.

        Raises NotOffered for an op that the peer lacks; whatever else it raises is the peer's failure, and is shown
        as one.
        """
        ...

    def lower(self, op: OpName, n: int, chip: str) -> object:
        """The peer's own work, from its source to what it hands to ptxas or nvcc: what the compile-time table times."""
        ...


# Module and class, in the order of the columns: a peer's package is imported only when its column is made.
_PEERS = {
    "TVM packed": ("bench.peers.tvm", "TvmPacked"),
    "TVM local": ("bench.peers.tvm", "TvmLocal"),
    "LLVM": ("bench.peers.llvm", "Llvm"),
    "Triton Gluon": ("bench.peers.triton", "TritonGluon"),
    "CuTe DSL": ("bench.peers.cute", "CuteDsl"),
    "CUB": ("bench.peers.cub", "Cub"),
    "nvcc": ("bench.peers.nvcc", "Nvcc"),
}


def load_peers() -> tuple[list[Peer], dict[str, str]]:
    """The peers that are installed, and for each other one its name and the error that its import raised."""
    found: list[Peer] = []
    missing: dict[str, str] = {}
    for name, (module, cls) in _PEERS.items():
        try:
            found.append(getattr(import_module(module), cls)())
        # A broken installation raises anything, OSError from a shared library for one.
        except Exception as error:
            missing[name] = f"{type(error).__name__}: {error}"
    return found, missing
