"""A packed op as one PTX instruction, for whoever writes it as inline assembly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import bf16, f16, f32, f64, i16
from xdsl.ir import Attribute, Operation

from xdsl_packed.dialects import packed
from xdsl_packed.dialects.packed import bf16x2, f16x2, f32x2, i16x2


@dataclass(frozen=True)
class AssemblyType:
    """How inline assembly names a type: PTX's suffix, the constraint letter, the bits."""

    suffix: str
    constraint: str
    bits: int
    is_float: bool
    """Whether the constraint takes the float itself; otherwise it takes an integer of `bits`."""


ASSEMBLY_TYPES: Mapping[Attribute, AssemblyType] = {
    f32: AssemblyType("f32", "f", 32, True),
    f64: AssemblyType("f64", "d", 64, True),
    f16: AssemblyType("f16", "h", 16, False),
    bf16: AssemblyType("bf16", "h", 16, False),
    f32x2: AssemblyType("f32x2", "l", 64, False),
    f16x2: AssemblyType("f16x2", "r", 32, False),
    bf16x2: AssemblyType("bf16x2", "r", 32, False),
    i16: AssemblyType("s16", "h", 16, False),
    i16x2: AssemblyType("s16x2", "r", 32, False),
}
"""The types of packed ops (NVVM IR and CUDA name the same constraints: "Inline PTX Assembly")."""


INTEGER_PAIR_INSTRUCTIONS: Mapping[type[Operation], str] = {
    arith.AddiOp: "add.s16x2",
    arith.MaxSIOp: "max.s16x2",
    arith.MinSIOp: "min.s16x2",
    arith.MaxUIOp: "max.u16x2",
    arith.MinUIOp: "min.u16x2",
}
"""The ops on vector<2xi16> that PTX has in one instruction (sm_90 and newer)."""


def is_instruction(op: Operation) -> bool:
    """Whether `op` is one PTX instruction that upstream has no op for."""
    if isinstance(op, packed.PackedArithmeticOp):
        return True
    return type(op) in INTEGER_PAIR_INSTRUCTIONS and op.results[0].type == i16x2


def instruction(op: Operation) -> str:
    """The instruction that `op` is, with its modifiers: `max.ftz.NaN.f32`."""
    if not isinstance(op, packed.PackedArithmeticOp):
        return INTEGER_PAIR_INSTRUCTIONS[type(op)]
    mnemonic = op.name.removeprefix("packed.").removesuffix("3")
    parts = [mnemonic]
    if not isinstance(op, packed.PackedExtremumOp):
        parts.append("rn")
    if op.ftz is not None:
        parts.append("ftz")
    if isinstance(op, packed.PackedExtremumOp) and op.nan is not None:
        parts.append("NaN")
    parts.append(ASSEMBLY_TYPES[op.result.type].suffix)
    return ".".join(parts)


def form(op: Operation) -> str:
    """The same as the capability table names it, which tells three inputs apart."""
    is_of_three = isinstance(op, packed.PackedExtremum3Op)
    return instruction(op) + (" 3in" if is_of_three else "")
