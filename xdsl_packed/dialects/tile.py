"""The `tile` dialect: reductions of a tile into a smaller one."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    DenseArrayBase,
    IndexType,
    IntegerType,
    MemRefType,
    StringAttr,
    UnitAttr,
    f32,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Dialect, Operation, SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.hints import isa

from xdsl_packed.diagnostics import verify_error_at
from xdsl_packed.orders import Order
from xdsl_packed.reduction import Kind, Scope, takes_order


@irdl_attr_definition
class KindAttr(EnumAttribute[Kind], SpacedOpaqueSyntaxAttribute):
    """The combining operation, by MLIR's name."""

    name = "tile.kind"


@irdl_attr_definition
class OrderAttr(EnumAttribute[Order], SpacedOpaqueSyntaxAttribute):
    """The named order of a float sum or product."""

    name = "tile.order"


@irdl_attr_definition
class ScopeAttr(EnumAttribute[Scope], SpacedOpaqueSyntaxAttribute):
    """Who holds the values of one reduction."""

    name = "tile.scope"


@irdl_custom_directive
class Axes(CustomDirective):
    """`axes [0, -1]`: integers in square brackets, as an `array<i64>`."""

    axes: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if parser.parse_optional_keyword("axes") is None:
            return
        axes = parser.parse_comma_separated_list(
            Parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
        )
        self.axes.set(state, DenseArrayBase.from_list(i64, axes))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        axes = self.axes.get(op)
        if not isa(axes, DenseArrayBase[IntegerType]):
            return
        state.print_whitespace(printer)
        printer.print_string("axes [" + ", ".join(map(str, axes.get_values())) + "]")


def fits(
    shape: tuple[int, ...], destination: tuple[int, ...], axes: Iterable[int]
) -> bool:
    """
    Whether reducing `shape` along `axes` (not negative) gives the `destination` shape.

    The reduced axes are dropped, or kept with extent 1; a tile reduced to one element may
    have any rank.
    """
    reduced = set(axes)
    dropped = tuple(n for axis, n in enumerate(shape) if axis not in reduced)
    kept = tuple(1 if axis in reduced else n for axis, n in enumerate(shape))
    if destination in (dropped, kept):
        return True
    return not dropped and prod(destination) == 1


