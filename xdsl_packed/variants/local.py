"""`local`: every thread-scope reduction, in scalar code and in the op's own order."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.ir import SSAValue

from xdsl_packed.orders import Fold, Order, fold_of_order, ternary_fold
from xdsl_packed.reduction import FLOAT_EXTREMA, Reduction, Scope
from xdsl_packed.selection.predicates import exec_scope, legal, local_scope
from xdsl_packed.selection.registry import Plan, Reason, Variant
from xdsl_packed.variants.algebra import (
    Algebra,
    accepted_algebra,
    algebra_of,
    extremum_form,
)
from xdsl_packed.variants.emission import emit_scalars, leaves_of
from xdsl_packed.variants.fold import spread


def _forms(reduction: Reduction) -> tuple[str, ...] | Reason:
    algebra = algebra_of(reduction)
    return algebra.forms if isinstance(algebra, Algebra) else algebra


def _plan(reduction: Reduction) -> Plan | Reason:
    forms = _forms(reduction)
    if isinstance(forms, str):
        return forms
    return Plan(spread(_element_fold(reduction), reduction), forms)


BINARY_UP_TO = 64
"""Below this the binary tree of a max or min waits less; above it threes do (sm_120)."""


def _element_fold(reduction: Reduction) -> Fold:
    """
    The op's order; without one what the chip does best.

    Threes of two-input operations, which ptxas fuses where the chip has an instruction for
    them (f32 max and min, 32-bit integers). Where it has none, a binary tree.
    """
    length, accumulate = reduction.length, reduction.accumulate
    if reduction.order is not None:
        return fold_of_order(reduction.order, length, accumulate)
    if reduction.kind in FLOAT_EXTREMA and length < BINARY_UP_TO:
        if not reduction.target.is_native(f"{extremum_form(reduction)} 3in"):
            return fold_of_order(Order.TREE, length, accumulate)
    return ternary_fold(length, accumulate)


def _emit(
    reduction: Reduction, plan: Plan, leaves: Sequence[SSAValue], builder: Builder
) -> list[SSAValue]:
    algebra = accepted_algebra(reduction)
    return emit_scalars(plan.fold, algebra, leaves_of(reduction, leaves), builder)


LOCAL = Variant(
    name="local",
    priority=10,
    predicates=(exec_scope(Scope.THREAD), local_scope(), legal(_forms)),
    plan=_plan,
    emit=_emit,
)
