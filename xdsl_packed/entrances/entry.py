"""What an entrance makes of a source op: a Reduction, and access to its values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.ir import Operation, SSAValue

from xdsl_packed.reduction import Reduction
from xdsl_packed.target import GpuTarget


class Access(ABC):
    """Reads the values of one reduction and writes its results."""

    @abstractmethod
    def read(self, builder: Builder) -> list[SSAValue]:
        """The source elements row-major, then with accumulate the old destination's."""

    @abstractmethod
    def write(self, results: Sequence[SSAValue], builder: Builder) -> None:
        """Put the destination elements, row-major, where the source op puts them."""


@dataclass(frozen=True)
class Entry:
    """
    A source op, read.

    `remark` is what a person should know about how it was read, where that is not plain.
    """

    reduction: Reduction
    access: Access
    remark: str | None = None


@dataclass(frozen=True)
class Entrance:
    """
    One family of source ops.

    `read` gives the entry, or the reason why the op is no reduction that we take. When
    nothing can lower the op, a `mandatory` one is an error and others are left alone.
    """

    read: Callable[[Operation, GpuTarget], Entry | str]
    mandatory: bool
