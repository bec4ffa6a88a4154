"""The normal form: which source elements make up which destination element."""

from dataclasses import replace

import numpy as np
import pytest

from xdsl_packed.orders import Order
from xdsl_packed.reduction import (
    Kind,
    Reduction,
    Scope,
    Storage,
    Tile,
    takes_order,
)
from xdsl_packed.target import GpuTarget

LOCAL_F32 = Tile("f32", Storage.LOCAL, 4)


def reduction(
    shape: tuple[int, ...], axes: tuple[int, ...], destination: tuple[int, ...]
) -> Reduction:
    return Reduction(
        kind=Kind.ADD,
        shape=shape,
        axes=axes,
        destination_shape=destination,
        source=LOCAL_F32,
        destination=LOCAL_F32,
        accumulation_type="f32",
        order=Order.LANES8,
        ftz=False,
        accumulate=False,
        scope=Scope.THREAD,
        target=GpuTarget.of("sm_100a"),
    )


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((4, 8), (0,)),
        ((4, 8), (1,)),
        ((3, 4, 5), (0, 2)),
        ((2, 3, 4), (2,)),
        ((2, 3, 4), (0,)),
        ((2, 3, 4), (0, 1, 2)),
        ((5,), ()),
        ((), ()),
    ],
)
def test_groups_are_numpy_s(shape: tuple[int, ...], axes: tuple[int, ...]):
    """Summing distinct powers of two tells which elements are in which group."""
    count = int(np.prod(shape))
    bits = np.array([1 << i for i in range(count)], dtype=object).reshape(shape)
    expected = bits.sum(axis=axes) if axes else bits
    kept = tuple(n for axis, n in enumerate(shape) if axis not in axes)
    groups = reduction(shape, axes, kept).groups
    got = [sum(1 << i for i in group) for group in groups]
    assert got == list(np.asarray(expected).reshape(-1))
    assert all(list(group) == sorted(group) for group in groups)


def test_it_is_hashable_and_compares_by_value():
    one, other = reduction((8,), (0,), (1,)), reduction((8,), (0,), (1,))
    assert one == other
    assert hash(one) == hash(other)
    assert one != replace(one, ftz=True)


def test_only_float_sums_and_products_take_an_order():
    taking = {
        (kind, element)
        for kind in Kind
        for element in ("f16", "bf16", "f32", "f64", "i8", "i32")
        if takes_order(kind, element)
    }
    assert taking == {
        (kind, element)
        for kind in (Kind.ADD, Kind.MUL, Kind.SUMSQ, Kind.DOT)
        for element in ("f16", "bf16", "f32", "f64")
    }


def test_any_is_resolved_once():
    named = replace(reduction((8,), (0,), (1,)), order=Order.ANY).with_order_resolved()
    assert named.order not in (None, Order.ANY)
