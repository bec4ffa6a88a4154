"""What is folded computes the same bits as before, in whatever shape it was written."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects import vector
from xdsl.dialects.builtin import ModuleOp

from tests.unit.semantics.inputs import Array, bits, generator, inputs
from tests.unit.transforms.lowering import run
from xdsl_packed.interpreters import run_function

LENGTH = 9


def kernel(combinations: str, result: str) -> str:
    """`@f(source, old, result)` around ops on the elements %x0 ... and %old."""
    source, scalar = f"memref<{LENGTH}xf32, 1>", "memref<1xf32, 1>"
    extracts = "\n  ".join(
        f"%x{i} = vector.extract %v[{i}] : f32 from vector<{LENGTH}xf32>"
        for i in range(LENGTH)
    )
    return f"""
func.func @f(%a: {source}, %b: {scalar}, %c: {scalar}) {{
  %c0 = arith.constant 0 : index
  %v = vector.load %a[%c0] : {source}, vector<{LENGTH}xf32>
  %old = memref.load %b[%c0] : {scalar}
  {extracts}
{combinations}
  memref.store {result}, %c[%c0] : {scalar}
  func.return
}}"""


def tree(op: str, flags: str, seed: int, *, accumulate: bool) -> str:
    """All elements combined, two random values at a time."""
    random = generator("tree", seed)
    fastmath = f" fastmath<{flags}>" if flags else ""
    lines: list[str] = []
    values = [f"%x{i}" for i in range(LENGTH)] + ["%old"] * accumulate
    while len(values) > 1:
        a, b = (values.pop(random.integers(len(values))) for _ in range(2))
        values.append(f"%t{len(lines)}")
        lines.append(f"  {values[-1]} = {op} {a}, {b}{fastmath} : f32")
    return kernel("\n".join(lines), values[0])


def in_order(op: str, *, accumulate: bool) -> str:
    """The value so far with the next element, on either side, %old first."""
    random = generator("in order", op)
    running, *rest = ["%old"] * accumulate + [f"%x{i}" for i in range(LENGTH)]
    lines: list[str] = []
    for number, value in enumerate(rest):
        a, b = (running, value) if random.integers(2) else (value, running)
        running = f"%s{number}"
        lines.append(f"  {running} = {op} {a}, {b} : f32")
    return kernel("\n".join(lines), running)


def reductions(module: ModuleOp) -> int:
    return sum(isinstance(op, vector.ReductionOp) for op in module.walk())


def result(module: ModuleOp) -> Array:
    source = inputs(LENGTH, "f32", "fold")
    batch = source.shape[1]
    old = np.resize(inputs(1, "f32", "old"), (1, batch))
    result = np.zeros((1, batch), np.float32)
    run_function(module, "f", [source, old, result], batch_axes=1)
    return bits(result, "f32")


@pytest.mark.parametrize("accumulate", [False, True], ids=["fresh", "accumulate"])
@pytest.mark.parametrize(
    "op", ["arith.maxnumf", "arith.minnumf", "arith.maximumf", "arith.minimumf"]
)
def test_every_tree_of_max_and_min_is_folded(op: str, accumulate: bool):
    for seed in range(4):
        text = tree(op, "", seed, accumulate=accumulate)
        folded = run(text, "fold-reduction-chains")
        assert reductions(folded) == 1
        np.testing.assert_array_equal(result(folded), result(run(text, "")))


@pytest.mark.parametrize("op", ["arith.addf", "arith.mulf"])
def test_a_tree_of_sums_is_folded_with_reassoc_alone(op: str):
    for seed in range(4):
        assert reductions(
            run(tree(op, "reassoc", seed, accumulate=True), "fold-reduction-chains")
        )
        strict = tree(op, "nnan,contract", seed, accumulate=True)
        assert not reductions(run(strict, "fold-reduction-chains"))


@pytest.mark.parametrize("accumulate", [False, True], ids=["fresh", "accumulate"])
@pytest.mark.parametrize("op", ["arith.addf", "arith.mulf"])
def test_a_sum_in_order_keeps_its_bits(op: str, accumulate: bool):
    text = in_order(op, accumulate=accumulate)
    folded = run(text, "fold-reduction-chains")
    assert reductions(folded) == 1
    np.testing.assert_array_equal(result(folded), result(run(text, "")))
