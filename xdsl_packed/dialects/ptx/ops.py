"""
PTX instructions, one op a mnemonic.

An op knows how it is written: its form, the key of the capability table in
`xdsl_packed.target`, and its line of text. Where a form is legal only the table knows.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.backend.register_type import RegisterAllocatedMemoryEffect
from xdsl.dialects.builtin import (
    FlatSymbolRefAttrConstr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    bf16,
    f16,
    f32,
    f64,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import (
    Attribute,
    Block,
    Operation,
    SpacedOpaqueSyntaxAttribute,
    SSAValue,
)
from xdsl.irdl import (
    AnyOf,
    EqAttrConstraint,
    IRDLOperation,
    ParsePropInAttrDict,
    base,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    successor_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import (
    IsTerminator,
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from .registers import (
    B16,
    B32,
    B64,
    BITS_OF_REGISTER,
    PRED,
    B16Type,
    B32Type,
    B64Type,
    PredType,
    PtxRegisterType,
    PtxType,
    RegisterOf,
    TypeOf,
    doubled,
    unnamed,
)

# region attributes


class Space(StrEnum):
    """A state space (PTX ISA, "State Spaces"); `generic` addresses all of them."""

    generic = "generic"
    global_ = "global"
    shared = "shared"
    local = "local"

    @property
    def suffix(self) -> str:
        return "" if self is Space.generic else f".{self.value}"


@irdl_attr_definition
class SpaceAttr(EnumAttribute[Space], SpacedOpaqueSyntaxAttribute):
    name = "ptx.space"


class Comparison(StrEnum):
    """
    What `setp` asks (PTX ISA, "Comparison and Selection Instructions: setp").

    Signed and unsigned are told apart by the type, ordered and not (`ltu`) by the name.
    """

    eq = "eq"
    ne = "ne"
    lt = "lt"
    le = "le"
    gt = "gt"
    ge = "ge"
    equ = "equ"
    neu = "neu"
    ltu = "ltu"
    leu = "leu"
    gtu = "gtu"
    geu = "geu"
    num = "num"
    nan = "nan"


@irdl_attr_definition
class ComparisonAttr(EnumAttribute[Comparison], SpacedOpaqueSyntaxAttribute):
    name = "ptx.comparison"


class Rounding(StrEnum):
    """A rounding modifier of `cvt` (PTX ISA, "Rounding Modifiers")."""

    rn = "rn"
    rz = "rz"
    rm = "rm"
    rp = "rp"
    rni = "rni"
    rzi = "rzi"
    rmi = "rmi"
    rpi = "rpi"


@irdl_attr_definition
class RoundingAttr(EnumAttribute[Rounding], SpacedOpaqueSyntaxAttribute):
    name = "ptx.rounding"


class SpecialRegister(StrEnum):
    """A special register that is read (PTX ISA, "Special Registers"), 32 bits each."""

    tid_x = "tid.x"
    tid_y = "tid.y"
    tid_z = "tid.z"
    ntid_x = "ntid.x"
    ntid_y = "ntid.y"
    ntid_z = "ntid.z"
    ctaid_x = "ctaid.x"
    ctaid_y = "ctaid.y"
    ctaid_z = "ctaid.z"
    nctaid_x = "nctaid.x"
    nctaid_y = "nctaid.y"
    nctaid_z = "nctaid.z"
    laneid = "laneid"
    warpid = "warpid"


@irdl_attr_definition
class SpecialRegisterAttr(EnumAttribute[SpecialRegister], SpacedOpaqueSyntaxAttribute):
    name = "ptx.special_register"


class ShuffleMode(StrEnum):
    """Which lane a shuffle reads (PTX ISA, "shfl.sync")."""

    up = "up"
    down = "down"
    bfly = "bfly"
    idx = "idx"


@irdl_attr_definition
class ShuffleModeAttr(EnumAttribute[ShuffleMode], SpacedOpaqueSyntaxAttribute):
    name = "ptx.shuffle_mode"


class ReduxKind(StrEnum):
    """What `redux.sync` combines with (PTX ISA, "redux.sync")."""

    add = "add"
    min = "min"
    max = "max"
    and_ = "and"
    or_ = "or"
    xor = "xor"


@irdl_attr_definition
class ReduxKindAttr(EnumAttribute[ReduxKind], SpacedOpaqueSyntaxAttribute):
    name = "ptx.redux_kind"


# endregion


@dataclass(frozen=True)
class Names:
    """What the values and blocks of one function are called in its text."""

    function: str
    values: Mapping[SSAValue, str]
    """Registers, with their percent sign."""
    labels: Mapping[Block, str]
    buffers: Mapping[Operation, str]
    """The variable that each `ptx.alloc` declares."""
    parameters: Sequence[str]
    """What the function declares for its parameters and results."""
    registers: Mapping[type[PtxRegisterType], int]
    """How many registers of each class to declare."""

    def variables(self) -> tuple[str, ...]:
        """Every name in the function that could be a symbol's too."""
        return (*self.parameters, *self.buffers.values(), *self.labels.values())


_UNIT = UnitAttr()
_I64 = IntegerAttr.constr(EqAttrConstraint(i64))
_ANY_REGISTER = AnyOf((base(PredType), base(B16Type), base(B32Type), base(B64Type)))
_WHOLE = EqAttrConstraint(B32) | EqAttrConstraint(B64)
_PASSED = EqAttrConstraint(B16) | EqAttrConstraint(B32) | EqAttrConstraint(B64)


def _integer(value: int) -> IntegerAttr:
    return IntegerAttr(value, i64)


