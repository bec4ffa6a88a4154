"""Choosing a variant: every variant is asked everything, the highest that accepts wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl_packed.reduction import Reduction
from xdsl_packed.selection.registry import Plan, Predicate, Variant, by_priority
from xdsl_packed.selection.report import Answer, Verdict


@dataclass(frozen=True)
class Choice:
    """The verdicts of all variants, and of the one chosen its plan. None: none accepts."""

    verdicts: tuple[Verdict, ...]
    variant: Variant | None = None
    plan: Plan | None = None


def ask(
    variant: Variant, reduction: Reduction, *, by_name: bool
) -> tuple[Verdict, Plan | None]:
    """Put every predicate of `variant` to `reduction`, then ask for its plan."""
    answers = [_answer(p, reduction, by_name) for p in variant.predicates]
    if any(a.reason is not None and not a.waived for a in answers):
        return Verdict(variant.name, variant.priority, tuple(answers)), None
    plan = variant.plan(reduction)
    if isinstance(plan, str):
        answers.append(Answer("plan", plan))
        return Verdict(variant.name, variant.priority, tuple(answers)), None
    emulated = tuple(f for f in plan.forms if not reduction.target.is_native(f))
    return Verdict(variant.name, variant.priority, tuple(answers), emulated), plan


def _answer(predicate: Predicate, reduction: Reduction, by_name: bool) -> Answer:
    reason = predicate.decline(reduction)
    waived = reason is not None and by_name and predicate.waived_by_name
    return Answer(predicate.name, reason, waived)


def choose(
    reduction: Reduction, variants: Sequence[Variant], forced: str | None
) -> Choice:
    """
    Ask all `variants`; with `forced` only the one of that name may be chosen.

    A predicate that raises is a bug of its variant and surfaces as that exception.
    """
    chosen: Variant | None = None
    chosen_plan: Plan | None = None
    verdicts: list[Verdict] = []
    for variant in by_priority(variants):
        verdict, plan = ask(variant, reduction, by_name=forced == variant.name)
        verdicts.append(verdict)
        if chosen is None and plan is not None and forced in (None, variant.name):
            chosen, chosen_plan = variant, plan
    return Choice(tuple(verdicts), chosen, chosen_plan)
