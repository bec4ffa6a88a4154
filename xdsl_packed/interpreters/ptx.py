"""
What `ptx` ops compute, for one thread.

A register holds its bits as a numpy unsigned integer (a predicate: a bool), or a Pointer.
Any value may have a trailing batch axis: one run then computes many inputs, as long as
they take the same way.

Not interpreted are the ops that read other lanes: shfl.sync, redux.sync, activemask.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    ReturnedValues,
    Successor,
    TerminatorValue,
    impl,
    impl_callable,
    impl_terminator,
    register_impls,
)
from xdsl.ir import Operation
from xdsl.traits import SymbolTable
from xdsl.utils.exceptions import InterpretationError

from xdsl_packed.dialects import ptx
from xdsl_packed.dialects.ptx import Comparison, PtxType, Rounding
from xdsl_packed.interpreters import numerics

Value: TypeAlias = NDArray[Any]
"""A numpy array, or a numpy scalar where there is no batch axis."""

# region memory


@dataclass(frozen=True, eq=False)
class Buffer:
    """Memory: `cells` is its elements' bits, the first axis in order, then batch axes."""

    name: str
    cells: Value
    written: Value | None = None
    """Which cells hold a value; None where all of them do from the start."""

    @staticmethod
    def of(name: str, array: Value, batch_axes: int = 0) -> Buffer:
        """
        The memory of `array`, whose last `batch_axes` axes are the batch.

        Raises InterpretationError when the array is not contiguous in row-major order.
        """
        if not array.flags.c_contiguous:
            raise InterpretationError(f"{name} is not contiguous in row-major order")
        batch = array.shape[array.ndim - batch_axes :]
        return Buffer(name, _words(array).reshape(-1, *batch))

    @staticmethod
    def uninitialized(name: str, size: int) -> Buffer:
        """`size` bytes, none of them written yet."""
        cells = np.zeros(size, object)
        return Buffer(name, cells, np.zeros(size, np.bool_))


def _words(array: Value) -> Value:
    return array.view(f"u{array.dtype.itemsize}")