class PtxOperation(IRDLOperation, ABC):
    """What may stand in the body of a PTX function."""

    irdl_options = (ParsePropInAttrDict(),)

    @classmethod
    def mnemonic(cls) -> str:
        """Its name in PTX, without modifiers and types."""
        return cls.name.removeprefix("ptx.").replace("_", ".")

    def form(self) -> str:
        """The row of the capability table that it needs."""
        return self.mnemonic()

    def text(self, names: Names) -> str:
        """Its lines, without indentation and without the last line's end."""
        # What follows the blank tells apart forms that are spelled alike.
        spelling = self.form().partition(" ")[0]
        values = names.values
        arguments = [values[value] for value in self.results]
        arguments += [values[value] for value in self.operands]
        return f"{spelling} {', '.join(arguments)};"


# region arithmetic


class TypedOp(PtxOperation, ABC):
    """An instruction with one type, which all of its operands and its result share."""

    type = prop_def(TypeOf("T"))

    def modifiers(self) -> str:
        """What stands between mnemonic and type, each with its dot."""
        return ""

    def form(self) -> str:
        return f"{self.mnemonic()}{self.modifiers()}.{self.type.data.value}"


class UnaryOp(TypedOp, ABC):
    """`d = op(a)`"""

    a = operand_def(RegisterOf("T"))
    d = result_def(RegisterOf("T"))

    traits = traits_def(Pure())

    assembly_format = "$type $a attr-dict `:` type($a)"

    def __init__(self, type: PtxType, a: SSAValue):
        Operation.__init__(
            self,
            operands=(a,),
            result_types=(type.register,),
            properties={"type": type.attr},
        )


class BinaryOp(TypedOp, ABC):
    """`d = op(a, b)`"""

    a = operand_def(RegisterOf("T"))
    b = operand_def(RegisterOf("T"))
    d = result_def(RegisterOf("T"))

    traits = traits_def(Pure())

    assembly_format = "$type $a `,` $b attr-dict `:` type($a)"

    def __init__(self, type: PtxType, a: SSAValue, b: SSAValue):
        Operation.__init__(
            self,
            operands=(a, b),
            result_types=(type.register,),
            properties={"type": type.attr},
        )


class TernaryOp(TypedOp, ABC):
    """`d = op(a, b, c)`"""

    a = operand_def(RegisterOf("T"))
    b = operand_def(RegisterOf("T"))
    c = operand_def(RegisterOf("T"))
    d = result_def(RegisterOf("T"))

    traits = traits_def(Pure())

    assembly_format = "$type $a `,` $b `,` $c attr-dict `:` type($a)"

    def __init__(self, type: PtxType, a: SSAValue, b: SSAValue, c: SSAValue):
        Operation.__init__(
            self,
            operands=(a, b, c),
            result_types=(type.register,),
            properties={"type": type.attr},
        )


class FloatUnaryOp(UnaryOp, ABC):
    """A unary op that may flush f32 subnormals."""

    ftz = opt_prop_def(UnitAttr)

    def __init__(self, type: PtxType, a: SSAValue, *, ftz: bool = False):
        super().__init__(type, a)
        if ftz:
            self.properties["ftz"] = _UNIT

    def modifiers(self) -> str:
        return "" if self.ftz is None else ".ftz"


class RoundedUnaryOp(FloatUnaryOp, ABC):
    """A unary op rounded to nearest even."""

    def modifiers(self) -> str:
        return ".rn" if self.ftz is None else ".rn.ftz"


class ApproximateOp(FloatUnaryOp, ABC):
    """A unary op that PTX defines by an error bound alone."""

    def modifiers(self) -> str:
        return ".approx" if self.ftz is None else ".approx.ftz"


class ArithmeticOp(BinaryOp, ABC):
    """
    Floats are rounded to nearest even, and printed so: an `add` without its rounding may
    be contracted with a `mul`.
    """

    ftz = opt_prop_def(UnitAttr)

    def __init__(self, type: PtxType, a: SSAValue, b: SSAValue, *, ftz: bool = False):
        super().__init__(type, a, b)
        if ftz:
            self.properties["ftz"] = _UNIT

    def modifiers(self) -> str:
        if not self.type.data.is_float:
            return ""
        return ".rn" if self.ftz is None else ".rn.ftz"


@irdl_op_definition
class AddOp(ArithmeticOp):
    """`add` (PTX ISA, Integer, Floating Point and Half Precision Instructions: add)."""

    name = "ptx.add"


@irdl_op_definition
class SubOp(ArithmeticOp):
    """`sub` (PTX ISA, Integer, Floating Point and Half Precision Instructions: sub)."""

    name = "ptx.sub"


@irdl_op_definition
class MulOp(ArithmeticOp):
    """
    `mul`, the low half for integers (PTX ISA, Integer, Floating Point and Half Precision
    Instructions: mul).
    """

    name = "ptx.mul"

    def modifiers(self) -> str:
        return super().modifiers() if self.type.data.is_float else ".lo"


@irdl_op_definition
class DivOp(ArithmeticOp):
    """`div` (PTX ISA, Integer and Floating Point Instructions: div)."""

    name = "ptx.div"


@irdl_op_definition
class RemOp(BinaryOp):
    """`rem` (PTX ISA, Integer Arithmetic Instructions: rem)."""

    name = "ptx.rem"


@irdl_op_definition
class FmaOp(TernaryOp):
    """
    `fma`, `a * b + c` rounded once (PTX ISA, Floating Point and Half Precision
    Instructions: fma).
    """

    name = "ptx.fma"

    ftz = opt_prop_def(UnitAttr)

    def __init__(
        self, type: PtxType, a: SSAValue, b: SSAValue, c: SSAValue, *, ftz: bool = False
    ):
        super().__init__(type, a, b, c)
        if ftz:
            self.properties["ftz"] = _UNIT

    def modifiers(self) -> str:
        return ".rn" if self.ftz is None else ".rn.ftz"


@irdl_op_definition
class MadOp(TernaryOp):
    """
    `mad`, the low half of `a * b`, plus `c` (PTX ISA, Integer Arithmetic Instructions:
    mad).
    """

    name = "ptx.mad"

    def modifiers(self) -> str:
        return ".lo"


