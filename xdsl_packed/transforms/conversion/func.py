"""func and gpu.func: kernels and device functions, their parameters, calls and returns."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import func, gpu
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    StringAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.hints import isa

from xdsl_packed.dialects import ptx
from xdsl_packed.dialects.ptx import Comparison, PtxType, Space
from xdsl_packed.target import GpuTarget
from xdsl_packed.transforms.conversion.conversion import Conversion, converts
from xdsl_packed.transforms.conversion.types import byte_size


def is_kernel(op: func.FuncOp | gpu.FuncOp) -> bool:
    if isinstance(op, gpu.FuncOp) and op.kernel is not None:
        return True
    return "gpu.kernel" in op.attributes or "nvvm.kernel" in op.attributes


def convert_function(
    op: func.FuncOp | gpu.FuncOp,
    target: GpuTarget,
    functions: Mapping[str, Operation],
) -> ptx.FunctionOp:
    """
    The kernel or device function that `op`, which has a body, becomes; `op` is untouched.

    `functions` are all of the module, by name. Raises DiagnosticException at the op that
    cannot be lowered.
    """
    entry = Block()
    region = Region(entry)
    conversion = Conversion(
        target, functions, entry, region, op, is_kernel=is_kernel(op)
    )
    name = op.get_attr_or_prop("sym_name")
    assert isinstance(name, StringAttr)
    _check(conversion, op)
    (block,) = op.body.blocks
    params, alignments = _parameters(conversion, op, block)
    conversion.convert_block(block)
    conversion.finish()
    if not conversion.is_kernel:
        results = [
            _passed_type(conversion, type) for type in op.function_type.outputs.data
        ]
        function = ptx.FuncOp(name.data, params, results, region)
    else:
        function = ptx.EntryOp(
            name.data,
            params,
            region,
            alignments=alignments if any(alignments) else None,
            reqntid=_threads(op, "nvvm.reqntid", "gpu.known_block_size"),
            maxntid=_threads(op, "nvvm.maxntid"),
            minnctapersm=_number(op, "nvvm.minctasm"),
        )
    function.location = op.location
    return function


def _check(conversion: Conversion, op: func.FuncOp | gpu.FuncOp) -> None:
    results = op.function_type.outputs.data
    if conversion.is_kernel and results:
        raise conversion.error(
            f"is a kernel and returns {len(results)} values: kernels return nothing, "
            "write the results through a memref"
        )
    if len(results) > 1:
        raise conversion.error(
            f"returns {len(results)} values: a PTX function returns at most one, write the "
            "others through a memref"
        )
    if len(op.body.blocks) != 1:
        raise conversion.error(
            f"cannot be lowered to PTX: it has {len(op.body.blocks)} blocks; use scf.for and "
            "scf.if"
        )


def _threads(op: Operation, *names: str) -> tuple[int, ...] | None:
    """The threads of a block that one of these attributes asks for."""
    for name in names:
        attribute = op.attributes.get(name)
        if isa(attribute, DenseArrayBase[IntegerType]):
            return attribute.get_values()
    return None


def _number(op: Operation, name: str) -> int | None:
    attribute = op.attributes.get(name)
    return attribute.value.data if isinstance(attribute, IntegerAttr) else None


# region parameters


def _parameters(
    conversion: Conversion, op: func.FuncOp | gpu.FuncOp, block: Block
) -> tuple[list[PtxType], list[int]]:
    """Load each parameter; their types, and the alignment of those that are pointers."""
    params: list[PtxType] = []
    alignments: list[int] = []
    for index, argument in enumerate(block.args):
        alignment = 0
        if isa(argument.type, MemRefType[Attribute]):
            params.append(PtxType.u64)
            alignment = _pointer(conversion, op, index, argument)
        else:
            params.append(_scalar(conversion, index, argument))
        alignments.append(alignment)
    return params, alignments


def _pointer(
    conversion: Conversion,
    op: func.FuncOp | gpu.FuncOp,
    index: int,
    argument: SSAValue,
) -> int:
    memory = conversion.memory
    type = argument.type
    assert isa(type, MemRefType[Attribute])
    space = memory.space(type)
    if conversion.is_kernel and space is Space.local:
        raise conversion.error(
            f"has argument {index} in local memory, {type}, which is the thread's own: a "
            "kernel takes global (1) or generic memory"
        )
    alignment = max(
        byte_size(memory.element(type)), _alignment_attribute(op, index) or 0
    )
    load = conversion.emit(ptx.LdParamOp(index, PtxType.u64))
    memory.define(argument, load.d, space, alignment)
    return alignment


def _alignment_attribute(op: Operation, index: int) -> int | None:
    attributes = op.get_attr_or_prop("arg_attrs")
    if not isa(attributes, ArrayAttr[DictionaryAttr]) or index >= len(attributes):
        return None
    alignment = attributes.data[index].data.get("llvm.align")
    return alignment.value.data if isinstance(alignment, IntegerAttr) else None


def _scalar(conversion: Conversion, index: int, argument: SSAValue) -> PtxType:
    type = conversion.type(argument.type)
    passed = _passed_type(conversion, argument.type)
    if not conversion.is_kernel:
        loaded = conversion.emit(ptx.LdParamOp(index, passed)).d
        conversion.values[argument] = _unpassed(conversion, type, loaded)
        return passed
    if type is not PtxType.pred:
        loaded = conversion.emit(ptx.LdParamOp(index, type))
        conversion.values[argument] = loaded.d
        return type
    byte = conversion.emit(ptx.LdParamOp(index, PtxType.u8)).d
    zero = conversion.constant(PtxType.s16, 0)
    is_set = conversion.emit(ptx.SetpOp(Comparison.ne, PtxType.s16, byte, zero))
    conversion.values[argument] = is_set.p
    return PtxType.u8


def _passed_type(conversion: Conversion, type: Attribute) -> PtxType:
    """
    How a device function takes and gives this type: as C does, integers of less than 32
    bits as 32, pointers as 64.
    """
    if isinstance(type, MemRefType):
        return PtxType.u64
    scalar = conversion.type(type)
    return scalar if scalar.is_float or scalar.width >= 32 else PtxType.s32


def _passed(conversion: Conversion, type: PtxType, value: SSAValue) -> SSAValue:
    """A value as `_passed_type` says."""
    if type is PtxType.pred:
        one, zero = (conversion.constant(PtxType.s32, bit) for bit in (1, 0))
        return conversion.emit(ptx.SelpOp(PtxType.b32, one, zero, value)).d
    if type.is_float or type.width >= 32:
        return value
    return conversion.emit(ptx.CvtOp(PtxType.s32, type, value)).d


def _unpassed(conversion: Conversion, type: PtxType, value: SSAValue) -> SSAValue:
    """A value that came as `_passed_type` says."""
    if type is PtxType.pred:
        zero = conversion.constant(PtxType.s32, 0)
        return conversion.emit(ptx.SetpOp(Comparison.ne, PtxType.s32, value, zero)).p
    if type.is_float or type.width >= 32:
        return value
    return conversion.emit(ptx.CvtOp(type, PtxType.s32, value)).d


# endregion
# region calls and returns


@converts(func.CallOp)
def _call(conversion: Conversion, op: func.CallOp) -> None:
    name = op.callee.root_reference.data
    if op.callee.nested_references.data:
        name = op.callee.nested_references.data[-1].data
    _check_callee(conversion, op, name)
    arguments = [_argument(conversion, value) for value in op.arguments]
    returned = [_passed_type(conversion, type).register for type in op.result_types]
    call = conversion.emit(ptx.CallOp(name, arguments, returned))
    for result, value in zip(op.results, call.results, strict=True):
        type = conversion.type(result.type)
        conversion.values[result] = _unpassed(conversion, type, value)


def _check_callee(conversion: Conversion, op: func.CallOp, name: str) -> None:
    match callee := conversion.functions.get(name):
        case None:
            raise conversion.error(f"calls @{name}, which this module does not define")
        case func.FuncOp() | gpu.FuncOp() if not callee.body.blocks:
            raise conversion.error(f"calls @{name}, which has no body in this module")
        case func.FuncOp() | gpu.FuncOp() if not is_kernel(callee):
            inputs, outputs = callee.function_type.inputs, callee.function_type.outputs
            same = (inputs.data, outputs.data) == (op.arguments.types, op.result_types)
        case ptx.FuncOp():
            passed = [_passed_type(conversion, type) for type in op.arguments.types]
            given = [_passed_type(conversion, type) for type in op.result_types]
            same = [type.data.width for type in (*callee.params, *callee.returns)] == [
                type.width for type in (*passed, *given)
            ]
        case _:
            raise conversion.error(f"calls @{name}, which is a kernel")
    if not same:
        raise conversion.error(f"calls @{name}, which takes or gives other types")


def _argument(conversion: Conversion, value: SSAValue) -> SSAValue:
    if isinstance(value.type, MemRefType):
        return conversion.memory.whole(value)
    type = conversion.type(value.type)
    return _passed(conversion, type, conversion.register(value))


@converts(func.ReturnOp, gpu.ReturnOp)
def _return(conversion: Conversion, op: func.ReturnOp | gpu.ReturnOp) -> None:
    for index, value in enumerate(op.operands):
        type = _passed_type(conversion, value.type)
        argument = _argument(conversion, value)
        conversion.emit(ptx.StParamOp(index, type, argument))
    conversion.emit(ptx.RetOp())


# endregion
