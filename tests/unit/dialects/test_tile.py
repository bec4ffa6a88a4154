"""tile.reduce and tile.dot: whatever is built is printed, parsed and verified as the same."""

from __future__ import annotations

from io import StringIO
from itertools import combinations
from math import prod
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.printer import Printer

from xdsl_packed import parse_text, reduction_module
from xdsl_packed.dialects.tile import TileReductionOp, axes_that_fit, fits
from xdsl_packed.frontend import verify
from xdsl_packed.orders import Order
from xdsl_packed.reduction import FLOAT_TYPES, Kind, Scope, takes_order

SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple)
TYPES = ("f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64")


@st.composite
def reductions(draw: st.DrawFn) -> tuple[str, tuple[int, ...], dict[str, Any]]:
    """The arguments of a reduction that verifies."""
    dtype = draw(st.sampled_from(TYPES))
    is_float = dtype in FLOAT_TYPES
    kinds = [k for k in Kind if (k.takes_float if is_float else k.takes_integer)]
    kind = draw(st.sampled_from(kinds))
    shape = draw(SHAPES)
    axes = draw(st.lists(st.integers(0, len(shape) - 1), unique=True))
    signed = [axis - len(shape) if draw(st.booleans()) else axis for axis in axes]
    options: dict[str, Any] = {
        "axes": signed,
        "dtype": dtype,
        "accumulate": draw(st.booleans()),
        "scope": draw(st.sampled_from(Scope)).value,
        "ftz": dtype == "f32" and draw(st.booleans()),
        "variant": draw(st.sampled_from([None, "local", "any name"])),
    }
    if takes_order(kind, dtype):
        orders = [None, *(order.value for order in Order)]
        options["order"] = draw(st.sampled_from(orders))
    if dtype in ("f16", "bf16"):
        options["acc"] = draw(st.sampled_from([None, "f32"]))
    return kind.value, shape, options


@given(reductions(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_round_trip(
    arguments: tuple[str, tuple[int, ...], dict[str, Any]], is_generic: bool
):
    kind, shape, options = arguments
    module = reduction_module(kind, shape, **options)
    verify(module)
    text = StringIO()
    Printer(text, print_generic_format=is_generic).print_op(module)
    _, again = parse_text(text.getvalue())
    verify(again)
    assert module.is_structurally_equivalent(again)


@given(reductions())
@settings(max_examples=100, deadline=None)
def test_the_axes_are_read_as_they_are_meant(
    arguments: tuple[str, tuple[int, ...], dict[str, Any]],
):
    kind, shape, options = arguments
    module = reduction_module(kind, shape, **options)
    (op,) = [op for op in module.walk() if isinstance(op, TileReductionOp)]
    rank = len(shape)
    assert op.resolved_axes() == tuple(sorted(axis % rank for axis in options["axes"]))
    assert op.kind_name.value == kind


@given(SHAPES, SHAPES)
@settings(max_examples=200, deadline=None)
def test_axes_that_fit_are_all_that_fit(
    shape: tuple[int, ...], destination: tuple[int, ...]
):
    """Each set reduces other elements, and no other set that fits reduces others still."""
    found = axes_that_fit(shape, destination)
    assert all(fits(shape, destination, axes) for axes in found)
    reduced = [{a for a in axes if shape[a] != 1} for axes in found]
    assert all(one != other for one, other in combinations(reduced, 2))
    if prod(destination) == 1:
        assert found == (tuple(range(len(shape))),)
        return
    for count in range(len(shape) + 1):
        for axes in combinations(range(len(shape)), count):
            if fits(shape, destination, axes):
                assert {a for a in axes if shape[a] != 1} in reduced
