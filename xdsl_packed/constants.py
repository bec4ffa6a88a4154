"""Integers that are known before the kernel runs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

# What indices are made of, and what cannot fail.
_FOLDERS: Mapping[type[Operation], Callable[..., int]] = {
    arith.AddiOp: operator.add,
    arith.SubiOp: operator.sub,
    arith.MuliOp: operator.mul,
    arith.IndexCastOp: int,
}


@dataclass
class KnownIntegers:
    """
    The integers that values are known to be, each value looked at once.

    Looks through add, sub, mul and index_cast of constants; wraps as the type does.
    """

    _known: dict[SSAValue, int | None] = field(
        default_factory=dict[SSAValue, int | None]
    )

    def get(self, value: SSAValue) -> int | None:
        """The signed integer that `value` is known to be, or None."""
        # A stack, as an unrolled loop leaves chains that are deeper than Python recurses.
        waiting = [value]
        while waiting:
            top = waiting[-1]
            owner = top.owner
            if (
                top not in self._known
                and isinstance(owner, Operation)
                and type(owner) in _FOLDERS
            ):
                if unknown := [v for v in owner.operands if v not in self._known]:
                    waiting += unknown
                    continue
            if top not in self._known:
                self._known[top] = self._fold(top)
            waiting.pop()
        return self._known[value]

    def get_all(self, values: Sequence[SSAValue]) -> tuple[int, ...] | None:
        """All of `values`, or None when one is not known."""
        known = tuple(n for value in values if (n := self.get(value)) is not None)
        return known if len(known) == len(values) else None

    def _fold(self, value: SSAValue) -> int | None:
        owner = value.owner
        if isinstance(owner, arith.ConstantOp):
            attribute = owner.value
            return attribute.value.data if isinstance(attribute, IntegerAttr) else None
        if not isinstance(owner, Operation):
            return None
        if (fold := _FOLDERS.get(type(owner))) is None:
            return None
        operands = [self._known[operand] for operand in owner.operands]
        if None in operands:
            return None
        return _wrap(fold(*operands), value.type)


def _wrap(number: int, type: Attribute) -> int:
    width = type.width.data if isa(type, IntegerType) else 64
    half = 1 << (width - 1)
    return (number + half) % (2 * half) - half
