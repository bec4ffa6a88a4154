"""
One reduction, four ways to its bits.

The op's meaning, the packed ops, the ptx ops, and a numpy reference that knows nothing of
the project: for every length, NaN rule, order, with and without accumulate and ftz.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tests.unit.semantics import numpy_reference
from tests.unit.semantics.inputs import Array, bits, inputs
from xdsl_packed import compile_reduction, dispatch, reduction_module
from xdsl_packed.interpreters import run_function

LENGTHS = range(1, 131)
CHIPS = ["sm_100a", "sm_90"]
FLOAT_CASES = [
    ("add", "lanes8"),
    ("add", "sequential"),
    ("maxnumf", None),
    ("minnumf", None),
    ("maximumf", None),
    ("minimumf", None),
]


def run(module: ModuleOp, name: str, source: Array, destination: Array) -> Array:
    """The destination after a run on all inputs at once."""
    result = destination.copy()
    run_function(module, name, [source, result], batch_axes=1)
    return result


def check(
    kind: str,
    shape: Sequence[int],
    *,
    axes: Sequence[int] | None = None,
    dtype: str = "f32",
    order: str | None = None,
    **options: Any,
) -> str:
    """Compare the four; returns the variant that was chosen."""
    options |= {"axes": axes, "dtype": dtype, "order": order}
    reduced = tuple(range(len(shape))) if axes is None else axes
    count = int(np.prod(shape))
    source = inputs(count, dtype, kind, axes)
    batch = source.shape[1]
    source = source.reshape(*shape, batch)

    kernel = compile_reduction(kind, shape, **options)
    outputs = kernel.reduction.destination_length
    old = inputs(outputs, dtype, "old", kind)
    old = np.resize(old.T, (batch, outputs)).T.copy()
    old = old.reshape(*kernel.reduction.destination_shape, batch)
    kept = [
        n for a, n in enumerate(shape) if a not in {x % len(shape) for x in reduced}
    ]
    expected = numpy_reference.reduce(
        kind,
        source,
        reduced,
        rank=len(shape),
        dtype=dtype,
        order=order or "lanes8",
        ftz=options.get("ftz", False),
        old=old.reshape(*kept, batch) if options.get("accumulate") else None,
    ).reshape(old.shape)

    tile = reduction_module(kind, shape, **options)
    packed = tile.clone()
    dispatch(packed)
    roads = {"tile": tile, "packed": packed, "ptx": kernel.module}
    for stage, module in roads.items():
        got = run(module, kernel.entry, source, old)
        wrong = bits(got, dtype) != bits(expected, dtype)
        assert not wrong.any(), (
            f"{stage}: {kind} {list(shape)} {options}: {got[wrong]} "
            f"should be {expected[wrong]}"
        )
    return kernel.variant


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("ftz", [False, True], ids=["keep", "ftz"])
@pytest.mark.parametrize("accumulate", [False, True], ids=["fresh", "accumulate"])
@pytest.mark.parametrize(("kind", "order"), FLOAT_CASES)
def test_every_length_of_f32(
    kind: str, order: str | None, accumulate: bool, ftz: bool, chip: str
):
    for length in LENGTHS:
        variant = check(
            kind, [length], order=order, accumulate=accumulate, ftz=ftz, chip=chip
        )
        takes_packed = chip == "sm_100a" and length >= 8 and order != "sequential"
        assert variant == ("sm100_packed" if takes_packed else "local")
