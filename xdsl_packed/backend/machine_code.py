"""
What ptxas made of a kernel, read back from its cubin.

The instructions are nvdisasm's; encodings, registers and parameters come from the cubin (a 64-bit ELF file) itself. In
straight-line code the values are followed from the global loads to the global stores, register by register, which gives
the dependency depth of a stored value, what it costs, and the exact expression that the hardware computes.
"""

import json
import re
import struct
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from xdsl.utils.exceptions import DiagnosticException

from xdsl_packed.backend.ptxas import find_tool, run_tool


class Element(NamedTuple):
    """
    A value loaded from global memory: from the kernel parameter number `parameter`, a pointer, at `position`, counted in
    registers of four bytes (or in elements, where one is narrower than that; an f64 has the position of its low half).
    """

    parameter: int
    position: int


class Constant(NamedTuple):
    """A value that no instruction computes, as nvdisasm writes it: `1`, `RZ`, `c[0x0][0x380]`."""

    text: str


class Operation(NamedTuple):
    """
    An operation on values. The f32 names are `add mul fma max min neg abs` with the modifiers behind (`max.ftz.nan`);
    those on other types start with i, d or h; `and or xor select` work on bits; any other is nvdisasm's own, in lower case.
    """

    name: str
    operands: "tuple[Expression, ...]"


Expression: TypeAlias = Element | Constant | Operation


def combine(name: str, *operands: Expression) -> Expression:
    """
    `name` applied to `operands`, written in the one way in which equal bits have equal expressions: the operands of a
    commutative operation are ordered by their leftmost leaf, and those of an associative one (max, min, integer sums,
    bitwise operations; no sum of floats) are written side by side instead of nested.
    """
    base = name.partition(".")[0]
    if base in _ASSOCIATIVE:
        return Operation(name, _ordered(_flattened(name, operands)))
    if base in _COMMUTATIVE:
        return Operation(name, _ordered(operands))
    if base in ("fma", "dfma"):
        return Operation(name, (*_ordered(operands[:2]), *operands[2:]))
    return Operation(name, operands)


_ASSOCIATIVE = frozenset(
    prefix + name for prefix in ("", "i", "h") for name in ("max", "min")
) | {"iadd", "and", "or", "xor"}
_COMMUTATIVE = frozenset({"add", "mul", "imul", "dadd", "dmul"})


def _flattened(name: str, operands: Iterable[Expression]) -> Iterator[Expression]:
    for operand in operands:
        if isinstance(operand, Operation) and operand.name == name:
            yield from operand.operands
        else:
            yield operand


def _ordered(operands: Iterable[Expression]) -> tuple[Expression, ...]:
    """By leftmost leaf; where that leaves a tie, by everything else in them."""
    ordered = sorted(operands, key=_leftmost_leaf)
    leaves = {_leftmost_leaf(operand) for operand in ordered}
    if len(leaves) < len(ordered):
        ordered.sort(key=lambda operand: (_leftmost_leaf(operand), *_preorder(operand)))
    return tuple(ordered)


_Leaf: TypeAlias = tuple[int, int, int, str]


def _leftmost_leaf(expression: Expression) -> _Leaf:
    while isinstance(expression, Operation):
        expression = expression.operands[0]
    if isinstance(expression, Element):
        return 0, expression.parameter, expression.position, ""
    return 1, 0, 0, expression.text


def _preorder(expression: Expression) -> Iterator[_Leaf]:
    """Every name and leaf, without recursion: a sequential sum is as deep as it is long."""
    pending = [expression]
    while pending:
        top = pending.pop()
        if isinstance(top, Operation):
            yield 2, len(top.operands), 0, top.name
            pending.extend(reversed(top.operands))
        else:
            yield _leftmost_leaf(top)


@dataclass(frozen=True)
class Instruction:
    """
    One machine instruction: `@!P0 FADD.FTZ R1, R2, -R3` has the predicate `@!P0`, the opcode `FADD`, the modifiers
    `("FTZ",)` and the operands `("R1", "R2", "-R3")`. Addresses are bytes from the start of the entry.
    """

    address: int
    predicate: str
    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[str, ...]
    encoding: int

    @property
    def stall_cycles(self) -> int:
        """How long ptxas makes the warp wait before its next instruction: bits 105 to 108 of the encoding."""
        return self.encoding >> 105 & 0xF

    @property
    def is_load(self) -> bool:
        """Its result comes from memory or from a special register."""
        return self.opcode.startswith(_LOADS)

    @property
    def is_move(self) -> bool:
        """It passes bits on, or makes a constant, and computes nothing."""
        if self.opcode in _MOVES:
            return True
        if self.opcode not in ("IMAD", "HFMA2"):
            return False
        # `IMAD.MOV`, and `HFMA2 R0, -RZ, RZ, 1, 0`, which reads no register.
        return self.modifiers[:1] == ("MOV",) or not any(
            _ANY_REGISTER.match(operand) for operand in self.operands[1:]
        )

    @property
    def is_arithmetic(self) -> bool:
        """It computes a value."""
        return not (
            self.is_load
            or self.is_move
            or self.opcode.startswith((*_STORES, *_CONTROL, *_EXCHANGES))
        )

    @property
    def bytes_moved(self) -> int:
        """The bytes a thread that a load or a store moves."""
        return next((_ACCESS_BYTES[m] for m in self.modifiers if m in _ACCESS_BYTES), 4)

    def __str__(self) -> str:
        name = ".".join((self.opcode, *self.modifiers))
        return f"{self.predicate} {name} {', '.join(self.operands)}".strip()


