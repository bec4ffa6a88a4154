"""Functions of upstream and packed ops become PTX functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import func, gpu
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xdsl_packed.diagnostics import error_at
from xdsl_packed.dialects import ptx
from xdsl_packed.target import GpuTarget

from xdsl_packed.transforms.conversion.func import convert_function

_Source: TypeAlias = func.FuncOp | gpu.FuncOp


@dataclass(frozen=True)
class ConvertKernelsToPtxPass(ModulePass):
    """
    Turn each `func.func` and `gpu.func` into a `ptx.entry`, when it is a kernel
    (`gpu.kernel`), or else a `ptx.func`.

    The functions of all gpu.modules come to stand in the one module. All of it is built
    before anything is replaced: a diagnostic leaves the module as it was.
    """

    name = "convert-kernels-to-ptx"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = GpuTarget.from_module(op, self.name)
        functions = _Functions(target)
        for function in _functions(op):
            functions.add(function)
        for name in functions.sources:
            functions.convert(name)
        for child in list(op.body.block.ops):
            if not isinstance(child, ptx.FunctionOp):
                Rewriter.erase_op(child)
        op.body.block.add_ops(functions.converted.values())


def _functions(module: ModuleOp) -> Iterator[_Source | ptx.FunctionOp]:
    """Every function of `module` and its gpu.modules; only those may be there."""
    for op in module.body.block.ops:
        inner = op.body.block.ops if isinstance(op, gpu.ModuleOp) else (op,)
        for function in inner:
            if not isinstance(function, func.FuncOp | gpu.FuncOp | ptx.FunctionOp):
                raise error_at(
                    function,
                    "cannot be lowered to PTX: a module holds func.func, gpu.func and "
                    "gpu.module",
                )
            yield function


@dataclass
class _Functions:
    """The functions of a module by name, and those that are converted."""

    target: GpuTarget
    sources: dict[str, _Source] = field(default_factory=dict[str, _Source])
    given: dict[str, ptx.FunctionOp] = field(default_factory=dict[str, ptx.FunctionOp])
    """Those that were PTX before."""
    converted: dict[str, ptx.FunctionOp] = field(
        default_factory=dict[str, ptx.FunctionOp]
    )
    """In the order of the text: PTX wants a function before its calls."""
    _started: set[str] = field(default_factory=set[str])

    def add(self, function: _Source | ptx.FunctionOp) -> None:
        name = function.get_attr_or_prop("sym_name")
        assert isinstance(name, StringAttr)
        if name.data in self.sources or name.data in self.given:
            raise error_at(
                function,
                f"has the name of another function, @{name.data}: all functions share one "
                "PTX text, rename one",
            )
        if isinstance(function, ptx.FunctionOp):
            self.given[name.data] = function
        else:
            self.sources[name.data] = function

    def convert(self, name: str) -> Operation | None:
        """The function called `name`, with what it calls in front of it, or None."""
        if (known := self.given.get(name) or self.converted.get(name)) is not None:
            return known
        source = self.sources.get(name)
        if source is None or not source.body.blocks:
            return None
        if name in self._started:
            raise error_at(source, "calls itself, which cannot be lowered to PTX")
        self._started.add(name)
        result = convert_function(source, self.target, self.convert)
        self.converted[name] = result
        return result
