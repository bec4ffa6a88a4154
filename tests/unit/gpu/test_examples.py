"""The examples around reductions on a GPU, against float64. Marked `gpu`, like its siblings."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.unit.entrances.test_examples import layernorm, rmsnorm, softmax
from tests.unit.semantics.inputs import Array, generator
from xdsl_packed import lower, parse_file
from xdsl_packed.backend.ptx_target import print_ptx
from xdsl_packed.backend.ptxas import assemble

pytestmark = pytest.mark.gpu

CHIP = os.environ.get("XDSL_PACKED_GPU_CHIP", "sm_90")
EXAMPLES = Path(__file__).parents[3] / "examples"


def launch(cubin: bytes, entry: str, given: list[Array], result: Array) -> None:
    """One thread of `entry` on pinned copies of the arrays; `result` comes last."""
    core: Any = import_module("cuda.core")
    device = core.Device()
    device.set_current()
    memory = core.LegacyPinnedMemoryResource()
    arrays = [*given, result]
    buffers = [memory.allocate(array.nbytes) for array in arrays]
    views = [np.from_dlpack(buffer).view(np.float32) for buffer in buffers]
    for view, array in zip(views, arrays):
        view[:] = array
    stream = device.create_stream()
    kernel = core.ObjectCode.from_cubin(cubin).get_kernel(entry)
    config = core.LaunchConfig(grid=1, block=1)
    core.launch(stream, config, kernel, *(int(buffer.handle) for buffer in buffers))
    stream.sync()
    result[:] = views[-1]


@pytest.mark.parametrize(
    ("name", "arrays", "meant"),
    [
        ("row_softmax", 1, softmax),
        ("rmsnorm", 2, rmsnorm),
        ("layernorm", 1, layernorm),
    ],
)
def test_example(name: str, arrays: int, meant: Callable[..., Array]):
    _, module = parse_file(EXAMPLES / f"{name}.mlir")
    lower(module, chip=CHIP)
    cubin = assemble(print_ptx(module), CHIP)
    random = generator(name, "gpu")
    for scale in (1e-3, 1.0, 30.0):
        given = [
            (random.standard_normal(32) * scale).astype(np.float32)
            for _ in range(arrays)
        ]
        result = np.zeros(32, np.float32)
        launch(cubin, name, given, result)
        expected = meant(*(array.astype(np.float64) for array in given))
        np.testing.assert_allclose(result, expected, rtol=2e-5, atol=1e-6)
