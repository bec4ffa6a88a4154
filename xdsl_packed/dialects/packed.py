"""
The `packed` dialect: nvvm-like arithmetic on builtin types.

Here the floating-point contract is written down. Every operation rounds to nearest even
(`.rn`) and is never contracted; `ftz` flushes f32 subnormal inputs and results to
sign-preserving zero; `nan` on max and min propagates NaN, and without it a number wins
over NaN; -0.0 is below +0.0. (PTX ISA, "Floating Point Instructions" and "Half Precision
Floating Point Instructions": add, mul, fma, max, min.)
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from typing import ClassVar

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    UnitAttr,
    VectorType,
    bf16,
    f16,
    f32,
    f64,
    i16,
)
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    EqAttrConstraint,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Commutative, Pure, SameOperandsAndResultType

from xdsl_packed.diagnostics import verify_error_at

f32x2 = VectorType(f32, [2])
f16x2 = VectorType(f16, [2])
bf16x2 = VectorType(bf16, [2])
i16x2 = VectorType(i16, [2])

PAIR_OF: Mapping[Attribute, Attribute] = {
    f32: f32x2,
    f16: f16x2,
    bf16: bf16x2,
    i16: i16x2,
}
"""The pair type of each lane type."""

LANE_OF: Mapping[Attribute, Attribute] = {pair: lane for lane, pair in PAIR_OF.items()}

_FLOAT_LANE = base(Float16Type) | base(BFloat16Type) | base(Float32Type)
_SCALAR = _FLOAT_LANE | base(Float64Type)
_FLOAT_PAIR = VectorType.constr(_FLOAT_LANE, shape=EqAttrConstraint(f32x2.shape))

_LANE = _FLOAT_LANE | EqAttrConstraint(i16)
_PAIR = VectorType.constr(_LANE, shape=EqAttrConstraint(f32x2.shape))


class PackedArithmeticOp(IRDLOperation, ABC):
    """Arithmetic on one type: a float or a pair of f32, f16 or bf16 lanes."""

    T: ClassVar = VarConstraint("T", _SCALAR | _FLOAT_PAIR)

    ftz = opt_prop_def(UnitAttr)
    """Flush f32 subnormal inputs and results to sign-preserving zero."""

    result = result_def(T)

    traits = traits_def(Pure(), SameOperandsAndResultType())

    irdl_options = (ParsePropInAttrDict(),)

    def verify_(self) -> None:
        if self.ftz is not None and self.result.type not in (f32, f32x2):
            raise verify_error_at(
                self,
                f"has ftz on {self.result.type}: ftz is for f32 and vector<2xf32>",
            )

    def _build(
        self, operands: tuple[SSAValue, ...], *, ftz: bool, nan: bool = False
    ) -> None:
        """What the generic constructor does, without its checks: these are in the types."""
        properties = {
            name: _UNIT for name, given in (("ftz", ftz), ("nan", nan)) if given
        }
        Operation.__init__(
            self,
            operands=operands,
            result_types=(operands[0].type,),
            properties=properties,
        )


_UNIT = UnitAttr()


class PackedBinaryOp(PackedArithmeticOp, ABC):
    """Two operands."""

    a = operand_def(PackedArithmeticOp.T)
    b = operand_def(PackedArithmeticOp.T)

    traits = traits_def(Commutative())

    assembly_format = "$a `,` $b attr-dict `:` type($result)"

    def __init__(self, a: SSAValue, b: SSAValue, *, ftz: bool = False) -> None:
        self._build((a, b), ftz=ftz)


@irdl_op_definition
class AddOp(PackedBinaryOp):
    """a + b in each lane: `add.rn`."""

    name = "packed.add"


@irdl_op_definition
class MulOp(PackedBinaryOp):
    """a * b in each lane: `mul.rn`."""

    name = "packed.mul"


@irdl_op_definition
class FmaOp(PackedArithmeticOp):
    """a * b + c in each lane, rounded once: `fma.rn`."""

    name = "packed.fma"

    a = operand_def(PackedArithmeticOp.T)
    b = operand_def(PackedArithmeticOp.T)
    c = operand_def(PackedArithmeticOp.T)

    assembly_format = "$a `,` $b `,` $c attr-dict `:` type($result)"

    def __init__(
        self, a: SSAValue, b: SSAValue, c: SSAValue, *, ftz: bool = False
    ) -> None:
        self._build((a, b, c), ftz=ftz)


class PackedExtremumOp(PackedArithmeticOp, ABC):
    """Maximum or minimum, with one NaN rule for all operands."""

    nan = opt_prop_def(UnitAttr)
    """NaN if any operand is NaN (`.NaN`); without it a number wins over NaN."""


class PackedExtremum2Op(PackedExtremumOp, ABC):
    """Of two operands."""

    a = operand_def(PackedArithmeticOp.T)
    b = operand_def(PackedArithmeticOp.T)

    traits = traits_def(Commutative())

    assembly_format = "$a `,` $b attr-dict `:` type($result)"

    def __init__(
        self, a: SSAValue, b: SSAValue, *, nan: bool = False, ftz: bool = False
    ) -> None:
        self._build((a, b), nan=nan, ftz=ftz)

    def verify_(self) -> None:
        super().verify_()
        if self.result.type == f32x2:
            raise verify_error_at(
                self, "has no vector<2xf32> form: use the op on each f32 lane"
            )
        if self.nan is not None and self.result.type == f64:
            raise verify_error_at(
                self,
                "has no nan form on f64 (PTX has no max.NaN.f64): compare and select",
            )


class PackedExtremum3Op(PackedExtremumOp, ABC):
    """Of three f32 operands: op(op(a, b), c)."""

    a = operand_def(f32)
    b = operand_def(f32)
    c = operand_def(f32)
    result = result_def(f32)

    traits = traits_def(Commutative())

    assembly_format = "$a `,` $b `,` $c attr-dict `:` type($result)"

    def __init__(
        self,
        a: SSAValue,
        b: SSAValue,
        c: SSAValue,
        *,
        nan: bool = False,
        ftz: bool = False,
    ) -> None:
        self._build((a, b, c), nan=nan, ftz=ftz)


@irdl_op_definition
class MaxOp(PackedExtremum2Op):
    """The larger of two in each lane: `max`."""

    name = "packed.max"


@irdl_op_definition
class MinOp(PackedExtremum2Op):
    """The smaller of two in each lane: `min`."""

    name = "packed.min"


@irdl_op_definition
class Max3Op(PackedExtremum3Op):
    """The largest of three: `max.f32` with three inputs."""

    name = "packed.max3"


@irdl_op_definition
class Min3Op(PackedExtremum3Op):
    """The smallest of three: `min.f32` with three inputs."""

    name = "packed.min3"


@irdl_op_definition
class PackOp(IRDLOperation):
    """
    Two floats or i16 as the lanes 0 (low bits) and 1 of a pair: `mov.b64` or `mov.b32`.

    What is done with a pair of i16 are ops of arith on `vector<2xi16>`.
    """

    name = "packed.pack"

    T: ClassVar = VarConstraint("T", _LANE)

    low = operand_def(T)
    high = operand_def(T)
    result = result_def(_PAIR)

    traits = traits_def(Pure())

    assembly_format = "$low `,` $high attr-dict `:` type($low) `to` type($result)"

    def __init__(self, low: SSAValue, high: SSAValue) -> None:
        """Raises KeyError for a type that has no pairs."""
        pair = PAIR_OF[low.type]
        Operation.__init__(self, operands=(low, high), result_types=(pair,))

    def verify_(self) -> None:
        if self.result.type != PAIR_OF[self.low.type]:
            raise verify_error_at(
                self,
                f"packs two {self.low.type} into {self.result.type}: "
                f"the result is vector<2x{self.low.type}>",
            )


@irdl_op_definition
class UnpackOp(IRDLOperation):
    """The lanes 0 (low bits) and 1 of a pair: `mov.b64` or `mov.b32`."""

    name = "packed.unpack"

    T: ClassVar = VarConstraint("T", _LANE)

    pair = operand_def(_PAIR)
    low = result_def(T)
    high = result_def(T)

    traits = traits_def(Pure())

    assembly_format = "$pair attr-dict `:` type($pair) `to` type($low)"

    def __init__(self, pair: SSAValue) -> None:
        """Raises KeyError for a type that is no pair."""
        lane = LANE_OF[pair.type]
        Operation.__init__(self, operands=(pair,), result_types=(lane, lane))

    def verify_(self) -> None:
        if self.pair.type != PAIR_OF[self.low.type]:
            raise verify_error_at(
                self,
                f"unpacks {self.pair.type} into two {self.low.type}: "
                "the lanes have the pair's element type",
            )


PACKED = Dialect(
    "packed",
    [AddOp, MulOp, FmaOp, MaxOp, MinOp, Max3Op, Min3Op, PackOp, UnpackOp],
    [],
)
