"""Running a function of a module, at any stage of its lowering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import func, gpu
from xdsl.dialects.builtin import (
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.interpreter import Interpreter, PythonValues
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import InterpretationError
from xdsl.utils.hints import isa

from xdsl_packed.diagnostics import where
from xdsl_packed.dialects import ptx
from xdsl_packed.dialects.ptx import PtxType
from xdsl_packed.interpreters import numerics
from xdsl_packed.interpreters.arith import ArithFunctions
from xdsl_packed.interpreters.func import CfFunctions, FuncFunctions
from xdsl_packed.interpreters.gpu import GpuFunctions
from xdsl_packed.interpreters.math import MathFunctions
from xdsl_packed.interpreters.memref import MemRefFunctions
from xdsl_packed.interpreters.packed import PackedFunctions
from xdsl_packed.interpreters.ptx import Buffer as PtxBuffer
from xdsl_packed.interpreters.ptx import Pointer, PtxFunctions
from xdsl_packed.interpreters.scf import ScfFunctions
from xdsl_packed.interpreters.tile import TileFunctions
from xdsl_packed.interpreters.values import (
    AttributeFunctions,
    Buffer,
    dtype_of,
    error,
    float_name,
    shape_of,
)
from xdsl_packed.interpreters.vector import VectorFunctions

Function = func.FuncOp | gpu.FuncOp | ptx.EntryOp | ptx.FuncOp


def register_implementations(interpreter: Interpreter) -> None:
    """Everything that our modules contain: see `values` for how values are held."""
    for functions in (
        ArithFunctions(),
        AttributeFunctions(),
        CfFunctions(),
        FuncFunctions(),
        GpuFunctions(),
        MathFunctions(),
        MemRefFunctions(),
        PackedFunctions(),
        PtxFunctions(),
        ScfFunctions(),
        TileFunctions(),
        VectorFunctions(),
    ):
        interpreter.register_implementations(functions, override=True)


def find_function(module: ModuleOp, name: str) -> Function:
    """The function of this name, in a gpu.module too. Raises InterpretationError."""
    functions = [op for op in module.walk() if isinstance(op, Function)]
    found = [op for op in functions if _name(op) == name]
    if len(found) == 1:
        return found[0]
    names = ", ".join(f"@{_name(op)}" for op in functions) or "none"
    if found:
        raise InterpretationError(f"error: there are {len(found)} functions @{name}")
    raise InterpretationError(
        f"error: there is no function @{name}: the module has {names}"
    )


def _name(op: Function) -> str:
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else ""


def run_function(
    module: ModuleOp, name: str, args: Sequence[Any], *, batch_axes: int = 0
) -> PythonValues:
    """
    Run func.func, gpu.func, ptx.entry or ptx.func `name` for one thread.

    A memref, or the pointer that a ptx function has for it, is given as a numpy array of
    its shape and element type (bf16 as uint16) and changed in place; a number as a Python
    or numpy number. The last `batch_axes` axes of every array are a batch: one run
    evaluates all of its inputs, each with the result it would have alone.

    Returns the function's results as numpy values.
    Raises InterpretationError for arguments that do not fit, for a value that is read
    before it is written, an index out of range, and an op that cannot be interpreted.
    """
    op = find_function(module, name)
    interpreter = Interpreter(module)
    register_implementations(interpreter)
    if isinstance(op, ptx.EntryOp | ptx.FuncOp):
        return _run_ptx(interpreter, op, args, batch_axes)
    types = op.function_type.inputs.data
    _check_count(op, len(types), args)
    batch = _batch(op, types, args, batch_axes)
    MemRefFunctions().set_batch(interpreter, batch)
    pairs = enumerate(zip(types, args))
    values = tuple(_argument(op, i, type, arg, batch) for i, (type, arg) in pairs)
    return tuple(map(_result, _run(interpreter, op, values)))


@dataclass
class _Current(Interpreter.Listener):
    """Remembers the op that runs, to say where something went wrong."""

    op: Operation | None = None

    def will_interpret_op(self, op: Operation, args: PythonValues) -> None:
        self.op = op


def _run(interpreter: Interpreter, op: Function, values: PythonValues) -> PythonValues:
    """Run `op` on the interpreters' own values; every error names the op that failed."""
    current = _Current(op)
    interpreter.listeners += (current,)
    try:
        if isinstance(op, gpu.FuncOp):
            return interpreter.run_ssacfg_region(op.body, values, _name(op))
        return interpreter.call_op(op, values)
    except InterpretationError as failure:
        raise _located(current.op or op, failure) from None
    except Exception as failure:
        what = f"{type(failure).__name__}: {failure}"
        raise error(current.op or op, f"cannot be run ({what})") from failure


def _located(op: Operation, failure: InterpretationError) -> InterpretationError:
    message = str(failure)
    if message.startswith("Could not find interpretation function"):
        return error(op, "cannot be interpreted")
    return failure if message.startswith(where(op)) else error(op, message)


