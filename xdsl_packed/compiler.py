"""The library's front door: compile a reduction, or lower a module of one's own."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Literal, cast

from typing_extensions import TypeVar
from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnitAttr,
    bf16,
    f16,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.str_enum import StrEnum

from xdsl_packed.dialects.tile import DotOp, ReduceOp
from xdsl_packed.entrances.memrefs import MemRefAccess, element_bytes
from xdsl_packed.orders import Order
from xdsl_packed.reduction import Kind, Reduction, Scope
from xdsl_packed.selection.report import Report
from xdsl_packed.target import GpuTarget

if TYPE_CHECKING:
    from xdsl_packed.backend.launch import Array
    from xdsl_packed.backend.machine_code import MachineCode
    from xdsl_packed.transforms.tile_dispatch import Decided

KIND_ALIASES = {"sum": Kind.ADD, "max": Kind.MAXNUMF, "min": Kind.MINNUMF}
"""The names that people type for the usual kinds."""

_FLOAT_TYPES: dict[str, Attribute] = {"f16": f16, "bf16": bf16, "f32": f32, "f64": f64}

GLOBAL = IntegerAttr(1, i64)
LOCAL = IntegerAttr(5, i64)


@dataclass(frozen=True)
class CompiledKernel:
    """One kernel: its PTX, how it came about, and what it becomes."""

    ptx: str
    entry: str
    """The kernel's name in the PTX."""
    variant: str
    report: Report
    module: ModuleOp
    """The module in the ptx dialect that was printed."""
    reduction: Reduction
    """What it computes, and for which target."""

    def assemble(self) -> bytes:
        """The cubin, by ptxas. Raises DiagnosticException when ptxas is not found."""
        return self._cubin

    @cached_property
    def _cubin(self) -> bytes:
        from xdsl_packed.backend.ptxas import assemble

        return assemble(self.ptx, self.reduction.target.chip.name)

    def machine_code(self) -> MachineCode:
        """The machine code, read back by nvdisasm."""
        from xdsl_packed.backend.machine_code import read_machine_code

        return read_machine_code(self._cubin, self.entry)

    def launch(self, src: Array | Sequence[Array], dst: Array | None = None) -> Array:
        """
        Run the kernel on the current GPU with one thread; returns the destination.

        `src` holds the source elements (of `dot` two arrays), `dst` the old destination's,
        which an accumulating kernel needs. bf16 is its bits, as uint16. Needs the extra
        `gpu`.
        """
        from xdsl_packed.backend.launch import launch

        return launch(self, src, dst)


def reduction_module(
    kind: str,
    shape: Sequence[int],
    *,
    axes: Iterable[int] | None = None,
    dtype: str = "f32",
    chip: str = "sm_100a",
    ptx_version: str | None = None,
    accumulate: bool = False,
    ftz: bool = False,
    order: str | None = None,
    scope: str = "thread",
    variant: str | None = None,
    align: int | None = None,
    acc: str | None = None,
    out: str | None = None,
) -> ModuleOp:
    """
    The module that `compile_reduction` compiles, before dispatch.

    One kernel that copies its sources to local tiles, reduces them into another, and copies
    that to its last parameter. Sources of more than 256 elements are reduced where they
    are, in global memory. The arguments are those of `compile_reduction`.
    """
    target = GpuTarget.of(chip, ptx_version)
    the_kind = _kind(kind)
    shape = _checked_shape(shape)
    all_axes = tuple(range(len(shape))) if axes is None else _integers("axes", axes)
    element = _element_type(dtype)
    result_element = _element_type(out or acc or dtype)
    dropped = {axis % len(shape) for axis in all_axes} if shape else set[int]()
    destination = [n for axis, n in enumerate(shape) if axis not in dropped] or [1]
    options = {"accumulate": accumulate, "ftz": ftz, order or "": order is not None}
    options |= {f"acc_{acc}": acc is not None, f"out_{out}": out is not None}
    name = _entry_name(
        the_kind,
        shape,
        dtype,
        None if axes is None else all_axes,
        [option for option, given in options.items() if given],
    )

    source_type = MemRefType(element, shape, memory_space=GLOBAL)
    result_type = MemRefType(result_element, destination, memory_space=GLOBAL)
    sources = [source_type] * (2 if the_kind is Kind.DOT else 1)
    function = func.FuncOp(name, ([*sources, result_type], []))
    function.attributes |= ONE_THREAD
    if prod(shape) <= MOST_LOADED_AT_ONCE:
        function.attributes["nvvm.minctasm"] = IntegerAttr(1, i32)
    if align is not None:
        function.properties["arg_attrs"] = _alignment(align, function.args)
    module = ModuleOp([function])
    target.set_on_module(module)

    builder = Builder(InsertPoint.at_end(function.body.block))
    tiles = list(function.args)
    is_local = prod(shape) <= MOST_IN_REGISTERS
    if is_local:
        tiles = [_local_tile(argument, builder) for argument in function.args]
        copies = list(zip(function.args, tiles))
        if accumulate:
            # The old destination first, as when it is read where it stands.
            builder.insert(memref.CopyOp(*copies[-1]))
        for argument, tile in copies[:-1]:
            builder.insert(memref.CopyOp(argument, tile))
    properties = {
        "axes": all_axes,
        "acc": None if acc is None else _element_type(acc),
        "order": None if order is None else _named(Order, "order", order),
        "scope": _named(Scope, "scope", scope),
        "variant": variant,
        "accumulate": accumulate,
        "ftz": ftz,
    }
    if the_kind is Kind.DOT:
        builder.insert(DotOp(*tiles, **properties))
    else:
        builder.insert(ReduceOp(the_kind, *tiles, **properties))
    if is_local:
        builder.insert(memref.CopyOp(tiles[-1], function.args[-1]))
    builder.insert(func.ReturnOp())
    return module


