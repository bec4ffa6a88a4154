"""The `tile` dialect: reductions of a tile into a smaller one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
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
    bf16,
    f16,
    f32,
    f64,
    i64,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import (
    Attribute,
    Dialect,
    Operation,
    SpacedOpaqueSyntaxAttribute,
    SSAValue,
    TypeAttribute,
)
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


class TileReductionOp(IRDLOperation, ABC):
    """
    A reduction into `dest` in destination-passing style.

    Without `accumulate` the destination is overwritten, with it the old destination takes
    part. All reads come before the write, so the operands may alias.

    `axes`: negative ones count from the end. Left out they mean all when the destination
    has one element, else the one set that fits. `axes []` copies, or with `accumulate`
    combines element by element. `acc` is the type that values are widened to and combined
    in; absent it is the element type. `order` says which float sum or product is meant;
    absent it is lanes8. `variant` names the variant that must lower the op.
    """

    axes = opt_prop_def(DenseArrayBase[IntegerType])
    acc = opt_prop_def(TypeAttribute)
    order = opt_prop_def(OrderAttr)
    scope = prop_def(ScopeAttr, default_value=ScopeAttr(Scope.THREAD))
    variant = opt_prop_def(StringAttr)
    accumulate = opt_prop_def(UnitAttr)
    ftz = opt_prop_def(UnitAttr)

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    custom_directives: ClassVar = (Axes,)

    @property
    @abstractmethod
    def kind_name(self) -> Kind: ...

    @property
    @abstractmethod
    def sources(self) -> tuple[SSAValue, ...]: ...

    @property
    @abstractmethod
    def destination(self) -> SSAValue: ...

    @property
    def source_type(self) -> MemRefType:
        return SSAValue.get(self.sources[0], type=MemRefType).type

    @property
    def dest_type(self) -> MemRefType:
        return SSAValue.get(self.destination, type=MemRefType).type

    @property
    def accumulation_type(self) -> Attribute:
        return self.source_type.element_type if self.acc is None else self.acc

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
        element, dest = self.source_type.element_type, self.dest_type.element_type
        accumulation = self.accumulation_type
        if (wrong := wrong_kind(self.kind_name, element)) is not None:
            return wrong
        if (wrong := _wrong_accumulation(element, accumulation)) is not None:
            return wrong
        if dest in (element, accumulation):
            return None
        if self.acc is None:
            return (
                f"reduces {element} into {dest}: "
                "source and destination have one element type"
            )
        return (
            f"reduces {element} in {accumulation} into {dest}: the destination has "
            "the source's element type or the accumulation type"
        )

    def _wrong_options(self) -> str | None:
        accumulation, kind = self.accumulation_type, self.kind_name
        if self.order is not None and not takes_order(kind, str(accumulation)):
            return (
                f"has order({self.order.data}) on <{kind}> of {accumulation}: only float "
                "sums and products take an order, the result of other kinds does not "
                "depend on it"
            )
        if self.ftz is not None and accumulation != f32:
            return (
                f"has ftz on {accumulation}: ftz flushes f32 subnormals and is for f32 "
                "only"
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


_OPTIONS = (
    "custom<Axes>($axes) (`acc` `(` $acc^ `)`)? (`order` `(` $order^ `)`)? "
    "(`scope` `(` $scope^ `)`)? (`variant` `(` $variant^ `)`)? "
    "(`accumulate` $accumulate^)? (`ftz` $ftz^)? attr-dict"
)


def _option_properties(
    axes: Iterable[int] | None,
    acc: Attribute | None,
    order: Order | None,
    scope: Scope,
    variant: str | None,
    accumulate: bool,
    ftz: bool,
) -> dict[str, Attribute | None]:
    return {
        "axes": None if axes is None else DenseArrayBase.from_list(i64, tuple(axes)),
        "acc": acc,
        "order": None if order is None else OrderAttr(order),
        "scope": ScopeAttr(scope),
        "variant": None if variant is None else StringAttr(variant),
        "accumulate": UnitAttr() if accumulate else None,
        "ftz": UnitAttr() if ftz else None,
    }


@irdl_op_definition
class ReduceOp(TileReductionOp):
    """Reduce the tile `source` along `axes` into `dest`."""

    name = "tile.reduce"

    kind = prop_def(KindAttr)
    source = operand_def(MemRefType)
    dest = operand_def(MemRefType)

    assembly_format = (
        "` ` `<` $kind `>` $source `into` $dest "
        + _OPTIONS
        + " `:` type($source) `,` type($dest)"
    )

    def __init__(
        self,
        kind: Kind,
        source: SSAValue | Operation,
        dest: SSAValue | Operation,
        *,
        axes: Iterable[int] | None = None,
        acc: Attribute | None = None,
        order: Order | None = None,
        scope: Scope = Scope.THREAD,
        variant: str | None = None,
        accumulate: bool = False,
        ftz: bool = False,
    ) -> None:
        options = _option_properties(axes, acc, order, scope, variant, accumulate, ftz)
        super().__init__(
            operands=(source, dest), properties={"kind": KindAttr(kind), **options}
        )

    @property
    def kind_name(self) -> Kind:
        return self.kind.data

    @property
    def sources(self) -> tuple[SSAValue, ...]:
        return (self.source,)

    @property
    def destination(self) -> SSAValue:
        return self.dest

    def _wrong_types(self) -> str | None:
        if self.kind_name is Kind.DOT:
            return "has kind <dot>, which takes two sources: use tile.dot"
        return super()._wrong_types()


@irdl_op_definition
class DotOp(TileReductionOp):
    """
    The sum of the products of `lhs` and `rhs` along `axes`, into `dest`.

    Each product is fused into the sum (`fma`), save the first of a running value.
    """

    name = "tile.dot"

    lhs = operand_def(MemRefType)
    rhs = operand_def(MemRefType)
    dest = operand_def(MemRefType)

    assembly_format = (
        "$lhs `,` $rhs `into` $dest "
        + _OPTIONS
        + " `:` type($lhs) `,` type($rhs) `,` type($dest)"
    )

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        dest: SSAValue | Operation,
        *,
        axes: Iterable[int] | None = None,
        acc: Attribute | None = None,
        order: Order | None = None,
        scope: Scope = Scope.THREAD,
        variant: str | None = None,
        accumulate: bool = False,
        ftz: bool = False,
    ) -> None:
        options = _option_properties(axes, acc, order, scope, variant, accumulate, ftz)
        super().__init__(operands=(lhs, rhs, dest), properties=options)

    @property
    def kind_name(self) -> Kind:
        return Kind.DOT

    @property
    def sources(self) -> tuple[SSAValue, ...]:
        return (self.lhs, self.rhs)

    @property
    def destination(self) -> SSAValue:
        return self.dest

    def _wrong_types(self) -> str | None:
        left, right = (
            SSAValue.get(source, type=MemRefType).type for source in self.sources
        )
        if left.get_shape() != right.get_shape():
            return (
                f"has sources of shape {_shape(left.get_shape())} and "
                f"{_shape(right.get_shape())}: they have one shape"
            )
        if left.element_type != right.element_type:
            return (
                f"has sources of {left.element_type} and {right.element_type}: "
                "they have one element type"
            )
        return super()._wrong_types()


def wrong_kind(kind: Kind, element: Attribute) -> str | None:
    """Why `kind` does not go with `element`, or None."""
    if isinstance(element, AnyFloat):
        return (
            None
            if kind.takes_float
            else f"has kind <{kind}> on {element}: it combines integers; "
            "floats take add, mul, maxnumf, minnumf, maximumf, minimumf, absmax, sumsq"
        )
    if isinstance(element, IntegerType | IndexType):
        return (
            None
            if kind.takes_integer
            else f"has kind <{kind}> on {element}: it combines floats; "
            "integers take add, mul, maxsi, minsi, maxui, minui, and, or, xor"
        )
    return f"has elements of type {element}: a tile holds floats or integers"


_WIDER_FLOATS: Mapping[Attribute, tuple[Attribute, ...]] = {
    f16: (f32, f64),
    bf16: (f32, f64),
    f32: (f64,),
}


def _wrong_accumulation(element: Attribute, accumulation: Attribute) -> str | None:
    """Why values of `element` cannot be combined in `accumulation`, or None."""
    if element == accumulation or accumulation in _WIDER_FLOATS.get(element, ()):
        return None
    if isinstance(element, IntegerType) and isinstance(accumulation, IntegerType):
        if accumulation.bitwidth > element.bitwidth:
            return None
    return (
        f"has acc({accumulation}) on {element}: the accumulation type is a wider type "
        "of the same sort"
    )


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


TILE = Dialect("tile", [ReduceOp, DotOp], [KindAttr, OrderAttr, ScopeAttr])
