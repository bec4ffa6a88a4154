"""
The report: for every reduction which variant was chosen, and every answer that led there.

As Python data, as text, and as JSON (`schema: 1`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from xdsl_packed.reduction import Reduction

SCHEMA = 1


@dataclass(frozen=True)
class Answer:
    """
    One predicate's answer: yes when `reason` is None.

    A `waived` no does not bind, because the variant is asked for by name.
    """

    predicate: str
    reason: str | None
    waived: bool = False

    @property
    def text(self) -> str:
        if self.reason is None:
            return "yes"
        return f"waived: {self.reason}" if self.waived else self.reason


@dataclass(frozen=True)
class Verdict:
    """One variant's answers to one reduction."""

    variant: str
    priority: int
    answers: tuple[Answer, ...]
    not_native: tuple[str, ...] = ()
    """The forms it would use that are legal but not native on the chip."""

    @property
    def declined(self) -> tuple[Answer, ...]:
        return tuple(a for a in self.answers if a.reason is not None and not a.waived)

    @property
    def accepts(self) -> bool:
        return not self.declined


@dataclass(frozen=True)
class Decision:
    """
    What was decided for one op.

    `unread` is why the op could not be read as a reduction (then there is no reduction
    and no verdict). `forced` is the variant that the op or the pass named. `remark` is what
    a person should know about how the op was read.
    """

    where: str
    op: str
    reduction: Reduction | None = None
    verdicts: tuple[Verdict, ...] = ()
    chosen: str | None = None
    forced: str | None = None
    unread: str | None = None
    remark: str | None = None

    def text(self) -> str:
        if self.reduction is None:
            return f"{self.where}: {self.op}: left alone: {self.unread}\n"
        head = f"{self.where}: {self.op} {describe(self.reduction)}\n"
        if self.remark is not None:
            head += f"  {self.remark}\n"
        if self.forced is not None:
            head += f"  variant {self.forced} is asked for by name\n"
        return head + self.table()

    def table(self) -> str:
        names = [a.predicate for verdict in self.verdicts for a in verdict.answers]
        width = max(map(len, names), default=0)
        return "".join(self._verdict_text(verdict, width) for verdict in self.verdicts)

    def _verdict_text(self, verdict: Verdict, width: int) -> str:
        state = "declines"
        if verdict.variant == self.chosen:
            state = "chosen"
        elif verdict.accepts:
            state = "accepts, not chosen"
        lines = [f"  {verdict.variant} (priority {verdict.priority}): {state}"]
        lines.extend(
            f"    {answer.predicate:<{width}}  {answer.text}"
            for answer in verdict.answers
        )
        lines.extend(
            f"    legal but not native: {form} is emulated on this chip"
            for form in verdict.not_native
        )
        return "\n".join(lines) + "\n"

    def data(self) -> dict[str, Any]:
        return {
            "where": self.where,
            "op": self.op,
            "reduction": None if self.reduction is None else _data(self.reduction),
            "unread": self.unread,
            "remark": self.remark,
            "forced": self.forced,
            "chosen": self.chosen,
            "variants": [
                {
                    "name": verdict.variant,
                    "priority": verdict.priority,
                    "accepts": verdict.accepts,
                    "not_native": list(verdict.not_native),
                    "predicates": [
                        {
                            "name": answer.predicate,
                            "yes": answer.reason is None,
                            "reason": answer.reason,
                            "waived": answer.waived,
                        }
                        for answer in verdict.answers
                    ],
                }
                for verdict in self.verdicts
            ],
        }


@dataclass(frozen=True)
class Report:
    """The decisions, in the order of the ops."""

    decisions: tuple[Decision, ...]

    def text(self) -> str:
        return "".join(decision.text() for decision in self.decisions)

    def json(self) -> str:
        """Deterministic, one line break at the end."""
        data = {
            "schema": SCHEMA,
            "decisions": [decision.data() for decision in self.decisions],
        }
        return json.dumps(data, indent=2) + "\n"


def _dimensions(shape: tuple[int, ...], element_type: str) -> str:
    return "x".join((*map(str, shape), element_type))


def describe(reduction: Reduction) -> str:
    """One line: `<add> 32xf32 -> 1xf32 axes [0], order lanes8, ftz, thread, sm_100a`."""
    source = _dimensions(reduction.shape, reduction.element_type)
    destination = _dimensions(
        reduction.destination_shape, reduction.destination.element_type
    )
    parts = [
        f"<{reduction.kind}> {source} -> {destination} axes {list(reduction.axes)}"
    ]
    if reduction.order is not None:
        parts.append(f"order {reduction.order}")
    if reduction.accumulation_type != reduction.element_type:
        parts.append(f"accumulated in {reduction.accumulation_type}")
    if reduction.accumulate:
        parts.append("accumulate")
    if reduction.ftz:
        parts.append("ftz")
    parts.append(f"{reduction.scope}")
    parts.append(reduction.target.chip.name)
    return ", ".join(parts)


def _data(reduction: Reduction) -> dict[str, Any]:
    version = reduction.target.ptx_version
    return {
        "kind": reduction.kind.value,
        "element_type": reduction.element_type,
        "accumulation_type": reduction.accumulation_type,
        "shape": list(reduction.shape),
        "axes": list(reduction.axes),
        "destination_shape": list(reduction.destination_shape),
        "order": None if reduction.order is None else reduction.order.value,
        "ftz": reduction.ftz,
        "accumulate": reduction.accumulate,
        "scope": reduction.scope.value,
        "source_storage": reduction.source.storage.value,
        "destination_storage": reduction.destination.storage.value,
        "chip": reduction.target.chip.name,
        "ptx_version": None if version is None else str(version),
    }