_ANY_REGISTER = re.compile(r"[-|~]*U?R\d")
_LOADS = ("LD", "ULDC", "S2R", "S2UR", "CS2R", "ATOM")
_STORES = ("ST", "UST", "REDG")
_MOVES = frozenset({"MOV", "UMOV", "R2UR", "RPCMOV", "PRMT", "UPRMT"})
_EXCHANGES = ("SHFL", "VOTE", "MATCH", "REDUX", "CREDUX", "ELECT")
_BRANCHES = ("BRA", "BRX", "JMP", "JMX", "CALL", "RET", "BREAK", "UBRA")
_CONTROL = (
    *_BRANCHES,
    *("EXIT", "NOP", "BSSY", "BSYNC", "BAR", "WARPSYNC", "DEPBAR", "MEMBAR", "ERRBAR"),
    *("CCTL", "FENCE", "YIELD", "NANOSLEEP", "KILL", "BPT", "UCGABAR"),
)
_ACCESS_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16, "256": 32}

_PACKED = {"FADD2": "add", "FMUL2": "mul", "FFMA2": "fma"}
_DOUBLE = {"DADD": "dadd", "DMUL": "dmul", "DFMA": "dfma"}
_SCALAR = {"FADD": "add", "FMUL": "mul", "FFMA": "fma"} | _DOUBLE
_MIN_OR_MAX = {
    "FMNMX": "",
    "FMNMX3": "",
    "VIMNMX": "i",
    "VIMNMX3": "i",
    "IMNMX": "i",
    "HMNMX2": "h",
    "VHMNMX": "h",
}
_LOGIC = {
    "0xc0": "and",
    "0x80": "and",
    "0xfc": "or",
    "0xfe": "or",
    "0x3c": "xor",
    "0x96": "xor",
}


@dataclass(frozen=True)
class Store:
    """
    A store to global memory, and what the stored value is made of.

    `address` is its first word as an Element (None where the address is no parameter plus a constant), `words` the
    expression of each register stored. The rest is about the instructions that the value depends on, back to its loads
    (addresses are no part of it): `arithmetic` are those that compute and `moves` those that only pass bits on, as indices into
    the instructions; `dependency_depth` is the longest chain of dependent arithmetic instructions; `stall_cycles` is the sum of the
    stall counts of all instructions from the first arithmetic one to the last, both included. Cycles spent waiting for memory are
    not in the stall counts.
    """

    address: Element | None
    words: tuple[Expression, ...]
    arithmetic: tuple[int, ...]
    moves: tuple[int, ...]
    dependency_depth: int
    stall_cycles: int


