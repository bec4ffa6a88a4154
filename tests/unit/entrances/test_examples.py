"""The examples around reductions: compiled for two chips, and what they compute."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.unit.semantics.inputs import Array, bits, generator
from xdsl_packed import lower, parse_file
from xdsl_packed.backend.ptx_target import print_ptx
from xdsl_packed.backend.ptxas import assemble
from xdsl_packed.interpreters import run_function

EXAMPLES = Path(__file__).parents[3] / "examples"
BATCH = 16


def softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(axis=0))
    return powers / powers.sum(axis=0)


def rmsnorm(x: Array, weight: Array) -> Array:
    return x / np.sqrt((x * x).mean(axis=0) + 1e-5) * weight


def layernorm(x: Array) -> Array:
    centred = x - x.mean(axis=0)
    return centred / np.sqrt((centred * centred).mean(axis=0) + 1e-5)


@pytest.mark.parametrize("chip", ["sm_90", "sm_100a"])
@pytest.mark.parametrize(
    ("name", "arrays", "meant", "reductions"),
    [
        ("row_softmax", 1, softmax, 2),
        ("rmsnorm", 2, rmsnorm, 1),
        ("layernorm", 1, layernorm, 2),
    ],
)
def test_example(
    name: str, arrays: int, meant: Callable[..., Array], reductions: int, chip: str
):
    _, packed = parse_file(EXAMPLES / f"{name}.mlir")
    ptx = packed.clone()
    report = lower(packed, chip=chip, to="packed")
    fast: dict[str, str] = {
        "tile.reduce": "sm100_packed",
        "vector.reduction": "packed_tree",
    }
    expected = [
        fast.get(each.op, "packed_tree") if chip == "sm_100a" else "local"
        for each in report.decisions
    ]
    assert [each.chosen for each in report.decisions] == expected
    assert len(expected) == reductions
    lower(ptx, chip=chip)
    assert assemble(print_ptx(ptx), chip)

    random = generator(name)
    given = [
        random.standard_normal((32, BATCH)).astype(np.float32) for _ in range(arrays)
    ]
    results: list[Array] = []
    for module in (packed, ptx):
        result = np.zeros((32, BATCH), np.float32)
        run_function(module, name, [*given, result], batch_axes=1)
        results.append(result)
    np.testing.assert_array_equal(bits(results[0], "f32"), bits(results[1], "f32"))
    expected = meant(*(array.astype(np.float64) for array in given))
    np.testing.assert_allclose(results[0], expected, rtol=1e-5, atol=1e-6)