@dataclass(frozen=True)
class Pointer:
    """An address: `offset` bytes into a buffer that starts aligned to anything."""

    buffer: Buffer
    offset: int = 0

    def __add__(self, distance: int) -> Pointer:
        return Pointer(self.buffer, self.offset + distance)

    def load(self, width: int, lanes: int = 1) -> tuple[Value, ...]:
        """
        The bits of `lanes` neighbours of `width` bytes each.

        Raises InterpretationError out of range, misaligned, and where nothing was written.
        """
        self._check(width, lanes)
        return tuple(self._load_one(width, i * width) for i in range(lanes))

    def store(self, width: int, values: Sequence[Value | np.generic]) -> None:
        """
        Writes the bits of neighbours of `width` bytes each.

        Raises InterpretationError out of range and misaligned.
        """
        self._check(width, len(values))
        for i, value in enumerate(values):
            self._store_one(width, i * width, np.asarray(value, f"u{width}"))

    def _check(self, width: int, lanes: int) -> None:
        size = self.buffer.cells.shape[0] * self._cell_size
        access = f"{width * lanes} bytes at offset {self.offset} of {self.buffer.name}"
        if not 0 <= self.offset <= size - width * lanes:
            raise InterpretationError(f"out of range: {access} ({size} bytes)")
        if self.offset % (width * lanes):
            raise InterpretationError(f"misaligned: {access}")

    @property
    def _cell_size(self) -> int:
        return 1 if self.buffer.written is not None else self.buffer.cells.itemsize

    def _load_one(self, width: int, distance: int) -> Value:
        word = np.dtype(f"u{width}")
        size, start = self._cell_size, self.offset + distance
        first, inside = divmod(start, size)
        if inside or width < size:
            return (self.buffer.cells[first] >> (8 * inside)).astype(word)
        last = first + width // size
        if (
            self.buffer.written is not None
            and not self.buffer.written[first:last].all()
        ):
            raise InterpretationError(
                f"{width} bytes at offset {start} of {self.buffer.name} are read before "
                "they are written"
            )
        result: Value = np.zeros((), word)
        for i, cell in enumerate(self.buffer.cells[first:last]):
            result = result | (np.asarray(cell, word) << word.type(8 * size * i))
        return result[()]

    def _store_one(self, width: int, distance: int, value: Value) -> None:
        size, start = self._cell_size, self.offset + distance
        first, inside = divmod(start, size)
        cells = self.buffer.cells
        if inside or width < size:
            shift = cells.dtype.type(8 * inside)
            mask = cells.dtype.type((1 << (8 * width)) - 1) << shift
            cells[first] = (cells[first] & ~mask) | (value.astype(cells.dtype) << shift)
            return
        cell = np.dtype(f"u{size}")
        for i in range(width // size):
            cells[first + i] = (value >> value.dtype.type(8 * size * i)).astype(cell)
            if self.buffer.written is not None:
                self.buffer.written[first + i] = True


# endregion


@dataclass(frozen=True)
class Launch:
    """Which thread runs, and in what grid; each in x, y and z."""

    tid: tuple[int, int, int] = (0, 0, 0)
    ntid: tuple[int, int, int] = (1, 1, 1)
    ctaid: tuple[int, int, int] = (0, 0, 0)
    nctaid: tuple[int, int, int] = (1, 1, 1)

    def read(self, register: ptx.SpecialRegister) -> int:
        """What the thread's special register holds."""
        name, _, axis = register.value.partition(".")
        if axis:
            triple: tuple[int, int, int] = getattr(self, name)
            return triple["xyz".index(axis)]
        x, y, z = self.tid
        warp, lane = divmod(x + self.ntid[0] * (y + self.ntid[1] * z), 32)
        return lane if name == "laneid" else warp


@dataclass
class _Frame:
    """What one call of a function has besides its SSA values."""

    params: PythonValues
    results: list[Any]
    registers: dict[str, Any] = field(default_factory=dict[str, Any])
    buffers: dict[Operation, Buffer] = field(default_factory=dict[Operation, Buffer])


# region values


def _register_word(type: PtxType) -> np.dtype[Any]:
    return np.dtype(f"u{max(type.width, 16) // 8}")


def _element(type: PtxType) -> tuple[str, int]:
    """The type of one lane, and how many there are: ("f32", 2) for f32x2."""
    name, _, lanes = type.value.partition("x")
    return name, int(lanes or 1)


def _numpy_type(name: str) -> np.dtype[Any]:
    """How a lane is held while it is calculated with."""
    if name in numerics.DTYPES:
        return numerics.DTYPES[name]
    return np.dtype(f"{'i' if name[0] == 's' else 'u'}{int(name[1:]) // 8}")


def _bits(value: Any) -> Value:
    if isinstance(value, Pointer):
        raise InterpretationError(
            f"an address into {value.buffer.name} is used as a number"
        )
    return value


def _decode(type: PtxType, value: Any) -> list[Value]:
    """The lanes of a register."""
    value = _bits(value)
    if type is PtxType.pred:
        return [value]
    name, lanes = _element(type)
    held = _numpy_type(name)
    word, width = np.dtype(f"u{held.itemsize}"), 8 * held.itemsize
    return [
        np.asarray(value >> value.dtype.type(i * width)).astype(word).view(held)[()]
        for i in range(lanes)
    ]


def _encode(type: PtxType, lanes: Sequence[Value]) -> Value:
    """The register that holds the lanes; a byte is extended by its sign or by zeros."""
    if type is PtxType.pred:
        return lanes[0]
    register = _register_word(type)
    name, count = _element(type)
    if count == 1 and type.width == 8:
        return (
            np.asarray(lanes[0]).astype(f"{_numpy_type(name).kind}2").view(register)[()]
        )
    result: Value = np.zeros((), register)
    for i, lane in enumerate(lanes):
        bits = _words(np.asarray(lane, _numpy_type(name))).astype(register)
        result = result | (bits << register.type(i * (type.width // count)))
    return result[()]


@np.errstate(all="ignore")
def _elementwise(
    type: PtxType, args: PythonValues, function: Callable[..., Any]
) -> PythonValues:
    """`function` on each lane."""
    lanes = zip(*(_decode(type, arg) for arg in args), strict=True)
    return (_encode(type, [function(*lane) for lane in lanes]),)


def _flushes(op: Operation, type: PtxType) -> bool:
    if "ftz" not in op.properties:
        return False
    if _element(type)[0] != "f32":
        raise InterpretationError(f".ftz is not interpreted for {type.value}")
    return True


def _calculate(
    op: ptx.UnaryOp | ptx.BinaryOp | ptx.TernaryOp,
    args: PythonValues,
    floats: Callable[..., Any] | None,
    integers: Callable[..., Any] | None,
) -> PythonValues:
    """By the op's type: `floats` takes the type's name first and `ftz` behind."""
    type = op.type.data
    if not type.is_float:
        if integers is None:
            raise InterpretationError(f"{op.name} takes no {type.value}")
        return _elementwise(type, args, integers)
    if floats is None:
        raise InterpretationError(f"{op.name} takes no {type.value}")
    name, ftz = _element(type)[0], _flushes(op, type)

    def one_lane(*lane: Value) -> Value:
        return floats(name, *lane, ftz=ftz)

    return _elementwise(type, args, one_lane)


def _integer(value: Any) -> int:
    """A signed 64-bit distance in bytes."""
    array = np.asarray(_bits(value))
    if array.size == 0 or (array != array.flat[0]).any():
        raise InterpretationError("an address differs from input to input of the batch")
    number = int(array.flat[0])
    return number - (1 << 64) if number >= 1 << 63 else number


def _quotient(a: Value, b: Value) -> Value:
    """Toward zero, as PTX divides; what a division by zero gives is nobody's."""
    quotient = a // b
    return quotient + ((a - quotient * b != 0) & ((a < 0) != (b < 0))).astype(a.dtype)


def _remainder(a: Value, b: Value) -> Value:
    return a - _quotient(a, b) * b


def _multiply_add(a: Value, b: Value, c: Value) -> Value:
    return a * b + c


def _exp2_bf16(a: Value) -> Value:
    """Flushed: `ex2.approx.ftz.bf16` has no other spelling."""
    result = numerics.flush(numerics.convert("bf16", "f32", numerics.exp2("bf16", a)))
    return numerics.convert("f32", "bf16", result)


def _shift_left(a: Value, amount: Value) -> Value:
    width = 8 * a.dtype.itemsize
    shifted = a << np.minimum(amount, width - 1).astype(a.dtype)
    return np.where(amount >= width, a.dtype.type(0), shifted)


def _shift_right(a: Value, amount: Value) -> Value:
    width = 8 * a.dtype.itemsize
    shifted = a >> np.minimum(amount, width - 1).astype(a.dtype)
    if a.dtype.kind == "i":
        return shifted
    return np.where(amount >= width, a.dtype.type(0), shifted)


# setp's comparisons by the names that numerics has from arith.cmpf
_UNORDERED = {"equ": "ueq", "neu": "une", "num": "ord", "nan": "uno"} | {
    f"{name}u": f"u{name}" for name in ("lt", "le", "gt", "ge")
}

_INTEGER_COMPARISONS: dict[Comparison, Callable[[Value, Value], Value]] = {
    Comparison.eq: np.equal,
    Comparison.ne: np.not_equal,
    Comparison.lt: np.less,
    Comparison.le: np.less_equal,
    Comparison.gt: np.greater,
    Comparison.ge: np.greater_equal,
}

_TO_INTEGRAL: dict[Rounding, Callable[[Value], Value]] = {
    Rounding.rni: np.rint,
    Rounding.rzi: np.trunc,
    Rounding.rmi: np.floor,
    Rounding.rpi: np.ceil,
}


def _float_result(op: ptx.CvtOp, source: str, target: str, value: Value) -> Value:
    rounding = op.rounding.data if op.rounding is not None else Rounding.rn
    if source not in numerics.DTYPES:
        if rounding is not Rounding.rn:
            raise InterpretationError(f"cvt.{rounding.value} is not interpreted here")
        return numerics.from_integer(target, value)
    if "ftz" in op.properties and source == "f32":
        value = numerics.flush(value)
    if (to_integral := _TO_INTEGRAL.get(rounding)) is not None:
        value = to_integral(numerics.to_f64(source, value))
        result = numerics.from_f64(target, value)
    elif rounding is Rounding.rn:
        result = numerics.convert(source, target, value)
    else:
        raise InterpretationError(f"cvt.{rounding.value} is not interpreted")
    return (
        numerics.flush(result) if "ftz" in op.properties and target == "f32" else result
    )


def _integer_result(op: ptx.CvtOp, source: str, target: str, value: Value) -> Value:
    if source not in numerics.DTYPES:
        return value.astype(_numpy_type(target))
    if "ftz" in op.properties and source == "f32":
        value = numerics.flush(value)
    to_integral = None if op.rounding is None else _TO_INTEGRAL.get(op.rounding.data)
    if to_integral is None:
        raise InterpretationError(
            "cvt from float to integer needs rni, rzi, rmi or rpi"
        )
    integral = to_integral(numerics.to_f64(source, value))
    held = _numpy_type(target)
    result = numerics.to_integer("f64", held, integral)
    if source != "f64" and held.itemsize < 8:
        return result
    # NaN is the sign bit alone where 64 bits are on either side (PTX ISA, cvt).
    sign = np.ones((), f"u{held.itemsize}") << (8 * held.itemsize - 1)
    return np.where(np.isnan(integral), sign.astype(held), result)[()]


# endregion


@register_impls
class PtxFunctions(InterpreterFunctions):
    """
    Interprets `ptx`. The thread is the Launch that the interpreter holds as data:
    `interpreter.set_data(PtxFunctions, "launch", Launch(...))`.
    """

    # region arithmetic

    @impl(ptx.AddOp)
    def run_add(self, _: Interpreter, op: ptx.AddOp, args: PythonValues):
        a, b = args
        if isinstance(a, Pointer):
            return (a + _integer(b),)
        if isinstance(b, Pointer):
            return (b + _integer(a),)
        return _calculate(op, args, numerics.add, np.add)

    @impl(ptx.SubOp)
    def run_sub(self, _: Interpreter, op: ptx.SubOp, args: PythonValues):
        a, b = args
        if isinstance(a, Pointer):
            return (a + -_integer(b),)
        return _calculate(op, args, numerics.sub, np.subtract)

    @impl(ptx.MulOp)
    def run_mul(self, _: Interpreter, op: ptx.MulOp, args: PythonValues):
        return _calculate(op, args, numerics.mul, np.multiply)

    @impl(ptx.DivOp)
    def run_div(self, _: Interpreter, op: ptx.DivOp, args: PythonValues):
        return _calculate(op, args, numerics.div, _quotient)

    @impl(ptx.RemOp)
    def run_rem(self, _: Interpreter, op: ptx.RemOp, args: PythonValues):
        return _calculate(op, args, None, _remainder)

    @impl(ptx.FmaOp)
    def run_fma(self, _: Interpreter, op: ptx.FmaOp, args: PythonValues):
        return _calculate(op, args, numerics.fma, None)

    @impl(ptx.MadOp)
    def run_mad(self, _: Interpreter, op: ptx.MadOp, args: PythonValues):
        a, b, c = args
        if isinstance(c, Pointer):
            return (c + _integer(_elementwise(op.type.data, (a, b), np.multiply)[0]),)
        return _calculate(op, args, None, _multiply_add)

    @impl(ptx.MulWideOp)
    def run_mul_wide(self, _: Interpreter, op: ptx.MulWideOp, args: PythonValues):
        (a,), (b,) = (_decode(op.type.data, arg) for arg in args)
        wide = np.dtype(f"{a.dtype.kind}{2 * a.dtype.itemsize}")
        return (_words(np.asarray(a.astype(wide) * b.astype(wide)))[()],)

    @impl(ptx.AddMixedOp)
    def run_add_mixed(self, _: Interpreter, op: ptx.AddMixedOp, args: PythonValues):
        source = op.source_type.data
        a = numerics.convert(source.value, "f32", _decode(source, args[0])[0])
        b = _decode(PtxType.f32, args[1])[0]
        return (_encode(PtxType.f32, [numerics.add("f32", a, b)]),)

    @impl(ptx.MaxOp)
    def run_max(self, _: Interpreter, op: ptx.MaxOp, args: PythonValues):
        return self._extremum(op, args, numerics.maximum, np.maximum)

    @impl(ptx.MinOp)
    def run_min(self, _: Interpreter, op: ptx.MinOp, args: PythonValues):
        return self._extremum(op, args, numerics.minimum, np.minimum)

    @impl(ptx.Max3Op)
    def run_max3(self, _: Interpreter, op: ptx.Max3Op, args: PythonValues):
        return self._extremum(op, args, numerics.maximum, np.maximum)

    @impl(ptx.Min3Op)
    def run_min3(self, _: Interpreter, op: ptx.Min3Op, args: PythonValues):
        return self._extremum(op, args, numerics.minimum, np.minimum)

    def _extremum(
        self,
        op: ptx.ExtremumOp | ptx.Extremum3Op,
        args: PythonValues,
        floats: Callable[..., Value],
        integers: Callable[[Value, Value], Value],
    ) -> PythonValues:
        nan, magnitudes = op.nan is not None, "abs" in op.properties

        def fold(name: str, *lane: Value, ftz: bool) -> Value:
            if magnitudes:
                lane = tuple(numerics.absolute(name, value) for value in lane)
            result = lane[0]
            for value in lane[1:]:
                result = floats(name, result, value, nan=nan, ftz=ftz)
            return result

        return _calculate(op, args, fold, integers)

    @impl(ptx.NegOp)
    def run_neg(self, _: Interpreter, op: ptx.NegOp, args: PythonValues):
        return _calculate(op, args, _flushed(numerics.neg), np.negative)

    @impl(ptx.AbsOp)
    def run_abs(self, _: Interpreter, op: ptx.AbsOp, args: PythonValues):
        return _calculate(op, args, _flushed(numerics.absolute), np.abs)

    @impl(ptx.RcpOp)
    def run_rcp(self, _: Interpreter, op: ptx.RcpOp, args: PythonValues):
        def reciprocal(name: str, a: Value, *, ftz: bool) -> Value:
            return numerics.div(name, numerics.from_f64(name, 1.0), a, ftz=ftz)

        return _calculate(op, args, reciprocal, None)

    @impl(ptx.SqrtOp)
    def run_sqrt(self, _: Interpreter, op: ptx.SqrtOp, args: PythonValues):
        return _calculate(op, args, numerics.sqrt, None)

    @impl(ptx.RsqrtOp)
    def run_rsqrt(self, _: Interpreter, op: ptx.RsqrtOp, args: PythonValues):
        return _calculate(op, args, numerics.rsqrt, None)

    @impl(ptx.Ex2Op)
    def run_ex2(self, _: Interpreter, op: ptx.Ex2Op, args: PythonValues):
        def exp2(name: str, a: Value, *, ftz: bool) -> Value:
            return numerics.exp2(name, a, ftz=ftz)

        if op.type.data in (PtxType.bf16, PtxType.bf16x2):
            return _elementwise(op.type.data, args, _exp2_bf16)
        return _calculate(op, args, exp2, None)

    @impl(ptx.Lg2Op)
    def run_lg2(self, _: Interpreter, op: ptx.Lg2Op, args: PythonValues):
        def lg2(name: str, a: Value, *, ftz: bool) -> Value:
            a = numerics.flush(a) if ftz else a
            result = numerics.from_f64(name, np.log2(numerics.to_f64(name, a)))
            return numerics.flush(result) if ftz else result

        return _calculate(op, args, lg2, None)

    # endregion
    # region bits

    @impl(ptx.AndOp)
    def run_and(self, _: Interpreter, op: ptx.AndOp, args: PythonValues):
        return (_bits(args[0]) & _bits(args[1]),)

    @impl(ptx.OrOp)
    def run_or(self, _: Interpreter, op: ptx.OrOp, args: PythonValues):
        return (_bits(args[0]) | _bits(args[1]),)

    @impl(ptx.XorOp)
    def run_xor(self, _: Interpreter, op: ptx.XorOp, args: PythonValues):
        return (_bits(args[0]) ^ _bits(args[1]),)

    @impl(ptx.NotOp)
    def run_not(self, _: Interpreter, op: ptx.NotOp, args: PythonValues):
        return (~_bits(args[0]),)

    @impl(ptx.ShlOp)
    def run_shl(self, _: Interpreter, op: ptx.ShlOp, args: PythonValues):
        return self._shift(op.type.data, args, _shift_left)

    @impl(ptx.ShrOp)
    def run_shr(self, _: Interpreter, op: ptx.ShrOp, args: PythonValues):
        return self._shift(op.type.data, args, _shift_right)

    def _shift(
        self, type: PtxType, args: PythonValues, shift: Callable[[Value, Value], Value]
    ) -> PythonValues:
        (a,) = _decode(type, args[0])
        return (_encode(type, [shift(a, _bits(args[1]))]),)

    @impl(ptx.SetpOp)
    def run_setp(self, _: Interpreter, op: ptx.SetpOp, args: PythonValues):
        type, comparison = op.type.data, op.comparison.data
        (a,), (b,) = (_decode(type, arg) for arg in args)
        if not type.is_float:
            if (relation := _INTEGER_COMPARISONS.get(comparison)) is None:
                raise InterpretationError(f"setp.{comparison.value} is for floats")
            return (relation(a, b),)
        if _flushes(op, type):
            a, b = numerics.flush(a), numerics.flush(b)
        name = comparison.value
        return (numerics.compare(type.value, _UNORDERED.get(name, f"o{name}"), a, b),)

    @impl(ptx.SelpOp)
    def run_selp(
        self, _: Interpreter, op: ptx.SelpOp, args: PythonValues
    ) -> PythonValues:
        a, b, p = args
        if isinstance(a, Pointer) or isinstance(b, Pointer):
            return (a if _decided(p) else b,)
        return (np.where(p, _bits(a), _bits(b))[()],)

    @impl(ptx.CvtOp)
    def run_cvt(self, _: Interpreter, op: ptx.CvtOp, args: PythonValues):
        type, source = op.type.data, op.source_type.data
        if isinstance(args[0], Pointer) and (type.width, source.width) == (64, 64):
            return args
        (name, lanes), (source_name, source_lanes) = _element(type), _element(source)
        if (lanes, source_lanes) != (1, 1):
            raise InterpretationError(f"{op.form()} is not interpreted")
        convert = _float_result if type.is_float else _integer_result
        (value,) = _decode(source, args[0])
        return (_encode(type, [convert(op, source_name, name, value)]),)

    # endregion
    # region moves

    @impl(ptx.MovOp)
    def run_mov(self, interpreter: Interpreter, op: ptx.MovOp, args: PythonValues):
        registers = _frame(interpreter).registers
        source, destination, value = op.a.type, op.d.type, args[0]
        assert isinstance(source, ptx.PtxRegisterType)
        if source.is_allocated:
            value = registers[source.register_name]
        if destination.is_allocated:
            registers[destination.register_name] = value
        return (value,)

    @impl(ptx.ConstantOp)
    def run_constant(self, _: Interpreter, op: ptx.ConstantOp, args: PythonValues):
        type, bits = op.type.data, op.bits.value.data
        if type is PtxType.pred:
            return (np.bool_(bits & 1),)
        word = _register_word(type)
        return (word.type(bits & ((1 << (8 * word.itemsize)) - 1)),)

    @impl(ptx.PackOp)
    def run_pack(self, _: Interpreter, op: ptx.PackOp, args: PythonValues):
        lo, hi = (_bits(arg) for arg in args)
        whole = np.dtype(f"u{2 * lo.dtype.itemsize}")
        high = hi.astype(whole) << whole.type(8 * hi.dtype.itemsize)
        return (lo.astype(whole) | high,)

    @impl(ptx.UnpackOp)
    def run_unpack(self, _: Interpreter, op: ptx.UnpackOp, args: PythonValues):
        whole = _bits(args[0])
        half = np.dtype(f"u{whole.dtype.itemsize // 2}")
        high = whole >> whole.dtype.type(8 * half.itemsize)
        return whole.astype(half), high.astype(half)

    @impl(ptx.SpecialRegisterOp)
    def run_special_register(
        self, interpreter: Interpreter, op: ptx.SpecialRegisterOp, args: PythonValues
    ):
        launch: Launch = interpreter.get_data(PtxFunctions, "launch", Launch)
        return (np.uint32(launch.read(op.register.data)),)

    # endregion
    # region memory

    @impl(ptx.LdOp)
    def run_ld(self, _: Interpreter, op: ptx.LdOp, args: PythonValues):
        type, pointer = op.type.data, _pointer(args[0]) + op.offset.value.data
        words = pointer.load(type.width // 8, len(op.results))
        if type.width > 8:
            return words
        return tuple(
            _encode(type, [word.view(_numpy_type(type.value))]) for word in words
        )

    @impl(ptx.StOp)
    def run_st(self, _: Interpreter, op: ptx.StOp, args: PythonValues):
        width = op.type.data.width // 8
        pointer = _pointer(args[0]) + op.offset.value.data
        pointer.store(width, [_bits(value).astype(f"u{width}") for value in args[1:]])
        return ()

    @impl(ptx.LdParamOp)
    def run_ld_param(
        self, interpreter: Interpreter, op: ptx.LdParamOp, args: PythonValues
    ):
        return (_frame(interpreter).params[op.index.value.data],)

    @impl(ptx.StParamOp)
    def run_st_param(
        self, interpreter: Interpreter, op: ptx.StParamOp, args: PythonValues
    ):
        _frame(interpreter).results[op.index.value.data] = args[0]
        return ()

    @impl(ptx.AllocOp)
    def run_alloc(self, interpreter: Interpreter, op: ptx.AllocOp, args: PythonValues):
        buffers = _frame(interpreter).buffers
        if op not in buffers:
            name = f"ptx.alloc {op.space.data.value}"
            buffers[op] = Buffer.uninitialized(name, op.size.value.data)
        return (Pointer(buffers[op]),)

    @impl(ptx.CvtaOp)
    def run_cvta(self, _: Interpreter, op: ptx.CvtaOp, args: PythonValues):
        return args

    # endregion
    # region control

    @impl_terminator(ptx.BraOp)
    def run_bra(
        self, _: Interpreter, op: ptx.BraOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return Successor(op.successor, ()), ()

    @impl_terminator(ptx.CondBraOp)
    def run_cond_bra(
        self, _: Interpreter, op: ptx.CondBraOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        block = op.then_block if _decided(args[0]) else op.else_block
        return Successor(block, ()), ()

    @impl_terminator(ptx.RetOp)
    def run_ret(
        self, _: Interpreter, op: ptx.RetOp, args: PythonValues
    ) -> tuple[TerminatorValue, PythonValues]:
        return ReturnedValues(()), ()

    @impl(ptx.CallOp)
    def run_call(self, interpreter: Interpreter, op: ptx.CallOp, args: PythonValues):
        return interpreter.call_op(op.callee, args)

    @impl(ptx.BarSyncOp)
    def run_bar_sync(self, _: Interpreter, op: ptx.BarSyncOp, args: PythonValues):
        return ()

    @impl_callable(ptx.EntryOp)
    def call_entry(self, interpreter: Interpreter, op: ptx.EntryOp, args: PythonValues):
        return _run_function(interpreter, op, args)

    @impl_callable(ptx.FuncOp)
    def call_func(self, interpreter: Interpreter, op: ptx.FuncOp, args: PythonValues):
        return _run_function(interpreter, op, args)

    # endregion


def _flushed(operation: Callable[..., Value]) -> Callable[..., Value]:
    def flushed(name: str, a: Value, *, ftz: bool) -> Value:
        return operation(name, numerics.flush(a) if ftz else a)

    return flushed


def _decided(predicate: Value) -> bool:
    taken = np.asarray(predicate)
    if taken.all():
        return True
    if taken.any():
        raise InterpretationError("the inputs of the batch do not take the same way")
    return False


def _pointer(value: Any) -> Pointer:
    if not isinstance(value, Pointer):
        raise InterpretationError(f"{value} is used as an address")
    return value


def _frames(interpreter: Interpreter) -> list[_Frame]:
    return interpreter.get_data(PtxFunctions, "frames", list[_Frame])


def _frame(interpreter: Interpreter) -> _Frame:
    return _frames(interpreter)[-1]


def _run_function(
    interpreter: Interpreter, op: ptx.FunctionOp, args: PythonValues
) -> PythonValues:
    if len(args) != len(op.params):
        raise InterpretationError(
            f"@{op.sym_name.data} takes {len(op.params)} parameters, got {len(args)}"
        )
    results: list[Any] = [None] * len(tuple(op.declared_results()))
    frames = _frames(interpreter)
    frames.append(_Frame(args, results))
    try:
        interpreter.run_ssacfg_region(op.body, (), op.sym_name.data)
    finally:
        frames.pop()
    if any(result is None for result in results):
        raise InterpretationError(
            f"@{op.sym_name.data} returns without all its results"
        )
    return tuple(results)


def run_entry(
    module: ModuleOp,
    name: str,
    arguments: Sequence[Value | np.generic],
    *,
    batch_axes: int = 0,
    launch: Launch = Launch(),
) -> None:
    """
    Run one thread of the kernel `name`.

    An array (of any number of axes, bf16 as uint16) is passed as a pointer to its memory
    and written in place, a numpy scalar by value. The last `batch_axes` axes of every array
    are the batch.

    Raises InterpretationError for a name that is no kernel, arguments that do not fit, and
    whatever goes wrong on the way.
    """
    op = SymbolTable.lookup_symbol(module, name)
    if not isinstance(op, ptx.EntryOp):
        raise InterpretationError(f"@{name} is no ptx.entry of the module")
    interpreter = Interpreter(module)
    interpreter.register_implementations(PtxFunctions())
    interpreter.set_data(PtxFunctions, "launch", launch)
    args = tuple(
        Pointer(Buffer.of(f"parameter {i} of @{name}", argument, batch_axes))
        if isinstance(argument, np.ndarray)
        else _words(np.asarray(argument))[()]
        for i, argument in enumerate(arguments)
    )
    interpreter.call_op(op, args)