@irdl_op_definition
class MulWideOp(PtxOperation):
    """
    `mul.wide`, a product of twice the width of its factors (PTX ISA, Integer Arithmetic
    Instructions: mul).
    """

    name = "ptx.mul_wide"

    type = prop_def(TypeOf("T"))
    a = operand_def(RegisterOf("T"))
    b = operand_def(RegisterOf("T"))
    d = result_def(RegisterOf("T", double=True))

    traits = traits_def(Pure())

    assembly_format = "$type $a `,` $b attr-dict `:` type($a)"

    def __init__(self, type: PtxType, a: SSAValue, b: SSAValue):
        Operation.__init__(
            self,
            operands=(a, b),
            result_types=(doubled(type),),
            properties={"type": type.attr},
        )

    def form(self) -> str:
        return f"mul.wide.{self.type.data.value}"


@irdl_op_definition
class AddMixedOp(PtxOperation):
    """
    `add` of a half to an f32, `d = a + b` with `a` exactly widened (PTX ISA, Mixed
    Precision Floating Point Instructions: add).
    """

    name = "ptx.add_mixed"

    source_type = prop_def(TypeOf("S"))
    a = operand_def(RegisterOf("S"))
    b = operand_def(B32)
    d = result_def(B32)

    traits = traits_def(Pure())

    assembly_format = "$source_type $a `,` $b attr-dict"

    def __init__(self, source_type: PtxType, a: SSAValue, b: SSAValue):
        Operation.__init__(
            self,
            operands=(a, b),
            result_types=(B32,),
            properties={"source_type": source_type.attr},
        )

    @classmethod
    def mnemonic(cls) -> str:
        return "add"

    def form(self) -> str:
        return f"add.rn.f32.{self.source_type.data.value}"


class Extremum(TypedOp, ABC):
    """
    Without `nan` a NaN yields to a number, with it any NaN gives the canonical NaN;
    +0.0 is greater than -0.0.
    """

    ftz = opt_prop_def(UnitAttr)
    nan = opt_prop_def(UnitAttr)

    def modifiers(self) -> str:
        ftz = "" if self.ftz is None else ".ftz"
        return ftz if self.nan is None else f"{ftz}.NaN"


class ExtremumOp(Extremum, BinaryOp, ABC):
    """`max` or `min` of two."""

    def __init__(
        self,
        type: PtxType,
        a: SSAValue,
        b: SSAValue,
        *,
        ftz: bool = False,
        nan: bool = False,
    ):
        super().__init__(type, a, b)
        if ftz:
            self.properties["ftz"] = _UNIT
        if nan:
            self.properties["nan"] = _UNIT


class Extremum3Op(Extremum, TernaryOp, ABC):
    """`op(op(a, b), c)`, with `abs` of the magnitudes."""

    abs = opt_prop_def(UnitAttr)

    def __init__(
        self,
        type: PtxType,
        a: SSAValue,
        b: SSAValue,
        c: SSAValue,
        *,
        ftz: bool = False,
        nan: bool = False,
        abs: bool = False,
    ):
        super().__init__(type, a, b, c)
        if ftz:
            self.properties["ftz"] = _UNIT
        if nan:
            self.properties["nan"] = _UNIT
        if abs:
            self.properties["abs"] = _UNIT

    def modifiers(self) -> str:
        modifiers = super().modifiers()
        return modifiers if self.abs is None else f"{modifiers}.abs"

    def form(self) -> str:
        return f"{super().form()} 3in"


@irdl_op_definition
class MaxOp(ExtremumOp):
    """`max` (PTX ISA, Integer, Floating Point and Half Precision Instructions: max)."""

    name = "ptx.max"


@irdl_op_definition
class MinOp(ExtremumOp):
    """`min` (PTX ISA, Integer, Floating Point and Half Precision Instructions: min)."""

    name = "ptx.min"


@irdl_op_definition
class Max3Op(Extremum3Op):
    """`max` with three inputs (PTX ISA, Floating Point Instructions: max)."""

    name = "ptx.max3"

    @classmethod
    def mnemonic(cls) -> str:
        return "max"


@irdl_op_definition
class Min3Op(Extremum3Op):
    """`min` with three inputs (PTX ISA, Floating Point Instructions: min)."""

    name = "ptx.min3"

    @classmethod
    def mnemonic(cls) -> str:
        return "min"


@irdl_op_definition
class NegOp(FloatUnaryOp):
    """`neg` (PTX ISA, Integer, Floating Point and Half Precision Instructions: neg)."""

    name = "ptx.neg"


@irdl_op_definition
class AbsOp(FloatUnaryOp):
    """`abs` (PTX ISA, Integer, Floating Point and Half Precision Instructions: abs)."""

    name = "ptx.abs"


@irdl_op_definition
class RcpOp(RoundedUnaryOp):
    """`rcp` (PTX ISA, Floating Point Instructions: rcp)."""

    name = "ptx.rcp"


@irdl_op_definition
class SqrtOp(RoundedUnaryOp):
    """`sqrt` (PTX ISA, Floating Point Instructions: sqrt)."""

    name = "ptx.sqrt"


@irdl_op_definition
class RsqrtOp(ApproximateOp):
    """`rsqrt` (PTX ISA, Floating Point Instructions: rsqrt)."""

    name = "ptx.rsqrt"


@irdl_op_definition
class Ex2Op(ApproximateOp):
    """`ex2`, 2 to the power of `a` (PTX ISA, Floating Point Instructions: ex2)."""

    name = "ptx.ex2"


@irdl_op_definition
class Lg2Op(ApproximateOp):
    """`lg2`, the logarithm to base 2 (PTX ISA, Floating Point Instructions: lg2)."""

    name = "ptx.lg2"


