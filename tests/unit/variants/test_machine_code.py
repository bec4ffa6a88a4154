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
@pytest.mark.parametrize("order", ["lanes8", "sequential", "tree"])
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


SHORT_LENGTHS = [8, 9, 12, 15, 16, 31, 32, 33, 63, 64, 100]
PAIRED_CHIPS = ["sm_90", "sm_100a", "sm_120a"]


@pytest.mark.parametrize("chip", PAIRED_CHIPS)
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("order", ["lanes8", "tree"])
def test_packed_sums_of_halves(order: str, dtype: str, chip: str):
    """One HADD2, or HFMA2 by one, a step: n/2 for even n in tree order."""
    kernels = [
        compile_reduction("add", [n], dtype=dtype, order=order, chip=chip, align=16)
        for n in SHORT_LENGTHS
    ]
    for kernel, code in zip(kernels, machine_codes(kernels)):
        length, counts = kernel.reduction.length, code.opcode_counts()
        steps = len(fold_of_order(Order(order), length).steps)
        assert kernel.variant == "packed_16bit"
        assert counts["HADD2"] + counts["HFMA2"] == steps, code.entry
        assert code.arithmetic_count == steps, code.entry
        # An odd value that joins one lane of a pair is a merge of registers.
        assert counts.get("PRMT", 0) <= length % 8, code.entry
        if order == "tree":
            assert steps == 1 + (length - 1) // 2


@pytest.mark.parametrize("chip", PAIRED_CHIPS)
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("kind", ["maxnumf", "minnumf", "maximumf", "minimumf"])
def test_packed_max_and_min_of_halves(kind: str, dtype: str, chip: str):
    """Threes of pairs in one VHMNMX, then the two lanes, with the odd value if there is one."""
    kernels = [
        compile_reduction(kind, [n], dtype=dtype, chip=chip, align=16)
        for n in SHORT_LENGTHS
    ]
    for kernel, code in zip(kernels, machine_codes(kernels)):
        length, counts = kernel.reduction.length, code.opcode_counts()
        assert kernel.variant == "packed_16bit"
        assert code.moves == 0, code.entry
        if chip == "sm_120a":
            assert counts["HMNMX2"] == code.arithmetic_count == length // 2 + length % 2
            continue
        assert code.arithmetic_count == three_input_steps(length), code.entry
        two_inputs = (length // 2 % 2 == 0) + (length % 2 == 0)
        assert counts.get("HMNMX2", 0) == two_inputs, code.entry
        assert counts["VHMNMX"] == code.arithmetic_count - two_inputs, code.entry


def three_input_steps(length: int) -> int:
    """For the pairs, three at a time, and one for the lanes of the last pair."""
    return length // 4 + 1


@pytest.mark.parametrize("chip", ["sm_90", "sm_100a"])
@pytest.mark.parametrize("kind", ["maxsi", "minsi", "maxui", "minui"])
def test_packed_max_and_min_of_i16(kind: str, chip: str):
    """The same by VIMNMX3 and VIMNMX, and one PRMT for the upper lane."""
    kernels = [
        compile_reduction(kind, [n], dtype="i16", chip=chip, align=16)
        for n in SHORT_LENGTHS
    ]
    for kernel, code in zip(kernels, machine_codes(kernels)):
        length, counts = kernel.reduction.length, code.opcode_counts()
        two_inputs = (length // 2 % 2 == 0) + (length % 2 == 0)
        assert kernel.variant == "packed_16bit"
        assert code.arithmetic_count == three_input_steps(length), code.entry
        assert counts.get("VIMNMX", 0) == two_inputs, code.entry
        assert counts["VIMNMX3"] == code.arithmetic_count - two_inputs, code.entry
        assert counts.get("PRMT", 0) == 1, code.entry


@pytest.mark.parametrize("chip", PAIRED_CHIPS)
def test_packed_sums_of_i16(chip: str):
    """One 16x2 add for two values; the lanes of the last pair, and an odd value, in an IADD3."""
    kernels = [
        compile_reduction("add", [n], dtype="i16", chip=chip, align=16)
        for n in SHORT_LENGTHS
    ]
    for kernel, code in zip(kernels, machine_codes(kernels)):
        assert kernel.variant == "packed_16bit"
        assert code.arithmetic_count <= kernel.reduction.length // 2, code.entry


MIXED_LENGTHS = [8, 9, 16, 31, 32, 64]


@pytest.mark.parametrize("chip", ["sm_100a", "sm_120a"])
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("order", ["sequential", "lanes8", "tree"])
def test_halves_are_added_to_f32_as_they_are(order: str, dtype: str, chip: str):
    """An FHADD widens and adds; the values that are left are widened by themselves."""
    kernels = [
        compile_reduction(
            "add", [n], dtype=dtype, acc="f32", order=order, chip=chip, align=16
        )
        for n in MIXED_LENGTHS
    ]
    for length, code in zip(MIXED_LENGTHS, machine_codes(kernels)):
        fold = fold_of_order(Order(order), length)
        counts = code.opcode_counts()
        adds = counts.get("FADD", 0) + 2 * counts.get("FADD2", 0)
        absorbed = length - 1 - adds
        assert absorbed >= absorbed_terms(fold, length), code.entry
        # HADD2 widens a f16, and an FHADD by -0.0 a bf16.
        is_bf16 = dtype == "bf16"
        assert counts["FHADD"] == (length if is_bf16 else absorbed), code.entry
        assert counts.get("HADD2", 0) == (0 if is_bf16 else length - absorbed)
        assert code.arithmetic_count == length + adds - counts.get("FADD2", 0)


def absorbed_terms(fold: Fold, terms: int) -> int:
    """How many lanes take a term: all second operands of their step are, or all first ones."""
    return sum(
        len(step)
        for step in fold.steps
        if any(all(lane[operand] < terms for lane in step) for operand in (0, 1))
    )
