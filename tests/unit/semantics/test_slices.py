"""Slices of a bigger buffer, at every stage: the elements that the subview names, no others."""

from __future__ import annotations

import numpy as np
import pytest

from tests.unit.semantics import numpy_reference
from tests.unit.semantics.inputs import bits, inputs
from xdsl_packed import dispatch, lower, parse_text
from xdsl_packed.interpreters import run_function
from xdsl_packed.target import GpuTarget

SLICED = """
func.func @k(%p: memref<6x20xf32, 1>, %q: memref<{results}xf32, 1>) attributes {{gpu.kernel}} {{
  %big = memref.alloca() : memref<6x20xf32, 5>
  %out = memref.alloca() : memref<10xf32, 5>
  "memref.copy"(%p, %big) : (memref<6x20xf32, 1>, memref<6x20xf32, 5>) -> ()
  %part = memref.subview %big[1, 3] [2, 8] [3, 2] : memref<6x20xf32, 5> to memref<2x8xf32, strided<[60, 2], offset: 23>, 5>
  %to = memref.subview %out[2] [{results}] [1] : memref<10xf32, 5> to memref<{results}xf32, strided<[1], offset: 2>, 5>
  tile.reduce <{kind}> %part into %to axes [{axes}] : memref<2x8xf32, strided<[60, 2], offset: 23>, 5>, memref<{results}xf32, strided<[1], offset: 2>, 5>
  "memref.copy"(%to, %q) : (memref<{results}xf32, strided<[1], offset: 2>, 5>, memref<{results}xf32, 1>) -> ()
  func.return
}}
"""


@pytest.mark.parametrize("chip", ["sm_90", "sm_100a"])
@pytest.mark.parametrize(("axes", "results"), [([0, 1], 1), ([0], 8), ([1], 2)])
@pytest.mark.parametrize("kind", ["add", "maximumf", "minnumf"])
def test_a_slice_of_a_bigger_buffer(
    kind: str, axes: list[int], results: int, chip: str
):
    text = SLICED.format(kind=kind, axes=", ".join(map(str, axes)), results=results)
    whole = inputs(120, "f32", kind).reshape(6, 20, -1)
    part = whole[1:6:3, 3:19:2]
    expected = numpy_reference.reduce(kind, [part], axes, rank=2)
    for stage in ("tile", "packed", "ptx"):
        _, module = parse_text(text)
        if stage == "packed":
            GpuTarget.of(chip).set_on_module(module)
            dispatch(module)
        if stage == "ptx":
            lower(module, chip=chip)
        result = np.zeros((results, whole.shape[-1]), np.float32)
        run_function(module, "k", [whole, result], batch_axes=1)
        got = bits(result, "f32")
        assert (got == bits(expected.reshape(result.shape), "f32")).all(), stage
