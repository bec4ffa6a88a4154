"""The packed forms of a reduction: two lanes an instruction."""

from __future__ import annotations

from xdsl_packed.reduction import Kind, Reduction
from xdsl_packed.selection.registry import Reason
from xdsl_packed.variants.algebra import Algebra, algebra_of

SUMS = (Kind.ADD, Kind.MUL, Kind.SUMSQ, Kind.DOT)
EXTREMA = (Kind.MAXNUMF, Kind.MINNUMF, Kind.MAXIMUMF, Kind.MINIMUMF)

_KINDS_IN_PAIRS = {
    "f32": SUMS,
    "f16": (*SUMS, *EXTREMA),
    "bf16": (*SUMS, *EXTREMA),
}


def pair_forms(reduction: Reduction) -> tuple[str, ...] | Reason:
    """The packed form of each operation, then the scalar ones."""
    accumulation, kind = reduction.accumulation_type, reduction.kind
    algebra = algebra_of(reduction)
    if not isinstance(algebra, Algebra):
        return algebra
    if accumulation not in _KINDS_IN_PAIRS:
        return f"there are no pairs of {accumulation}, expected f32, f16 or bf16"
    if kind not in _KINDS_IN_PAIRS[accumulation]:
        return f"there is no packed form of {kind} on {accumulation}"
    if accumulation == "bf16" and algebra.forms[0].startswith("fma"):
        return f"there is no packed bf16 {kind} below sm_90"
    arithmetic = [form for form in algebra.forms if not form.startswith("cvt.")]
    return (*(f"{form}x2" for form in arithmetic), *algebra.forms)
