"""Orders as folds: what combines with what, written out and counted."""

import re

import pytest

from xdsl_packed.orders import (
    Fold,
    Order,
    fold_of_order,
    resolve,
    ternary_fold,
    three_input_fold,
)

NAMED = [order for order in Order if order is not Order.ANY]


def leaves_of_output(fold: Fold) -> list[int]:
    """The leaves that the output is made of, each as often as it takes part."""
    held = [[leaf] for leaf in range(fold.leaves)]
    for _, lane in fold.lanes():
        held.append([leaf for value in lane for leaf in held[value]])
    (output,) = fold.outputs
    return held[output]


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize("order", NAMED)
def test_every_element_takes_part_once(order: Order, accumulate: bool):
    for length in range(1, 131):
        fold = fold_of_order(order, length, accumulate)
        assert fold.leaves == length + accumulate
        assert sorted(leaves_of_output(fold)) == list(range(length + accumulate))


@pytest.mark.parametrize("accumulate", [False, True])
def test_three_input_fold_takes_every_element_once(accumulate: bool):
    for length in range(8, 131):
        fold = three_input_fold(length, accumulate)
        assert sorted(leaves_of_output(fold)) == list(range(length + accumulate))


def test_sequential_is_left_to_right_the_old_destination_first():
    assert fold_of_order(Order.SEQUENTIAL, 4).expressions() == ("(((x0+x1)+x2)+x3)",)
    accumulating = fold_of_order(Order.SEQUENTIAL, 3, True)
    assert accumulating.expressions() == ("(((x3+x0)+x1)+x2)",)


def test_one_element_is_a_copy():
    for order in NAMED:
        assert fold_of_order(order, 1) == Fold(1, (), (0,))


def test_lanes8_below_eight_is_sequential():
    for length in range(1, 8):
        for accumulate in (False, True):
            assert fold_of_order(Order.LANES8, length, accumulate) == fold_of_order(
                Order.SEQUENTIAL, length, accumulate
            )


def test_lanes8_collapses_eight_to_one():
    assert fold_of_order(Order.LANES8, 8).expressions() == (
        "(((x0+x2)+(x4+x6))+((x1+x3)+(x5+x7)))",
    )


def test_lanes8_chunk_rest_and_old_destination():
    (text,) = fold_of_order(Order.LANES8, 18, True).expressions()
    lane0 = "((((x0+x18)+x8)+x16)+x17)"
    even = f"(({lane0}+(x2+x10))+((x4+x12)+(x6+x14)))"
    odd = "(((x1+x9)+(x3+x11))+((x5+x13)+(x7+x15)))"
    assert text == f"({even}+{odd})"


def test_three_input_fold_of_nine():
    (text,) = three_input_fold(9, True).expressions()
    assert text == "((((x0+x1+x9)+x8)+(x2+x3))+(x4+x5)+(x6+x7))"


@pytest.mark.parametrize("length", [8, 16, 17, 32, 100])
def test_packed_steps_of_lanes8(length: int):
    fold = fold_of_order(Order.LANES8, length)
    two_lanes = sum(len(step) == 2 for step in fold.steps)
    assert two_lanes == 4 * (length // 8 - 1) + 3
    assert len(fold.steps) - two_lanes == length % 8 + 1


def test_a_fold_of_ten_thousand_needs_no_recursion():
    assert fold_of_order(Order.SEQUENTIAL, 10_000).depth() == 9_999


def test_any_is_resolved_to_a_named_order():
    for length in (1, 2, 256, 257, 10_000):
        assert resolve(Order.ANY, length) in NAMED
        for order in NAMED:
            assert resolve(order, length) is order


@pytest.mark.parametrize("accumulate", [False, True])
def test_tree_has_the_fewest_packed_adds_and_the_least_depth(accumulate: bool):
    for length in range(2, 257):
        count = length + accumulate
        fold = fold_of_order(Order.TREE, length, accumulate)
        assert len(fold.steps) == 1 + -(-(count - 2) // 2)
        assert fold.depth() == (count - 1).bit_length()


@pytest.mark.parametrize("accumulate", [False, True])
def test_ternary_fold_has_the_fewest_steps_and_the_least_depth(accumulate: bool):
    for length in range(2, 257):
        count = length + accumulate
        fold = ternary_fold(length, accumulate)
        assert sorted(leaves_of_output(fold)) == list(range(count))
        assert len(fold.steps) == -(-(count - 1) // 2)
        assert 3 ** (fold.depth() - 1) < count <= 3 ** fold.depth()
        assert sum(len(lane) == 2 for _, lane in fold.lanes()) <= 1


def test_tree_of_eleven():
    (text,) = fold_of_order(Order.TREE, 11).expressions()
    assert sorted(re.findall(r"x\d+", text)) == sorted(f"x{i}" for i in range(11))
