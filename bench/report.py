"""The results as Markdown."""

import math
from collections.abc import Iterable, Mapping, Sequence

from bench.code import Cost, Failure, Outcome, Results
from bench.compile_time import Timing, Untimed
from bench.ops import Op


def code_section(
    op: Op, columns: Sequence[str], lengths: Sequence[int], results: Results
) -> str:
    """The table of one op, its ratios, and why some cells are empty."""

    def outcome(column: str, n: int) -> Outcome | None:
        return results.get((op.name, column, n))

    offered = [
        name
        for name in columns
        if any(isinstance(outcome(name, n), Cost) for n in lengths)
    ]
    rows = [
        [
            str(n),
            f"{op.bound(n).instructions} / {op.bound(n).depth}",
            *(_cell(outcome(name, n)) for name in offered),
        ]
        for n in lengths
    ]
    parts = [
        f"## {op.title}",
        _table(["N", "lower bound", *offered], rows),
        _ratios(op, offered, lengths, results),
        *_reasons(op, columns, lengths, results),
    ]
    return "\n\n".join(part for part in parts if part)


def _cell(outcome: Outcome | None) -> str:
    if not isinstance(outcome, Cost):
        return "—"
    extra = f"+{outcome.extra}" if outcome.extra else ""
    spilled = f" ({outcome.spilled} B spilled)" if outcome.spilled else ""
    return (
        f"{outcome.instructions}{extra} / {outcome.depth} / {outcome.stall_cycles} / "
        f"{outcome.registers}{spilled}"
    )


def _ratios(
    op: Op, columns: Sequence[str], lengths: Sequence[int], results: Results
) -> str:
    """Instructions (with the extra ones), depth and stall cycles of each column over those of the first."""
    if not columns or len(columns) < 2:
        return ""
    ours, *others = columns
    collected: dict[str, list[tuple[float, ...]]] = {name: [] for name in others}
    rows: list[list[str]] = []
    for n in lengths:
        base = results.get((op.name, ours, n))
        row = [str(n), "1.00 / 1.00 / 1.00" if isinstance(base, Cost) else "—"]
        for name in others:
            cost = results.get((op.name, name, n))
            if not isinstance(base, Cost) or not isinstance(cost, Cost):
                row.append("—")
                continue
            ratio = _over(cost, base)
            collected[name].append(ratio)
            row.append(_written(ratio))
        rows.append(row)
    means = [
        _written(tuple(_geometric_mean(part) for part in zip(*ratios, strict=True)))
        if (ratios := collected[name])
        else "—"
        for name in others
    ]
    rows.append(["**mean**", "1.00 / 1.00 / 1.00", *means])
    table = _table(["N", ours, *others], rows)
    return (
        f"<details><summary>As ratios ({ours} = 1.00): instructions with the extra ones / depth / stall cycles; "
        f"the mean is geometric</summary>\n\n{table}\n\n</details>"
    )


def _over(cost: Cost, base: Cost) -> tuple[float, ...]:
    return (
        (cost.instructions + cost.extra) / (base.instructions + base.extra),
        cost.depth / base.depth,
        cost.stall_cycles / base.stall_cycles,
    )


def _written(ratio: tuple[float, ...]) -> str:
    return " / ".join(f"{part:.2f}" for part in ratio)


def _geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(math.log(value) for value in values) / len(values))


def _reasons(
    op: Op, columns: Sequence[str], lengths: Sequence[int], results: Results
) -> list[str]:
    """One line a column and reason, with the lengths that it is about."""
    lines: list[str] = []
    for name in columns:
        about: dict[Failure, list[int]] = {}
        for n in lengths:
            if isinstance(outcome := results.get((op.name, name, n)), Failure):
                about.setdefault(outcome, []).append(n)
        for failure, ns in about.items():
            where = "" if len(ns) == len(lengths) else f" at N = {_listed(ns)}"
            verb = "not offered" if failure.refused else "failed"
            lines.append(f"- {name}{where}: {verb} ({failure.reason})")
    return ["\n".join(lines)] if lines else []


def compile_time_section(
    rows: Sequence[Timing | Untimed], n: int, notes: Mapping[str, str]
) -> str:
    """CPU and wall medians, and both over the first row's."""
    timed = [row for row in rows if isinstance(row, Timing)]
    if not timed:
        return ""
    base = timed[0]
    table = _table(
        [
            "compiler",
            "CPU ms",
            "wall ms",
            "CPU ratio",
            "wall ratio",
            "calls",
            "what is timed",
        ],
        [
            [
                row.name,
                f"{row.cpu:.2f}",
                f"{row.wall:.2f}",
                f"{row.cpu / base.cpu:.2f}",
                f"{row.wall / base.wall:.2f}",
                str(row.calls),
                notes.get(row.name, ""),
            ]
            for row in timed
        ],
    )
    broken = [f"- {row.name}: {row.reason}" for row in rows if isinstance(row, Untimed)]
    title = f"## Compile time: sum of {n} f32 values, without ptxas"
    return "\n\n".join(part for part in (title, table, "\n".join(broken)) if part)


def growth_section(rows: Sequence[tuple[int, Timing | Untimed]]) -> str:
    """Time by length, and by element."""
    lines = [
        [str(n), f"{row.cpu:.2f}", f"{row.wall:.2f}", f"{1000 * row.cpu / n:.1f}"]
        if isinstance(row, Timing)
        else [str(n), "—", "—", row.reason]
        for n, row in rows
    ]
    return "### How ours grows\n\n" + _table(
        ["N", "CPU ms", "wall ms", "CPU µs per element"], lines
    )


def missing_section(missing: Mapping[str, str]) -> str:
    """The peers that are not installed, each with the error of its import."""
    if not missing:
        return ""
    lines = (f"- {name}: `{error}`" for name, error in missing.items())
    return "## Missing\n\nNot installed where this ran:\n\n" + "\n".join(lines)


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(str(number) for number in numbers)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose columns also line up as text."""
    cells = [list(header), *(list(row) for row in rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(header))]

    def line(row: Sequence[str]) -> str:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        return f"| {' | '.join(padded)} |"

    rule = f"|{'|'.join('-' * (width + 2) for width in widths)}|"
    return "\n".join([line(cells[0]), rule, *(line(row) for row in cells[1:])])