ONE_THREAD: dict[str, Attribute] = {
    "gpu.kernel": UnitAttr(),
    "nvvm.reqntid": DenseArrayBase.from_list(i32, (1, 1, 1)),
}
"""A kernel, and one thread a block."""

MOST_LOADED_AT_ONCE = 248
"""
Up to here a kernel says that one block a multiprocessor will do, so that ptxas may use all
registers and loads everything first. Beyond it registers run out, and that costs moves.
"""

MOST_IN_REGISTERS = 256
"""The largest source that is copied to registers; a thread has at most 255."""


def _local_tile(argument: SSAValue, builder: Builder) -> SSAValue:
    type = SSAValue.get(argument, type=MemRefType).type
    tile = memref.AllocaOp.get(
        type.element_type, None, type.get_shape(), memory_space=LOCAL
    )
    return builder.insert(tile).memref


def compile_reduction(
    kind: str,
    shape: Sequence[int],
    *,
    axes: Iterable[int] | None = None,
    dtype: str = "f32",
    chip: str = "sm_100a",
    ptx_version: str | None = None,
    accumulate: bool = False,
    ftz: bool = False,
    order: str | None = None,
    scope: str = "thread",
    variant: str | None = None,
    align: int | None = None,
    acc: str | None = None,
    out: str | None = None,
) -> CompiledKernel:
    """
    Compile one reduction to a kernel of one thread.

    The kernel loads the source from its first parameter (a global pointer, row-major),
    with `accumulate` loads the destination from the second, reduces in registers, and
    stores the destination to the second. (`dot` has two sources, then the destination.) A
    source of more than 256 elements is read in a loop, with running values in registers.

    Args:
        kind: a kind of `tile.reduce`, or sum, max, min for add, maxnumf, minnumf; or dot.
        shape: the source's extents.
        axes: the reduced axes, negative ones from the end; None means all.
        dtype: the element type by MLIR's name, for example f32, bf16, i8.
        chip: for example sm_90 or sm_100a.
        ptx_version: for example 9.0; None prints the lowest that the kernel needs.
        accumulate: whether the old destination takes part.
        ftz: flush f32 subnormals in every instruction of the reduction.
        order: sequential, lanes8, tree or any, for float sums and products; None is lanes8.
        scope: thread; others have no variant yet.
        variant: the variant that must be used.
        align: bytes that all pointers are aligned to; None is the element's size.
        acc: the type that values are widened to and combined in; None is `dtype`.
        out: the destination's element type, `dtype` or `acc`; None is `acc`, else `dtype`.

    Raises:
        DiagnosticException: for anything above that is not so, naming what would be.
    """
    from xdsl_packed.backend.ptx_target import PtxTarget
    from xdsl_packed.frontend import verify
    from xdsl_packed.transforms.convert_kernels_to_ptx import ConvertKernelsToPtxPass
    from xdsl_packed.transforms.tile_dispatch import decide_all, report_of

    module = reduction_module(
        kind,
        shape,
        axes=axes,
        dtype=dtype,
        chip=chip,
        ptx_version=ptx_version,
        accumulate=accumulate,
        ftz=ftz,
        order=order,
        scope=scope,
        variant=variant,
        align=align,
        acc=acc,
        out=out,
    )
    verify(module)
    (decided,) = decide_all(module)
    chosen, reduction = decided.decision.chosen, decided.decision.reduction
    if chosen is None or reduction is None:
        raise ValueError("decide_all returned an undecided tile.reduce")
    _lower_on_pointers(module, decided)
    context = Context()
    ConvertKernelsToPtxPass().apply(context, module)
    text = io.StringIO()
    PtxTarget().emit(context, module, text)
    return CompiledKernel(
        ptx=text.getvalue(),
        entry=_kernel_name(module),
        variant=chosen,
        report=report_of([decided]),
        module=module,
        reduction=reduction,
    )


