"""
What a column of the benchmark is.

It translates one kernel: one thread loads `n` values from global memory at its first parameter (and `n` more at its
second, where the op has two sources), reduces them in registers, and stores the result at its last. It answers in PTX,
so that the same ptxas assembles every column.
"""

from typing import Protocol

from bench.ops import OpName


class NotOffered(Exception):
    """A compiler has no such reduction; the message says why."""


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


def described(error: Exception) -> str:
    """An error in one line: its type and the first line of its message."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else 'no message'}"