# endregion
# region bits


@irdl_op_definition
class AndOp(BinaryOp):
    """`and` (PTX ISA, Logic and Shift Instructions: and)."""

    name = "ptx.and"


@irdl_op_definition
class OrOp(BinaryOp):
    """`or` (PTX ISA, Logic and Shift Instructions: or)."""

    name = "ptx.or"


@irdl_op_definition
class XorOp(BinaryOp):
    """`xor` (PTX ISA, Logic and Shift Instructions: xor)."""

    name = "ptx.xor"


@irdl_op_definition
class NotOp(UnaryOp):
    """`not` (PTX ISA, Logic and Shift Instructions: not)."""

    name = "ptx.not"


class ShiftOp(TypedOp, ABC):
    """A shift by an unsigned 32-bit amount, which counts as the width where it is more."""

    a = operand_def(RegisterOf("T"))
    amount = operand_def(B32)
    d = result_def(RegisterOf("T"))

    traits = traits_def(Pure())

    assembly_format = "$type $a `,` $amount attr-dict `:` type($a)"

    def __init__(self, type: PtxType, a: SSAValue, amount: SSAValue):
        Operation.__init__(
            self,
            operands=(a, amount),
            result_types=(type.register,),
            properties={"type": type.attr},
        )


@irdl_op_definition
class ShlOp(ShiftOp):
    """`shl` (PTX ISA, Logic and Shift Instructions: shl)."""

    name = "ptx.shl"


@irdl_op_definition
class ShrOp(ShiftOp):
    """
    `shr`, which repeats the sign of a signed type (PTX ISA, Logic and Shift Instructions:
    shr).
    """

    name = "ptx.shr"


@irdl_op_definition
class SetpOp(PtxOperation):
    """`setp` (PTX ISA, Comparison and Selection Instructions: setp)."""

    name = "ptx.setp"

    comparison = prop_def(ComparisonAttr)
    type = prop_def(TypeOf("T"))
    ftz = opt_prop_def(UnitAttr)
    a = operand_def(RegisterOf("T"))
    b = operand_def(RegisterOf("T"))
    p = result_def(PRED)

    traits = traits_def(Pure())

    assembly_format = "$comparison $type $a `,` $b attr-dict `:` type($a)"

    def __init__(
        self,
        comparison: Comparison,
        type: PtxType,
        a: SSAValue,
        b: SSAValue,
        *,
        ftz: bool = False,
    ):
        Operation.__init__(
            self,
            operands=(a, b),
            result_types=(PRED,),
            properties={"comparison": ComparisonAttr(comparison), "type": type.attr},
        )
        if ftz:
            self.properties["ftz"] = _UNIT

    def form(self) -> str:
        ftz = "" if self.ftz is None else ".ftz"
        return f"setp.{self.comparison.data.value}{ftz}.{self.type.data.value}"


@irdl_op_definition
class SelpOp(PtxOperation):
    """
    `selp`, `a` where `p` holds, else `b` (PTX ISA, Comparison and Selection Instructions:
    selp).
    """

    name = "ptx.selp"

    type = prop_def(TypeOf("T"))
    a = operand_def(RegisterOf("T"))
    b = operand_def(RegisterOf("T"))
    p = operand_def(PRED)
    d = result_def(RegisterOf("T"))

    traits = traits_def(Pure())

    assembly_format = "$type $a `,` $b `,` $p attr-dict `:` type($a)"

    def __init__(self, type: PtxType, a: SSAValue, b: SSAValue, p: SSAValue):
        Operation.__init__(
            self,
            operands=(a, b, p),
            result_types=(type.register,),
            properties={"type": type.attr},
        )

    def form(self) -> str:
        return f"selp.{self.type.data.bits}"


@irdl_op_definition
class CvtOp(PtxOperation):
    """
    `cvt`, from `source_type` to `type` (PTX ISA, Data Movement and Conversion
    Instructions: cvt).

    An integer narrower than its register is extended by its sign, or by zeros.
    """

    name = "ptx.cvt"

    type = prop_def(TypeOf("T"))
    source_type = prop_def(TypeOf("S"))
    rounding = opt_prop_def(RoundingAttr)
    ftz = opt_prop_def(UnitAttr)
    a = operand_def(RegisterOf("S"))
    d = result_def(RegisterOf("T"))

    traits = traits_def(Pure())

    assembly_format = "$type `from` $source_type $a attr-dict"

    def __init__(
        self,
        type: PtxType,
        source_type: PtxType,
        a: SSAValue,
        *,
        rounding: Rounding | None = None,
        ftz: bool = False,
    ):
        Operation.__init__(
            self,
            operands=(a,),
            result_types=(type.register,),
            properties={"type": type.attr, "source_type": source_type.attr},
        )
        if rounding is not None:
            self.properties["rounding"] = RoundingAttr(rounding)
        if ftz:
            self.properties["ftz"] = _UNIT

    def form(self) -> str:
        rounding = "" if self.rounding is None else f".{self.rounding.data.value}"
        ftz = "" if self.ftz is None else ".ftz"
        types = f"{self.type.data.value}.{self.source_type.data.value}"
        return f"cvt{rounding}{ftz}.{types}"


# endregion
# region moves