def _check_count(op: Function, expected: int, args: Sequence[Any]) -> None:
    if expected != len(args):
        raise error(op, f"@{_name(op)} takes {expected} arguments, got {len(args)}")


def _batch(
    op: Function, types: tuple[Attribute, ...], args: Sequence[Any], batch_axes: int
) -> tuple[int, ...]:
    shapes = {
        np.shape(arg)[np.ndim(arg) - batch_axes :]
        for type, arg in zip(types, args)
        if batch_axes and isa(type, MemRefType)
    }
    if len(shapes) > 1:
        listed = ", ".join(map(str, sorted(shapes)))
        raise error(op, f"gets arguments whose batch axes differ: {listed}")
    return next(iter(shapes), ())


def _argument(
    op: Function, i: int, type: Attribute, arg: Any, batch: tuple[int, ...]
) -> Any:
    if not isa(type, MemRefType):
        return _number(type, arg)
    shape = (*shape_of(type), *batch)
    expected = f"takes as argument {i} a numpy array of {dtype_of(type)} {shape}"
    if (array := _array(arg)) is None:
        raise error(op, f"{expected}, got {arg!r}")
    if array.dtype != dtype_of(type) or array.shape != shape:
        raise error(op, f"{expected}, got {array.dtype} {array.shape}")
    return Buffer(array)


def _array(arg: Any) -> NDArray[Any] | None:
    return cast(NDArray[Any], arg) if isinstance(arg, np.ndarray) else None


def _number(type: Attribute, arg: Any) -> Any:
    value = np.asarray(arg)
    if value.dtype == dtype_of(type):
        return value[()]
    if str(type) in numerics.DTYPES:
        return numerics.from_f64(float_name(type), value.astype(np.float64))
    return value.astype(dtype_of(type))[()]


def _result(value: Any) -> Any:
    return value.values if isinstance(value, Buffer) else value


def _run_ptx(
    interpreter: Interpreter,
    op: ptx.EntryOp | ptx.FuncOp,
    args: Sequence[Any],
    batch_axes: int,
) -> PythonValues:
    _check_count(op, len(op.params), args)
    values = tuple(
        _register(param.data, arg)
        if (array := _array(arg)) is None
        else _pointer(f"parameter {i} of @{op.sym_name.data}", array, batch_axes)
        for i, (param, arg) in enumerate(zip(op.params, args))
    )
    results = _run(interpreter, op, values)
    types = (result.data for result in op.declared_results())
    return tuple(_from_register(type, bits) for type, bits in zip(types, results))


def _pointer(name: str, array: NDArray[Any], batch_axes: int) -> Pointer:
    """The address of the first element, in the memory of the array it is a view of."""
    _check_row_major(name, array)
    memory = array
    while not memory.flags.c_contiguous and isinstance(memory.base, np.ndarray):
        memory = memory.base
    batch = array.shape[array.ndim - batch_axes :]
    distance = _address(array) - _address(memory)
    if memory.flags.c_contiguous:
        # The array that owns the memory need not know the batch axes of its views.
        memory = memory.reshape(-1, *batch)
    return Pointer(PtxBuffer.of(name, memory, batch_axes), distance // prod(batch))


def _check_row_major(name: str, array: NDArray[Any]) -> None:
    """A pointer knows no strides: what is behind it is read row-major, batch axes last."""
    strides = [s for s, extent in zip(array.strides, array.shape) if extent > 1]
    if strides != sorted(strides, reverse=True):
        raise InterpretationError(
            f"{name} has strides {array.strides}, which are not row-major: "
            "pass np.ascontiguousarray of it"
        )


def _address(array: NDArray[Any]) -> int:
    return array.__array_interface__["data"][0]


def _held(type: PtxType) -> np.dtype[Any]:
    """The numpy type of the numbers of a PTX type."""
    if type.value in numerics.DTYPES:
        return numerics.DTYPES[type.value]
    if type is PtxType.pred:
        return np.dtype(np.bool_)
    return np.dtype(f"{'i' if type.value.startswith('s') else 'u'}{type.width // 8}")


def _register(type: PtxType, arg: Any) -> Any:
    """The bits of a number as a register holds them."""
    value, held = np.asarray(arg), _held(type)
    if value.dtype.kind == "f" and type.value in numerics.DTYPES:
        value = np.asarray(numerics.from_f64(type.value, value.astype(np.float64)))
    value = value.astype(held)
    if type is PtxType.pred:
        return value[()]
    return value.view(f"u{held.itemsize}").astype(f"u{max(held.itemsize, 2)}")[()]


def _from_register(type: PtxType, bits: Any) -> Any:
    """The number that a register holds, a pointer as it is."""
    if isinstance(bits, Pointer) or type is PtxType.pred:
        return bits
    held = _held(type)
    return np.asarray(bits).astype(f"u{held.itemsize}").view(held)[()]
