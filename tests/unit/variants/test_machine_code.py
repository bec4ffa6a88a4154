"""What the variants become: the instructions claimed, in the order that is meant."""

from __future__ import annotations

import pytest

from tests.unit.many_kernels import machine_codes
from xdsl_packed import compile_reduction
from xdsl_packed.backend.machine_code import Element, Expression, combine
from xdsl_packed.orders import Fold, Order, fold_of_order

LENGTHS = [*range(8, 34), 63, 64, 65, 100, 127, 128]
CHIPS = ["sm_80", "sm_90", "sm_100a", "sm_120a"]


def expression_of(fold: Fold, name: str, sources: int) -> Expression:
    """The one output of `fold` over the elements and the old destination, as an expression."""
    values: list[Expression] = [Element(0, i) for i in range(sources)]
    values.extend(Element(1, i) for i in range(fold.leaves - sources))
    for _, lane in fold.lanes():
        values.append(combine(name, *(values[number] for number in lane)))
    (output,) = fold.outputs
    return values[output]


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("order", ["lanes8", "sequential"])
def test_sums_keep_their_order(order: str, chip: str):
    """The machine code's expression is the order's fold, on every chip."""
    kernels = {
        (length, accumulate): compile_reduction(
            "add", [length], order=order, accumulate=accumulate, chip=chip
        )
        for length in (2, 7, *LENGTHS)
        for accumulate in (False, True)
    }
    for (length, accumulate), code in zip(kernels, machine_codes(kernels.values())):
        fold = fold_of_order(Order(order), length, accumulate)
        assert code.expression() == expression_of(fold, "add", length), code.entry


@pytest.mark.parametrize("ftz", [False, True], ids=["keep", "ftz"])
def test_packed_sum(ftz: bool):
    """4 FADD2 a further chunk and 3 at the end, one FADD for each of the rest and the last."""
    kernels = {
        (length, accumulate): compile_reduction(
            "add", [length], accumulate=accumulate, ftz=ftz, variant="sm100_packed"
        )
        for length in LENGTHS
        for accumulate in (False, True)
    }
    for (length, accumulate), code in zip(kernels, machine_codes(kernels.values())):
        counts = code.opcode_counts()
        assert counts["FADD2"] == 4 * (length // 8 - 1) + 3, code.entry
        assert counts["FADD"] == length % 8 + 1 + accumulate, code.entry
        assert code.arithmetic_count == counts["FADD2"] + counts["FADD"]
        assert code.spill_stores == code.spill_loads == 0
        fold = fold_of_order(Order.LANES8, length, accumulate)
        name = "add.ftz" if ftz else "add"
        assert code.expression() == expression_of(fold, name, length)


@pytest.mark.parametrize("kind", ["maxnumf", "minnumf", "maximumf", "minimumf"])
def test_packed_max_and_min(kind: str):
    """Four running values of pairs: FMNMX3 does the chunks, FMNMX the rest."""
    base = kind[:3] + (".nan" if "imum" in kind else "")
    kernels = [compile_reduction(kind, [n], variant="sm100_packed") for n in LENGTHS]
    for length, code in zip(LENGTHS, machine_codes(kernels)):
        leaves = combine(base, *(Element(0, i) for i in range(length)))
        assert code.expression() == leaves, code.entry
        counts = code.opcode_counts()
        assert counts["FMNMX3"] >= 4 * (length // 8 - 1) + 1, code.entry
        assert set(counts) & {"FADD", "FADD2", "FSEL", "FSETP"} == set()


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("kind", ["maxnumf", "minnumf", "maximumf", "minimumf"])
def test_local_max_and_min(kind: str, chip: str):
    base = kind[:3] + (".nan" if "imum" in kind else "")
    lengths = (2, 7, 8, 33)
    kernels = [
        compile_reduction(kind, [n], chip=chip, variant="local") for n in lengths
    ]
    for length, code in zip(lengths, machine_codes(kernels)):
        leaves = combine(base, *(Element(0, i) for i in range(length)))
        assert code.expression() == leaves, code.entry


OPCODES = {
    ("add", "f64", "sm_90"): {"DADD": 6},
    ("mul", "f64", "sm_90"): {"DMUL": 6},
    ("add", "f32", "sm_80"): {"FADD": 6},
    ("mul", "f32", "sm_100a"): {"FMUL": 6},
    ("maxsi", "i32", "sm_80"): {"IMNMX": 6},
    ("minui", "i32", "sm_90"): {"VIMNMX3": 3},
    ("xor", "i32", "sm_90"): {"LOP3": 3},
    ("and", "i64", "sm_90"): {"LOP3": 6},
    ("maxnumf", "f32", "sm_120a"): {"FMNMX": 6},
}
"""How often the opcode stands in the reduction of 7 elements."""


@pytest.mark.parametrize(("kind", "dtype", "chip"), OPCODES, ids=str)
def test_scalar_opcodes(kind: str, dtype: str, chip: str):
    kernel = compile_reduction(kind, [7], dtype=dtype, chip=chip)
    assert kernel.variant == "local"
    counts = kernel.machine_code().opcode_counts()
    for opcode, count in OPCODES[kind, dtype, chip].items():
        assert counts.get(opcode) == count, counts
