"""
What a variant is: a name, a priority, predicates, a plan, and an emitter.

A variant is values in, values out. Its predicates and its plan see the `Reduction` alone;
`emit` turns the source values and the old destination values into the new destination
values and cannot fail.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.ir import SSAValue

from xdsl_packed.orders import Fold
from xdsl_packed.reduction import Reduction

Reason = str
"""Why something declines, as a person reads it."""


@dataclass(frozen=True)
class Predicate:
    """
    A named question about a reduction; `decline` answers None for yes, or a reason.

    One that is `waived_by_name` asks whether the variant pays, not whether it is right: it
    does not bind a variant that is asked for by name.
    """

    name: str
    decline: Callable[[Reduction], Reason | None]
    waived_by_name: bool = False


@dataclass(frozen=True)
class Plan:
    """
    What a variant will emit, before any IR exists.

    The leaves of `fold` are the source elements row-major, then with accumulate the old
    destination elements; its outputs are the destination elements. `forms` are the PTX
    forms of its arithmetic. `is_loop` says that the elements are to be read in a loop.
    """

    fold: Fold
    forms: tuple[str, ...]
    is_loop: bool = False


Emit = Callable[[Reduction, Plan, Sequence[SSAValue], Builder], list[SSAValue]]
"""(reduction, plan, the fold's leaves, where to insert) -> the destination values."""


class Elements(ABC):
    """The elements of tiles in memory, read one by one where a loop needs them."""

    @abstractmethod
    def element(
        self, source: int, index: Sequence[SSAValue | int], builder: Builder
    ) -> SSAValue:
        """The element of source number `source` at `index`, one index a dimension."""

    @abstractmethod
    def old(self, number: int, builder: Builder) -> SSAValue:
        """The old destination element `number`, row-major."""


EmitLoop = Callable[[Reduction, Plan, Elements, Builder], list[SSAValue]]
"""(reduction, plan, where to read, where to insert) -> the destination values."""


@dataclass(frozen=True)
class Variant:
    """
    One way to lower reductions. Higher priorities are asked first, ties by name.

    A variant with `emit_loop` reads tiles in memory in a loop where its plan says so;
    `emit` is what it does with values that are at hand.
    """

    name: str
    priority: int
    predicates: tuple[Predicate, ...]
    plan: Callable[[Reduction], Plan | Reason]
    emit: Emit
    emit_loop: EmitLoop | None = None


def by_priority(variants: Sequence[Variant]) -> list[Variant]:
    return sorted(variants, key=lambda variant: (-variant.priority, variant.name))
