"""What fast-math flags say about the order of a sum or product."""

from __future__ import annotations

from xdsl.dialects.utils import FastMathFlag
from xdsl.dialects.utils.fast_math import FastMathAttrBase
from xdsl.ir import Attribute, Operation

from xdsl_packed.orders import Order


def flags_of(op: Operation) -> frozenset[FastMathFlag]:
    """The fast-math flags of `op`, none where it has no such attribute."""
    flags: Attribute | None = op.get_attr_or_prop("fastmath")
    return frozenset(flags.data) if isinstance(flags, FastMathAttrBase) else frozenset()


def order_of(op: Operation) -> Order:
    """Any order with `reassoc`, and without it the order that is written."""
    return Order.ANY if FastMathFlag.REASSOC in flags_of(op) else Order.SEQUENTIAL
