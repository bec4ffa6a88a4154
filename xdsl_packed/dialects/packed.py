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
)
from xdsl.ir import Dialect, Operation, SSAValue
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

_LANE = base(Float16Type) | base(BFloat16Type) | base(Float32Type)
_SCALAR = _LANE | base(Float64Type)
_PAIR = VectorType.constr(_LANE, shape=EqAttrConstraint(f32x2.shape))


class PackedArithmeticOp(IRDLOperation, ABC):
    """Arithmetic on one type: a float or a pair of f32, f16 or bf16 lanes."""

    T: ClassVar = VarConstraint("T", _SCALAR | _PAIR)

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


def _unit(flag: bool) -> UnitAttr | None:
    return UnitAttr() if flag else None


class PackedBinaryOp(PackedArithmeticOp, ABC):
    """Two operands."""

    a = operand_def(PackedArithmeticOp.T)
    b = operand_def(PackedArithmeticOp.T)

    traits = traits_def(Commutative())

    assembly_format = "$a `,` $b attr-dict `:` type($result)"

    def __init__(
        self, a: SSAValue | Operation, b: SSAValue | Operation, *, ftz: bool = False
    ) -> None:
        a = SSAValue.get(a)
        super().__init__(
            operands=(a, b), result_types=(a.type,), properties={"ftz": _unit(ftz)}
        )


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
        self,
        a: SSAValue | Operation,
        b: SSAValue | Operation,
        c: SSAValue | Operation,
        *,
        ftz: bool = False,
    ) -> None:
        a = SSAValue.get(a)
        super().__init__(
            operands=(a, b, c), result_types=(a.type,), properties={"ftz": _unit(ftz)}
        )


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
        self,
        a: SSAValue | Operation,
        b: SSAValue | Operation,
        *,
        nan: bool = False,
        ftz: bool = False,
    ) -> None:
        a = SSAValue.get(a)
        super().__init__(
            operands=(a, b),
            result_types=(a.type,),
            properties={"nan": _unit(nan), "ftz": _unit(ftz)},
        )

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
        a: SSAValue | Operation,
        b: SSAValue | Operation,
        c: SSAValue | Operation,
        *,
        nan: bool = False,
        ftz: bool = False,
    ) -> None:
        super().__init__(
            operands=(a, b, c),
            result_types=(f32,),
            properties={"nan": _unit(nan), "ftz": _unit(ftz)},
        )


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
    """Two floats as the lanes 0 (low bits) and 1 of a pair: `mov.b64` or `mov.b32`."""

    name = "packed.pack"

    T: ClassVar = VarConstraint("T", _LANE)

    low = operand_def(T)
    high = operand_def(T)
    result = result_def(_PAIR)

    traits = traits_def(Pure())

    assembly_format = "$low `,` $high attr-dict `:` type($low) `to` type($result)"

    def __init__(self, low: SSAValue | Operation, high: SSAValue | Operation) -> None:
        low = SSAValue.get(low)
        super().__init__(
            operands=(low, high), result_types=(VectorType(low.type, [2]),)
        )

    def verify_(self) -> None:
        if self.result.type != VectorType(self.low.type, [2]):
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

    def __init__(self, pair: SSAValue | Operation) -> None:
        pair = SSAValue.get(pair, type=VectorType)
        lane = pair.type.element_type
        super().__init__(operands=(pair,), result_types=(lane, lane))

    def verify_(self) -> None:
        if self.pair.type != VectorType(self.low.type, [2]):
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
