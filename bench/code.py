"""What ptxas makes of every column's kernel."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.utils.exceptions import DiagnosticException

from bench.ops import Op, OpName
from bench.peer import NotOffered, Peer, described
from xdsl_packed.backend.machine_code import read_machine_code
from xdsl_packed.backend.ptxas import assemble


@dataclass(frozen=True)
class Cost:
    """
    A kernel's machine code, from the loaded values to the stored one.

    `extra` instructions only pass bits on; `stall_cycles` are those that ptxas wrote, from the first computing
    instruction to the last; `registers` are a thread's, for the whole kernel; `spilled` are bytes a thread.
    """

    instructions: int
    extra: int
    depth: int
    stall_cycles: int
    registers: int
    spilled: int


@dataclass(frozen=True)
class Failure:
    """Why there is no number: `refused` for an op that the compiler does not offer, else it broke."""

    reason: str
    refused: bool


Outcome: TypeAlias = Cost | Failure
Results: TypeAlias = Mapping[tuple[OpName, str, int], Outcome]
"""By op, column and length."""


def with_all_registers(ptx: str) -> str:
    """
    The kernel with the directives that ours has: one block a multiprocessor will do, so that ptxas may use all
    registers and loads everything first. A block size that the compiler wrote is kept.
    """
    entry = ptx.find(".entry")
    body = ptx.find("{", entry)
    head = ptx[:body].rstrip()
    if ".minnctapersm" in head[entry:]:
        return ptx
    if ".reqntid" not in head[entry:] and ".maxntid" not in head[entry:]:
        head += "\n.reqntid 1, 1, 1"
    return f"{head}\n.minnctapersm 1\n{ptx[body:]}"


def measure(ptx: str, chip: str) -> Cost:
    """Assemble a kernel with one entry and read it. Raises DiagnosticException as both of these do."""
    code = read_machine_code(assemble(with_all_registers(ptx), chip))
    return Cost(
        code.arithmetic_count,
        code.moves,
        code.dependency_depth,
        code.stall_cycles,
        code.registers,
        code.spill_stores,
    )


def measure_all(
    ops: Iterable[Op],
    columns: Sequence[Peer],
    lengths: Sequence[int],
    chip: str,
    advance: Callable[[], object],
) -> Results:
    """
    Every op in every column at every length; `advance` is called after each, from any thread.

    The columns translate one after the other, because not every compiler may be called from two threads; ptxas
    and nvdisasm run beside them.
    """
    pending: dict[tuple[OpName, str, int], Future[Outcome]] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for op in ops:
            for column in columns:
                for n in lengths:
                    text = _translate(column, op, n, chip)
                    task = pool.submit(_outcome, text, chip)
                    task.add_done_callback(lambda _: advance())
                    pending[op.name, column.name, n] = task
    return {key: task.result() for key, task in pending.items()}


# A column that breaks, in whatever way, is a result of the benchmark and not its end.
def _translate(column: Peer, op: Op, n: int, chip: str) -> str | Failure:
    try:
        return column.ptx(op.name, n, chip)
    except NotOffered as refusal:
        return Failure(str(refusal), refused=True)
    except Exception as error:
        return Failure(described(error), refused=False)


def _outcome(text: str | Failure, chip: str) -> Outcome:
    if isinstance(text, Failure):
        return text
    try:
        return measure(text, chip)
    except DiagnosticException as error:
        return Failure(described(error), refused=False)
