"""The packed forms of a reduction: two lanes an instruction."""

from __future__ import annotations

from xdsl_packed.reduction import Kind, Reduction
from xdsl_packed.selection.registry import Reason
from xdsl_packed.variants.algebra import Algebra, algebra_of

SUMS = (Kind.ADD, Kind.MUL, Kind.SUMSQ, Kind.DOT)
EXTREMA = (Kind.MAXNUMF, Kind.MINNUMF, Kind.MAXIMUMF, Kind.MINIMUMF)
_HALF_KINDS = (*SUMS, *EXTREMA, Kind.ABSMAX)

_KINDS_IN_PAIRS = {
    "f32": SUMS,
    "f16": _HALF_KINDS,
    "bf16": _HALF_KINDS,
    "i16": (
        Kind.ADD,
        Kind.MAXSI,
        Kind.MINSI,
        Kind.MAXUI,
        Kind.MINUI,
        Kind.AND,
        Kind.OR,
        Kind.XOR,
    ),
}


_ON_ONE_LANE = ("cvt.", "add.rn.f32.")
"""How the forms begin that have no pairs: conversions, and adds that convert."""


def pair_forms(reduction: Reduction) -> tuple[str, ...] | Reason:
    """The packed form of each operation, then the scalar ones."""
    accumulation, kind = reduction.accumulation_type, reduction.kind
    algebra = algebra_of(reduction)
    if not isinstance(algebra, Algebra):
        return algebra
    if accumulation not in _KINDS_IN_PAIRS:
        return f"there are no pairs of {accumulation}, expected f32, f16, bf16 or i16"
    if kind not in _KINDS_IN_PAIRS[accumulation]:
        return f"there is no packed form of {kind} on {accumulation}"
    if accumulation == "bf16" and algebra.forms[0].startswith("fma"):
        return f"there is no packed bf16 {kind} below sm_90"
    packed = (_on_pair(f) for f in algebra.forms if not f.startswith(_ON_ONE_LANE))
    return (*packed, *algebra.forms)


def _on_pair(form: str) -> str:
    """The form on two lanes; bits of two lanes are bits of one register."""
    return f"{form.removesuffix('b16')}b32" if form.endswith(".b16") else f"{form}x2"