@irdl_op_definition
class MovOp(PtxOperation):
    """
    `mov` from register to register (PTX ISA, Data Movement and Conversion Instructions:
    mov).

    A register that a type names is a variable: a `mov` whose result names it writes it, a
    `mov` whose operand names it reads what it holds then, whichever `mov` wrote that.
    Loops carry their values so, because PTX has no block arguments.
    """

    name = "ptx.mov"

    a = operand_def(_ANY_REGISTER)
    d = result_def(_ANY_REGISTER)

    traits = traits_def(RegisterAllocatedMemoryEffect())

    assembly_format = "$a attr-dict `:` type($a) `->` type($d)"

    def __init__(self, a: SSAValue, register: PtxRegisterType | None = None):
        """Into `register`, by default an unnamed one as wide as `a`."""
        if register is None:
            assert isinstance(a.type, PtxRegisterType)
            register = unnamed(a.type)
        Operation.__init__(self, operands=(a,), result_types=(register,))

    def verify_(self) -> None:
        if type(self.a.type) is not type(self.d.type):
            raise VerifyException(
                f"registers of one width expected, got {self.a.type} and {self.d.type}"
            )

    def form(self) -> str:
        return f"mov.{BITS_OF_REGISTER[unnamed(self.d.type)].value}"


_FLOAT_TYPES = {
    PtxType.f16: f16,
    PtxType.bf16: bf16,
    PtxType.f32: f32,
    PtxType.f64: f64,
}
_NON_FINITE = float("inf")


def _bits_of(type: PtxType, value: float) -> int:
    """The bit pattern of `value` rounded to nearest even."""
    float_type = _FLOAT_TYPES[type]
    try:
        encoded = float_type.pack((value,))
    except OverflowError:
        # struct refuses what IEEE rounds to an infinity
        encoded = float_type.pack((_NON_FINITE if value > 0 else -_NON_FINITE,))
    return int.from_bytes(encoded, "little")


@irdl_op_definition
class ConstantOp(PtxOperation):
    """
    `mov` of an immediate (PTX ISA, Data Movement and Conversion Instructions: mov).

    `bits` is the bit pattern, extended to 64 bits by zeros or, for an integer, by its sign.
    """

    name = "ptx.constant"

    type = prop_def(TypeOf("T"))
    bits = prop_def(_I64)
    d = result_def(RegisterOf("T"))

    traits = traits_def(Pure())

    assembly_format = "$type $bits attr-dict"

    def __init__(self, type: PtxType, value: float):
        """An int is taken as the bit pattern, a float is rounded to `type`."""
        bits = value if isinstance(value, int) else _bits_of(type, value)
        # 64 unsigned bits do not fit into a signless i64 attribute: same bits, signed
        bits = bits - (1 << 64) if bits >= 1 << 63 else bits
        Operation.__init__(
            self,
            result_types=(type.register,),
            properties={"type": type.attr, "bits": _integer(bits)},
        )

    @classmethod
    def mnemonic(cls) -> str:
        return "mov"

    def verify_(self) -> None:
        width = self.type.data.width
        bits = self.bits.value.data
        if not -(1 << (width - 1)) <= bits < 1 << width:
            raise VerifyException(
                f"{bits} does not fit into the {width} bits of {self.type.data.value}"
            )

    def form(self) -> str:
        type = self.type.data
        return f"mov.{BITS_OF_REGISTER[type.register].value}"

    def literal(self) -> str:
        """The immediate: floats as hexadecimal bits, integers in decimal."""
        type, bits = self.type.data, self.bits.value.data
        if type is PtxType.pred:
            return str(bits & 1)
        if not type.is_float:
            return str(bits)
        bits &= (1 << type.width) - 1
        match type:
            case PtxType.f32:
                return f"0f{bits:08X}"
            case PtxType.f64:
                return f"0d{bits:016X}"
            case _:
                return f"0x{bits:0{type.width // 4}X}"

    def text(self, names: Names) -> str:
        return f"{self.form()} {names.values[self.d]}, {self.literal()};"


@irdl_op_definition
class PackOp(PtxOperation):
    """
    `mov` of two registers into one of twice the width, `lo` into the low half (PTX ISA,
    Data Movement and Conversion Instructions: mov).
    """

    name = "ptx.pack"

    lo = operand_def(_ANY_REGISTER)
    hi = operand_def(_ANY_REGISTER)
    d = result_def(_WHOLE)

    traits = traits_def(Pure())

    assembly_format = "$lo `,` $hi attr-dict `:` type($lo) `,` type($hi) `->` type($d)"

    def __init__(self, lo: SSAValue, hi: SSAValue):
        Operation.__init__(
            self,
            operands=(lo, hi),
            result_types=(B64 if lo.type == B32 else B32,),
        )

    @classmethod
    def mnemonic(cls) -> str:
        return "mov"

    def verify_(self) -> None:
        _verify_halves(self.d.type, (self.lo.type, self.hi.type))

    def form(self) -> str:
        return "mov.b64 pack" if self.d.type == B64 else "mov.b32 pack"

    def text(self, names: Names) -> str:
        values = names.values
        spelling = "mov.b64" if self.d.type == B64 else "mov.b32"
        return f"{spelling} {values[self.d]}, {{{values[self.lo]}, {values[self.hi]}}};"


@irdl_op_definition
class UnpackOp(PtxOperation):
    """
    `mov` of one register into two of half the width, `lo` from the low half (PTX ISA, Data
    Movement and Conversion Instructions: mov).
    """

    name = "ptx.unpack"

    a = operand_def(_WHOLE)
    lo = result_def(_ANY_REGISTER)
    hi = result_def(_ANY_REGISTER)

    traits = traits_def(Pure())

    assembly_format = "$a attr-dict `:` type($a) `->` type($lo) `,` type($hi)"

    def __init__(self, a: SSAValue):
        half = B32 if a.type == B64 else B16
        Operation.__init__(self, operands=(a,), result_types=(half, half))

    @classmethod
    def mnemonic(cls) -> str:
        return "mov"

    def verify_(self) -> None:
        _verify_halves(self.a.type, (self.lo.type, self.hi.type))

    def form(self) -> str:
        return "mov.b64 unpack" if self.a.type == B64 else "mov.b32 unpack"

    def text(self, names: Names) -> str:
        values = names.values
        spelling = "mov.b64" if self.a.type == B64 else "mov.b32"
        return f"{spelling} {{{values[self.lo]}, {values[self.hi]}}}, {values[self.a]};"


