"""Running a kernel on the GPU of this machine, by the extra `gpu` (cuda.core)."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from xdsl.utils.exceptions import DiagnosticException

from xdsl_packed.reduction import Kind

if TYPE_CHECKING:
    from xdsl_packed.compiler import CompiledKernel

Array = np.ndarray[Any, np.dtype[Any]]

NUMPY_TYPES: dict[str, tuple[type[np.generic], ...]] = {
    "f16": (np.float16,),
    "bf16": (np.uint16,),
    "f32": (np.float32,),
    "f64": (np.float64,),
    "i8": (np.int8, np.uint8),
    "i16": (np.int16, np.uint16),
    "i32": (np.int32, np.uint32),
    "i64": (np.int64, np.uint64),
}
"""The numpy types that hold an element type; bf16 is its bits."""


def launch(
    kernel: CompiledKernel, src: Array | Sequence[Array], dst: Array | None = None
) -> Array:
    """
    Run `kernel` with one thread; returns the destination.

    `src` is the source, or the two sources of a `dot`. Raises DiagnosticException for an
    array that does not fit the kernel, when cuda.core is not installed, and when there is
    no GPU or it cannot run the kernel's chip.
    """
    reduction = kernel.reduction
    sources = [src] if isinstance(src, np.ndarray) else list(src)
    expected = 2 if reduction.kind is Kind.DOT else 1
    if len(sources) != expected:
        raise DiagnosticException(
            f"{kernel.entry} takes {expected} source arrays, got {len(sources)}"
        )
    for source in sources:
        _check(source, "src", reduction.element_type, reduction.shape)
    element = reduction.destination.element_type
    if dst is not None:
        _check(dst, "dst", element, reduction.destination_shape)
        result = dst.copy()
    elif reduction.accumulate:
        raise DiagnosticException(
            f"{kernel.entry} accumulates into its destination: give dst"
        )
    else:
        is_same = element == reduction.element_type
        dtype = sources[0].dtype if is_same else NUMPY_TYPES[element][0]
        result = np.zeros(reduction.destination_shape, dtype)
    _run(kernel, [*map(np.ascontiguousarray, sources), result])
    return result


def _check(array: object, name: str, element: str, shape: tuple[int, ...]) -> None:
    expected = NUMPY_TYPES[element]
    if not isinstance(array, np.ndarray):
        raise DiagnosticException(f"{name} is {array!r}: expected a numpy array")
    array = cast(Array, array)
    if array.dtype.type not in expected:
        raise DiagnosticException(
            f"{name} has numpy type {array.dtype}: {element} is held by "
            f"{' or '.join(t.__name__ for t in expected)}"
        )
    if array.shape != shape:
        raise DiagnosticException(
            f"{name} has shape {list(array.shape)}: the kernel takes {list(shape)}"
        )


def _run(kernel: CompiledKernel, arrays: Sequence[Array]) -> None:
    """Run on `arrays`, the sources and the destination, which is written."""
    core = _cuda_core()
    try:
        device = core.Device()
        device.set_current()
    except Exception as error:
        raise DiagnosticException(f"no GPU can be used: {error}") from None

    # Pinned memory is reached by the device at its host address; nothing has to be copied.
    memory = core.LegacyPinnedMemoryResource()
    buffers = [memory.allocate(max(1, array.nbytes)) for array in arrays]
    views = [
        np.from_dlpack(buffer).view(np.uint8)[: array.nbytes]
        for buffer, array in zip(buffers, arrays)
    ]
    for view, array in zip(views, arrays):
        view[:] = array.reshape(-1).view(np.uint8)
    stream = device.create_stream()
    code = core.ObjectCode.from_cubin(kernel.assemble()).get_kernel(kernel.entry)
    config = core.LaunchConfig(grid=1, block=1)
    core.launch(stream, config, code, *(int(buffer.handle) for buffer in buffers))
    stream.sync()
    arrays[-1].reshape(-1).view(np.uint8)[:] = views[-1]


def _cuda_core() -> Any:
    """The module cuda.core, which has no type stubs."""
    try:
        return import_module("cuda.core")
    except ImportError as error:
        raise DiagnosticException(
            f"cuda.core cannot be imported ({error}): pip install 'xdsl-packed[gpu]'"
        ) from None
