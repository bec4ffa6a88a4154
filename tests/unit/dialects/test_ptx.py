"""The whole ptx dialect: documented, printed, and judged by ptxas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.parser import Parser
from xdsl.utils.exceptions import DiagnosticException, VerifyException

from xdsl_packed.backend.ptx_target import print_ptx
from xdsl_packed.backend.ptxas import assemble
from xdsl_packed.dialects import ptx
from xdsl_packed.dialects.ptx import (
    PTX,
    Comparison,
    PtxOperation,
    PtxType,
    ReduxKind,
    Rounding,
    ShuffleMode,
    Space,
    SpecialRegister,
)
from xdsl_packed.target import CHIPS, FORMS, GpuTarget

OPERATIONS = list(PTX.operations)
INSTRUCTIONS = [op for op in OPERATIONS if issubclass(op, PtxOperation)]


class Body:
    """A kernel under construction, with an operand of each width at hand."""

    def __init__(self, target: Block):
        self.target = target
        half = ptx.ConstantOp(PtxType.bf16, 1.0)
        word = ptx.ConstantOp(PtxType.f32, 1.0)
        address = ptx.LdParamOp(0, PtxType.u64)
        predicate = ptx.ConstantOp(PtxType.pred, 1)
        self.operands = (half, word, address, predicate)
        self.h, self.r, self.rd, self.p = half.d, word.d, address.d, predicate.d


Sample = Callable[[Body], PtxOperation]

# Several where an op has forms that need different chips.
SAMPLES: dict[type[Operation], Sequence[Sample]] = {
    ptx.AddOp: (
        lambda b: ptx.AddOp(PtxType.f32x2, b.rd, b.rd, ftz=True),
        lambda b: ptx.AddOp(PtxType.f32, b.r, b.r),
        lambda b: ptx.AddOp(PtxType.bf16x2, b.r, b.r),
        lambda b: ptx.AddOp(PtxType.s16x2, b.r, b.r),
        lambda b: ptx.AddOp(PtxType.s64, b.rd, b.rd),
    ),
    ptx.SubOp: (lambda b: ptx.SubOp(PtxType.f32x2, b.rd, b.rd),),
    ptx.MulOp: (
        lambda b: ptx.MulOp(PtxType.f32x2, b.rd, b.rd),
        lambda b: ptx.MulOp(PtxType.u16, b.h, b.h),
    ),
    ptx.DivOp: (
        lambda b: ptx.DivOp(PtxType.f32, b.r, b.r, ftz=True),
        lambda b: ptx.DivOp(PtxType.s32, b.r, b.r),
    ),
    ptx.RemOp: (lambda b: ptx.RemOp(PtxType.u64, b.rd, b.rd),),
    ptx.FmaOp: (
        lambda b: ptx.FmaOp(PtxType.f32x2, b.rd, b.rd, b.rd, ftz=True),
        lambda b: ptx.FmaOp(PtxType.bf16, b.h, b.h, b.h),
    ),
    ptx.MadOp: (lambda b: ptx.MadOp(PtxType.s32, b.r, b.r, b.r),),
    ptx.MulWideOp: (
        lambda b: ptx.MulWideOp(PtxType.u32, b.r, b.r),
        lambda b: ptx.MulWideOp(PtxType.s16, b.h, b.h),
    ),
    ptx.AddMixedOp: (lambda b: ptx.AddMixedOp(PtxType.bf16, b.h, b.r),),
    ptx.MaxOp: (
        lambda b: ptx.MaxOp(PtxType.f32, b.r, b.r, ftz=True, nan=True),
        lambda b: ptx.MaxOp(PtxType.f64, b.rd, b.rd),
    ),
    ptx.MinOp: (
        lambda b: ptx.MinOp(PtxType.bf16x2, b.r, b.r, nan=True),
        lambda b: ptx.MinOp(PtxType.u32, b.r, b.r),
    ),
    ptx.Max3Op: (
        lambda b: ptx.Max3Op(PtxType.f32, b.r, b.r, b.r, ftz=True, nan=True, abs=True),
    ),
    ptx.Min3Op: (lambda b: ptx.Min3Op(PtxType.f32, b.r, b.r, b.r),),
    ptx.NegOp: (
        lambda b: ptx.NegOp(PtxType.f32, b.r, ftz=True),
        lambda b: ptx.NegOp(PtxType.bf16x2, b.r),
    ),
    ptx.AbsOp: (
        lambda b: ptx.AbsOp(PtxType.s32, b.r),
        lambda b: ptx.AbsOp(PtxType.bf16, b.h),
    ),
    ptx.RcpOp: (lambda b: ptx.RcpOp(PtxType.f32, b.r, ftz=True),),
    ptx.SqrtOp: (lambda b: ptx.SqrtOp(PtxType.f64, b.rd),),
    ptx.RsqrtOp: (lambda b: ptx.RsqrtOp(PtxType.f32, b.r, ftz=True),),
    ptx.Ex2Op: (lambda b: ptx.Ex2Op(PtxType.bf16, b.h, ftz=True),),
    ptx.Lg2Op: (lambda b: ptx.Lg2Op(PtxType.f32, b.r),),
    ptx.AndOp: (lambda b: ptx.AndOp(PtxType.pred, b.p, b.p),),
    ptx.OrOp: (lambda b: ptx.OrOp(PtxType.b64, b.rd, b.rd),),
    ptx.XorOp: (lambda b: ptx.XorOp(PtxType.b16, b.h, b.h),),
    ptx.NotOp: (lambda b: ptx.NotOp(PtxType.b32, b.r),),
    ptx.ShlOp: (lambda b: ptx.ShlOp(PtxType.b64, b.rd, b.r),),
    ptx.ShrOp: (lambda b: ptx.ShrOp(PtxType.s16, b.h, b.r),),
    ptx.SetpOp: (
        lambda b: ptx.SetpOp(Comparison.ltu, PtxType.f32, b.r, b.r, ftz=True),
        lambda b: ptx.SetpOp(Comparison.num, PtxType.bf16, b.h, b.h),
        lambda b: ptx.SetpOp(Comparison.ge, PtxType.u64, b.rd, b.rd),
    ),
    ptx.SelpOp: (lambda b: ptx.SelpOp(PtxType.f32, b.r, b.r, b.p),),
    ptx.CvtOp: (
        lambda b: ptx.CvtOp(PtxType.bf16, PtxType.f32, b.r, rounding=Rounding.rn),
        lambda b: ptx.CvtOp(PtxType.f64, PtxType.bf16, b.h),
        lambda b: ptx.CvtOp(PtxType.s64, PtxType.f32, b.r, rounding=Rounding.rzi),
        lambda b: ptx.CvtOp(PtxType.s8, PtxType.u64, b.rd),
        lambda b: ptx.CvtOp(PtxType.f32, PtxType.f16, b.h, ftz=True),
    ),
    ptx.MovOp: (
        lambda b: ptx.MovOp(b.p),
        lambda b: ptx.MovOp(b.r, ptx.B32Type.from_name("r17")),
    ),
    ptx.ConstantOp: (
        lambda b: ptx.ConstantOp(PtxType.f64, -0.0),
        lambda b: ptx.ConstantOp(PtxType.f16, float("inf")),
        lambda b: ptx.ConstantOp(PtxType.s64, -(1 << 63)),
        lambda b: ptx.ConstantOp(PtxType.u64, (1 << 64) - 1),
        lambda b: ptx.ConstantOp(PtxType.f32x2, 0x3F8000003F800000),
        lambda b: ptx.ConstantOp(PtxType.s8, -1),
    ),
    ptx.PackOp: (
        lambda b: ptx.PackOp(b.r, b.r),
        lambda b: ptx.PackOp(b.h, b.h),
    ),
    ptx.UnpackOp: (
        lambda b: ptx.UnpackOp(b.rd),
        lambda b: ptx.UnpackOp(b.r),
    ),
    ptx.SpecialRegisterOp: tuple(
        lambda b, register=register: ptx.SpecialRegisterOp(register)
        for register in SpecialRegister
    ),
    ptx.LdOp: (
        lambda b: ptx.LdOp(Space.global_, PtxType.f32, b.rd, lanes=8, offset=32),
        lambda b: ptx.LdOp(Space.global_, PtxType.s8, b.rd, offset=-1, nc=True),
        lambda b: ptx.LdOp(Space.generic, PtxType.f16, b.rd, lanes=4),
        lambda b: ptx.LdOp(Space.shared, PtxType.f64, b.rd, lanes=2),
        lambda b: ptx.LdOp(Space.local, PtxType.u8, b.rd),
    ),
    ptx.StOp: (
        lambda b: ptx.StOp(Space.global_, PtxType.f32x2, b.rd, [b.rd] * 4),
        lambda b: ptx.StOp(Space.shared, PtxType.bf16, b.rd, [b.h, b.h], offset=-4),
        lambda b: ptx.StOp(Space.generic, PtxType.u8, b.rd, [b.h]),
    ),
    ptx.LdParamOp: (lambda b: ptx.LdParamOp(0, PtxType.b64),),
    ptx.StParamOp: (lambda b: ptx.StParamOp(0, PtxType.f32, b.r),),
    ptx.AllocOp: (
        lambda b: ptx.AllocOp(Space.local, 64, 16),
        lambda b: ptx.AllocOp(Space.shared, 1, 1),
    ),
    ptx.CvtaOp: (
        lambda b: ptx.CvtaOp(Space.global_, b.rd),
        lambda b: ptx.CvtaOp(Space.shared, b.rd, to=True),
    ),
    ptx.BraOp: (lambda b: ptx.BraOp(b.target),),
    ptx.CondBraOp: (lambda b: ptx.CondBraOp(b.p, b.target, b.target),),
    ptx.RetOp: (lambda b: ptx.RetOp(),),
    ptx.CallOp: (lambda b: ptx.CallOp("callee", [b.rd, b.h], [ptx.B32]),),
    ptx.BarSyncOp: (lambda b: ptx.BarSyncOp(1),),
    ptx.ShflSyncOp: tuple(
        lambda b, mode=mode: ptx.ShflSyncOp(mode, b.r, b.r, b.r, b.r)
        for mode in ShuffleMode
    ),
    ptx.ReduxSyncOp: (
        lambda b: ptx.ReduxSyncOp(ReduxKind.add, PtxType.s32, b.r, b.r),
        lambda b: ptx.ReduxSyncOp(ReduxKind.xor, PtxType.b32, b.r, b.r),
        lambda b: ptx.ReduxSyncOp(
            ReduxKind.max, PtxType.f32, b.r, b.r, abs=True, nan=True
        ),
    ),
    ptx.ActivemaskOp: (lambda b: ptx.ActivemaskOp(),),
}

ALL_SAMPLES = [
    pytest.param(sample, id=f"{op.name}-{i}")
    for op, samples in SAMPLES.items()
    for i, sample in enumerate(samples)
]


def _function(sample: Sample) -> tuple[PtxOperation, ptx.FunctionOp]:
    first, last = Block(), Block([ptx.RetOp()])
    body = Body(last)
    op = sample(body)
    first.add_ops([*body.operands, op])
    if not isinstance(op, ptx.BraOp | ptx.CondBraOp | ptx.RetOp):
        first.add_op(ptx.RetOp())
    # something between, so that a jump to the end is written
    region = Region([first, Block([ptx.RetOp()]), last])
    if isinstance(op, ptx.StParamOp):
        return op, ptx.FuncOp("f", [PtxType.u64], [PtxType.f32], region)
    return op, ptx.EntryOp("k", [PtxType.u64], region)


def _module(*functions: Operation, chip: str, version: str | None = None) -> ModuleOp:
    module = ModuleOp(list(functions))
    module.verify()
    GpuTarget.of(chip, version).set_on_module(module)
    return module


def _callee() -> ptx.FuncOp:
    value = ptx.ConstantOp(PtxType.f32, 2.5)
    stored = ptx.StParamOp(0, PtxType.f32, value.d)
    region = Region(Block([value, stored, ptx.RetOp()]))
    return ptx.FuncOp("callee", [PtxType.u64, PtxType.bf16], [PtxType.f32], region)


class Test_WholeDialect:
    @pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.name)
    def test_documented(self, op: type[Operation]):
        assert op.__doc__ is not None
        name = op.mnemonic() if issubclass(op, PtxOperation) else f".{op.name[4:]}"
        assert f"`{name}" in op.__doc__
        assert "PTX ISA" in op.__doc__.replace("\n    ", " ")

    def test_every_op_is_sampled(self):
        assert list(SAMPLES) == INSTRUCTIONS

    @pytest.mark.parametrize("sample", ALL_SAMPLES)
    def test_accepted_and_refused(self, sample: Sample):
        op, function = _function(sample)
        needs = FORMS[op.form()]
        has = next(
            chip
            for chip in CHIPS.values()
            if chip.number >= needs.chip and chip.name in (needs.only or CHIPS)
        )
        text = print_ptx(_module(function, _callee(), chip=has.name))
        assert f" {op.mnemonic()}" in text
        assert assemble(text, has.name)
        if not needs.only and needs.chip == 75:
            return
        lacks = "sm_120a" if needs.only else "sm_75"
        with pytest.raises(DiagnosticException):
            assemble(text.replace(f".target {has.name}", f".target {lacks}"), lacks)
        function.detach()
        with pytest.raises(DiagnosticException, match=f"'{op.name}' is not legal here"):
            print_ptx(_module(function, _callee(), chip=lacks))


def _kernel(
    *ops: Operation, name: str = "k", params: Sequence[PtxType] = (PtxType.u64,)
) -> ptx.EntryOp:
    return ptx.EntryOp(name, params, Region(Block([*ops, ptx.RetOp()])))


class Test_Types:
    def test_widths_and_registers(self):
        for type in PtxType:
            register = type.register
            assert not register.is_allocated
            if type is not PtxType.pred:
                digits = register.name.removeprefix("ptx.b")
                assert int(digits) == max(type.width, 16)
        assert PtxType.f32x2.register == ptx.B64
        assert PtxType.pred.register == ptx.PRED

    @pytest.mark.parametrize(
        ("type", "value", "bits"),
        [
            (PtxType.f32, 1.0, 0x3F800000),
            (PtxType.f32, 1e40, 0x7F800000),
            (PtxType.f32, -1e40, -0x800000 & 0xFFFFFFFF),
            (PtxType.f16, 65520.0, 0x7C00),
            (PtxType.bf16, 1.00390625, 0x3F80),
            (PtxType.f64, -2.0, -(1 << 62)),
            (PtxType.u64, (1 << 64) - 1, -1),
        ],
    )
    def test_constant(self, type: PtxType, value: float, bits: int):
        constant = ptx.ConstantOp(type, value)
        constant.verify()
        assert constant.bits.value.data == bits

    def test_constant_too_wide(self):
        with pytest.raises(VerifyException, match="256 does not fit into the 8 bits"):
            ptx.ConstantOp(PtxType.u8, 256).verify()


class Test_Names:
    def test_named_registers_are_skipped(self):
        value = ptx.ConstantOp(PtxType.s32, 7)
        named = ptx.MovOp(value.d, ptx.B32Type.from_name("r1"))
        read = ptx.MovOp(named.d)
        other = ptx.AddOp(PtxType.s32, read.d, read.d)
        text = print_ptx(_module(_kernel(value, named, read, other), chip="sm_75"))
        assert "mov.b32 %r1, %r0;" in text
        assert "mov.b32 %r2, %r1;" in text
        assert "add.s32 %r3, %r2, %r2;" in text
        assert ".reg .b32 %r<4>;" in text

    def test_named_register_beyond_the_numbered(self):
        value = ptx.ConstantOp(PtxType.s32, 7)
        named = ptx.MovOp(value.d, ptx.B32Type.from_name("r41"))
        text = print_ptx(_module(_kernel(value, named), chip="sm_75"))
        assert ".reg .b32 %r<42>;" in text
        assemble(text, "sm_75")

    @pytest.mark.parametrize(
        "name", ["_", "$", "a.b", "a b", "3k", "%k", "WARP_SZ", "", "ä"]
    )
    def test_no_identifier(self, name: str):
        with pytest.raises(DiagnosticException, match="an identifier is letters"):
            print_ptx(_module(_kernel(name=name), chip="sm_75"))

    @pytest.mark.parametrize("name", ["_a", "$L", "a$b", "add", "tid", "WARP_SZ1"])
    def test_identifier(self, name: str):
        assemble(print_ptx(_module(_kernel(name=name), chip="sm_75")), "sm_75")

    @pytest.mark.parametrize("name", ["k_param_0", "$L_k_0", "k_local_0"])
    def test_symbol_that_a_function_needs(self, name: str):
        kernel = _kernel(ptx.AllocOp(Space.local, 4, 4))
        module = _module(kernel, _kernel(name=name), chip="sm_75")
        with pytest.raises(DiagnosticException, match="needs the name"):
            print_ptx(module)

    def test_equal_names(self):
        module = ModuleOp([_kernel(), _kernel()])
        GpuTarget.of("sm_75").set_on_module(module)
        with pytest.raises(DiagnosticException, match='"k" is defined twice'):
            print_ptx(module)


class Test_Versions:
    def test_lowest(self):
        packed = ptx.AddOp(PtxType.f32x2, *[ptx.LdParamOp(0, PtxType.b64).d] * 2)
        operand = packed.a.owner
        assert isinstance(operand, Operation)
        module = _module(_kernel(operand, packed), chip="sm_100a")
        assert print_ptx(module).startswith(".version 8.6\n.target sm_100a\n")

    def test_of_the_module(self):
        module = _module(_kernel(), chip="sm_100a", version="9.0")
        assert print_ptx(module).startswith(".version 9.0\n")

    def test_option_wins(self):
        module = _module(_kernel(), chip="sm_100a", version="9.0")
        assert print_ptx(module, version="8.7").startswith(".version 8.7\n")

    def test_too_low_for_a_form(self):
        x = ptx.ConstantOp(PtxType.f32, 1.0)
        three = ptx.Max3Op(PtxType.f32, x.d, x.d, x.d)
        module = _module(_kernel(x, three), chip="sm_100a", version="8.6")
        with pytest.raises(DiagnosticException, match=r"max\.f32 3in needs PTX 8\.8"):
            print_ptx(module)

    def test_no_target(self):
        with pytest.raises(DiagnosticException, match="ptx-set-target"):
            print_ptx(ModuleOp([_kernel()]))


class Test_Calls:
    def _call(self, arguments: Sequence[SSAValue], callee: str = "callee") -> ModuleOp:
        call = ptx.CallOp(callee, arguments, [ptx.B32])
        owners = [value.owner for value in dict.fromkeys(arguments)]
        operands = [owner for owner in owners if isinstance(owner, Operation)]
        return _module(_kernel(*operands, call), _callee(), chip="sm_75")

    def test_declared_before_it_is_called(self):
        h, rd = ptx.ConstantOp(PtxType.bf16, 1.0).d, ptx.LdParamOp(0, PtxType.u64).d
        text = print_ptx(self._call([rd, h]))
        assert text.index(" callee(") < text.index("call.uni")
        assemble(text, "sm_75")

    def test_wrong_arguments(self):
        rd = ptx.LdParamOp(0, PtxType.u64).d
        with pytest.raises(DiagnosticException, match=r"takes \(!ptx.b64, !ptx.b16\)"):
            print_ptx(self._call([rd]))

    @pytest.mark.parametrize(
        ("callee", "found"), [("k", "a kernel"), ("nowhere", "no function")]
    )
    def test_no_device_function(self, callee: str, found: str):
        with pytest.raises(DiagnosticException, match=f"@{callee} is {found}"):
            print_ptx(self._call([], callee))

    def test_recursion(self):
        x = ptx.LdParamOp(0, PtxType.f32)
        call = ptx.CallOp("f", [x.d], [ptx.B32])
        result = ptx.StParamOp(0, PtxType.f32, call.values[0])
        body = Region(Block([x, call, result, ptx.RetOp()]))
        f = ptx.FuncOp("f", [PtxType.f32], [PtxType.f32], body)
        assemble(print_ptx(_module(f, chip="sm_75")), "sm_75")


FILECHECK = Path(__file__).parents[2] / "filecheck"


class Test_FilecheckTexts:
    @pytest.mark.parametrize(
        ("path", "chip"),
        [
            ("dialects/ptx/ops.mlir", "sm_100a"),
            ("backend/ptx/loop.mlir", "sm_90"),
            ("backend/ptx/call.mlir", "sm_100a"),
        ],
    )
    def test_assembled(self, path: str, chip: str):
        ctx = Context()
        ctx.load_dialect(Builtin)
        ctx.load_dialect(PTX)
        module = Parser(ctx, (FILECHECK / path).read_text()).parse_module()
        GpuTarget.of(chip).set_on_module(module)
        assert assemble(print_ptx(module), chip)


class Test_ForeignOps:
    def test_at_the_top(self):
        module = ModuleOp([ModuleOp([])])
        GpuTarget.of("sm_75").set_on_module(module)
        with pytest.raises(
            DiagnosticException,
            match=r"'builtin\.module' cannot be printed as PTX: run convert-to-ptx first",
        ):
            print_ptx(module)

    def test_inside(self):
        module = _module(_kernel(ModuleOp([])), chip="sm_75")
        with pytest.raises(DiagnosticException, match="cannot be printed as PTX"):
            print_ptx(module)
