"""The compilers that the benchmark compares with, one file each."""

from importlib import import_module

from bench.peer import Peer, described

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
            missing[name] = described(error)
    return found, missing
