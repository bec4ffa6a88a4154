"""The library's front door: compile a reduction, or lower a module of one's own."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    DictionaryAttr,
    FixedBitwidthType,
    IndexType,
    IntegerAttr,
    IntegerType,
    ArrayAttr,
    MemRefType,
    ModuleOp,
    UnitAttr,
    bf16,
    f16,
    f32,
    f64,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import DiagnosticException

from xdsl_packed.dialects.tile import ReduceOp, axes_that_fit
from xdsl_packed.dispatch.report import Report
from xdsl_packed.entrances.tile_reduce import MemRefAccess
from xdsl_packed.orders import Order
from xdsl_packed.reduction import Kind, Scope
from xdsl_packed.target import GpuTarget

if TYPE_CHECKING:
    import numpy as np

    from xdsl_packed.backend.machine_code import MachineCode

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
    target: GpuTarget
    reads_destination: bool
    """Whether the kernel reads its second parameter: accumulate."""

    def assemble(self) -> bytes:
        """The cubin, by ptxas. Raises DiagnosticException when ptxas is not found."""
        return self._cubin

    @cached_property
    def _cubin(self) -> bytes:
        from xdsl_packed.backend.ptxas import assemble

        return assemble(self.ptx, self.target.chip.name)

    def machine_code(self) -> MachineCode:
        """The machine code, read back by nvdisasm."""
        from xdsl_packed.backend.machine_code import read_machine_code

        return read_machine_code(self._cubin, self.entry)

    def launch(
        self, src: np.ndarray, dst: np.ndarray | None = None
    ) -> np.ndarray:
        """
        Run the kernel on the current GPU with one thread; returns the destination.

        `src` holds the source elements, `dst` the old destination's, which an accumulating
        kernel needs. bf16 is its bits, as uint16. Needs the extra `gpu`.
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
) -> ModuleOp:
    """
    The module that `compile_reduction` compiles, before dispatch.

    One kernel that copies its first parameter to a local tile, reduces it by `tile.reduce`
    into another, and copies that to its second parameter. The arguments are those of
    `compile_reduction`.
    """
    target = GpuTarget.of(chip, ptx_version)
    the_kind = _kind(kind)
    shape = _checked_shape(shape)
    all_axes = tuple(range(len(shape))) if axes is None else tuple(axes)
    element = _element_type(dtype)
    dropped = {axis % len(shape) for axis in all_axes} if shape else set[int]()
    destination = [n for axis, n in enumerate(shape) if axis not in dropped] or [1]
    name = _entry_name(the_kind, shape, dtype, axes, accumulate, ftz, order, scope)

    types = [MemRefType(element, s, memory_space=GLOBAL) for s in (shape, destination)]
    function = func.FuncOp(name, (types, []))
    function.attributes["gpu.kernel"] = UnitAttr()
    if align is not None:
        function.properties["arg_attrs"] = _alignment(align, element)
    module = ModuleOp([function])
    target.set_on_module(module)

    builder = Builder(InsertPoint.at_end(function.body.block))
    source, result = (
        builder.insert(memref.AllocaOp.get(element, None, s, memory_space=LOCAL)).memref
        for s in (shape, destination)
    )
    source_pointer, result_pointer = function.args
    builder.insert(memref.CopyOp(source_pointer, source))
    if accumulate:
        builder.insert(memref.CopyOp(result_pointer, result))
    builder.insert(
        ReduceOp(
            the_kind,
            source,
            result,
            axes=all_axes,
            order=None if order is None else _named(Order, "order", order),
            scope=_named(Scope, "scope", scope),
            variant=variant,
            accumulate=accumulate,
            ftz=ftz,
        )
    )
    builder.insert(memref.CopyOp(result, result_pointer))
    builder.insert(func.ReturnOp())
    return module


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
) -> CompiledKernel:
    """
    Compile one reduction to a kernel of one thread.

    The kernel loads the source from its first parameter (a global pointer, row-major),
    with `accumulate` loads the destination from the second, reduces in registers, and
    stores the destination to the second.

    Args:
        kind: a kind of `tile.reduce`, or sum, max, min for add, maxnumf, minnumf.
        shape: the source's extents.
        axes: the reduced axes, negative ones from the end; None means all.
        dtype: the element type by MLIR's name, for example f32, bf16, i8.
        chip: for example sm_90 or sm_100a.
        ptx_version: for example 9.0; None prints the lowest that the kernel needs.
        accumulate: whether the old destination takes part.
        ftz: flush f32 subnormals in every instruction of the reduction.
        order: sequential, lanes8 or any, for float add and mul; None is lanes8.
        scope: thread; others have no variant yet.
        variant: the variant that must be used.
        align: bytes that both pointers are aligned to; None is the element's size.

    Raises:
        DiagnosticException: for anything above that is not so, naming what would be.
    """
    from xdsl_packed.backend.ptx_target import PtxTarget
    from xdsl_packed.frontend import verify
    from xdsl_packed.transforms.convert_kernels_to_ptx import ConvertKernelsToPtxPass
    from xdsl_packed.transforms.tile_dispatch import dispatch

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
    )
    verify(module)
    reduce = next(op for op in module.walk() if isinstance(op, ReduceOp))
    _reduce_pointers(reduce)
    report = dispatch(module)
    (decision,) = report.decisions
    ...


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
