"""
Kernels on a GPU against the interpreter, bit for bit.

Marked `gpu`: run with `pytest -m gpu` (or `make gpu`) on a machine that has one. They
compile for sm_90; set XDSL_PACKED_GPU_CHIP for another chip.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.unit.semantics.inputs import Array, bits, inputs
from xdsl_packed import compile_reduction
from xdsl_packed.interpreters import run_function

pytestmark = pytest.mark.gpu

CHIP = os.environ.get("XDSL_PACKED_GPU_CHIP", "sm_90")
SAME_VALUE_CHIP = "sm_100a"
"""The interpreter runs the kernel of this chip: the same bits on every chip."""

FLOAT_KINDS = ["add", "mul", "maxnumf", "minnumf", "maximumf", "minimumf"]
INTEGER_KINDS = ["add", "mul", "maxsi", "minsi", "maxui", "minui", "and", "or", "xor"]
LAUNCHES = 24
"""Inputs of one kernel, drawn from all that tests/unit/semantics/inputs.py makes."""


def check(kind: str, shape: Sequence[int], **options: Any) -> None:
    dtype = options.get("dtype", "f32")
    on_gpu = compile_reduction(kind, shape, chip=CHIP, **options)
    meant = compile_reduction(kind, shape, chip=SAME_VALUE_CHIP, **options)
    everything = inputs(int(np.prod(shape)), dtype, kind, "gpu")
    columns = np.unique(np.linspace(0, everything.shape[1] - 1, LAUNCHES, dtype=int))
    chosen = np.ascontiguousarray(everything[:, columns])
    source = chosen.reshape(*shape, len(columns))
    destination_shape = on_gpu.reduction.destination_shape
    old = inputs(int(np.prod(destination_shape)), dtype, "old")[:, : len(columns)]
    old = np.resize(old, (int(np.prod(destination_shape)), len(columns)))
    old = old.reshape(*destination_shape, len(columns))

    expected = old.copy()
    run_function(meant.module, meant.entry, [source, expected], batch_axes=1)
    got = np.stack(
        [
            on_gpu.launch(_column(source, column), _column(old, column))
            for column in range(len(columns))
        ],
        axis=-1,
    )
    wrong = bits(got, dtype) != bits(expected, dtype)
    assert not wrong.any(), (
        f"{kind} {list(shape)} {options}: {got[wrong]} should be {expected[wrong]}"
    )


def _column(values: Array, column: int) -> Array:
    return np.ascontiguousarray(values[..., column])


@pytest.mark.parametrize("ftz", [False, True], ids=["keep", "ftz"])
@pytest.mark.parametrize("accumulate", [False, True], ids=["fresh", "accumulate"])
@pytest.mark.parametrize(
    ("kind", "order"),
    [
        ("add", "lanes8"),
        ("add", "sequential"),
        ("maxnumf", None),
        ("minnumf", None),
        ("maximumf", None),
        ("minimumf", None),
    ],
)
def test_every_length(kind: str, order: str | None, accumulate: bool, ftz: bool):
    for length in (*range(1, 131), 256):
        check(kind, [length], order=order, accumulate=accumulate, ftz=ftz)


@pytest.mark.parametrize("accumulate", [False, True], ids=["fresh", "accumulate"])
@pytest.mark.parametrize("kind", FLOAT_KINDS)
def test_shapes(kind: str, accumulate: bool):
    for shape, axes in (
        ([4, 8], [0]),
        ([4, 8], [1]),
        ([3, 4, 5], [0, 2]),
        ([2, 3, 4], [-1]),
        ([2, 3, 4], [0]),
        ([2, 3], []),
    ):
        check(kind, shape, axes=axes, accumulate=accumulate)


@pytest.mark.parametrize("ftz", [False, True], ids=["keep", "ftz"])
def test_products(ftz: bool):
    for order in ("lanes8", "sequential"):
        for length in (2, 8, 9, 17):
            check("mul", [length], order=order, ftz=ftz)


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64"])
@pytest.mark.parametrize("kind", FLOAT_KINDS)
def test_float_types(kind: str, dtype: str):
    for length in (1, 2, 3, 8, 13, 33):
        check(kind, [length], dtype=dtype, accumulate=length == 13)


@pytest.mark.parametrize("dtype", ["i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("kind", INTEGER_KINDS)
def test_integer_types(kind: str, dtype: str):
    for length in (1, 2, 8, 33):
        check(kind, [length], dtype=dtype, accumulate=length == 8)
