"""`local`: every thread-scope reduction, in scalar code and in the op's own order."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.ir import SSAValue

from xdsl_packed.reduction import Reduction, Scope
from xdsl_packed.selection.predicates import exec_scope, legal, local_scope
from xdsl_packed.selection.registry import Plan, Reason, Variant
from xdsl_packed.variants.fold import ordered_fold
from xdsl_packed.variants.scalar import ScalarCode, scalar_code


def _forms(reduction: Reduction) -> tuple[str, ...] | Reason:
    code = scalar_code(reduction)
    return code.forms if isinstance(code, ScalarCode) else code


def _plan(reduction: Reduction) -> Plan | Reason:
    forms = _forms(reduction)
    if isinstance(forms, str):
        return forms
    return Plan(ordered_fold(reduction), forms)


def _emit(
    reduction: Reduction, plan: Plan, leaves: Sequence[SSAValue], builder: Builder
) -> list[SSAValue]:
    code = scalar_code(reduction)
    if isinstance(code, str):
        raise ValueError(f"local was not asked before it emits: {code}")
    if not plan.fold.steps:
        return [leaves[output] for output in plan.fold.outputs]
    values = [code.widen(builder, leaf) for leaf in leaves]
    for _, (first, *rest) in plan.fold.lanes():
        value = values[first]
        for other in rest:
            value = code.combine(builder, value, values[other])
        values.append(value)
    return [code.narrow(builder, values[output]) for output in plan.fold.outputs]


LOCAL = Variant(
    name="local",
    priority=10,
    predicates=(exec_scope(Scope.THREAD), local_scope(), legal(_forms)),
    plan=_plan,
    emit=_emit,
)