def axes_that_fit(
    shape: tuple[int, ...], destination: tuple[int, ...]
) -> tuple[tuple[int, ...], ...]:
    """
    Every set of axes that turns `shape` into `destination`, fewest first.

    All axes for a destination of one element. Sets that differ by axes of extent 1 alone
    reduce the same elements: only the smallest of them is listed.
    """
    if prod(destination) == 1:
        return (tuple(range(len(shape))),)
    found: dict[tuple[int, ...], tuple[int, ...]] = {}
    for count in range(len(shape) + 1):
        for axes in combinations(range(len(shape)), count):
            if fits(shape, destination, axes):
                found.setdefault(tuple(a for a in axes if shape[a] != 1), axes)
    return tuple(found.values())


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """
    Reduce `source` along `axes` into `dest`, in destination-passing style.

    Without `accumulate` the destination is overwritten, with it the old destination takes
    part. All reads come before the write, so the operands may alias.

    `axes`: negative ones count from the end. Left out they mean all when the destination
    has one element, else the one set that fits. `axes []` copies, or with `accumulate`
    combines element by element. `order` says which float sum or product is meant;
    absent it is lanes8. `variant` names the variant that must lower the op.
    """

    name = "tile.reduce"

    kind = prop_def(KindAttr)
    axes = opt_prop_def(DenseArrayBase[IntegerType])
    order = opt_prop_def(OrderAttr)
    scope = prop_def(ScopeAttr, default_value=ScopeAttr(Scope.THREAD))
    variant = opt_prop_def(StringAttr)
    accumulate = opt_prop_def(UnitAttr)
    ftz = opt_prop_def(UnitAttr)

    source = operand_def(MemRefType)
    dest = operand_def(MemRefType)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    custom_directives: ClassVar = (Axes,)
    assembly_format = (
        "` ` `<` $kind `>` $source `into` $dest custom<Axes>($axes) "
        "(`order` `(` $order^ `)`)? (`scope` `(` $scope^ `)`)? "
        "(`variant` `(` $variant^ `)`)? (`accumulate` $accumulate^)? (`ftz` $ftz^)? "
        "attr-dict `:` type($source) `,` type($dest)"
    )

    def __init__(
        self,
        kind: Kind,
        source: SSAValue | Operation,
        dest: SSAValue | Operation,
        *,
        axes: Iterable[int] | None = None,
        order: Order | None = None,
        scope: Scope = Scope.THREAD,
        variant: str | None = None,
        accumulate: bool = False,
        ftz: bool = False,
    ) -> None:
        super().__init__(
            operands=(source, dest),
            properties={
                "kind": KindAttr(kind),
                "axes": None
                if axes is None
                else DenseArrayBase.from_list(i64, tuple(axes)),
                "order": None if order is None else OrderAttr(order),
                "scope": ScopeAttr(scope),
                "variant": None if variant is None else StringAttr(variant),
                "accumulate": UnitAttr() if accumulate else None,
                "ftz": UnitAttr() if ftz else None,
            },
        )

    @property
    def source_type(self) -> MemRefType:
        return SSAValue.get(self.source, type=MemRefType).type

    @property
    def dest_type(self) -> MemRefType:
        return SSAValue.get(self.dest, type=MemRefType).type

    def resolved_axes(self) -> tuple[int, ...]:
        """The axes, sorted and not negative; the op must verify."""
        shape = self.source_type.get_shape()
        if self.axes is None:
            return axes_that_fit(shape, self.dest_type.get_shape())[0]
        return tuple(sorted(axis % len(shape) for axis in self.axes.get_values()))

    def verify_(self) -> None:
        if (wrong := self._wrong()) is not None:
            raise verify_error_at(self, wrong)

    def _wrong(self) -> str | None:
        shape, destination = self.source_type.get_shape(), self.dest_type.get_shape()
        if DYNAMIC_INDEX in shape or DYNAMIC_INDEX in destination:
            return (
                f"has a dynamic shape ({self.source_type} into {self.dest_type}): "
                "tiles have static shapes"
            )
        return (
            self._wrong_types()
            or self._wrong_options()
            or self._wrong_axes(shape, destination)
        )

    def _wrong_types(self) -> str | None:
        element = self.source_type.element_type
        if element != self.dest_type.element_type:
            return (
                f"reduces {element} into {self.dest_type.element_type}: "
                "source and destination have one element type"
            )
        return wrong_kind(self.kind.data, element)

    def _wrong_options(self) -> str | None:
        element = self.source_type.element_type
        kind = self.kind.data
        if self.order is not None and not takes_order(kind, str(element)):
            return (
                f"has order({self.order.data}) on <{kind}> of {element}: only float add "
                "and mul take an order, the result of other kinds does not depend on it"
            )
        if self.ftz is not None and element != f32:
            return (
                f"has ftz on {element}: ftz flushes f32 subnormals and is for f32 only"
            )
        return None

    def _wrong_axes(
        self, shape: tuple[int, ...], destination: tuple[int, ...]
    ) -> str | None:
        if self.axes is None:
            wrong, axes = _infer_axes(shape, destination)
        else:
            wrong, axes = _check_axes(shape, self.axes.get_values())
        if wrong is not None:
            return wrong
        if not fits(shape, destination, axes):
            reduced = tuple(n for axis, n in enumerate(shape) if axis not in axes)
            return (
                f"has a destination of shape {_shape(destination)}: {_shape(shape)} "
                f"reduced along axes {list(axes)} is {_shape(reduced)} "
                f"(or the same with reduced axes kept as 1)"
            )
        if empty := [axis for axis in axes if shape[axis] == 0]:
            return (
                f"reduces axis {empty[0]} of extent 0: the result of nothing is not "
                "defined, a fold starts from its first element"
            )
        return None


def wrong_kind(kind: Kind, element: Attribute) -> str | None:
    """Why `kind` does not go with `element`, or None."""
    if isinstance(element, AnyFloat):
        return (
            None
            if kind.takes_float
            else f"has kind <{kind}> on {element}: it combines integers; "
            "floats take add, mul, maxnumf, minnumf, maximumf, minimumf"
        )
    if isinstance(element, IntegerType | IndexType):
        return (
            None
            if kind.takes_integer
            else f"has kind <{kind}> on {element}: it combines floats; "
            "integers take add, mul, maxsi, minsi, maxui, minui, and, or, xor"
        )
    return f"has elements of type {element}: a tile holds floats or integers"


def _shape(shape: Iterable[int]) -> str:
    return "[" + ", ".join(map(str, shape)) + "]"


def _infer_axes(
    shape: tuple[int, ...], destination: tuple[int, ...]
) -> tuple[str | None, tuple[int, ...]]:
    candidates = axes_that_fit(shape, destination)
    if len(candidates) == 1:
        return None, candidates[0]
    if not candidates:
        return (
            f"has a destination of shape {_shape(destination)}: no axes reduce "
            f"{_shape(shape)} to it"
        ), ()
    listed = " or ".join(f"axes {_shape(axes)}" for axes in candidates)
    return (
        f"has no axes and several fit from {_shape(shape)} to {_shape(destination)}: "
        f"write {listed}"
    ), ()


def _check_axes(
    shape: tuple[int, ...], written: tuple[int, ...]
) -> tuple[str | None, tuple[int, ...]]:
    rank = len(shape)
    for axis in written:
        if not -rank <= axis < rank:
            return (
                f"has axis {axis}, out of range for rank {rank}: "
                f"axes go from {-rank} to {rank - 1}"
                if rank
                else f"has axis {axis} on a tile of rank 0: it has no axes"
            ), ()
    axes = tuple(sorted(axis % rank for axis in written))
    for axis, following in pairwise(axes):
        if axis == following:
            return f"has axis {axis} twice: name each axis once", ()
    return None, axes


TILE = Dialect("tile", [ReduceOp], [KindAttr, OrderAttr, ScopeAttr])
