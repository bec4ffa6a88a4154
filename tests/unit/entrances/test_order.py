"""No variant may reorder a float sum or product that does not allow it."""

from __future__ import annotations

import pytest

from tests.unit.entrances.modules import parse, vector_reduction
from xdsl_packed.orders import Order, fold_of_order
from xdsl_packed.transforms.tile_dispatch import decide_all
from xdsl_packed.variants import VARIANTS

STRICT = "nnan,ninf,nsz,arcp,contract,afn"
"""Every flag but reassoc."""


@pytest.mark.parametrize("chip", ["sm_90", "sm_100a"])
@pytest.mark.parametrize("accumulate", [False, True], ids=["fresh", "accumulate"])
@pytest.mark.parametrize("kind", ["add", "mul"])
@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64"])
def test_a_sum_without_reassoc_keeps_its_order(
    element: str, kind: str, accumulate: bool, chip: str
):
    for length in (1, 7, 8, 9, 32, 100):
        text = vector_reduction(
            kind, length, element, flags=STRICT, accumulate=accumulate
        )
        module = parse(text, chip)
        for variant in VARIANTS:
            for each in decide_all(module, variants=[variant]):
                if each.choice is None or each.choice.plan is None:
                    continue
                ordered = fold_of_order(Order.SEQUENTIAL, length, accumulate)
                assert each.choice.plan.fold.expressions() == ordered.expressions(), (
                    f"{variant.name} reorders {length} elements"
                )


@pytest.mark.parametrize("kind", ["add", "mul"])
def test_with_reassoc_the_order_is_named_in_the_report(kind: str):
    module = parse(vector_reduction(kind, 32, "f32", flags="reassoc"), "sm_90")
    (each,) = decide_all(module)
    assert each.entry is not None
    assert each.entry.reduction.order is Order.TREE
