"""The reductions of a module, decided: what every exit starts from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.builder import Builder
from xdsl.dialects.builtin import IntegerType, ModuleOp, bf16, f16, f32, f64
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import DiagnosticException

from xdsl_packed.diagnostics import error_at
from xdsl_packed.orders import Order
from xdsl_packed.reduction import Kind, Reduction
from xdsl_packed.selection.registry import Plan, Variant
from xdsl_packed.transforms.tile_dispatch import decide_all

_FLOATS: Mapping[str, Attribute] = {"f16": f16, "bf16": bf16, "f32": f32, "f64": f64}
_C_FLOATS = {"f16": "__half", "bf16": "__nv_bfloat16", "f32": "float", "f64": "double"}
_C_INTEGERS = {"i8": "char", "i16": "short", "i32": "int", "i64": "long long"}


@dataclass(frozen=True)
class Lowering:
    """One reduction, and the variant and plan that lower it."""

    reduction: Reduction
    variant: Variant
    plan: Plan

    @property
    def name(self) -> str:
        """The function that computes it: `xp_add_32`, more where it is not plain f32."""
        return function_name(self.reduction)

    @property
    def sources(self) -> int:
        return prod(self.reduction.shape)

    @property
    def results(self) -> int:
        return self.reduction.destination_length

    @property
    def element(self) -> Attribute:
        """The type of the source's elements."""
        return _type(self.reduction.element_type)

    @property
    def result_element(self) -> Attribute:
        """The type of the destination's elements."""
        return _type(self.reduction.destination.element_type)

    @property
    def leaf_types(self) -> list[Attribute]:
        """Of the source elements, then with accumulate the old destination's."""
        olds = self.results * self.reduction.accumulate
        return [self.element] * self.sources + [self.result_element] * olds

    @property
    def c_element(self) -> str:
        """The type of the source's elements in CUDA C++."""
        return _c_type(self.reduction.element_type, self.reduction.kind)

    @property
    def c_result(self) -> str:
        """The type of the destination's elements in CUDA C++."""
        return _c_type(self.reduction.destination.element_type, self.reduction.kind)

    def emit(self, leaves: Sequence[SSAValue], builder: Builder) -> list[SSAValue]:
        """The destination elements, by what the variant emits."""
        return self.variant.emit(self.reduction, self.plan, leaves, builder)


def _type(name: str) -> Attribute:
    return _FLOATS.get(name) or IntegerType(int(name.removeprefix("i")))


def _c_type(name: str, kind: Kind) -> str:
    if name in _C_FLOATS:
        return _C_FLOATS[name]
    if kind in (Kind.MAXUI, Kind.MINUI):
        return f"unsigned {_C_INTEGERS[name]}"
    return "signed char" if name == "i8" else _C_INTEGERS[name]


def lowerings(
    module: ModuleOp,
    *,
    variant: str | None = None,
    enable: Collection[str] | None = None,
) -> list[Lowering]:
    """
    The reductions of `module`, each once, in the order of the ops; changes nothing.

    Raises DiagnosticException as `dispatch` does, and when there is no reduction.
    """
    found: dict[str, Lowering] = {}
    for decided in decide_all(module, variant=variant, enable=enable):
        entry, choice = decided.entry, decided.choice
        if entry is None or choice is None:
            continue
        if choice.variant is None or choice.plan is None:
            continue
        lowering = Lowering(entry.reduction, choice.variant, choice.plan)
        if entry.reduction.kind is Kind.DOT:
            raise error_at(
                decided.op,
                "reads two sources, which is emitted as ptx, cubin or sass alone so far",
            )
        # Equal names compute equal bits: nothing but the storage can differ.
        found.setdefault(lowering.name, lowering)
    if not found:
        raise DiagnosticException(
            "the module has no reduction that can be lowered: expected tile.reduce or "
            "another op that xdsl-packed reads as one"
        )
    return list(found.values())


def function_name(reduction: Reduction) -> str:
    """
    A C identifier that says what is computed: kind, type unless f32, extents, the axes
    unless all are reduced, and what else the bits depend on.
    """
    parts = ["xp", reduction.kind.value]
    if reduction.element_type != "f32":
        parts.append(reduction.element_type)
    parts.append("x".join(map(str, reduction.shape)) or "scalar")
    if reduction.axes != tuple(range(len(reduction.shape))):
        parts.append("axes" + "_".join(map(str, reduction.axes)))
    if reduction.destination.element_type != reduction.element_type:
        parts.append(f"to_{reduction.destination.element_type}")
    if reduction.accumulation_type != reduction.element_type:
        parts.append(f"in_{reduction.accumulation_type}")
    if reduction.order not in (None, Order.LANES8):
        parts.append(reduction.order.value)
    if reduction.accumulate:
        parts.append("accumulate")
    if reduction.ftz:
        parts.append("ftz")
    return "_".join(parts)
