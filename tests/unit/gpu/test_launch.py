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
    sources = [
        some_inputs(shape, dtype, kind, number)
        for number in range(2 if kind == "dot" else 1)
    ]
    columns = sources[0].shape[-1]
    destination = on_gpu.reduction.destination
    old = some_inputs(
        on_gpu.reduction.destination_shape, destination.element_type, "old"
    )
    old = np.resize(old.T, (columns, *old.shape[:-1][::-1])).T.copy()

    expected = old.copy()
    run_function(meant.module, meant.entry, [*sources, expected], batch_axes=1)
    got = np.stack(
        [
            on_gpu.launch([_column(s, column) for s in sources], _column(old, column))
            for column in range(columns)
        ],
        axis=-1,
    )
    name = destination.element_type
    wrong = bits(got, name) != bits(expected, name)
    assert not wrong.any(), (
        f"{kind} {list(shape)} {options}: {got[wrong]} should be {expected[wrong]}"
    )


def some_inputs(shape: Sequence[int], dtype: str, *seed: object) -> Array:
    everything = inputs(int(np.prod(shape)), dtype, *seed, "gpu")
    columns = np.unique(np.linspace(0, everything.shape[1] - 1, LAUNCHES, dtype=int))
    chosen = np.ascontiguousarray(everything[:, columns])
    return chosen.reshape(*shape, len(columns))


def _column(values: Array, column: int) -> Array:
    return np.ascontiguousarray(values[..., column])


@pytest.mark.parametrize("ftz", [False, True], ids=["keep", "ftz"])
@pytest.mark.parametrize("accumulate", [False, True], ids=["fresh", "accumulate"])
@pytest.mark.parametrize(
    ("kind", "order"),
    [
        ("add", "lanes8"),
        ("add", "sequential"),
        ("add", "tree"),
        ("maxnumf", None),
        ("minnumf", None),
        ("maximumf", None),
        ("minimumf", None),
    ],
)
def test_every_length(kind: str, order: str | None, accumulate: bool, ftz: bool):
    for length in range(1, 257):
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


@pytest.mark.parametrize("order", ["lanes8", "sequential", "tree"])
@pytest.mark.parametrize("kind", ["sumsq", "dot"])
def test_sums_of_products(kind: str, order: str):
    for length in (1, 2, 7, 8, 9, 16, 33, 100):
        for ftz in (False, True):
            check(kind, [length], order=order, ftz=ftz, accumulate=length % 2 == 1)


def test_absmax():
    for length in (1, 2, 7, 8, 9, 33, 100):
        check("absmax", [length], accumulate=length % 2 == 1)


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_accumulation_in_f32(dtype: str):
    for kind in ("add", "sumsq", "maximumf"):
        for out in ("f32", dtype):
            for length in (1, 8, 17, 64):
                check(kind, [length], dtype=dtype, acc="f32", out=out)


@pytest.mark.parametrize("kind", ["add", "maxnumf", "minimumf", "sumsq", "dot"])
def test_loops(kind: str):
    for length in (257, 300, 1000, 4096):
        check(kind, [length], accumulate=length == 300)
    if kind == "add":
        check(kind, [1000], order="sequential")
        check(kind, [3, 300], axes=[1])
        check(kind, [300], dtype="i8")
