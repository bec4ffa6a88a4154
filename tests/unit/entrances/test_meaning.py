"""A reduction read from upstream gives the bits that it has in its own words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.unit.entrances.modules import (
    linalg_reduce,
    multi_reduction,
    parse,
    vector_reduction,
)
from tests.unit.semantics import numpy_reference
from tests.unit.semantics.inputs import Array, bits, inputs
from xdsl_packed import dispatch
from xdsl_packed.interpreters import run_function

CHIPS = ["sm_100a", "sm_90"]
FLOAT_KINDS = ["add", "mul", "maxnumf", "minnumf", "maximumf", "minimumf"]
INTEGER_KINDS = ["add", "mul", "maxsi", "minsi", "maxui", "minui", "and", "or", "xor"]
LENGTHS = [1, 7, 8, 33]
FLOAT_CASES = [
    ("add", ""),
    ("add", "nnan,contract"),
    ("add", "reassoc"),
    ("add", "fast"),
    ("mul", ""),
    ("mul", "reassoc"),
    ("maxnumf", ""),
    ("minnumf", ""),
    ("maximumf", "reassoc"),
    ("minimumf", ""),
]


def values(shape: Sequence[int], dtype: str, *seed: object) -> Array:
    count = int(np.prod(shape))
    return inputs(count, dtype, *seed)[:, :64].reshape(*shape, -1)


def lowered(text: str, chip: str) -> tuple[Any, str]:
    """The module after dispatch, and the variant that was chosen for its one reduction."""
    module = parse(text, chip)
    (decision,) = dispatch(module).decisions
    assert decision.chosen is not None, decision.text()
    return module, decision.chosen


def run(module: Any, source: Array, old: Array) -> Array:
    destination = old.copy()
    run_function(module, "kernel", [source.copy(), destination], batch_axes=1)
    return destination


def assert_same(got: Array, expected: Array, dtype: str) -> None:
    wrong = bits(got, dtype) != bits(expected, dtype)
    assert not wrong.any(), f"{got[wrong]} should be {expected[wrong]}"


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("accumulate", [False, True], ids=["fresh", "accumulate"])
@pytest.mark.parametrize(("kind", "flags"), FLOAT_CASES)
def test_vector_reduction(kind: str, flags: str, accumulate: bool, chip: str):
    is_any = flags in ("reassoc", "fast")
    for length in LENGTHS:
        text = vector_reduction(kind, length, "f32", flags=flags, accumulate=accumulate)
        source = values([length], "f32", kind, length)
        old = values([1], "f32", "old")[:, : source.shape[-1]]
        old = np.resize(old, (1, source.shape[-1]))
        module, _ = lowered(text, chip)
        got = run(module, source, old)
        expected = numpy_reference.reduce(
            kind,
            [source],
            [0],
            rank=1,
            order="tree" if is_any else "sequential",
            old=old[0] if accumulate else None,
        )
        assert_same(got[0], expected, "f32")
        if not is_any or kind not in ("add", "mul"):
            # The interpreter runs the op itself in order.
            assert_same(got, run(parse(text), source, old), "f32")


@pytest.mark.parametrize("dtype", ["i8", "i16", "i32", "i64"])
@pytest.mark.parametrize("kind", INTEGER_KINDS)
def test_vector_reduction_of_integers(kind: str, dtype: str):
    for length in (1, 2, 9):
        text = vector_reduction(kind, length, dtype, accumulate=True)
        source = values([length], dtype, kind, length)
        old = np.resize(values([1], dtype, "old"), (1, source.shape[-1]))
        module, variant = lowered(text, "sm_100a")
        got = run(module, source, old)
        assert_same(got, run(parse(text), source, old), dtype)
        in_pairs = dtype == "i16" and length == 9 and kind != "mul"
        assert variant == ("packed_16bit" if in_pairs else "local")


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f64"])
@pytest.mark.parametrize("kind", FLOAT_KINDS)
def test_vector_reduction_of_other_floats(kind: str, dtype: str):
    text = vector_reduction(kind, 9, dtype, accumulate=True)
    source = values([9], dtype, kind)
    old = np.resize(values([1], dtype, "old"), (1, source.shape[-1]))
    module, _ = lowered(text, "sm_100a")
    assert_same(run(module, source, old), run(parse(text), source, old), dtype)


@pytest.mark.parametrize("kind", ["add", "maximumf"])
@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ([9], [0]),
        ([3], []),
        ([4, 8], [0]),
        ([4, 8], [1]),
        ([4, 8], [0, 1]),
        ([3, 4, 5], [0, 2]),
        ([2, 3, 4], [1]),
        ([2, 3, 4], [2, 0]),
    ],
)
def test_vector_multi_reduction(shape: list[int], axes: list[int], kind: str):
    source = values(shape, "f32", kind, axes)
    kept = [n for axis, n in enumerate(shape) if axis not in axes]
    batch = source.shape[-1]
    old = np.resize(values([1], "f32", "old"), (*kept, batch))
    module, _ = lowered(multi_reduction(kind, shape, axes, "f32"), "sm_100a")
    expected = numpy_reference.reduce(
        kind,
        [source],
        axes,
        rank=len(shape),
        order="sequential",
        old=old if axes else None,
    )
    assert_same(run(module, source, old), expected.reshape(old.shape), "f32")


@pytest.mark.parametrize(
    ("body", "kind", "order"),
    [
        ("%r = arith.addf %in, %out : f32", "add", "sequential"),
        ("%r = arith.addf %in, %out fastmath<reassoc> : f32", "add", "tree"),
        ("%r = arith.mulf %out, %in : f32", "mul", "sequential"),
        ("%r = arith.maximumf %in, %out : f32", "maximumf", "sequential"),
        ("%r = arith.minnumf %in, %out : f32", "minnumf", "sequential"),
    ],
)
@pytest.mark.parametrize(
    ("shape", "axes"), [([9], [0]), ([4, 8], [0]), ([4, 8], [1]), ([3, 4, 5], [0, 2])]
)
def test_linalg_reduce(
    shape: list[int], axes: list[int], body: str, kind: str, order: str
):
    source = values(shape, "f32", kind, axes)
    kept = [n for axis, n in enumerate(shape) if axis not in axes]
    old = np.resize(values([1], "f32", "old"), (*kept, source.shape[-1]))
    module, _ = lowered(linalg_reduce(body, shape, axes, "f32"), "sm_100a")
    expected = numpy_reference.reduce(
        kind, [source], axes, rank=len(shape), order=order, old=old
    )
    assert_same(run(module, source, old), expected.reshape(old.shape), "f32")
