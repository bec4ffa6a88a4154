"""`python -m bench`: print the tables, write docs/benchmarks.md and docs/benchmarks.svg."""

import argparse
import os
import platform
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from bench import report
from bench.code import measure_all
from bench.compile_time import (
    GROWTH,
    ROUNDS,
    import_milliseconds,
    time_columns,
    time_growth,
)
from bench.ops import ALIGNMENT, LENGTHS, OPS
from bench.ours import OURS
from bench.peer import Peer
from bench.peers import load_peers
from xdsl_packed.backend.ptxas import find_tool, run_tool
from xdsl_packed.files import write_whole

CHIP = "sm_100a"
TIMED_LENGTH = 32
_DRAWN_OPS = ("sum", "max")
_DRAWN = ("ours", "TVM packed", "LLVM", "Triton Gluon", "CuTe DSL", "CUB", "nvcc")

_TIMED = {
    "ours": "`compile_reduction` to PTX text, with the order `any`",
    "ours, sm100_packed": "the same, that variant forced",
    "ours, local": "the same, that variant forced",
    "TVM packed": "parsed TVMScript to CUDA text, device code alone; nvcc's time comes on top",
    "TVM local": "the same",
    "LLVM": "LLVM IR text to PTX text, -O3 code generation, in process",
    "Triton Gluon": "Python function to PTX text, its stages called one by one, no cache",
    "CuTe DSL": "Python function to cubin: with its own ptxas",
    "CUB": "CUDA to PTX text: a process of nvcc",
    "nvcc": "CUDA to PTX text: a process of nvcc",
    "ptxas": "our PTX to cubin: a process of ptxas",
}


class Progress:
    """A bar on standard error, where that is a terminal or not."""

    def __init__(self, label: str, steps: int) -> None:
        tqdm: Any = import_module("tqdm")
        self._bar = tqdm.tqdm(
            total=steps, desc=label, file=sys.stderr, mininterval=0.5, leave=True
        )

    def __enter__(self) -> Callable[[], object]:
        return self._bar.update

    def __exit__(self, *_: object) -> None:
        self._bar.close()


def _length(text: str) -> int:
    if not text.isdecimal() or not 2 <= int(text) <= 256:
        raise argparse.ArgumentTypeError(f"{text} is not a length from 2 to 256")
    return int(text)


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    names = [op.name for op in OPS]
    parser.add_argument("--op", action="append", choices=names, help="only this op")
    parser.add_argument(
        "--length", action="append", type=_length, help="only this length (2 to 256)"
    )
    parser.add_argument(
        "--no-compile-time", action="store_true", help="leave the compile times out"
    )
    parser.add_argument("--no-code", action="store_true", help="only compile times")
    parser.add_argument(
        "--output", type=Path, default=Path("docs"), help="the folder to write to"
    )
    return parser.parse_args(arguments)


def _heading(columns: Sequence[Peer]) -> str:
    said = run_tool(
        find_tool("ptxas"), ["--version"], folder=os.curdir, subject="version"
    )
    release = next(
        (
            word
            for line in said.splitlines()
            for word in line.split()
            if word[:1] == "V"
        ),
        "of unknown version",
    )
    versions = "\n".join(f"- {column.name}: {column.version()}" for column in columns)
    return f"""# Benchmarks

Written by `make bench` ({platform.python_implementation()} {platform.python_version()}, {platform.machine()}, {os.cpu_count()} CPUs); do not edit.

One thread loads N values from global memory ({ALIGNMENT}-byte aligned), reduces them in registers and stores the result. Everything is
for {CHIP}, assembled by ptxas {release} and read back from the machine code by `xdsl_packed.backend.machine_code`. Nothing here ran on a
GPU: these are properties of the code, not measured times. Every kernel is assembled with `.minnctapersm 1`, as ours says of itself up to
248 elements: ptxas may then use all registers and loads everything first.

A cell is **instructions+extra / depth / stall cycles / registers**: instructions that compute, from the loaded values to the stored one,
and after a + those that only pass bits on; the longest chain of dependent computing instructions; the stall cycles that ptxas wrote from the first
computing instruction to the last (loads that it placed between them count, waiting for memory does not); registers of the thread, with
addresses. The lower bound is instructions / depth. Bits are not part of the comparison: the compilers' sums differ in order, and
only ours say which order that is.

![Instructions and depth over the length, for sum and max](benchmarks.svg)

{versions}"""


def _write(folder: Path, sections: Sequence[str], picture: str | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if picture is not None:
        write_whole(folder / "benchmarks.svg", picture)
    text = "\n\n".join(section for section in sections if section) + "\n"
    write_whole(folder / "benchmarks.md", text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, write. A peer that is missing or breaks is part of the result: the exit code is 0 all the same."""
    chosen = _arguments(arguments)
    ops = [op for op in OPS if not chosen.op or op.name in chosen.op]
    lengths = chosen.length or LENGTHS
    peers, missing = load_peers()
    columns: list[Peer] = [*OURS, *peers]
    names = [column.name for column in columns]
    sections = [_heading(columns)]
    picture = None
    print(sections[0], flush=True)

    def add(section: str) -> None:
        sections.append(section)
        print(f"\n{section}", flush=True)

    if not chosen.no_code:
        with Progress("code", len(ops) * len(columns) * len(lengths)) as advance:
            results = measure_all(ops, columns, lengths, CHIP, advance)
        for op in ops:
            add(report.code_section(op, names, lengths, results))
        drawn = [op for op in ops if op.name in _DRAWN_OPS]
        if drawn:
            draw: Any = import_module("bench.picture").draw
            picture = draw(drawn, _DRAWN, lengths, results)
    if not chosen.no_compile_time:
        with Progress("compile time", ROUNDS) as advance:
            timings = time_columns(columns, TIMED_LENGTH, CHIP, advance)
        add(report.compile_time_section(timings, TIMED_LENGTH, _TIMED))
        with Progress("growth", len(GROWTH)) as advance:
            add(report.growth_section(time_growth(OURS[0], CHIP, advance)))
        ours = import_milliseconds("import xdsl, xdsl_packed")
        theirs = import_milliseconds("import xdsl")
        add(
            f"`import xdsl_packed` adds {max(ours - theirs, 0):.0f} ms to `import xdsl`'s {theirs:.0f} ms "
            "(fresh processes, medians)."
        )
    if missing:
        add(report.missing_section(missing))
    _write(chosen.output, sections, picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