@dataclass(frozen=True)
class MachineCode:
    """
    The machine code of one entry, without the padding behind it.

    `registers` are a thread's. `spill_stores` and `spill_loads` are the bytes a thread that the code moves to and from its stack frame of
    `stack` bytes: that is spilling unless the PTX itself has `.local` variables (`assemble_with_resources` tells the two apart).
    """

    entry: str
    instructions: tuple[Instruction, ...]
    registers: int
    stack: int
    parameters: Mapping[int, int]
    """The number of the parameter at each byte offset in constant bank 0."""

    @property
    def spill_stores(self) -> int:
        return self._bytes_of("STL")

    @property
    def spill_loads(self) -> int:
        return self._bytes_of("LDL")

    def _bytes_of(self, opcode: str) -> int:
        return sum(i.bytes_moved for i in self.instructions if i.opcode == opcode)

    def opcode_counts(self) -> dict[str, int]:
        """How often each opcode occurs, by name."""
        return dict(sorted(Counter(i.opcode for i in self.instructions).items()))

    @property
    def branch(self) -> Instruction | None:
        """The first instruction that makes this more than straight-line code."""
        return next(
            (i for i in self.instructions if i.opcode.startswith(_BRANCHES)), None
        )

    @cached_property
    def stores(self) -> tuple[Store, ...]:
        """
        The stores to global memory, in program order.

        Raises DiagnosticException when the code branches, or addresses its stack frame through a computed address.
        """
        if (branch := self.branch) is not None:
            raise DiagnosticException(
                f"the values stored by {self.entry} can be followed in straight-line code only; "
                f"it has a {branch.opcode} at {branch.address:#06x}"
            )
        return _Values(self).follow()

    @property
    def last_store(self) -> Store:
        """The last store to global memory. Raises DiagnosticException as `stores` does, and when there is none."""
        if not self.stores:
            raise DiagnosticException(
                f"{self.entry} stores nothing to global memory, so there is no value to follow"
            )
        return self.stores[-1]

    def expression(self, word: int = 0) -> Expression:
        """What the last store writes as its register number `word`, as `combine` writes it."""
        return self.last_store.words[word]

    @property
    def dependency_depth(self) -> int:
        """That of the last store."""
        return self.last_store.dependency_depth

    @property
    def arithmetic_count(self) -> int:
        """The arithmetic instructions that the last store's value depends on."""
        return len(self.last_store.arithmetic)

    @property
    def moves(self) -> int:
        """The moves that the last store's value goes through."""
        return len(self.last_store.moves)

    @property
    def stall_cycles(self) -> int:
        """Those of the last store."""
        return self.last_store.stall_cycles

    def summary(self) -> str:
        """
        A few lines for a reader: what computes (`15 FADD2, 1 FADD`, the most frequent first), depth and cycles, registers and spills.
        Code whose values cannot be followed has all its opcodes listed instead, and the reason.
        """
        return "\n".join((*self._summary_of_values(), self._summary_of_registers()))

    def _summary_of_values(self) -> Iterator[str]:
        try:
            stores = self.stores
        except DiagnosticException as reason:
            yield _counted(i.opcode for i in self.instructions)
            yield f"no dependency depth: {reason}"
            return
        arithmetic = {index for store in stores for index in store.arithmetic}
        moves = {index for store in stores for index in store.moves}
        yield _counted(self.instructions[i].opcode for i in sorted(arithmetic)) or (
            "no arithmetic"
        )
        if not arithmetic:
            return
        yield (
            f"dependency depth {max(s.dependency_depth for s in stores)}, "
            f"{_plural(_stall_cycles(self.instructions, arithmetic), 'cycle')} from first to last, "
            f"{_plural(len(moves), 'move') if moves else 'no moves'}"
        )

    def _summary_of_registers(self) -> str:
        spilled = self.spill_stores or self.spill_loads
        spills = (
            f"{self.spill_stores} bytes spilled, {self.spill_loads} bytes reloaded"
            if spilled
            else "no spills"
        )
        return f"{_plural(self.registers, 'register')}, {spills}"


def _counted(opcodes: Iterable[str]) -> str:
    ranked = sorted(Counter(opcodes).items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count} {opcode}" for opcode, count in ranked)


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _stall_cycles(
    instructions: Sequence[Instruction], arithmetic: Iterable[int]
) -> int:
    if not (indices := sorted(arithmetic)):
        return 0
    return sum(i.stall_cycles for i in instructions[indices[0] : indices[-1] + 1])


def read_machine_code(
    cubin: bytes,
    entry: str | None = None,
    *,
    nvdisasm: str | PathLike[str] | None = None,
) -> MachineCode:
    """
    The machine code of `entry`, which may be left out when `cubin` has one entry.

    Raises DiagnosticException when `cubin` is no cubin, when there is no such entry or more than one to choose from, and when
    nvdisasm is missing or fails.
    """
    elf = _read_elf(cubin)
    name = _chosen_entry(elf, entry)
    return _read_entry(elf, name, _disassembled(cubin, nvdisasm))


def read_all_machine_code(
    cubin: bytes, *, nvdisasm: str | PathLike[str] | None = None
) -> dict[str, MachineCode]:
    """
    The machine code of every entry, by name: one run of nvdisasm, which takes most of the time.

    Raises DiagnosticException as `read_machine_code` does.
    """
    elf = _read_elf(cubin)
    disassembled = _disassembled(cubin, nvdisasm)
    return {name: _read_entry(elf, name, disassembled) for name in elf.entries}


_Disassembled: TypeAlias = Mapping[str, Sequence[dict[str, Any]]]
"""nvdisasm's instructions of each function, each with its opcode and maybe operands and a predicate."""


def _read_entry(elf: "_Cubin", name: str, disassembled: _Disassembled) -> MachineCode:
    try:
        code = elf.code_of(name)
        registers, stack = elf.registers_of(name), elf.stack_of(name)
        parameters = elf.parameters_of(name)
    except (struct.error, IndexError, OverflowError):
        raise _damaged() from None
    instructions = tuple(
        _instruction(16 * index, fields, code[16 * index : 16 * index + 16])
        for index, fields in enumerate(disassembled.get(name, ()))
    )
    if 16 * len(instructions) != len(code):
        raise DiagnosticException(
            f"nvdisasm shows {len(instructions)} instructions for {name}, the cubin has {len(code) // 16}"
        )
    return MachineCode(
        name, _without_padding(instructions), registers, stack, parameters
    )


