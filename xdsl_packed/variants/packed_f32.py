"""What the variants that compute in packed f32 share: their forms, and emitting a fold."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.ir import SSAValue

from xdsl_packed.reduction import FLOAT_EXTREMA, Reduction
from xdsl_packed.selection.registry import Plan, Reason
from xdsl_packed.variants.algebra import accepted_algebra, algebra_of, extremum_form
from xdsl_packed.variants.emission import emit_pairs, emit_three_inputs, leaves_of
from xdsl_packed.variants.pairs import pair_forms


def packed_f32_forms(reduction: Reduction) -> tuple[str, ...] | Reason:
    """The packed or three-input form of each operation, then the scalar ones."""
    if reduction.accumulation_type != "f32":
        return f"there is no packed form of {reduction.accumulation_type} here"
    if reduction.kind not in FLOAT_EXTREMA:
        return pair_forms(reduction)
    algebra = algebra_of(reduction)
    if isinstance(algebra, str):
        return algebra
    return (f"{extremum_form(reduction)} 3in", *algebra.forms)


def emit_packed_f32(
    reduction: Reduction, plan: Plan, leaves: Sequence[SSAValue], builder: Builder
) -> list[SSAValue]:
    """Sums and products in pairs, max and min by three-input operations."""
    algebra = accepted_algebra(reduction)
    emit = emit_three_inputs if reduction.kind in FLOAT_EXTREMA else emit_pairs
    return emit(plan.fold, algebra, leaves_of(reduction, leaves), builder)
