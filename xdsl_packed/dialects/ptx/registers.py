"""Register types, instruction types, and the rule that ties one to the other."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from typing_extensions import TypeVar
from xdsl.backend.register_type import RegisterType
from xdsl.dialects.builtin import IntAttr, NoneAttr
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import (
    AttrConstraint,
    InferenceContext,
    IntConstraint,
    VerificationContext,
    irdl_attr_definition,
)
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum


class PtxRegisterType(RegisterType, ABC):
    """
    A PTX register by its width, as NVPTX declares them: an instruction of type `.f32`
    takes a `.b32` register.

    PTX has virtual registers only, so there is no table of names: `!ptx.b32<r3>` is
    `%r3`, and the printer numbers a value whose type names no register.
    """

    @classmethod
    def index_by_name(cls) -> dict[str, int]:
        return {}


@irdl_attr_definition
class PredType(PtxRegisterType):
    """A predicate, `.reg .pred %p<N>`."""

    name = "ptx.pred"

    @classmethod
    def infinite_register_prefix(cls) -> str:
        return "p"


@irdl_attr_definition
class B16Type(PtxRegisterType):
    """16 bits, `.reg .b16 %rs<N>`; 8-bit values live here too."""

    name = "ptx.b16"

    @classmethod
    def infinite_register_prefix(cls) -> str:
        return "rs"


@irdl_attr_definition
class B32Type(PtxRegisterType):
    """32 bits, `.reg .b32 %r<N>`."""

    name = "ptx.b32"

    @classmethod
    def infinite_register_prefix(cls) -> str:
        return "r"


@irdl_attr_definition
class B64Type(PtxRegisterType):
    """64 bits, `.reg .b64 %rd<N>`."""

    name = "ptx.b64"

    @classmethod
    def infinite_register_prefix(cls) -> str:
        return "rd"


PRED = PredType.unallocated()
B16 = B16Type.unallocated()
B32 = B32Type.unallocated()
B64 = B64Type.unallocated()

REGISTER_CLASSES: tuple[type[PtxRegisterType], ...] = (
    PredType,
    B16Type,
    B32Type,
    B64Type,
)
"""The order in which a function declares its registers."""


class PtxType(StrEnum):
    """The type of an instruction (PTX ISA, "Types")."""

    pred = "pred"
    b8 = "b8"
    b16 = "b16"
    b32 = "b32"
    b64 = "b64"
    s8 = "s8"
    u8 = "u8"
    s16 = "s16"
    u16 = "u16"
    s32 = "s32"
    u32 = "u32"
    s64 = "s64"
    u64 = "u64"
    f16 = "f16"
    bf16 = "bf16"
    f32 = "f32"
    f64 = "f64"
    f16x2 = "f16x2"
    bf16x2 = "bf16x2"
    f32x2 = "f32x2"
    s16x2 = "s16x2"
    u16x2 = "u16x2"

    @property
    def width(self) -> int:
        """Its size in bits; 1 for a predicate."""
        return _WIDTHS[self]

    @property
    def register(self) -> PtxRegisterType:
        """The register type that holds it, unnamed."""
        return _REGISTERS[self]

    @property
    def attr(self) -> PtxTypeAttr:
        return _ATTRS[self]

    @property
    def is_float(self) -> bool:
        return self in _FLOATS

    @property
    def bits(self) -> str:
        """The type that moves it unchanged: `b32` for `f32`."""
        return "pred" if self is PtxType.pred else f"b{_WIDTHS[self]}"


@irdl_attr_definition
class PtxTypeAttr(EnumAttribute[PtxType], SpacedOpaqueSyntaxAttribute):
    name = "ptx.type"


def _width(ptx_type: PtxType) -> int:
    if ptx_type is PtxType.pred:
        return 1
    element, _, lanes = ptx_type.value.partition("x")
    return int(element.lstrip("bfsu")) * int(lanes or 1)


_WIDTHS = {ptx_type: _width(ptx_type) for ptx_type in PtxType}
_ATTRS = {ptx_type: PtxTypeAttr(ptx_type) for ptx_type in PtxType}
_BY_WIDTH: dict[int, PtxRegisterType] = {1: PRED, 8: B16, 16: B16, 32: B32, 64: B64}
_REGISTERS = {ptx_type: _BY_WIDTH[_WIDTHS[ptx_type]] for ptx_type in PtxType}
_FLOATS = frozenset(
    ptx_type for ptx_type in PtxType if ptx_type.value.startswith(("f", "bf"))
)

BITS_OF_REGISTER: dict[PtxRegisterType, PtxType] = {
    PRED: PtxType.pred,
    B16: PtxType.b16,
    B32: PtxType.b32,
    B64: PtxType.b64,
}
"""The untyped instruction type of an unnamed register type."""


def doubled(ptx_type: PtxType) -> PtxRegisterType:
    """The register type of the double width; 64 bits is the widest there is."""
    return _BY_WIDTH.get(2 * ptx_type.width, B64)


def unnamed(register: PtxRegisterType) -> PtxRegisterType:
    """The same width, naming no register."""
    return type(register)(NoneAttr())


def named_index(register: PtxRegisterType) -> int:
    """The number in the name of a register type that names one: 3 for `!ptx.b32<r3>`."""
    assert isinstance(register.index, IntAttr)
    return ~register.index.data


@dataclass(frozen=True)
class RegisterOf(AttrConstraint[PtxRegisterType]):
    """
    The register type that holds the instruction type called `variable`, see `TypeOf`.

    It names no register: only `ptx.mov` reads and writes a named one.
    """

    variable: str
    double: bool = False
    """Twice as wide, as the result of `mul.wide`."""

    @property
    def _register_variable(self) -> str:
        return (
            f"{self.variable} doubled" if self.double else f"{self.variable} register"
        )

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not isinstance(attr, PtxRegisterType):
            raise VerifyException(f"expected a PTX register, but got {attr}")
        if attr.is_allocated:
            raise VerifyException(
                f"{attr} names a register, which only ptx.mov reads and writes; "
                f"expected {unnamed(attr)}"
            )
        # An op's operands are verified before its properties: leave word for TypeOf.
        constraint_context.set_attr_variable(self._register_variable, attr)

    def can_infer(self, var_constraint_names: AbstractSet[str]) -> bool:
        return self.variable in var_constraint_names

    def infer(self, context: InferenceContext) -> PtxRegisterType:
        ptx_type = context.get_variable(self.variable)
        assert isinstance(ptx_type, PtxTypeAttr)
        return doubled(ptx_type.data) if self.double else ptx_type.data.register

    def get_bases(self) -> set[type[Attribute]]:
        return set(REGISTER_CLASSES)

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> RegisterOf:
        return self


@dataclass(frozen=True)
class TypeOf(AttrConstraint[PtxTypeAttr]):
    """An instruction type, which the registers constrained by `RegisterOf` must hold."""

    variable: str

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not isinstance(attr, PtxTypeAttr):
            raise VerifyException(f"expected a PTX type, but got {attr}")
        constraint_context.set_attr_variable(self.variable, attr)
        ptx_type = attr.data
        for suffix, expected in (
            ("register", ptx_type.register),
            ("doubled", doubled(ptx_type)),
        ):
            found = constraint_context.get_variable(f"{self.variable} {suffix}")
            if found is not None and found != expected:
                raise VerifyException(
                    f"type {ptx_type.value} takes {expected}, but got {found}"
                )

    def variables(self) -> set[str]:
        return {self.variable}

    def get_bases(self) -> set[type[Attribute]]:
        return {PtxTypeAttr}

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]
    ) -> TypeOf:
        return self
