"""`tile-dispatch`: lower every reduction by the variant that the dispatch chooses."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import DiagnosticException

from xdsl_packed.diagnostics import error_at, place, remark_at
from xdsl_packed.dispatch.choose import Choice, choose
from xdsl_packed.dispatch.registry import Variant
from xdsl_packed.dispatch.report import Decision, Report, describe
from xdsl_packed.entrances import ENTRANCES
from xdsl_packed.entrances.entry import Entrance, Entry
from xdsl_packed.files import write_whole
from xdsl_packed.target import GpuTarget
from xdsl_packed.variants import VARIANTS


@dataclass(frozen=True)
class _Decided:
    """An op whose lowering is decided, and what is said about it."""

    op: Operation
    decision: Decision
    entry: Entry | None = None
    choice: Choice | None = None


def dispatch(
    module: ModuleOp,
    *,
    variant: str | None = None,
    enable: Collection[str] | None = None,
    variants: Sequence[Variant] = VARIANTS,
) -> Report:
    """
    Lower, in place, every reduction of `module` by the highest variant that accepts it.

    `variant` is the variant to use for ops that name none themselves; `enable` are the
    variants that may be used, all when it is None. Every op is decided before the first
    one is changed, so that an error leaves the module as it was.

    Raises DiagnosticException when the module has no target, when a name is unknown, and
    at an op that no variant takes or that the named variant declines.
    """
    report, decided = _decide_all(module, variant, enable, variants)
    for each in decided:
        _lower(each)
    return report


def explain(
    module: ModuleOp,
    *,
    variant: str | None = None,
    enable: Collection[str] | None = None,
    variants: Sequence[Variant] = VARIANTS,
) -> Report:
    """What `dispatch` would say, errors included as undecided ops; changes nothing."""
    enabled = _enabled(variants, enable, variant)
    target = GpuTarget.from_module(module, "tile-dispatch")
    return Report(
        tuple(
            _decide(op, entrance, target, variant, enabled).decision
            for op, entrance in _reductions(module)
        )
    )


def _decide_all(
    module: ModuleOp,
    variant: str | None,
    enable: Collection[str] | None,
    variants: Sequence[Variant],
) -> tuple[Report, list[_Decided]]:
    enabled = _enabled(variants, enable, variant)
    target = GpuTarget.from_module(module, "tile-dispatch")
    decided: list[_Decided] = []
    for op, entrance in _reductions(module):
        each = _decide(op, entrance, target, variant, enabled)
        if each.decision.chosen is None:
            _refuse_or_leave(each, entrance)
        decided.append(each)
    return Report(tuple(each.decision for each in decided)), decided


def _enabled(
    variants: Sequence[Variant], enable: Collection[str] | None, forced: str | None
) -> list[Variant]:
    known = [variant.name for variant in variants]
    for name in (*(enable or ()), *((forced,) if forced is not None else ())):
        if name not in known:
            raise DiagnosticException(_unknown_variant(name, known))
    return [v for v in variants if enable is None or v.name in enable]


def _unknown_variant(name: str, known: Sequence[str]) -> str:
    return f"there is no variant {name!r}: the variants are {', '.join(sorted(known))}"


def _reductions(module: ModuleOp) -> list[tuple[Operation, Entrance]]:
    return [
        (op, entrance)
        for op in module.walk()
        if (entrance := ENTRANCES.get(type(op))) is not None
    ]


def _decide(
    op: Operation,
    entrance: Entrance,
    target: GpuTarget,
    variant: str | None,
    enabled: Sequence[Variant],
) -> _Decided:
    entry = entrance.read(op, target)
    if isinstance(entry, str):
        return _Decided(op, Decision(place(op), op.name, unread=entry))
    forced = entry.reduction.variant or variant
    choice = choose(entry.reduction, enabled, forced)
    decision = Decision(
        place(op),
        op.name,
        entry.reduction,
        choice.verdicts,
        None if choice.variant is None else choice.variant.name,
        forced,
    )
    return _Decided(op, decision, entry, choice)


def _refuse_or_leave(each: _Decided, entrance: Entrance) -> None:
    """An error at the op when it must be lowered, else a remark that it is left alone."""
    decision = each.decision
    message = _why_not(decision)
    if entrance.mandatory or decision.forced is not None:
        raise error_at(each.op, message)
    remark_at(each.op, f"is left alone: {message}")


def _why_not(decision: Decision) -> str:
    if decision.reduction is None:
        return f"cannot be read as a reduction: {decision.unread}"
    head = describe(decision.reduction)
    if decision.forced is None:
        return f"{head}: no variant takes it\n{decision.table()}".rstrip()
    asked = [v for v in decision.verdicts if v.variant == decision.forced]
    if not asked:
        names = [verdict.variant for verdict in decision.verdicts]
        return (
            f"{head}: asks for variant {decision.forced!r}, which is unknown or not "
            f"enabled: the enabled variants are {', '.join(sorted(names))}"
        )
    reasons = "; ".join(f"{a.predicate}: {a.reason}" for a in asked[0].declined)
    return f"{head}: variant {decision.forced!r} declines: {reasons}"


def _lower(each: _Decided) -> None:
    """Read every value first, write last: aliasing is right by construction."""
    entry, choice = each.entry, each.choice
    if entry is None or choice is None or choice.variant is None or choice.plan is None:
        return
    builder = Builder(InsertPoint.before(each.op))
    leaves = entry.access.read(builder)
    results = choice.variant.emit(entry.reduction, choice.plan, leaves, builder)
    entry.access.write(results, builder)
    Rewriter.erase_op(each.op)


@dataclass(frozen=True)
class TileDispatchPass(ModulePass):
    """
    Lowers reductions to packed and upstream ops.

    Options: `variant`, the variant for ops that name none; `enable`, the list of variants
    that may be used; `report`, `text` or `json`, to standard error; `report-file`, a file
    for the same (text when `report` is not given).
    """

    name = "tile-dispatch"

    variant: str | None = None
    enable: tuple[str, ...] | None = None
    report: str | None = None
    report_file: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.report not in (None, "text", "json"):
            raise DiagnosticException(
                f"tile-dispatch has report={self.report}: expected text or json"
            )
        report = dispatch(op, variant=self.variant, enable=self.enable)
        if self.report is None and self.report_file is None:
            return
        text = report.json() if self.report == "json" else report.text()
        if self.report_file is not None:
            write_whole(Path(self.report_file), text)
        else:
            sys.stderr.write(text)
