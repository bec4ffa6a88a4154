"""
How long the compilers take from their source to what they hand to ptxas, and how ours grows with the length.

In process and warm: after WARM_UP calls, the columns take turns, so that a busy moment of the machine hits all of them; in its turn a
column runs once unmeasured, then measured.
CPU time includes that of the processes that a column starts.
"""

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from bench.peer import Peer, described
from xdsl_packed.backend.ptxas import assemble

WARM_UP = 5
ROUNDS = 21
# Columns that start a process a call (and those take long) are asked fewer times.
SLOW_SECONDS = 0.15
SLOW_ROUNDS = 5
GROWTH = (32, 64, 128, 256, 512, 1024, 2048, 4096)


@dataclass(frozen=True)
class Timing:
    """Medians, in milliseconds, and of how many calls."""

    name: str
    cpu: float
    wall: float
    calls: int


@dataclass(frozen=True)
class Untimed:
    """A column that cannot be timed, and why."""

    name: str
    reason: str


def _cpu_seconds() -> float:
    used = (
        resource.getrusage(who)
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall milliseconds of one call."""
    cpu, wall = _cpu_seconds(), time.perf_counter()
    work()
    wall = time.perf_counter() - wall
    return 1000 * (_cpu_seconds() - cpu), 1000 * wall


def _timing(name: str, samples: Sequence[tuple[float, float]]) -> Timing:
    cpu, wall = (median(column) for column in zip(*samples, strict=True))
    return Timing(name, cpu, wall, len(samples))


def time_columns(
    columns: Sequence[Peer], n: int, chip: str, advance: Callable[[], object]
) -> list[Timing | Untimed]:
    """A sum of `n` f32 values in each column, then ptxas on the first column's PTX."""
    untimed: list[Timing | Untimed] = []
    work: dict[str, Callable[[], object]] = {}
    for column in columns:
        try:
            column.lower("sum", n, chip)
            work[column.name] = partial(column.lower, "sum", n, chip)
        # As in code.measure_all: a column that breaks is a line of the table.
        except Exception as error:
            untimed.append(Untimed(column.name, described(error)))
    for column in columns[:1]:
        if column.name in work:
            ptx = column.ptx("sum", n, chip)
            work["ptxas"] = partial(assemble, ptx, chip)
    samples = _take_turns(work, advance)
    timed = [_timing(name, taken) for name, taken in samples.items()]
    return [*timed, *untimed]


def _take_turns(
    work: dict[str, Callable[[], object]], advance: Callable[[], object]
) -> dict[str, list[tuple[float, float]]]:
    slow = {
        name for name, task in work.items() if _timed(task)[0] > 1000 * SLOW_SECONDS
    }
    for name, task in work.items():
        for _ in range(0 if name in slow else WARM_UP):
            task()
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in work}
    for turn in range(ROUNDS):
        for name, task in work.items():
            if name in slow and turn >= SLOW_ROUNDS:
                continue
            if name not in slow:
                # The processes of the column before have left cold caches.
                task()
            samples[name].append(_timed(task))
        advance()
    return samples


def time_growth(
    column: Peer, chip: str, advance: Callable[[], object]
) -> list[tuple[int, Timing | Untimed]]:
    """A sum in one column over the lengths in GROWTH."""
    rows: list[tuple[int, Timing | Untimed]] = []
    for n in GROWTH:
        work = partial(column.lower, "sum", n, chip)
        try:
            samples = _take_turns({column.name: work}, lambda: None)
            rows.append((n, _timing(column.name, samples[column.name])))
        except Exception as error:
            rows.append((n, Untimed(column.name, described(error))))
        advance()
    return rows


def import_milliseconds(statement: str) -> float:
    """The median wall time of a fresh Python that runs `statement`."""
    command = [sys.executable, "-c", statement]
    run = partial(subprocess.run, command, check=True, env=dict(os.environ))
    run()
    return median(_timed(run)[1] for _ in range(11))
