"""`convert-packed-to-llvm`: packed ops become ops of the LLVM dialect."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    IntegerAttr,
    IntegerType,
    ModuleOp,
    UnregisteredAttr,
    UnregisteredOp,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.str_enum import StrEnum

from xdsl_packed.diagnostics import error_at
from xdsl_packed.dialects import packed
from xdsl_packed.dialects.packed import f32x2
from xdsl_packed.target import CHIP_ATTRIBUTE, GpuTarget
from xdsl_packed.transforms.inline_ptx import (
    ASSEMBLY_TYPES,
    form,
    instruction,
    is_instruction,
)


class Spelling(StrEnum):
    """What stands for the instructions that the LLVM dialect has no op for."""

    ASM = "asm"
    """`llvm.inline_asm` without side effects: every MLIR and LLVM takes it."""
    NVVM = "nvvm"
    """`nvvm.addf` and `nvvm.fma` where there is such an op, else as `asm`."""


@dataclass(frozen=True)
class ConvertPackedToLlvmPass(ModulePass):
    """
    Packed ops become LLVM ops where those mean exactly the same, and otherwise pure
    inline assembly: everything with `ftz`, everything on f32 pairs, every max and min
    (`llvm.intr.maxnum` leaves the order of zeros open).

    `spelling="nvvm"` writes additions and fma of the second sort as ops of the upstream
    nvvm dialect, unregistered and in generic form, for an MLIR that has them. When the
    module has a target, an instruction that the target lacks is refused.
    """

    name = "convert-packed-to-llvm"

    spelling: str = "asm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.spelling not in tuple(Spelling):
            raise DiagnosticException(
                f"{self.name} has spelling={self.spelling}: expected "
                f"{' or '.join(Spelling)}"
            )
        target = None
        if CHIP_ATTRIBUTE in op.attributes:
            target = GpuTarget.from_module(op, self.name)
        patterns: list[RewritePattern] = [_Pack(), _Unpack(), _ToLlvmArithmetic()]
        if self.spelling == Spelling.NVVM:
            patterns.append(_ToNvvm())
        patterns.append(_ToInlineAssembly(target))
        PatternRewriteWalker(
            GreedyRewritePatternApplier(patterns, dce_enabled=False),
            apply_recursively=False,
        ).rewrite_module(op)


class _ToLlvmArithmetic(RewritePattern):
    """
    Without ftz, LLVM's fadd, fmul and fma round once to nearest even and are not
    contracted, as none of them carries a fast-math flag.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: packed.AddOp | packed.MulOp | packed.FmaOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        if op.ftz is not None or op.result.type == f32x2:
            return
        match op:
            case packed.AddOp():
                rewriter.replace(op, llvm.FAddOp(op.a, op.b))
            case packed.MulOp():
                rewriter.replace(op, llvm.FMulOp(op.a, op.b))
            case packed.FmaOp():
                rewriter.replace(op, llvm.FMAOp(op.a, op.b, op.c))


@dataclass
class _ToInlineAssembly(RewritePattern):
    """One instruction, pure, with the operands in the registers that it takes."""

    target: GpuTarget | None

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if not is_instruction(op):
            return
        refusal = self.target.refusal(form(op)) if self.target is not None else None
        if refusal is not None:
            raise error_at(op, f"cannot be lowered: {refusal}")
        type = op.results[0].type
        assembly = ASSEMBLY_TYPES[type]
        register = type if assembly.is_float else IntegerType(assembly.bits)
        builder = Builder(InsertPoint.before(op))
        operands = [_as(builder, operand, register) for operand in op.operands]
        places = ", ".join(f"${place}" for place in range(len(operands) + 1))
        letters = [assembly.constraint] * len(operands)
        result = builder.insert(
            llvm.InlineAsmOp(
                f"{instruction(op)} {places};",
                ",".join((f"={assembly.constraint}", *letters)),
                operands,
                [register],
            )
        ).results[0]
        rewriter.replace(op, (), (_as(builder, result, type),))


# `nvvm.addf` and `nvvm.fma` of llvm-project's MLIR, mlir/include/mlir/Dialect/LLVMIR/NVVMOps.td.
_NVVM_OPS: dict[type[packed.PackedArithmeticOp], str] = {
    packed.AddOp: "nvvm.addf",
    packed.FmaOp: "nvvm.fma",
}


class _ToNvvm(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: packed.AddOp | packed.FmaOp, rewriter: PatternRewriter, /
    ) -> None:
        properties: dict[str, Attribute] = {"rnd": _nvvm_rounding("rn")}
        if op.ftz is not None:
            properties["ftz"] = IntegerAttr.from_bool(True)
        rewriter.replace(
            op,
            UnregisteredOp.with_name(_NVVM_OPS[type(op)]).create(
                operands=op.operands,
                result_types=(op.result.type,),
                properties=properties,
            ),
        )


def _nvvm_rounding(mode: str) -> UnregisteredAttr:
    attribute = UnregisteredAttr.with_name_and_type("nvvm.fp_rnd_mode", False)
    return attribute("nvvm.fp_rnd_mode", False, False, mode)


class _Pack(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: packed.PackOp, rewriter: PatternRewriter, /
    ) -> None:
        builder = Builder(InsertPoint.before(op))
        pair: SSAValue = builder.insert(llvm.UndefOp(op.result.type)).res
        for place, lane in enumerate((op.low, op.high)):
            index = builder.insert(llvm.ConstantOp(IntegerAttr(place, i32), i32)).result
            pair = builder.insert(llvm.InsertElementOp(pair, lane, index)).res
        rewriter.replace(op, (), (pair,))


class _Unpack(RewritePattern):
    """By the bits: xDSL 0.75 has no llvm.extractelement."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: packed.UnpackOp, rewriter: PatternRewriter, /
    ) -> None:
        width = ASSEMBLY_TYPES[op.pair.type].bits
        whole, half = IntegerType(width), IntegerType(width // 2)
        builder = Builder(InsertPoint.before(op))
        low_bits = _as(builder, op.pair, whole)
        shift = builder.insert(
            llvm.ConstantOp(IntegerAttr(width // 2, whole), whole)
        ).result
        high_bits = builder.insert(llvm.LShrOp(low_bits, shift)).results[0]
        lanes = [
            _as(builder, builder.insert(llvm.TruncOp(bits, half)).results[0], lane.type)
            for bits, lane in ((low_bits, op.low), (high_bits, op.high))
        ]
        rewriter.replace(op, (), lanes)


def _as(builder: Builder, value: SSAValue, type: Attribute) -> SSAValue:
    """The bits of `value` as `type`."""
    if value.type == type:
        return value
    return builder.insert(llvm.BitcastOp(value, type)).result
