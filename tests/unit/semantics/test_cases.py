"""Small inputs that broke other compilers' reductions (cases.json), on every chip."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.utils.exceptions import DiagnosticException

from tests.unit.semantics.inputs import Array, as_type
from xdsl_packed import compile_reduction
from xdsl_packed.interpreters import run_function

CASES: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("cases.json").read_text()
)["cases"]
BY_ID = {case["id"]: case for case in CASES}

DIAGNOSED = {
    "dt-04": "i1, whose add is xor: widen",
    "dt-07": "index has no fixed width",
    "dt-08": "kind <maximumf> on i32",
    "len-05": "axis 0 of extent 0",
    "acc-03": "scope is warp, expected thread",
    "arch-02": "scope is warp, expected thread",
    "warp-02": "scope is warp, expected thread",
}
"""What the one diagnostic says, for the cases that are refused."""

ELSEWHERE = {
    "shape-01": "vector.reduction of rank 2: tests of the entrance",
    "shape-04": "a dynamic shape: tests/filecheck/dialects/tile/invalid.mlir",
    "shape-05": "test_axis_minus_one",
    "shape-07": "vector.mask: tests of the entrance",
    "len-07": "values used after the reduction: entrances/test_contexts.py",
    "fuse-01": "sums of products: entrances/test_contexts.py",
}
"""Cases that are not one tile.reduce with one expected number."""

GENERATED: dict[str, Callable[[list[int]], Any]] = {
    "all ones": np.ones,
    "vector<f32> holding 2.5": lambda shape: np.full(shape, 2.5),
}

COMPUTED = [case["id"] for case in CASES if case["id"] not in DIAGNOSED | ELSEWHERE]


def kernel_options(case: dict[str, Any], chip: str) -> dict[str, Any]:
    kind, dtype = case["op"].split()[0], case["dtype"]
    shape = case["shape"] if case["scope"] == "thread" else [32]
    is_ordered = kind == "add" and dtype in ("f32", "bf16")
    order = "sequential" if is_ordered and case["fastmath"] == "none" else None
    return {
        "kind": kind,
        "shape": shape,
        "dtype": dtype,
        "order": order,
        "scope": case["scope"],
        "accumulate": case["acc"] is not None,
        "ftz": case["ftz"],
        "chip": chip,
    }


def numbers(values: Any, dtype: str) -> Array:
    if dtype.startswith("i"):
        return as_type(np.array(values), dtype)
    return as_type(np.array(values, dtype=np.float64), dtype)


def source_of(case: dict[str, Any]) -> Array:
    given = case["input"]
    if isinstance(given, dict):
        given = GENERATED[given["gen"]](case["shape"])
    return numbers(given, case["dtype"])


def test_every_case_is_accounted_for():
    assert set(BY_ID) == set(COMPUTED) | set(DIAGNOSED) | set(ELSEWHERE)


@pytest.mark.parametrize("chip", ["sm_80", "sm_90", "sm_100a", "sm_120a"])
@pytest.mark.parametrize("name", COMPUTED)
def test_computed(name: str, chip: str):
    case = BY_ID[name]
    options = kernel_options(case, chip)
    kernel = compile_reduction(options.pop("kind"), options.pop("shape"), **options)
    dtype = case["dtype"]
    source = source_of(case)
    result = np.zeros(kernel.reduction.destination_shape, source.dtype)
    if case["acc"] is not None:
        result[...] = numbers(case["acc"], dtype)
    run_function(kernel.module, kernel.entry, [source, result])

    accepted = [case["expected"], *case["also_acceptable"]]
    wanted = [numbers(value, dtype).tobytes() for value in accepted]
    got = result.reshape(-1)[0]
    if "nan" in accepted and np.isnan(got):
        return
    assert got.tobytes() in wanted, f"{got} should be one of {accepted}"
    if "expected_bits" in case and not case["also_acceptable"]:
        assert f"0x{int(got.view(np.uint32)):08x}" == case["expected_bits"]
    if case["dispatch"] == "fast-must-decline":
        assert kernel.variant in order_keeping_variants(case)


def order_keeping_variants(case: dict[str, Any]) -> set[str]:
    """
    Who may take what the seed's fast path must not.

    Scalar code, unrolled or in a loop; and a max of any length, which has no order to keep.
    """
    scalar = {"local", "chunked"}
    return scalar if case["op"].startswith("add") else scalar | {"packed_tree"}


@pytest.mark.parametrize("name", DIAGNOSED)
def test_diagnosed(name: str):
    options = kernel_options(BY_ID[name], "sm_100a")
    with pytest.raises(DiagnosticException, match=DIAGNOSED[name]):
        compile_reduction(options.pop("kind"), options.pop("shape"), **options)


def test_axis_minus_one():
    case = BY_ID["shape-05"]
    kernel = compile_reduction("maxnumf", case["shape"], axes=[-1])
    result = np.zeros(2, np.float32)
    run_function(kernel.module, kernel.entry, [source_of(case), result])
    assert result.tolist() == case["expected"]


@pytest.mark.parametrize("kind", ["maximumf", "minimumf", "maxnumf", "minnumf"])
@pytest.mark.parametrize("chip", ["sm_90", "sm_100a"])
def test_one_other_zero_at_every_place(kind: str, chip: str):
    """zero-01 and zero-03: -0.0 is below +0.0 wherever they stand."""
    zero = 0.0 if kind.startswith("max") else -0.0
    kernel = compile_reduction(kind, [8], chip=chip)
    for place in range(8):
        source = np.full(8, -zero, np.float32)
        source[place] = zero
        result = np.ones(1, np.float32)
        run_function(kernel.module, kernel.entry, [source, result])
        assert result[0] == 0
        assert np.signbit(result[0]) == np.signbit(zero)


@pytest.mark.parametrize("kind", ["add", "maxnumf", "maximumf"])
def test_one_element_is_a_copy(kind: str):
    """len-03: no arithmetic, no seed, and a signalling NaN keeps its payload."""
    kernel = compile_reduction(kind, [1], ftz=True)
    for raw in (0x80000000, 0x7F800001, 0x00000001):
        source = np.array([raw], np.uint32).view(np.float32)
        result = np.zeros(1, np.float32)
        run_function(kernel.module, kernel.entry, [source, result])
        assert result.view(np.uint32)[0] == raw


@pytest.mark.parametrize("order", ["lanes8", "sequential"])
@pytest.mark.parametrize("dtype", ["f64", "i64"])
def test_distinct_powers_of_two(dtype: str, order: str):
    """len-01: the bits of the sum name the lost element; exact in every order."""
    for length in range(1, 53):
        given = None if dtype == "i64" else order
        kernel = compile_reduction("add", [length], dtype=dtype, order=given)
        source = as_type(2.0 ** np.arange(length), dtype)
        result = np.zeros(1, source.dtype)
        run_function(kernel.module, kernel.entry, [source, result])
        assert int(result[0]) == 2**length - 1
