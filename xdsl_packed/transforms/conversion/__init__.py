"""One file a source dialect; importing them fills the table of converters."""

from xdsl_packed.transforms.conversion import (
    arith,
    func,
    gpu,
    math,
    memref,
    packed,
    scf,
    vector,
)

__all__ = ["arith", "func", "gpu", "math", "memref", "packed", "scf", "vector"]
