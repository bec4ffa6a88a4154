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
    ("add", "tree"),
    ("maxnumf", None),
    ("minnumf", None),
    ("maximumf", None),
    ("minimumf", None),
]


def run(module: ModuleOp, name: str, arguments: Sequence[Array]) -> Array:
    """The last argument, the destination, after a run on all inputs at once."""
    *sources, destination = arguments
    result = destination.copy()
    run_function(module, name, [*sources, result], batch_axes=1)
    return result


def check(
    kind: str,
    shape: Sequence[int],
    *,
    axes: Sequence[int] | None = None,
    dtype: str = "f32",
    order: str | None = None,
    acc: str | None = None,
    out: str | None = None,
    **options: Any,
) -> str:
    """Compare the four; returns the variant that was chosen."""
    options |= {"axes": axes, "dtype": dtype, "order": order, "acc": acc, "out": out}
    kernel = compile_reduction(kind, shape, **options)
    sources = [
        side_by_side(kind, shape, dtype, number)
        for number in range(2 if kind == "dot" else 1)
    ]
    batch = sources[0].shape[-1]
    destination = kernel.reduction.destination
    old = destinations(
        kernel.reduction.destination_shape, destination.element_type, batch
    )
    expected = meaning(kind, sources, old, shape, options)

    tile = reduction_module(kind, shape, **options)
    packed = tile.clone()
    dispatch(packed)
    roads = {"tile": tile, "packed": packed, "ptx": kernel.module}
    for stage, module in roads.items():
        got = run(module, kernel.entry, [*sources, old])
        name = destination.element_type
        wrong = bits(got, name) != bits(expected, name)
        assert not wrong.any(), (
            f"{stage}: {kind} {list(shape)} {options}: {got[wrong]} "
            f"should be {expected[wrong]}"
        )
    return kernel.variant


def side_by_side(kind: str, shape: Sequence[int], dtype: str, number: int) -> Array:
    source = inputs(int(np.prod(shape)), dtype, kind, number)
    if number:
        source = np.roll(source, number, axis=1)
    return source.reshape(*shape, source.shape[1])


def destinations(shape: Sequence[int], dtype: str, batch: int) -> Array:
    count = int(np.prod(shape))
    old = np.resize(inputs(count, dtype, "old").T, (batch, count)).T
    return np.ascontiguousarray(old).reshape(*shape, batch)


def meaning(
    kind: str,
    sources: Sequence[Array],
    old: Array,
    shape: Sequence[int],
    options: dict[str, Any],
) -> Array:
    """What numpy says: widened, folded in the accumulation type, and rounded."""
    dtype, rank, axes = options["dtype"], len(shape), options["axes"]
    acc = options["acc"] or dtype
    out = options["out"] or acc
    reduced = range(rank) if axes is None else [axis % rank for axis in axes]
    kept = [n for axis, n in enumerate(shape) if axis not in reduced]
    before = numpy_reference.converted(old, out, acc, kind).reshape(
        *kept, old.shape[-1]
    )
    result = numpy_reference.reduce(
        kind,
        [numpy_reference.converted(source, dtype, acc, kind) for source in sources],
        list(reduced),
        rank=rank,
        dtype=acc,
        order=options["order"] or "lanes8",
        ftz=options.get("ftz", False),
        old=before if options.get("accumulate") else None,
    )
    return numpy_reference.converted(result, acc, out).reshape(old.shape)


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
        assert variant == expected_variant(kind, order, length, chip)


def expected_variant(kind: str, order: str | None, length: int, chip: str) -> str:
    if chip != "sm_100a" or order == "sequential":
        return "local"
    if order != "lanes8":
        return "packed_tree" if length >= 3 else "local"
    return "sm100_packed" if length >= 8 else "local"