def _lower_on_pointers(module: ModuleOp, decided: Decided) -> None:
    """
    Lower the one reduction of a `reduction_module` straight on the kernel's parameters.

    What expanding the copies and promoting the local tiles would leave, built at once.
    """
    (function,) = module.ops
    *sources, destination = function.regions[0].block.args
    accumulate = decided.entry is not None and decided.entry.reduction.accumulate
    decided.lower(MemRefAccess(tuple(sources), destination, accumulate))
    for op in reversed(tuple(function.regions[0].block.ops)):
        if isinstance(op, memref.CopyOp | memref.AllocaOp):
            Rewriter.erase_op(op)


def _kernel_name(module: ModuleOp) -> str:
    (function,) = module.ops
    name = function.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else ""


def _kind(name: str) -> Kind:
    return KIND_ALIASES.get(name) or _named(Kind, "kind", name, (*KIND_ALIASES,))


_Enum = TypeVar("_Enum", bound=StrEnum)


def _named(
    names: type[_Enum], what: str, name: str, others: Sequence[str] = ()
) -> _Enum:
    try:
        return names(name)
    except ValueError:
        known = ", ".join((*(str(known) for known in names), *others))
        raise DiagnosticException(
            f"there is no {what} {name!r}: expected {known}"
        ) from None


def _integers(what: str, given: object) -> tuple[int, ...]:
    """`given` as integers; it comes from people, whatever its annotation says."""
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise DiagnosticException(f"{what} is {given!r}: expected a list of integers")
    numbers = tuple(cast(Iterable[object], given))
    for number in numbers:
        if not isinstance(number, int) or isinstance(number, bool):
            raise DiagnosticException(
                f"{what} {list(numbers)} holds {number!r}: expected integers"
            )
    return cast(tuple[int, ...], numbers)


def _checked_shape(given: object) -> tuple[int, ...]:
    shape = _integers("shape", given)
    for extent in shape:
        if extent < 0:
            raise DiagnosticException(
                f"shape {list(shape)} has extent {extent}: extents are 0 or more, "
                "a reduced one 1 or more"
            )
    return shape


def _element_type(name: str) -> Attribute:
    if name in _FLOAT_TYPES:
        return _FLOAT_TYPES[name]
    if name == "index":
        return IndexType()
    if name.startswith("i") and name[1:].isdecimal() and 0 < int(name[1:]) <= 128:
        return IntegerType(int(name[1:]))
    raise DiagnosticException(
        f"there is no element type {name!r}: expected f16, bf16, f32, f64, i8, i16, i32 "
        "or i64"
    )


def _alignment(align: int, pointers: Sequence[SSAValue]) -> ArrayAttr[DictionaryAttr]:
    (align,) = _integers("align", [align])
    for pointer in pointers:
        least = element_bytes(SSAValue.get(pointer, type=MemRefType).type.element_type)
        if align < least or align & (align - 1):
            raise DiagnosticException(
                f"align is {align}: expected a power of two of {least} bytes or more"
            )
    each = DictionaryAttr({"llvm.align": IntegerAttr(align, i64)})
    return ArrayAttr([each for _ in pointers])


def _entry_name(
    kind: Kind,
    shape: Sequence[int],
    dtype: str,
    axes: Sequence[int] | None,
    options: Iterable[str],
) -> str:
    """A PTX identifier that says what the kernel does."""
    parts = [kind.value, dtype, "x".join(map(str, shape)) or "scalar"]
    if axes is not None:
        parts.append("axes" + "_".join(str(axis).replace("-", "m") for axis in axes))
    return "_".join((*parts, *options))


def lower(
    module: ModuleOp,
    *,
    chip: str,
    ptx_version: str | None = None,
    to: Literal["packed", "ptx"] = "ptx",
    variant: str | None = None,
    enable: Collection[str] | None = None,
) -> Report:
    """
    Lower `module` in place: to packed ops, or on to the ptx dialect.

    Raises DiagnosticException at the op that cannot be lowered.
    """
    from xdsl_packed.frontend import verify
    from xdsl_packed.transforms.convert_to_ptx import ConvertToPtxPass
    from xdsl_packed.transforms.tile_dispatch import dispatch

    if to not in ("packed", "ptx"):
        raise DiagnosticException(f"cannot lower to {to!r}: expected 'packed' or 'ptx'")
    GpuTarget.of(chip, ptx_version).set_on_module(module)
    verify(module)
    report = dispatch(module, variant=variant, enable=enable)
    if to == "ptx":
        ConvertToPtxPass().apply(Context(), module)
    return report
