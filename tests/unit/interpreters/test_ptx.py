"""What single ptx ops compute, and whole kernels on arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.dialects.test import TestOp
from xdsl.interpreter import Interpreter
from xdsl.ir import Operation, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import InterpretationError

from xdsl_packed.dialects import ptx
from xdsl_packed.dialects.ptx import (
    PTX,
    Comparison,
    PtxOperation,
    PtxRegisterType,
    PtxType,
    Rounding,
    SpecialRegister,
)
from xdsl_packed.interpreters.ptx import (
    Buffer,
    Launch,
    Pointer,
    PtxFunctions,
    run_entry,
)

NAN, INF = 0x7FC00000, 0x7F800000
CANONICAL = 0x7FFFFFFF
SUBNORMAL, MINUS_ZERO = 0x00000001, 0x80000000

# What only other lanes can answer; see the module's docstring.
OF_OTHER_LANES = {ptx.ShflSyncOp, ptx.ReduxSyncOp, ptx.ActivemaskOp}


def _values(*registers: PtxRegisterType) -> Sequence[SSAValue]:
    return TestOp(result_types=registers).results


def _run(op: Operation, *args: Any) -> tuple[Any, ...]:
    op.verify()
    interpreter = Interpreter(ModuleOp([]))
    interpreter.register_implementations(PtxFunctions())
    return interpreter.run_op(op, args)


def _f32(value: float) -> int:
    return int(np.float32(value).view(np.uint32))


def _b32(*words: int) -> tuple[np.uint32, ...]:
    return tuple(np.uint32(word) for word in words)


def _parse(text: str) -> ModuleOp:
    ctx = Context()
    ctx.load_dialect(Builtin)
    ctx.load_dialect(PTX)
    module = Parser(ctx, text).parse_module()
    module.verify()
    return module


class Test_Ops:
    def test_every_op_but_those_of_other_lanes(self):
        methods = vars(PtxFunctions).values()
        interpreted = {getattr(method, "__impl_op_type", None) for method in methods}
        ops = {op for op in PTX.operations if issubclass(op, PtxOperation)}
        assert ops - interpreted == OF_OTHER_LANES

    @pytest.mark.parametrize(
        ("op", "a", "b", "ftz", "expected"),
        [
            (ptx.AddOp, _f32(1), _f32(2**-24), False, _f32(1)),
            (ptx.AddOp, _f32(1), _f32(3 * 2**-25), False, _f32(1 + 2**-23)),
            (ptx.AddOp, MINUS_ZERO, MINUS_ZERO, False, MINUS_ZERO),
            (ptx.AddOp, SUBNORMAL, SUBNORMAL, False, 2),
            (ptx.AddOp, SUBNORMAL, SUBNORMAL, True, 0),
            (ptx.AddOp, INF, _f32(-np.inf), False, CANONICAL),
            (ptx.SubOp, MINUS_ZERO, SUBNORMAL, True, MINUS_ZERO),
            (ptx.MulOp, _f32(-(2.0**-100)), _f32(2.0**-40), True, MINUS_ZERO),
            (ptx.MulOp, _f32(2.0**-100), _f32(2.0**-40), False, 1 << 9),
            (ptx.DivOp, _f32(1), _f32(3), False, 0x3EAAAAAB),
        ],
    )
    def test_f32(
        self, op: type[ptx.ArithmeticOp], a: int, b: int, ftz: bool, expected: int
    ):
        operands = _values(ptx.B32, ptx.B32)
        (result,) = _run(op(PtxType.f32, *operands, ftz=ftz), *_b32(a, b))
        assert (result.dtype, int(result)) == (np.uint32, expected)

    def test_lanes_stay_apart(self):
        operands = _values(ptx.B64, ptx.B64)
        a = np.uint64(_f32(2) << 32 | _f32(1))
        b = np.uint64(_f32(20) << 32 | NAN)
        (result,) = _run(ptx.AddOp(PtxType.f32x2, *operands), a, b)
        assert int(result) == _f32(22) << 32 | CANONICAL

    def test_fma_rounds_once(self):
        a, c = _f32(1 + 2**-12), _f32(-1 - 2**-11)
        fma = ptx.FmaOp(PtxType.f32, *_values(ptx.B32, ptx.B32, ptx.B32))
        (result,) = _run(fma, *_b32(a, a, c))
        assert int(result) == _f32(2**-24)

    @pytest.mark.parametrize(
        ("op", "a", "b", "nan", "expected"),
        [
            (ptx.MaxOp, NAN, _f32(1), False, _f32(1)),
            (ptx.MaxOp, NAN, _f32(1), True, CANONICAL),
            (ptx.MaxOp, NAN, NAN, False, CANONICAL),
            (ptx.MaxOp, MINUS_ZERO, 0, False, 0),
            (ptx.MinOp, 0, MINUS_ZERO, True, MINUS_ZERO),
            (ptx.MinOp, _f32(1), NAN, False, _f32(1)),
            (ptx.MinOp, _f32(1), NAN, True, CANONICAL),
        ],
    )
    def test_extremum(
        self, op: type[ptx.ExtremumOp], a: int, b: int, nan: bool, expected: int
    ):
        operands = _values(ptx.B32, ptx.B32)
        (result,) = _run(op(PtxType.f32, *operands, nan=nan), *_b32(a, b))
        assert int(result) == expected

    @pytest.mark.parametrize(
        ("op", "nan", "abs", "args", "expected"),
        [
            (ptx.Max3Op, False, False, (_f32(1), NAN, _f32(-5)), _f32(1)),
            (ptx.Max3Op, True, False, (_f32(1), _f32(2), NAN), CANONICAL),
            (ptx.Max3Op, False, True, (_f32(1), _f32(2), _f32(-5)), _f32(5)),
            (ptx.Min3Op, False, True, (_f32(1), _f32(2), MINUS_ZERO), 0),
            (ptx.Min3Op, False, False, (_f32(1), 0, MINUS_ZERO), MINUS_ZERO),
        ],
    )
    def test_extremum_of_three(
        self,
        op: type[ptx.Extremum3Op],
        nan: bool,
        abs: bool,
        args: tuple[int, int, int],
        expected: int,
    ):
        operands = _values(ptx.B32, ptx.B32, ptx.B32)
        (result,) = _run(op(PtxType.f32, *operands, nan=nan, abs=abs), *_b32(*args))
        assert int(result) == expected

    @pytest.mark.parametrize(
        ("op", "type", "a", "b", "expected"),
        [
            (ptx.AddOp, PtxType.u32, 0xFFFFFFFF, 2, 1),
            (ptx.MulOp, PtxType.s32, 0x10000, 0x10001, 0x10000),
            (ptx.DivOp, PtxType.s32, -7, 2, -3),
            (ptx.RemOp, PtxType.s32, -7, 2, -1),
            (ptx.DivOp, PtxType.u32, -7, 2, (2**32 - 7) // 2),
            (ptx.MaxOp, PtxType.s32, -1, 1, 1),
            (ptx.MaxOp, PtxType.u32, -1, 1, -1),
            (ptx.MinOp, PtxType.s16x2, 0x0001FFFF, 0xFFFF0001, 0xFFFFFFFF),
            (ptx.AndOp, PtxType.b32, 0b1100, 0b1010, 0b1000),
            (ptx.OrOp, PtxType.b32, 0b1100, 0b1010, 0b1110),
            (ptx.XorOp, PtxType.b32, 0b1100, 0b1010, 0b0110),
            (ptx.ShlOp, PtxType.b32, 3, 31, 1 << 31),
            (ptx.ShlOp, PtxType.b32, 3, 32, 0),
            (ptx.ShrOp, PtxType.s32, -8, 1, -4),
            (ptx.ShrOp, PtxType.s32, -8, 99, -1),
            (ptx.ShrOp, PtxType.u32, -8, 99, 0),
        ],
    )
    def test_integers(
        self,
        op: type[ptx.BinaryOp | ptx.ShlOp],
        type: PtxType,
        a: int,
        b: int,
        expected: int,
    ):
        words = _b32(a & 0xFFFFFFFF, b & 0xFFFFFFFF)
        (result,) = _run(op(type, *_values(ptx.B32, ptx.B32)), *words)
        assert int(result) == expected & 0xFFFFFFFF

    def test_products(self):
        a, b, c = _values(ptx.B32, ptx.B32, ptx.B32)
        words = _b32(0xFFFFFFFF, 3, 10)
        (wide,) = _run(ptx.MulWideOp(PtxType.s32, a, b), *words[:2])
        assert int(wide) == 2**64 - 3
        (wide,) = _run(ptx.MulWideOp(PtxType.u32, a, b), *words[:2])
        assert int(wide) == 3 * (2**32 - 1)
        (sum,) = _run(ptx.MadOp(PtxType.s32, a, b, c), *words)
        assert int(sum) == 7

    @pytest.mark.parametrize(
        ("comparison", "type", "a", "b", "expected"),
        [
            (Comparison.lt, PtxType.s32, 0xFFFFFFFF, 0, True),
            (Comparison.lt, PtxType.u32, 0xFFFFFFFF, 0, False),
            (Comparison.ne, PtxType.f32, NAN, 0, False),
            (Comparison.neu, PtxType.f32, NAN, 0, True),
            (Comparison.geu, PtxType.f32, NAN, 0, True),
            (Comparison.ge, PtxType.f32, MINUS_ZERO, 0, True),
            (Comparison.num, PtxType.f32, 0, NAN, False),
            (Comparison.nan, PtxType.f32, 0, NAN, True),
        ],
    )
    def test_setp(
        self, comparison: Comparison, type: PtxType, a: int, b: int, expected: bool
    ):
        operands = _values(ptx.B32, ptx.B32)
        (result,) = _run(ptx.SetpOp(comparison, type, *operands), *_b32(a, b))
        assert bool(result) is expected

    @pytest.mark.parametrize(
        ("type", "source", "rounding", "value", "expected"),
        [
            (PtxType.bf16, PtxType.f32, Rounding.rn, 0x3F808000, 0x3F80),
            (PtxType.bf16, PtxType.f32, Rounding.rn, 0x3F818000, 0x3F82),
            (PtxType.f32, PtxType.bf16, None, 0xC000, _f32(-2)),
            (PtxType.f16, PtxType.f32, Rounding.rn, _f32(65520), 0x7C00),
            (PtxType.s32, PtxType.f32, Rounding.rzi, _f32(-2.7), 2**32 - 2),
            (PtxType.s32, PtxType.f32, Rounding.rni, _f32(2.5), 2),
            (PtxType.u32, PtxType.f32, Rounding.rpi, _f32(2.1), 3),
            (PtxType.u32, PtxType.f32, Rounding.rmi, _f32(-1), 0),
            (PtxType.s32, PtxType.f32, Rounding.rzi, NAN, 0),
            (PtxType.u64, PtxType.f32, Rounding.rzi, NAN, 1 << 63),
            (PtxType.s32, PtxType.f64, Rounding.rzi, 0x7FF8 << 48, 1 << 31),
            (PtxType.s32, PtxType.f32, Rounding.rzi, INF, 2**31 - 1),
            (PtxType.f32, PtxType.s32, Rounding.rn, 0xFFFFFFFD, _f32(-3)),
            (PtxType.s32, PtxType.s8, None, 0x12FE, 2**32 - 2),
            (PtxType.u32, PtxType.u8, None, 0x12FE, 0xFE),
            (PtxType.s8, PtxType.s32, None, 0x180, 0xFF80),
            (PtxType.u8, PtxType.s32, None, 0x180, 0x80),
        ],
    )
    def test_cvt(
        self,
        type: PtxType,
        source: PtxType,
        rounding: Rounding | None,
        value: int,
        expected: int,
    ):
        op = ptx.CvtOp(type, source, *_values(source.register), rounding=rounding)
        word = np.dtype(f"u{max(source.width, 16) // 8}").type(value)
        (result,) = _run(op, word)
        assert int(result) == expected
        assert 8 * result.dtype.itemsize == max(type.width, 16)

    def test_pack_and_unpack(self):
        (whole,) = _run(ptx.PackOp(*_values(ptx.B32, ptx.B32)), *_b32(1, 2))
        assert (whole.dtype, int(whole)) == (np.uint64, 2 << 32 | 1)
        halves = _run(ptx.UnpackOp(*_values(ptx.B64)), whole)
        assert [int(half) for half in halves] == [1, 2]

    @pytest.mark.parametrize(
        ("type", "value", "word"),
        [
            (PtxType.f32, 1.0, np.uint32(0x3F800000)),
            (PtxType.s16, -1, np.uint16(0xFFFF)),
            (PtxType.s8, -1, np.uint16(0xFFFF)),
            (PtxType.u64, 2**64 - 1, np.uint64(2**64 - 1)),
        ],
    )
    def test_constant(self, type: PtxType, value: float, word: np.generic):
        (result,) = _run(ptx.ConstantOp(type, value))
        assert (result.dtype, result) == (word.dtype, word)

    def test_ftz_of_a_half_is_refused(self):
        add = ptx.AddOp(PtxType.f16, *_values(ptx.B16, ptx.B16), ftz=True)
        with pytest.raises(InterpretationError, match="ftz is not interpreted for f16"):
            _run(add, np.uint16(0), np.uint16(0))


class Test_Memory:
    def test_bits_of_any_width(self):
        array = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
        pointer = Pointer(Buffer.of("x", array))
        (pair,) = (pointer + 8).load(8)
        assert int(pair) == _f32(4) << 32 | _f32(3)
        (half,) = (pointer + 6).load(2)
        assert int(half) == _f32(2) >> 16
        (pointer + 6).store(2, [np.uint16(0xC000)])
        assert array[1] == -2.0
        pointer.store(8, [np.uint64(_f32(9) << 32 | _f32(8))])
        assert array.tolist() == [8.0, 9.0, 3.0, 4.0]

    @pytest.mark.parametrize(
        ("offset", "width", "lanes", "message"),
        [
            (16, 4, 1, "out of range: 4 bytes at offset 16"),
            (-4, 4, 1, "out of range"),
            (8, 4, 4, "out of range: 16 bytes"),
            (2, 4, 1, "misaligned: 4 bytes at offset 2"),
            (4, 4, 2, "misaligned: 8 bytes"),
        ],
    )
    def test_refused(self, offset: int, width: int, lanes: int, message: str):
        pointer = Pointer(Buffer.of("x", np.zeros(4, np.float32)), offset)
        with pytest.raises(InterpretationError, match=message):
            pointer.load(width, lanes)
        with pytest.raises(InterpretationError, match=message):
            pointer.store(width, [np.uint32(0)] * lanes)

    def test_read_before_written(self):
        pointer = Pointer(Buffer.uninitialized("buffer", 8))
        pointer.store(4, [np.uint32(5)])
        assert [int(word) for word in pointer.load(2, 2)] == [5, 0]
        with pytest.raises(InterpretationError, match="read before they are written"):
            pointer.load(8)

    def test_not_contiguous(self):
        with pytest.raises(InterpretationError, match="not contiguous"):
            Buffer.of("x", np.zeros((4, 4))[:, 1])


LOOP = """
ptx.entry @sum [#ptx<type u64>, #ptx<type u64>, #ptx<type u32>] {
  %source = ptx.ld_param 0 u64
  %destination = ptx.ld_param 1 u64
  %length = ptx.ld_param 2 u32
  %zero = ptx.constant f32 0
  %none = ptx.constant u32 0
  %one = ptx.constant u32 1
  %four = ptx.constant u32 4
  %counter = ptx.mov %none : !ptx.b32 -> !ptx.b32<r0>
  %accumulator = ptx.mov %zero : !ptx.b32 -> !ptx.b32<r1>
  ptx.bra ^loop
^loop:
  %i = ptx.mov %counter : !ptx.b32<r0> -> !ptx.b32
  %a = ptx.mov %accumulator : !ptx.b32<r1> -> !ptx.b32
  %distance = ptx.mul_wide u32 %i, %four : !ptx.b32
  %address = ptx.add u64 %source, %distance : !ptx.b64
  %x = ptx.ld global f32 %address : !ptx.b32
  %sum = ptx.add f32 %a, %x : !ptx.b32
  %set_a = ptx.mov %sum : !ptx.b32 -> !ptx.b32<r1>
  %next = ptx.add u32 %i, %one : !ptx.b32
  %set_i = ptx.mov %next : !ptx.b32 -> !ptx.b32<r0>
  %more = ptx.setp lt u32 %next, %length : !ptx.b32
  ptx.cond_bra %more, ^loop, ^end
^end:
  %result = ptx.mov %accumulator : !ptx.b32<r1> -> !ptx.b32
  ptx.st global f32 %destination, %result : !ptx.b32
  ptx.ret
}
"""

CALL = """
ptx.func @difference [#ptx<type b32>, #ptx<type b32>] -> [#ptx<type b32>, #ptx<type b32>] {
  %a = ptx.ld_param 0 b32
  %b = ptx.ld_param 1 b32
  %named = ptx.mov %a : !ptx.b32 -> !ptx.b32<r0>
  %d = ptx.sub s32 %a, %b : !ptx.b32
  ptx.st_param 0 b32 %d : !ptx.b32
  ptx.st_param 1 b32 %b : !ptx.b32
  ptx.ret
}
ptx.entry @k [#ptx<type u64>] {
  %p = ptx.ld_param 0 u64
  %a, %b = ptx.ld global s32 %p : !ptx.b32, !ptx.b32
  %kept = ptx.mov %b : !ptx.b32 -> !ptx.b32<r0>
  %d, %c = ptx.call @difference(%a, %b) : (!ptx.b32, !ptx.b32) -> (!ptx.b32, !ptx.b32)
  %still = ptx.mov %kept : !ptx.b32<r0> -> !ptx.b32
  %s = ptx.add s32 %still, %c : !ptx.b32
  ptx.st global s32 %p, %d, %s : !ptx.b32, !ptx.b32
  ptx.ret
}
"""

BRANCH = """
ptx.entry @relu [#ptx<type u64>] {
  %p = ptx.ld_param 0 u64
  %x = ptx.ld global f32 %p : !ptx.b32
  %zero = ptx.constant f32 0
  %negative = ptx.setp lt f32 %x, %zero : !ptx.b32
  ptx.cond_bra %negative, ^clear, ^end
^clear:
  ptx.st global f32 %p, %zero : !ptx.b32
  ptx.bra ^end
^end:
  ptx.ret
}
"""


class Test_Kernels:
    def test_loop_carries_named_registers(self):
        source = np.arange(1, 8, dtype=np.float32)
        destination = np.zeros(1, np.float32)
        run_entry(_parse(LOOP), "sum", [source, destination, np.uint32(7)])
        assert destination[0] == 28.0

    def test_batch(self):
        source = np.arange(21, dtype=np.float32).reshape(7, 3)
        destination = np.zeros((1, 3), np.float32)
        args = [source, destination, np.uint32(7)]
        run_entry(_parse(LOOP), "sum", args, batch_axes=1)
        assert destination.tolist() == [[63.0, 70.0, 77.0]]

    def test_calls_keep_their_registers(self):
        array = np.array([10, 4], np.int32)
        run_entry(_parse(CALL), "k", [array])
        assert array.tolist() == [6, 8]

    @pytest.mark.parametrize(("x", "expected"), [(-1.0, 0.0), (2.0, 2.0)])
    def test_branch(self, x: float, expected: float):
        array = np.array([x], np.float32)
        run_entry(_parse(BRANCH), "relu", [array])
        assert array[0] == expected

    def test_branch_apart(self):
        array = np.array([[-1.0, 2.0]], np.float32)
        with pytest.raises(InterpretationError, match="do not take the same way"):
            run_entry(_parse(BRANCH), "relu", [array], batch_axes=1)

    def test_wrong_name(self):
        with pytest.raises(InterpretationError, match=r"@nowhere is no ptx\.entry"):
            run_entry(_parse(LOOP), "nowhere", [])

    def test_wrong_arguments(self):
        with pytest.raises(InterpretationError, match="takes 3 parameters, got 1"):
            run_entry(_parse(LOOP), "sum", [np.zeros(1, np.float32)])

    def test_special_registers(self):
        launch = Launch(tid=(5, 1, 0), ntid=(40, 2, 1), ctaid=(7, 0, 0))
        expected = {
            SpecialRegister.tid_x: 5,
            SpecialRegister.tid_y: 1,
            SpecialRegister.ntid_x: 40,
            SpecialRegister.ctaid_x: 7,
            SpecialRegister.nctaid_z: 1,
            SpecialRegister.laneid: 13,
            SpecialRegister.warpid: 1,
        }
        assert {name: launch.read(name) for name in expected} == expected