def _verify_halves(whole: Attribute, halves: tuple[Attribute, Attribute]) -> None:
    half = B32 if whole == B64 else B16
    if halves != (half, half):
        raise VerifyException(
            f"{whole} has two halves {half}, got {halves[0]} and {halves[1]}"
        )


@irdl_op_definition
class SpecialRegisterOp(PtxOperation):
    """`mov` from a special register (PTX ISA, Special Registers)."""

    name = "ptx.special_register"

    register = prop_def(SpecialRegisterAttr)
    d = result_def(B32)

    traits = traits_def(Pure())

    assembly_format = "$register attr-dict"

    def __init__(self, register: SpecialRegister):
        Operation.__init__(
            self,
            result_types=(B32,),
            properties={"register": SpecialRegisterAttr(register)},
        )

    @classmethod
    def mnemonic(cls) -> str:
        return "mov"

    def form(self) -> str:
        return f"mov.u32 %{self.register.data.value}"

    def text(self, names: Names) -> str:
        return f"mov.u32 {names.values[self.d]}, %{self.register.data.value};"


# endregion
# region memory


def _memory_type(type: PtxType) -> str:
    """
    Memory holds bits; only a signed byte says how it fills its 16-bit register.
    """
    return "s8" if type is PtxType.s8 else type.bits


def _access(
    mnemonic: str, modifiers: str, space: Space, type: PtxType, lanes: int
) -> str:
    vector = "" if lanes == 1 else f".v{lanes}"
    return f"{mnemonic}{space.suffix}{modifiers}{vector}.{_memory_type(type)}"


def _address(address: str, offset: int) -> str:
    if offset == 0:
        return f"[{address}]"
    return f"[{address}+{offset}]"


def _lanes(registers: Sequence[str]) -> str:
    return registers[0] if len(registers) == 1 else f"{{{', '.join(registers)}}}"


def _verify_lanes(lanes: int) -> None:
    if lanes not in (1, 2, 4, 8):
        raise VerifyException(f"1, 2, 4 or 8 values expected, got {lanes}")


@irdl_op_definition
class LdOp(PtxOperation):
    """
    `ld` of 1, 2, 4 or 8 neighbours (PTX ISA, Data Movement and Conversion Instructions:
    ld; with `nc`: ld.global.nc).

    The address is in bytes; it must be a multiple of the size of the whole access.
    """

    name = "ptx.ld"

    space = prop_def(SpaceAttr)
    type = prop_def(TypeOf("T"))
    offset = prop_def(_I64, default_value=_integer(0))
    nc = opt_prop_def(UnitAttr)
    address = operand_def(B64)
    values = var_result_def(RegisterOf("T"))

    traits = traits_def(MemoryReadEffect())

    assembly_format = (
        "$space $type $address (`offset` $offset^)? attr-dict `:` type($values)"
    )

    def __init__(
        self,
        space: Space,
        type: PtxType,
        address: SSAValue,
        *,
        lanes: int = 1,
        offset: int = 0,
        nc: bool = False,
    ):
        """`offset` in bytes."""
        Operation.__init__(
            self,
            operands=(address,),
            result_types=(type.register,) * lanes,
            properties={
                "space": SpaceAttr(space),
                "type": type.attr,
                "offset": _integer(offset),
            },
        )
        if nc:
            self.properties["nc"] = _UNIT

    def verify_(self) -> None:
        _verify_lanes(len(self.results))

    def form(self) -> str:
        nc = "" if self.nc is None else ".nc"
        return _access("ld", nc, self.space.data, self.type.data, len(self.results))

    def text(self, names: Names) -> str:
        values = names.values
        lanes = _lanes([values[value] for value in self.results])
        address = _address(values[self.address], self.offset.value.data)
        return f"{self.form()} {lanes}, {address};"


@irdl_op_definition
class StOp(PtxOperation):
    """
    `st` of 1, 2, 4 or 8 neighbours (PTX ISA, Data Movement and Conversion Instructions:
    st).

    The address is in bytes; it must be a multiple of the size of the whole access.
    """

    name = "ptx.st"

    space = prop_def(SpaceAttr)
    type = prop_def(TypeOf("T"))
    offset = prop_def(_I64, default_value=_integer(0))
    address = operand_def(B64)
    values = var_operand_def(RegisterOf("T"))

    traits = traits_def(MemoryWriteEffect())

    assembly_format = (
        "$space $type $address (`offset` $offset^)? `,` $values attr-dict "
        "`:` type($values)"
    )

    def __init__(
        self,
        space: Space,
        type: PtxType,
        address: SSAValue,
        values: Sequence[SSAValue],
        *,
        offset: int = 0,
    ):
        """`offset` in bytes."""
        Operation.__init__(
            self,
            operands=(address, *values),
            properties={
                "space": SpaceAttr(space),
                "type": type.attr,
                "offset": _integer(offset),
            },
        )

    def verify_(self) -> None:
        _verify_lanes(len(self.values))
        if self.type.data is PtxType.s8:
            raise VerifyException("st takes no s8: a byte is stored as b8")

    def form(self) -> str:
        return _access("st", "", self.space.data, self.type.data, len(self.values))

    def text(self, names: Names) -> str:
        values = names.values
        lanes = _lanes([values[value] for value in self.values])
        address = _address(values[self.address], self.offset.value.data)
        return f"{self.form()} {address}, {lanes};"


