"""Functions of upstream and packed ops become PTX functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import func, gpu
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xdsl_packed.diagnostics import error_at
from xdsl_packed.dialects import ptx
from xdsl_packed.target import GpuTarget
from xdsl_packed.transforms.conversion.func import convert_function

_Function: TypeAlias = func.FuncOp | gpu.FuncOp | ptx.FunctionOp


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
        functions = _functions(op)
        converted = [
            convert_function(function, target, functions)
            for function in functions.values()
            if not isinstance(function, ptx.FunctionOp) and function.body.blocks
        ]
        for function in functions.values():
            if isinstance(function, ptx.FunctionOp) and function.parent_op() is not op:
                function.detach()
                converted.append(function)
        for child in list(op.body.block.ops):
            if not isinstance(child, ptx.FunctionOp):
                Rewriter.erase_op(child)
        op.body.block.add_ops(converted)


def _functions(module: ModuleOp) -> dict[str, _Function]:
    """
    Every function of `module` and its gpu.modules by name.

    Raises DiagnosticException at the second function of a name, and at anything else.
    """
    functions: dict[str, _Function] = {}
    for op in module.body.block.ops:
        inner = op.body.block.ops if isinstance(op, gpu.ModuleOp) else (op,)
        for function in inner:
            if not isinstance(function, func.FuncOp | gpu.FuncOp | ptx.FunctionOp):
                raise error_at(
                    function,
                    "cannot be lowered to PTX: a module holds func.func, gpu.func and "
                    "gpu.module",
                )
            name = function.get_attr_or_prop("sym_name")
            assert isinstance(name, StringAttr)
            if name.data in functions:
                raise error_at(
                    function,
                    f"has the name of another function, @{name.data}: all functions "
                    "share one PTX text, rename one",
                )
            functions[name.data] = function
    return functions