def _read_elf(cubin: bytes) -> "_Cubin":
    try:
        return _Cubin.read(cubin)
    except (struct.error, IndexError, OverflowError, ValueError):
        raise _damaged() from None


def _damaged() -> DiagnosticException:
    return DiagnosticException("not a cubin: the ELF file is damaged or cut off")


def _chosen_entry(elf: "_Cubin", entry: str | None) -> str:
    entries = elf.entries
    if entry is not None and entry in entries:
        return entry
    have = f"the cubin has {', '.join(entries) or 'none'}"
    if entry is not None:
        raise DiagnosticException(f"no entry {entry}: {have}")
    if len(entries) != 1:
        raise DiagnosticException(f"which entry? {have}")
    return entries[0]


def disassemble(cubin: bytes, *, nvdisasm: str | PathLike[str] | None = None) -> str:
    """
    The text that nvdisasm prints for all code in `cubin`.

    Raises DiagnosticException when `cubin` is no cubin, and when nvdisasm is missing or fails.
    """
    _read_elf(cubin)
    tool = find_tool("nvdisasm", nvdisasm)
    if not (text := _run_nvdisasm(tool, "-c", cubin)):
        raise DiagnosticException(f"{tool} printed nothing; is it NVIDIA's nvdisasm?")
    return text


def _run_nvdisasm(tool: Path, option: str, cubin: bytes) -> str:
    with tempfile.TemporaryDirectory(prefix="xdsl-packed-") as folder:
        (Path(folder) / "kernel.cubin").write_bytes(cubin)
        arguments = [option, "kernel.cubin"]
        return run_tool(tool, arguments, folder=folder, subject="cubin")


def _disassembled(cubin: bytes, nvdisasm: str | PathLike[str] | None) -> _Disassembled:
    tool = find_tool("nvdisasm", nvdisasm)
    try:
        _, functions = json.loads(_run_nvdisasm(tool, "-json", cubin))
        return {f["function-name"]: f["sass-instructions"] for f in functions}
    except (ValueError, TypeError, KeyError):
        raise DiagnosticException(
            f"{tool} did not print the code as JSON; nvdisasm of CUDA 13 does"
        ) from None


def _instruction(address: int, fields: dict[str, Any], encoding: bytes) -> Instruction:
    opcode, *modifiers = fields["opcode"].split(".")
    operands = tuple(
        operand.strip() for operand in _COMMA.split(fields.get("operands", ""))
    )
    return Instruction(
        address,
        fields.get("predicate", ""),
        opcode,
        tuple(modifiers),
        operands if operands != ("",) else (),
        int.from_bytes(encoding, "little"),
    )


_COMMA = re.compile(r",(?![^\[(]*[\])])")
"""A comma between two operands, not one inside brackets."""


def _without_padding(instructions: Sequence[Instruction]) -> tuple[Instruction, ...]:
    """Behind the code ptxas puts a branch to itself, and fills up with NOP."""
    end = len(instructions)
    while end and instructions[end - 1].opcode == "NOP":
        end -= 1
    last = instructions[end - 1] if end else None
    if last and last.opcode == "BRA" and last.operands == (hex(last.address),):
        end -= 1
    return tuple(instructions[:end])


# The values -----------------------------------------------------------------------------------------------------------


class _Operand(NamedTuple):
    """`-|R8|.F32x2.HI_LO`: signs before, a register or a constant, whether bars, the suffixes behind."""

    signs: str
    name: str
    bars: bool
    suffixes: tuple[str, ...]

    @staticmethod
    def read(text: str) -> "_Operand":
        if (match := _REGISTER.fullmatch(text)) is None:
            return _Operand("", text, False, ())
        words = (match["inner"] + match["outer"]).split(".")
        suffixes = tuple(word for word in words if word not in ("", "reuse"))
        return _Operand(match["signs"], match["name"], bool(match["bar"]), suffixes)

    @property
    def is_register(self) -> bool:
        return self.name[-1].isdigit() and self.name.lstrip("U")[0] == "R"

    @property
    def is_predicate(self) -> bool:
        return self.name.lstrip("U")[0] == "P"

    def word(self, index: int) -> str:
        """The register `index` registers behind this one."""
        if not self.is_register:
            return self.name
        bank = self.name.rstrip("0123456789")
        return f"{bank}{int(self.name[len(bank) :]) + index}"

    def lane(self, lane: int) -> str:
        """The register that holds this packed operand's `lane`: `.HI_LO` names lane 1 first, `.F32` is one register for both."""
        swizzle = next((s for s in self.suffixes if s in _SWIZZLES), None)
        if swizzle is None:
            return self.name
        return self.word(_SWIZZLES[swizzle][lane])

    def lane_signs(self, lane: int) -> str:
        """`.NP` negates lane 1, `.PN` lane 0."""
        negated = {"NP": 1, "PN": 0}
        lanes = [negated[s] for s in self.suffixes if s in negated]
        return self.signs + "-" * lanes.count(lane)


