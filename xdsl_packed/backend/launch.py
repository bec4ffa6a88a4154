"""Running a kernel on the GPU of this machine, by the extra `gpu` (cuda.core)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from xdsl.utils.exceptions import DiagnosticException

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


def launch(kernel: CompiledKernel, src: Array, dst: Array | None = None) -> Array:
    """
    Run `kernel` with one thread; returns the destination, in `src`'s numpy type.

    Raises DiagnosticException for an array that does not fit the kernel, when cuda.core is
    not installed, and when there is no GPU or it cannot run the kernel's chip.
    """
    reduction = kernel.reduction
    _check(src, "src", reduction.element_type, reduction.shape)
    if dst is not None:
        _check(dst, "dst", reduction.element_type, reduction.destination_shape)
    elif reduction.accumulate:
        raise DiagnosticException(
            f"{kernel.entry} accumulates into its destination: give dst"
        )
    result = (
        np.zeros(reduction.destination_shape, src.dtype) if dst is None else dst.copy()
    )
    _run(kernel, np.ascontiguousarray(src), result)
    return result


def _check(array: Array, name: str, element: str, shape: tuple[int, ...]) -> None:
    expected = NUMPY_TYPES[element]
    if array.dtype.type not in expected:
        raise DiagnosticException(
            f"{name} has numpy type {array.dtype}: {element} is held by "
            f"{' or '.join(t.__name__ for t in expected)}"
        )
    if array.shape != shape:
        raise DiagnosticException(
            f"{name} has shape {list(array.shape)}: the kernel takes {list(shape)}"
        )


def _run(kernel: CompiledKernel, source: Array, result: Array) -> None:
    core = _cuda_core()
    try:
        device = core.Device()
        device.set_current()
    except Exception as error:
        raise DiagnosticException(f"no GPU can be used: {error}") from None

    # Pinned memory is reached by the device at its host address; nothing has to be copied.
    memory = core.LegacyPinnedMemoryResource()
    buffers = [memory.allocate(max(1, array.nbytes)) for array in (source, result)]
    views = [
        np.from_dlpack(buffer).view(np.uint8)[: array.nbytes]
        for buffer, array in zip(buffers, (source, result))
    ]
    for view, array in zip(views, (source, result)):
        view[:] = array.reshape(-1).view(np.uint8)
    stream = device.create_stream()
    code = core.ObjectCode.from_cubin(kernel.assemble()).get_kernel(kernel.entry)
    config = core.LaunchConfig(grid=1, block=1)
    core.launch(stream, config, code, *(int(buffer.handle) for buffer in buffers))
    stream.sync()
    result.reshape(-1).view(np.uint8)[:] = views[1]


def _cuda_core() -> Any:
    """The module cuda.core, which has no type stubs."""
    try:
        return import_module("cuda.core")
    except ImportError as error:
        raise DiagnosticException(
            f"cuda.core cannot be imported ({error}): pip install 'xdsl-packed[gpu]'"
        ) from None