@irdl_op_definition
class LdParamOp(PtxOperation):
    """
    `ld.param` of a parameter of the function around it, counted from 0 (PTX ISA, Data
    Movement and Conversion Instructions: ld).
    """

    name = "ptx.ld_param"

    index = prop_def(_I64)
    type = prop_def(TypeOf("T"))
    d = result_def(RegisterOf("T"))

    traits = traits_def(Pure())

    assembly_format = "$index $type attr-dict"

    def __init__(self, index: int, type: PtxType):
        Operation.__init__(
            self,
            result_types=(type.register,),
            properties={"index": _integer(index), "type": type.attr},
        )

    def form(self) -> str:
        return f"ld.param.{_memory_type(self.type.data)}"

    def text(self, names: Names) -> str:
        source = f"{names.function}_param_{self.index.value.data}"
        return f"{self.form()} {names.values[self.d]}, [{source}];"


@irdl_op_definition
class StParamOp(PtxOperation):
    """
    `st.param` into a result of the device function around it, counted from 0 (PTX ISA,
    Data Movement and Conversion Instructions: st).
    """

    name = "ptx.st_param"

    index = prop_def(_I64)
    type = prop_def(TypeOf("T"))
    a = operand_def(RegisterOf("T"))

    traits = traits_def(MemoryWriteEffect())

    assembly_format = "$index $type $a attr-dict `:` type($a)"

    def __init__(self, index: int, type: PtxType, a: SSAValue):
        Operation.__init__(
            self,
            operands=(a,),
            properties={"index": _integer(index), "type": type.attr},
        )

    def form(self) -> str:
        return f"st.param.{self.type.data.bits}"

    def text(self, names: Names) -> str:
        destination = f"{names.function}_retval{self.index.value.data}"
        return f"{self.form()} [{destination}], {names.values[self.a]};"


@irdl_op_definition
class AllocOp(PtxOperation):
    """
    A variable of `size` bytes, and `mov` of its address in its state space (PTX ISA, State
    Spaces: .local and .shared).
    """

    name = "ptx.alloc"

    space = prop_def(SpaceAttr)
    size = prop_def(_I64)
    align = prop_def(_I64)
    address = result_def(B64)

    # Two of them are two variables, so not pure; an unused one may still go.
    traits = traits_def(MemoryReadEffect())

    assembly_format = "$space `size` $size `align` $align attr-dict"

    def __init__(self, space: Space, size: int, align: int):
        """`size` and `align` in bytes."""
        Operation.__init__(
            self,
            result_types=(B64,),
            properties={
                "space": SpaceAttr(space),
                "size": _integer(size),
                "align": _integer(align),
            },
        )

    @classmethod
    def mnemonic(cls) -> str:
        return "mov"

    def verify_(self) -> None:
        if self.space.data not in (Space.local, Space.shared):
            raise VerifyException(
                f"local or shared expected, got {self.space.data.value}"
            )
        if self.size.value.data <= 0:
            raise VerifyException(
                f"a positive size expected, got {self.size.value.data}"
            )
        align = self.align.value.data
        if align <= 0 or align & (align - 1):
            raise VerifyException(f"a power of two expected to align to, got {align}")

    def form(self) -> str:
        return "mov.b64"

    def declaration(self, name: str) -> str:
        """The variable, as the head of its function declares it."""
        align, size = self.align.value.data, self.size.value.data
        return f"{self.space.data.suffix} .align {align} .b8 {name}[{size}];"

    def text(self, names: Names) -> str:
        return f"mov.b64 {names.values[self.address]}, {names.buffers[self]};"


@irdl_op_definition
class CvtaOp(PtxOperation):
    """
    `cvta`, an address in a state space to a generic one, with `to` the other way round
    (PTX ISA, Data Movement and Conversion Instructions: cvta).
    """

    name = "ptx.cvta"

    space = prop_def(SpaceAttr)
    to = opt_prop_def(UnitAttr)
    a = operand_def(B64)
    d = result_def(B64)

    traits = traits_def(Pure())

    assembly_format = "$space $a attr-dict"

    def __init__(self, space: Space, a: SSAValue, *, to: bool = False):
        Operation.__init__(
            self,
            operands=(a,),
            result_types=(B64,),
            properties={"space": SpaceAttr(space)},
        )
        if to:
            self.properties["to"] = _UNIT

    def verify_(self) -> None:
        if self.space.data is Space.generic:
            raise VerifyException("global, shared or local expected, got generic")

    def form(self) -> str:
        to = "" if self.to is None else ".to"
        return f"cvta{to}{self.space.data.suffix}.u64"


# endregion
# region control


@irdl_op_definition
class BraOp(PtxOperation):
    """`bra`, without text where its block comes next (PTX ISA, Control Flow Instructions: bra)."""

    name = "ptx.bra"

    successor = successor_def()

    traits = traits_def(IsTerminator())

    assembly_format = "$successor attr-dict"

    def __init__(self, successor: Block):
        Operation.__init__(self, successors=(successor,))

    def text(self, names: Names) -> str:
        return _jump("", self.successor, names, self.parent)


def _jump(guard: str, target: Block, names: Names, source: Block | None) -> str:
    if source is not None and source.next_block is target:
        return ""
    return f"{guard}bra {names.labels[target]};"


@irdl_op_definition
class CondBraOp(PtxOperation):
    """`bra` under a predicate (PTX ISA, Control Flow Instructions: bra)."""

    name = "ptx.cond_bra"

    p = operand_def(PRED)
    then_block = successor_def()
    else_block = successor_def()

    traits = traits_def(IsTerminator())

    assembly_format = "$p `,` $then_block `,` $else_block attr-dict"

    def __init__(self, p: SSAValue, then_block: Block, else_block: Block):
        Operation.__init__(self, operands=(p,), successors=(then_block, else_block))

    @classmethod
    def mnemonic(cls) -> str:
        return "bra"

    def text(self, names: Names) -> str:
        p, source = names.values[self.p], self.parent
        taken = _jump(f"@{p} ", self.then_block, names, source)
        if not taken:
            return _jump(f"@!{p} ", self.else_block, names, source)
        other = _jump("", self.else_block, names, source)
        return f"{taken}\n{other}" if other else taken


