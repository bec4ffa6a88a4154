"""`--emit llvm`: LLVM IR for NVPTX, one kernel a reduction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from math import gcd
from typing import Any

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import arith, llvm, math
from xdsl.dialects.builtin import (
    ArrayAttr,
    BFloat16Type,
    DictionaryAttr,
    FixedBitwidthType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import DiagnosticException

from xdsl_packed.diagnostics import error_at
from xdsl_packed.entrances.entry import Access
from xdsl_packed.exits.lowering import Lowering
from xdsl_packed.transforms.convert_packed_to_llvm import ConvertPackedToLlvmPass

TRIPLE = "nvptx64-nvidia-cuda"

# Generic: xDSL 0.75 writes a getelementptr of any other address space wrong. LLVM sees that
# the arguments of a kernel are global.
_POINTER = llvm.LLVMPointerType()


def llvm_module(lowerings: Sequence[Lowering], *, align: int | None = None) -> ModuleOp:
    """
    A module in the LLVM dialect with one kernel for each of `lowerings`.

    A kernel takes the source and the destination, both global and row-major; one thread
    loads, reduces and stores, and with accumulate loads the destination first. Both are
    aligned to `align` bytes, or as their elements are.
    """
    module = ModuleOp([_kernel(lowering, align) for lowering in lowerings])
    module.attributes["llvm.target_triple"] = StringAttr(TRIPLE)
    lowerings[0].reduction.target.set_on_module(module)
    ConvertPackedToLlvmPass().apply(Context(), module)
    PatternRewriteWalker(_ArithToLlvm(), apply_recursively=False).rewrite_module(module)
    module.verify()
    return module


def llvm_ir(lowerings: Sequence[Lowering], *, align: int | None = None) -> str:
    """
    The text of `llvm_module` in LLVM IR, by xDSL's own `llvm` target. Its first line is a
    comment with the CPU and the PTX version that LLVM must be told.

    Raises DiagnosticException when llvmlite, which that target needs, is not installed,
    and for bf16, which it does not know.
    """
    try:
        convert: Any = import_module("xdsl.backend.llvm.convert")
    except ModuleNotFoundError:
        raise DiagnosticException(
            "LLVM IR is printed by llvmlite, which is not installed: "
            "pip install 'xdsl-packed[llvm]'"
        ) from None
    for lowering in lowerings:
        if BFloat16Type() in (lowering.element, lowering.result_element):
            raise DiagnosticException(
                f"{lowering.name} has elements of bf16, which xDSL 0.75 cannot print as "
                "LLVM IR: emit ptx, func or cuda"
            )
    converted = convert.convert_module(
        llvm_module(lowerings, align=align), fallback_target_triple=TRIPLE
    )
    for lowering in lowerings:
        # What makes it a kernel in LLVM IR; xDSL 0.75 knows no such calling convention.
        converted.get_global(lowering.name).calling_convention = "ptx_kernel"
    target = lowerings[0].reduction.target
    forms = [form for lowering in lowerings for form in lowering.plan.forms]
    version = target.ptx_version or target.lowest_version(forms)
    features = f"+ptx{version.major}{version.minor}"
    return f"; llc -mcpu={target.chip.name} -mattr={features}\n{converted}\n"


def _kernel(lowering: Lowering, align: int | None) -> llvm.FuncOp:
    block = Block(arg_types=[_POINTER] * 2)
    type = llvm.LLVMFunctionType([_POINTER] * 2)
    function = llvm.FuncOp(
        lowering.name,
        type,
        llvm.LinkageAttr("external"),
        body=Region(block),
        extra_attrs={"nvvm.kernel": UnitAttr()},
    )
    if align is not None:
        each = DictionaryAttr({"llvm.align": IntegerAttr(align, i64)})
        function.properties["arg_attrs"] = ArrayAttr([each, each])
    builder = Builder(InsertPoint.at_end(block))
    access = _PointerAccess(lowering, align, *block.args)
    access.write(lowering.emit(access.read(builder), builder), builder)
    builder.insert(llvm.ReturnOp())
    return function


@dataclass(frozen=True)
class _PointerAccess(Access):
    """A source and a destination behind LLVM pointers."""

    lowering: Lowering
    align: int | None
    source: SSAValue
    destination: SSAValue

    def read(self, builder: Builder) -> list[SSAValue]:
        lowering = self.lowering
        element, result = lowering.element, lowering.result_element
        values = list(self._load(builder, self.source, element, lowering.sources))
        if lowering.reduction.accumulate:
            values.extend(
                self._load(builder, self.destination, result, lowering.results)
            )
        return values

    def write(self, results: Sequence[SSAValue], builder: Builder) -> None:
        for position, result in enumerate(results):
            type = self.lowering.result_element
            place = self._place(builder, self.destination, type, position)
            alignment = self._alignment(type, position)
            builder.insert(llvm.StoreOp(result, place, alignment))

    def _load(
        self, builder: Builder, pointer: SSAValue, type: Attribute, count: int
    ) -> Iterator[SSAValue]:
        for position in range(count):
            place = self._place(builder, pointer, type, position)
            load = llvm.LoadOp(place, type, self._alignment(type, position))
            yield builder.insert(load).dereferenced_value

    def _place(
        self, builder: Builder, pointer: SSAValue, type: Attribute, position: int
    ) -> SSAValue:
        return builder.insert(
            llvm.GEPOp(pointer, [position], type, result_type=_POINTER, inbounds=True)
        ).result

    def _alignment(self, type: Attribute, position: int) -> int:
        """In bytes, of the element at `position`."""
        assert isinstance(type, FixedBitwidthType)
        return gcd(position * type.size, self.align or type.size)


_Convert = Callable[[Builder, Operation], Operation]


def _extremum(predicate: str) -> _Convert:
    def convert(builder: Builder, op: Operation) -> Operation:
        a, b = op.operands
        code = llvm.ICmpPredicateFlag(predicate).to_int()
        first = builder.insert(llvm.ICmpOp(a, b, IntegerAttr(code, i64))).res
        return llvm.SelectOp(first, a, b)

    return convert


def _constant(builder: Builder, op: Operation) -> Operation:
    assert isinstance(op, arith.ConstantOp)
    return llvm.ConstantOp(op.value, op.result.type)


def _comparison(builder: Builder, op: Operation) -> Operation:
    assert isinstance(op, arith.CmpfOp)
    return llvm.FCmpOp(op.lhs, op.rhs, IntegerAttr(op.predicate.value.data, i64))


def _binary(kind: Callable[[SSAValue, SSAValue], Operation]) -> _Convert:
    return lambda _, op: kind(op.operands[0], op.operands[1])


def _cast(kind: Callable[[SSAValue, Attribute], Operation]) -> _Convert:
    return lambda _, op: kind(op.operands[0], op.results[0].type)


# The ops of arith that variants emit.
_ARITH: Mapping[type[Operation], _Convert] = {
    arith.AddiOp: _binary(llvm.AddOp),
    arith.MuliOp: _binary(llvm.MulOp),
    arith.AndIOp: _binary(llvm.AndOp),
    arith.OrIOp: _binary(llvm.OrOp),
    arith.XOrIOp: _binary(llvm.XOrOp),
    arith.MaxSIOp: _extremum("sgt"),
    arith.MinSIOp: _extremum("slt"),
    arith.MaxUIOp: _extremum("ugt"),
    arith.MinUIOp: _extremum("ult"),
    arith.ExtSIOp: _cast(llvm.SExtOp),
    arith.ExtUIOp: _cast(llvm.ZExtOp),
    arith.TruncIOp: _cast(llvm.TruncOp),
    arith.ExtFOp: _cast(llvm.FPExtOp),
    arith.TruncFOp: _cast(llvm.FPTruncOp),
    math.AbsFOp: _cast(llvm.FAbsOp),
    arith.SelectOp: lambda _, op: llvm.SelectOp(*op.operands),
    arith.ConstantOp: _constant,
    arith.CmpfOp: _comparison,
}


class _ArithToLlvm(RewritePattern):
    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if op.name.startswith("llvm.") or isinstance(op, ModuleOp):
            return
        if (convert := _ARITH.get(type(op))) is None:
            raise error_at(op, "has no text in LLVM IR yet")
        rewriter.replace(op, convert(Builder(InsertPoint.before(op)), op))
