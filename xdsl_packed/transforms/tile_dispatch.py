"""`tile-dispatch`: lower every reduction by the variant that the dispatch chooses."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import DiagnosticException

from xdsl_packed.diagnostics import error_at, name_of, place, remark_at
from xdsl_packed.entrances import ENTRANCES
from xdsl_packed.entrances.entry import Access, Entrance, Entry
from xdsl_packed.files import write_whole
from xdsl_packed.selection.choose import Choice, choose
from xdsl_packed.selection.registry import Elements, Variant
from xdsl_packed.selection.report import Decision, Report, describe
from xdsl_packed.target import GpuTarget
from xdsl_packed.variants import VARIANTS


@dataclass(frozen=True)
class Decided:
    """An op whose lowering is decided, and what is said about it."""

    op: Operation
    decision: Decision
    entry: Entry | None = None
    choice: Choice | None = None

    def lower(self, access: Access | None = None) -> None:
        """
        Replace the op by what the chosen variant emits; an op left alone stays.

        Every value is read first and written last, so aliasing is right by construction.
        `access` is where to read and write instead of the op's own operands.
        """
        entry, choice = self.entry, self.choice
        if (
            entry is None
            or choice is None
            or choice.variant is None
            or choice.plan is None
        ):
            return
        access = access or entry.access
        before = self.op.prev_op
        builder = Builder(InsertPoint.before(self.op))
        reduction, plan, variant = entry.reduction, choice.plan, choice.variant
        if plan.is_loop and variant.emit_loop and isinstance(access, Elements):
            results = variant.emit_loop(reduction, plan, access, builder)
        else:
            results = variant.emit(reduction, plan, access.read(builder), builder)
        access.write(results, builder)
        self._locate_since(before)
        Rewriter.erase_op(self.op)

    def _locate_since(self, before: Operation | None) -> None:
        """What stands between `before` and the op comes from the op: it says so."""
        emitted = self.op.prev_op
        while emitted is not None and emitted is not before:
            for op in emitted.walk():
                op.location = self.op.location
            emitted = emitted.prev_op


def report_of(decided: Sequence[Decided]) -> Report:
    return Report(tuple(each.decision for each in decided))


def dispatch(
    module: ModuleOp,
    *,
    variant: str | None = None,
    enable: Collection[str] | None = None,
    variants: Sequence[Variant] = VARIANTS,
) -> Report:
    """
    Lower, in place, every reduction of `module` by the highest variant that accepts it.

    The arguments and errors are those of `decide_all`. Every op is decided before the
    first one is changed, so that an error leaves the module as it was.
    """
    decided = decide_all(module, variant=variant, enable=enable, variants=variants)
    for each in decided:
        each.lower()
    return report_of(decided)


def decide_all(
    module: ModuleOp,
    *,
    variant: str | None = None,
    enable: Collection[str] | None = None,
    variants: Sequence[Variant] = VARIANTS,
) -> list[Decided]:
    """
    Decide how every reduction of `module` is lowered; changes nothing.

    `variant` is the variant to use for ops that name none themselves; `enable` are the
    variants that may be used, all when it is None.

    Raises DiagnosticException when the module has no target, when a name is unknown, and
    at an op that no variant takes or that the named variant declines.
    """
    decided: list[Decided] = []
    for each, entrance in _decisions(module, variant, enable, variants):
        if each.decision.chosen is None:
            _refuse_or_leave(each, entrance)
        elif each.decision.remark is not None:
            remark_at(each.op, each.decision.remark)
        decided.append(each)
    return decided


def explain(
    module: ModuleOp,
    *,
    variant: str | None = None,
    enable: Collection[str] | None = None,
    variants: Sequence[Variant] = VARIANTS,
) -> Report:
    """What `dispatch` decides, also where it would raise at an op; changes nothing."""
    decisions = _decisions(module, variant, enable, variants)
    return report_of([each for each, _ in decisions])


def _decisions(
    module: ModuleOp,
    variant: str | None,
    enable: Collection[str] | None,
    variants: Sequence[Variant],
) -> Iterator[tuple[Decided, Entrance]]:
    enabled = _enabled(variants, enable, variant)
    target = GpuTarget.from_module(module, "tile-dispatch")
    for op in module.walk():
        if (entrance := ENTRANCES.get(name_of(op))) is not None:
            yield _decide(op, entrance, target, variant, enabled), entrance


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


def _decide(
    op: Operation,
    entrance: Entrance,
    target: GpuTarget,
    variant: str | None,
    enabled: Sequence[Variant],
) -> Decided:
    entry = entrance.read(op, target)
    if isinstance(entry, str):
        return Decided(op, Decision(place(op), name_of(op), unread=entry))
    forced = entry.reduction.variant or variant
    choice = choose(entry.reduction, enabled, forced)
    decision = Decision(
        place(op),
        name_of(op),
        entry.reduction,
        choice.verdicts,
        None if choice.variant is None else choice.variant.name,
        forced,
        remark=entry.remark,
    )
    return Decided(op, decision, entry, choice)


def _refuse_or_leave(each: Decided, entrance: Entrance) -> None:
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
    message = f"{head}: variant {decision.forced!r} declines: {reasons}"
    if decision.reduction.variant is None:
        message += (
            f' (the option names it for every reduction: variant("{decision.forced}") on '
            "an op names it for that one, enable says which may be used)"
        )
    return message


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
