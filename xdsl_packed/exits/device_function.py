"""`--emit func`: PTX device functions with the C calling convention, to link against."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    i64,
)
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import DiagnosticException

from xdsl_packed.backend.ptx_target import print_ptx
from xdsl_packed.entrances.memrefs import MemRefAccess
from xdsl_packed.exits.lowering import Lowering
from xdsl_packed.target import GpuTarget
from xdsl_packed.transforms.convert_kernels_to_ptx import ConvertKernelsToPtxPass

# What C passes in a register of its own size. Smaller values are extended on the way, by
# a signedness that the element types here do not say; __half is a struct.
_PASSED_BY_VALUE = ("f32", "f64", "i32", "i64")


def device_function_ptx(
    lowerings: Sequence[Lowering], *, by_value: bool = False, align: int | None = None
) -> str:
    """
    PTX with one `.visible .func` for each of `lowerings`, which have one target.

    Its first lines are comments with the CUDA C++ declarations. By pointer, a function
    takes the source and the destination (generic addresses, row-major, of `align` bytes
    or the element's alignment); with accumulate it reads the destination first. By value
    it takes every source element, with accumulate then the old destination, and returns
    the one result.

    Raises DiagnosticException where a reduction cannot be passed by value.
    """
    declarations = (f"// {declaration(each, by_value)}\n" for each in lowerings)
    module = device_function_module(lowerings, by_value=by_value, align=align)
    return "".join(declarations) + print_ptx(module)


def device_function_module(
    lowerings: Sequence[Lowering], *, by_value: bool = False, align: int | None = None
) -> ModuleOp:
    """The module in the ptx dialect that `device_function_ptx` prints."""
    target = _one_target(lowerings)
    functions = (
        _by_value(each) if by_value else _by_pointer(each, align) for each in lowerings
    )
    module = ModuleOp(list(functions))
    target.set_on_module(module)
    module.verify()
    ConvertKernelsToPtxPass().apply(Context(), module)
    return module


def declaration(lowering: Lowering, by_value: bool = False) -> str:
    """How CUDA C++ declares the function."""
    element, result = lowering.c_element, lowering.c_result
    if not by_value:
        parameters = f"const {element} *source, {result} *destination"
        return f'extern "C" __device__ void {lowering.name}({parameters});'
    olds = lowering.results * lowering.reduction.accumulate
    parameters = ", ".join([element] * lowering.sources + [result] * olds)
    return f'extern "C" __device__ {result} {lowering.name}({parameters});'


def _one_target(lowerings: Sequence[Lowering]) -> GpuTarget:
    targets = {lowering.reduction.target for lowering in lowerings}
    if len(targets) != 1:
        raise DiagnosticException(
            f"{len(targets)} targets: PTX is for exactly one, from one reduction or more"
        )
    return targets.pop()


def _by_pointer(lowering: Lowering, align: int | None) -> func.FuncOp:
    reduction = lowering.reduction
    types = [
        MemRefType(lowering.element, reduction.shape),
        MemRefType(lowering.result_element, reduction.destination_shape),
    ]
    function = func.FuncOp(lowering.name, (types, []))
    if align is not None:
        each = DictionaryAttr({"llvm.align": IntegerAttr(align, i64)})
        function.properties["arg_attrs"] = ArrayAttr([each, each])
    builder = Builder(InsertPoint.at_end(function.body.block))
    source, destination = function.args
    access = MemRefAccess((source,), destination, reduction.accumulate)
    access.write(lowering.emit(access.read(builder), builder), builder)
    builder.insert(func.ReturnOp())
    return function


def _by_value(lowering: Lowering) -> func.FuncOp:
    if lowering.results != 1:
        raise DiagnosticException(
            f"{lowering.name} has {lowering.results} results: a function returns one, "
            "pass them by pointer"
        )
    for tile in (lowering.reduction.source, lowering.reduction.destination):
        if (name := tile.element_type) not in _PASSED_BY_VALUE:
            raise DiagnosticException(
                f"{lowering.name} has elements of {name}: only "
                f"{', '.join(_PASSED_BY_VALUE)} are passed by value, pass them by pointer"
            )
    types = lowering.leaf_types
    function = func.FuncOp(lowering.name, (types, [lowering.result_element]))
    builder = Builder(InsertPoint.at_end(function.body.block))
    builder.insert(func.ReturnOp(*lowering.emit(function.args, builder)))
    return function