_REGISTER = re.compile(
    r"(?P<signs>[-~!]*)(?P<bar>\|?)(?P<name>Rpc\.LO|Rpc\.HI|U?R\d+|U?RZ|U?P\d|U?PT)"
    r"(?P<inner>(\.\w+)*)\|?(?P<outer>(\.\w+)*)"
)
_SWIZZLES = {"HI_LO": (0, 1), "LO_HI": (1, 0), "HI_HI": (1, 1), "LO_LO": (0, 0)}
_SIGNS = {"-": "neg", "~": "not", "!": "not"}
_ADDRESS = re.compile(
    r"(?:g?desc\[UR\d+\])?\[(?P<base>U?R\d+)(?:\.64)?(?:\+(?P<offset>-?0x[0-9a-f]+))?\]"
)
_CONSTANT_WORD = re.compile(r"c\[0x0\]\[(?P<offset>0x[0-9a-f]+)\]")


class _Value(NamedTuple):
    """What a register holds, and the index of the instruction that put it there."""

    expression: Expression
    source: int | None


class _Values:
    """Follows the values of straight-line code through the registers and the stack frame, instruction by instruction."""

    def __init__(self, code: MachineCode):
        self.code = code
        self.held: dict[str, _Value] = {}
        self.sources: list[frozenset[int]] = []
        self.depths: list[int] = []

    def follow(self) -> tuple[Store, ...]:
        stores: list[Store] = []
        for index, instruction in enumerate(self.code.instructions):
            if instruction.opcode == "EXIT" and not instruction.predicate:
                break
            self.step(index, instruction)
            if instruction.opcode in ("STG", "ST"):
                stores.append(self.store(index, instruction))
        return tuple(stores)

    # Reading

    def read(self, register: str) -> _Value:
        return self.held.get(register, _Value(Constant(register), None))

    def read_operand(self, text: str, lane: int | None = None) -> _Value:
        """The value of an operand; of one lane of it, where it is a packed one."""
        operand = _Operand.read(text)
        register = operand.name if lane is None else operand.lane(lane)
        signs = operand.signs if lane is None else operand.lane_signs(lane)
        expression, source = self.read(register)
        halves = [s for s in operand.suffixes if s[0] == "H" and s[1:2].isdigit()]
        if halves:
            expression = Operation(halves[0].lower(), (expression,))
        if operand.bars:
            expression = Operation("abs", (expression,))
        for sign in reversed(signs):
            expression = Operation(_SIGNS[sign], (expression,))
        return _Value(expression, source)

    def registers_read(self, instruction: Instruction) -> Iterator[str]:
        """Every register whose value can reach the result; an address is no value."""
        if instruction.predicate:
            yield instruction.predicate.lstrip("@!")
            yield from self.registers_written(instruction)
        if instruction.is_load:
            return
        _, inputs = _split_operands(instruction)
        for text in inputs:
            yield from self.registers_named(instruction, text)

    def registers_named(self, instruction: Instruction, text: str) -> Iterator[str]:
        operand = _Operand.read(text)
        if not operand.is_register:
            yield operand.name
            return
        if instruction.opcode in _PACKED:
            yield from (operand.lane(lane) for lane in (0, 1))
            return
        yield from (operand.word(w) for w in range(_words_read(instruction)))

    def registers_written(self, instruction: Instruction) -> Iterator[str]:
        outputs, _ = _split_operands(instruction)
        for text in outputs:
            operand = _Operand.read(text)
            words = _words_written(instruction) if operand.is_register else 1
            yield from (operand.word(w) for w in range(words))

    # Stepping

    def step(self, index: int, instruction: Instruction) -> None:
        stack = self.stack_slots(instruction)
        read = (*self.registers_read(instruction), *stack)
        if instruction.opcode == "STL":
            read = self.store_registers(instruction)
        sources = frozenset(
            source for name in read if (source := self.read(name).source) is not None
        )
        self.sources.append(sources)
        depth = max((self.depths[source] for source in sources), default=0)
        self.depths.append(depth + instruction.is_arithmetic)
        if instruction.opcode == "STL":
            expressions = [self.read(register).expression for register in read]
            self.write(index, instruction, stack, expressions)
            return
        if not (written := tuple(self.registers_written(instruction))):
            return
        expressions = tuple(self.results(instruction, written, stack))
        self.write(index, instruction, written, expressions)

    def write(
        self,
        index: int,
        instruction: Instruction,
        names: Sequence[str],
        expressions: Sequence[Expression],
    ) -> None:
        for name, expression in zip(names, expressions, strict=True):
            if name in ("RZ", "URZ", "PT", "UPT"):
                continue
            if instruction.predicate:
                guard = self.read_operand(instruction.predicate[1:]).expression
                choices = (guard, expression, self.read(name).expression)
                expression = Operation("select", choices)
            self.held[name] = _Value(expression, index)

    def results(
        self, instruction: Instruction, written: Sequence[str], stack: Sequence[str]
    ) -> Iterator[Expression]:
        """The expression of each register that `instruction` writes."""
        if stack:
            yield from (self.read(slot).expression for slot in stack)
            return
        if instruction.is_load:
            yield from self.loaded(instruction, len(written))
            return
        _, inputs = _split_operands(instruction)
        if (moved := self.moved(instruction, inputs)) is not None:
            yield from (
                self.read(moved.word(w)).expression for w in range(len(written))
            )
            return
        if instruction.opcode in _PACKED:
            for lane in (0, 1):
                yield self.computed(
                    instruction,
                    [self.read_operand(i, lane).expression for i in inputs],
                )
            return
        result = self.computed(
            instruction, [self.read_operand(i).expression for i in inputs]
        )
        yield result
        # The high half of a pair, or a carry: named after the low half, which has the whole expression.
        for number in range(1, len(written)):
            yield Operation(f"word{number}", (result,))

    def moved(self, instruction: Instruction, inputs: Sequence[str]) -> _Operand | None:
        """The operand that a plain move passes on; PRMT rearranges bytes, and IMAD.MOV can negate."""
        if (
            not instruction.is_move
            or len(inputs) not in (1, 3)
            or "PRMT" in instruction.opcode
        ):
            return None
        operand = _Operand.read(inputs[-1])
        return None if operand.signs or operand.bars else operand

    def loaded(self, instruction: Instruction, words: int) -> Iterator[Expression]:
        address = instruction.operands[-1] if instruction.operands else ""
        if (constant := _CONSTANT_WORD.fullmatch(address)) is not None:
            start = int(constant["offset"], 16)
            yield from (Constant(f"c[0x0][{start + 4 * w:#x}]") for w in range(words))
            return
        first = self.element_at(instruction, address)
        for word in _memory_order(instruction, words):
            if first is not None and instruction.opcode in ("LDG", "LD"):
                yield Element(first.parameter, first.position + word)
            else:
                place = f"{instruction.opcode}@{instruction.address:#06x}"
                yield Constant(f"{place}[{word}]")

    def element_at(self, instruction: Instruction, address: str) -> Element | None:
        """Which element of which parameter lies at `address`; None where that is no parameter plus a constant."""
        if (match := _ADDRESS.fullmatch(address)) is None:
            return None
        base = self.read(match["base"]).expression
        if not isinstance(base, Constant):
            return None
        if (constant := _CONSTANT_WORD.fullmatch(base.text)) is None:
            return None
        parameter = self.code.parameters.get(int(constant["offset"], 16))
        if parameter is None:
            return None
        offset = int(match["offset"] or "0", 16)
        return Element(parameter, offset // min(4, instruction.bytes_moved))

    def computed(
        self, instruction: Instruction, inputs: Sequence[Expression]
    ) -> Expression:
        # The uniform datapath of sm_120 has the same operations: UFADD is a FADD.
        opcode, modifiers = instruction.opcode.removeprefix("U"), instruction.modifiers
        suffix = "".join(f".{m.lower()}" for m in modifiers)
        name = _PACKED.get(opcode) or _SCALAR.get(opcode)
        if name in ("fma", "dfma") and Constant("1") in inputs[:2]:
            # x * 1 is x, so the only rounding is the sum's.
            factors = list(inputs[:2])
            factors.remove(Constant("1"))
            return combine(name.replace("fma", "add") + suffix, *factors, inputs[2])
        if name is not None:
            return combine(name + suffix, *inputs)
        if opcode in _MIN_OR_MAX and inputs[-1] in (_TRUE, _FALSE):
            which = "min" if inputs[-1] == _TRUE else "max"
            return combine(f"{_MIN_OR_MAX[opcode]}{which}{suffix}", *inputs[:-1])
        if opcode in ("IADD3", "IADD", "VIADD") and "X" not in modifiers:
            return combine("iadd", *(i for i in inputs if i != _ZERO))
        if opcode == "IMAD" and modifiers == ("IADD",):
            return combine("iadd", inputs[0], inputs[2])
        if opcode == "IMAD" and not modifiers and inputs[2] == _ZERO:
            return combine("imul", *inputs[:2])
        if opcode == "LOP3" and (logic := self.logic(instruction, inputs)) is not None:
            return logic
        return Operation(f"{instruction.opcode.lower()}{suffix}", tuple(inputs))

    def logic(
        self, instruction: Instruction, inputs: Sequence[Expression]
    ) -> Expression | None:
        """LOP3.LUT d, a, b, c, table, p: the tables of a plain and, or, xor."""
        _, texts = _split_operands(instruction)
        if len(texts) != 5 or (name := _LOGIC.get(texts[3])) is None:
            return None
        return combine(name, *(i for i in inputs[:3] if i != _ZERO))

    # The stack frame and the stores

    def stack_slots(self, instruction: Instruction) -> tuple[str, ...]:
        """The words of the stack frame that a spill or a reload touches."""
        if instruction.opcode not in ("STL", "LDL"):
            return ()
        position = 0 if instruction.opcode == "STL" else -1
        match = _ADDRESS.fullmatch(instruction.operands[position])
        if match is None or match["base"] != "R1" or instruction.bytes_moved < 4:
            raise DiagnosticException(
                f"the values stored by {self.code.entry} cannot be followed through local memory: "
                f"{instruction} at {instruction.address:#06x} does not address its stack frame by a constant"
            )
        start = int(match["offset"] or "0", 16)
        words = instruction.bytes_moved // 4
        return tuple(f"stack+{start + 4 * word:#x}" for word in range(words))

    def store_registers(self, instruction: Instruction) -> tuple[str, ...]:
        """The registers that a store writes to memory, first word first."""
        _, *data = instruction.operands
        words = max(instruction.bytes_moved // 4, 1) // len(data)
        operands = [_Operand.read(text) for text in data]
        return tuple(o.word(w) for o in operands for w in range(words))

    def store(self, index: int, instruction: Instruction) -> Store:
        values = [self.read(name) for name in self.store_registers(instruction)]
        reached = self.reached_from(v.source for v in values if v.source is not None)
        instructions = self.code.instructions
        arithmetic = tuple(i for i in reached if instructions[i].is_arithmetic)
        return Store(
            self.element_at(instruction, instruction.operands[0]),
            tuple(value.expression for value in values),
            arithmetic,
            tuple(i for i in reached if instructions[i].is_move),
            max((self.depths[i] for i in reached), default=0),
            _stall_cycles(instructions, arithmetic),
        )

    def reached_from(self, roots: Iterable[int]) -> list[int]:
        """The instructions that those at `roots` depend on, with themselves, in program order."""
        pending, reached = list(roots), set[int]()
        while pending:
            index = pending.pop()
            if index in reached:
                continue
            reached.add(index)
            pending.extend(self.sources[index])
        return sorted(reached)


_TRUE = Constant("PT")
_FALSE = Operation("not", (Constant("PT"),))
_ZERO = Constant("RZ")


def _split_operands(
    instruction: Instruction,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What is written and what is read: predicates and one register are written first, whatever order they come in."""
    operands = instruction.operands
    if instruction.opcode.startswith((*_STORES, *_CONTROL)):
        return (), operands
    if "SETP" in instruction.opcode or instruction.opcode in ("PLOP3", "UPLOP3"):
        return operands[:2], operands[2:]
    if instruction.opcode.startswith(("LD", "VOTE")):
        return operands[:-1], operands[-1:]
    end, registers = 0, 0
    for text in operands[:-1]:
        operand = _Operand.read(text)
        registers += operand.is_register or operand.name in ("RZ", "URZ", "Rpc.LO")
        written = operand.is_predicate or operand.name[0] in "RU"
        if registers > 1 or operand.signs or not written:
            break
        end += 1
    return operands[:end], operands[end:]


def _words_written(instruction: Instruction) -> int:
    """The registers that each register operand of the result stands for."""
    modifiers = instruction.modifiers
    if instruction.opcode == "LDTM":
        return next((int(m[1:]) for m in modifiers if m[0] == "x"), 1)
    if "256" in modifiers:
        return 4
    if instruction.is_load:
        return max(instruction.bytes_moved // 4, 1)
    wide = instruction.opcode in (*_PACKED, *_DOUBLE) or modifiers[:1] == ("F64",)
    return 2 if wide or {"64", "WIDE"} & {*modifiers} else 1


def _words_read(instruction: Instruction) -> int:
    """The registers that each register operand stands for, at most."""
    modifiers = instruction.modifiers
    wide = instruction.opcode[0] == "D" or modifiers[-1:] == ("F64",)
    return 2 if wide or {"64", "WIDE"} & {*modifiers} else 1


def _memory_order(instruction: Instruction, words: int) -> Iterable[int]:
    """Which word of memory each written register gets: a 256-bit load names the register of its upper half first."""
    if "256" not in instruction.modifiers:
        return range(words)
    return (*range(4, 8), *range(4))


# The cubin ------------------------------------------------------------------------------------------------------------

_EM_CUDA = 190
_STT_FUNC = 2
_STO_CUDA_ENTRY = 0x10
_SHT_SYMTAB = 2
_EIATTR_PARAM_CBANK = 0x0A
_EIATTR_FRAME_SIZE = 0x11
_EIATTR_KPARAM_INFO = 0x17
_EIATTR_REGCOUNT = 0x2F
_EIATTR_KPARAM_INFO_V2 = 0x45
_EIFMT_SVAL = 4


class _Section(NamedTuple):
    kind: int
    content: bytes


class _Symbol(NamedTuple):
    name: str
    kind: int
    other: int
    section: int
    value: int
    size: int


@dataclass(frozen=True)
class _Cubin:
    """The parts of a cubin that nvdisasm does not print."""

    sections: tuple[_Section, ...]
    section_names: tuple[str, ...]
    symbols: tuple[_Symbol, ...]

    @staticmethod
    def read(cubin: bytes) -> "_Cubin":
        if cubin[:5] != b"\x7fELF\x02":
            raise DiagnosticException(
                "not a cubin: it does not start as a 64-bit ELF file does"
            )
        (machine,) = struct.unpack_from("<H", cubin, 18)
        if machine != _EM_CUDA:
            raise DiagnosticException(
                f"not a cubin: an ELF file for machine {machine}, not for CUDA ({_EM_CUDA})"
            )
        (table,) = struct.unpack_from("<Q", cubin, 40)
        size, count, names_at = struct.unpack_from("<HHH", cubin, 58)
        headers = [
            struct.unpack_from("<IIQQQQIIQQ", cubin, table + size * i)
            for i in range(count)
        ]
        sections = tuple(
            _Section(kind, cubin[offset : offset + length])
            for _, kind, _, _, offset, length, *_ in headers
        )
        names = tuple(
            _text_at(sections[names_at].content, header[0]) for header in headers
        )
        symbols = (
            symbol
            for section, header in zip(sections, headers, strict=True)
            if section.kind == _SHT_SYMTAB
            for symbol in _symbols(section.content, sections[header[6]].content)
        )
        return _Cubin(sections, names, tuple(symbols))

    @property
    def entries(self) -> tuple[str, ...]:
        """The kernels, by name."""
        return tuple(
            sorted(
                symbol.name
                for symbol in self.symbols
                if symbol.kind == _STT_FUNC and symbol.other & _STO_CUDA_ENTRY
            )
        )

    def symbol(self, entry: str) -> _Symbol:
        return next(s for s in self.symbols if s.kind == _STT_FUNC and s.name == entry)

    def code_of(self, entry: str) -> bytes:
        symbol = self.symbol(entry)
        return self.sections[symbol.section].content[symbol.value :][: symbol.size]

    def registers_of(self, entry: str) -> int:
        return self._count_of(entry, _EIATTR_REGCOUNT)

    def stack_of(self, entry: str) -> int:
        return self._count_of(entry, _EIATTR_FRAME_SIZE)

    def parameters_of(self, entry: str) -> dict[int, int]:
        """The number of each parameter, by its byte offset in constant bank 0."""
        attributes = list(self._attributes(f".nv.info.{entry}"))
        start = next(
            (
                struct.unpack_from("<IH", payload)[1]
                for kind, payload in attributes
                if kind == _EIATTR_PARAM_CBANK
            ),
            0,
        )
        numbers = (
            struct.unpack_from("<IHH", payload)[1:]
            for kind, payload in attributes
            if kind in (_EIATTR_KPARAM_INFO, _EIATTR_KPARAM_INFO_V2)
        )
        return {start + offset: number for number, offset in numbers}

    def _count_of(self, entry: str, attribute: int) -> int:
        """The count that `.nv.info` gives, by symbol number, for `entry`."""
        symbol = self.symbols.index(self.symbol(entry))
        counts = (
            struct.unpack_from("<II", payload)
            for kind, payload in self._attributes(".nv.info")
            if kind == attribute
        )
        return next((count for number, count in counts if number == symbol), 0)

    def _attributes(self, section: str) -> Iterator[tuple[int, bytes]]:
        """The attributes of an info section that have a payload: format, kind, then the payload's size and bytes."""
        if section not in self.section_names:
            return
        content, at = self.sections[self.section_names.index(section)].content, 0
        while at + 4 <= len(content):
            form, kind, size = struct.unpack_from("<BBH", content, at)
            at += 4
            if form == _EIFMT_SVAL:
                yield kind, content[at : at + size]
                at += size


def _symbols(table: bytes, names: bytes) -> Iterator[_Symbol]:
    for name, info, other, section, value, size in struct.iter_unpack("<IBBHQQ", table):
        yield _Symbol(_text_at(names, name), info & 0xF, other, section, value, size)


def _text_at(strings: bytes, start: int) -> str:
    return strings[start : strings.index(b"\0", start)].decode()
