"""`local`: every thread-scope reduction, in scalar code and in the op's own order."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.ir import SSAValue

from xdsl_packed.orders import fold_of_order, ternary_fold
from xdsl_packed.reduction import Reduction, Scope
from xdsl_packed.selection.predicates import exec_scope, legal, local_scope
from xdsl_packed.selection.registry import Plan, Reason, Variant
from xdsl_packed.variants.algebra import Algebra, algebra_of
from xdsl_packed.variants.emission import emit_scalars, leaves_of
from xdsl_packed.variants.fold import spread


def _forms(reduction: Reduction) -> tuple[str, ...] | Reason:
    algebra = algebra_of(reduction)
    return algebra.forms if isinstance(algebra, Algebra) else algebra


def _plan(reduction: Reduction) -> Plan | Reason:
    forms = _forms(reduction)
    if isinstance(forms, str):
        return forms
    length, accumulate = reduction.length, reduction.accumulate
    if reduction.order is None:
        # Threes of two-input operations: ptxas fuses them where the chip has the instruction.
        element = ternary_fold(length, accumulate)
    else:
        element = fold_of_order(reduction.order, length, accumulate)
    return Plan(spread(element, reduction), forms)


def _emit(
    reduction: Reduction, plan: Plan, leaves: Sequence[SSAValue], builder: Builder
) -> list[SSAValue]:
    algebra = algebra_of(reduction)
    if isinstance(algebra, str):
        raise ValueError(f"local was not asked before it emits: {algebra}")
    return emit_scalars(plan.fold, algebra, leaves_of(reduction, leaves), builder)


LOCAL = Variant(
    name="local",
    priority=10,
    predicates=(exec_scope(Scope.THREAD), local_scope(), legal(_forms)),
    plan=_plan,
    emit=_emit,
)