@irdl_op_definition
class RetOp(PtxOperation):
    """`ret` (PTX ISA, Control Flow Instructions: ret)."""

    name = "ptx.ret"

    traits = traits_def(IsTerminator())

    assembly_format = "attr-dict"

    def __init__(self):
        Operation.__init__(self)

    def text(self, names: Names) -> str:
        return "ret;"


@irdl_op_definition
class CallOp(PtxOperation):
    """`call` of a device function (PTX ISA, Control Flow Instructions: call)."""

    name = "ptx.call"

    callee = prop_def(FlatSymbolRefAttrConstr)
    arguments = var_operand_def(_PASSED)
    values = var_result_def(_PASSED)

    assembly_format = (
        "$callee `(` $arguments `)` attr-dict `:` functional-type($arguments, $values)"
    )

    def __init__(
        self,
        callee: str,
        arguments: Sequence[SSAValue],
        result_types: Sequence[PtxRegisterType],
    ):
        Operation.__init__(
            self,
            operands=arguments,
            result_types=result_types,
            properties={"callee": SymbolRefAttr(StringAttr(callee))},
        )

    def form(self) -> str:
        return "call.uni"

    def text(self, names: Names) -> str:
        callee = self.callee.root_reference.data
        # Not the names of the declaration: a function that calls itself has those already.
        params = [f"{callee}_arg_{i}" for i in range(len(self.arguments))]
        returns = [f"{callee}_result{i}" for i in range(len(self.values))]
        before = list[str]()
        after = list[str]()
        for name, argument in zip(params, self.arguments):
            bits = _register_bits(argument)
            before.append(f"    .param .{bits} {name};")
            before.append(f"    st.param.{bits} [{name}], {names.values[argument]};")
        for name, value in zip(returns, self.values):
            bits = _register_bits(value)
            before.append(f"    .param .{bits} {name};")
            after.append(f"    ld.param.{bits} {names.values[value]}, [{name}];")
        call = f"({', '.join(returns)}), {callee}" if returns else callee
        if params:
            call += f", ({', '.join(params)})"
        return "\n".join(["{", *before, f"    call.uni {call};", *after, "}"])


def _register_bits(value: SSAValue) -> str:
    assert isinstance(value.type, PtxRegisterType)
    return BITS_OF_REGISTER[value.type].value


# endregion
# region threads together


@irdl_op_definition
class BarSyncOp(PtxOperation):
    """
    `bar.sync`, all threads of the block (PTX ISA, Parallel Synchronization and
    Communication Instructions: bar).
    """

    name = "ptx.bar_sync"

    barrier = prop_def(_I64)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "$barrier attr-dict"

    def __init__(self, barrier: int = 0):
        Operation.__init__(self, properties={"barrier": _integer(barrier)})

    def text(self, names: Names) -> str:
        return f"bar.sync {self.barrier.value.data};"


@irdl_op_definition
class ShflSyncOp(PtxOperation):
    """
    `shfl.sync`, `a` of another lane (PTX ISA, Data Movement and Conversion Instructions:
    shfl.sync).

    `lane` is a lane or a distance, `clamp` its bounds, `mask` the lanes that take part.
    """

    name = "ptx.shfl_sync"

    mode = prop_def(ShuffleModeAttr)
    a = operand_def(B32)
    lane = operand_def(B32)
    clamp = operand_def(B32)
    mask = operand_def(B32)
    d = result_def(B32)

    # Convergent: what it reads is the other lanes'.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "$mode $a `,` $lane `,` $clamp `,` $mask attr-dict"

    def __init__(
        self,
        mode: ShuffleMode,
        a: SSAValue,
        lane: SSAValue,
        clamp: SSAValue,
        mask: SSAValue,
    ):
        Operation.__init__(
            self,
            operands=(a, lane, clamp, mask),
            result_types=(B32,),
            properties={"mode": ShuffleModeAttr(mode)},
        )

    def form(self) -> str:
        return f"shfl.sync.{self.mode.data.value}.b32"


@irdl_op_definition
class ReduxSyncOp(PtxOperation):
    """
    `redux.sync`, over the lanes of `mask` (PTX ISA, Parallel Synchronization and
    Communication Instructions: redux.sync).
    """

    name = "ptx.redux_sync"

    kind = prop_def(ReduxKindAttr)
    type = prop_def(TypeOf("T"))
    abs = opt_prop_def(UnitAttr)
    nan = opt_prop_def(UnitAttr)
    a = operand_def(RegisterOf("T"))
    mask = operand_def(B32)
    d = result_def(RegisterOf("T"))

    # Convergent, as shfl.sync.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "$kind $type $a `,` $mask attr-dict `:` type($a)"

    def __init__(
        self,
        kind: ReduxKind,
        type: PtxType,
        a: SSAValue,
        mask: SSAValue,
        *,
        abs: bool = False,
        nan: bool = False,
    ):
        Operation.__init__(
            self,
            operands=(a, mask),
            result_types=(type.register,),
            properties={"kind": ReduxKindAttr(kind), "type": type.attr},
        )
        if abs:
            self.properties["abs"] = _UNIT
        if nan:
            self.properties["nan"] = _UNIT

    def form(self) -> str:
        abs = "" if self.abs is None else ".abs"
        nan = "" if self.nan is None else ".NaN"
        return f"redux.sync.{self.kind.data.value}{abs}{nan}.{self.type.data.value}"


@irdl_op_definition
class ActivemaskOp(PtxOperation):
    """
    `activemask`, the lanes that run together now (PTX ISA, Parallel Synchronization and
    Communication Instructions: activemask).
    """

    name = "ptx.activemask"

    d = result_def(B32)

    # Convergent, as shfl.sync.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = "attr-dict"

    def __init__(self):
        Operation.__init__(self, result_types=(B32,))

    def form(self) -> str:
        return "activemask.b32"


# endregion
