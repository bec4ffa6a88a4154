"""Which variant is chosen, and why the others decline: chip by chip."""

from __future__ import annotations

from typing import Any

import pytest

from xdsl_packed import compile_reduction, explain, reduction_module
from xdsl_packed.variants import VARIANTS

SUM: dict[str, Any] = {"kind": "add", "shape": [32]}
ANY: dict[str, Any] = {**SUM, "order": "any"}
MAX: dict[str, Any] = {"kind": "maximumf", "shape": [32]}
COLUMNS: dict[str, Any] = {
    "kind": "add",
    "shape": [4, 8],
    "axes": [0],
    "order": "sequential",
}
BF16: dict[str, Any] = {"kind": "add", "shape": [32], "dtype": "bf16"}
I16: dict[str, Any] = {"kind": "maxsi", "shape": [32], "dtype": "i16"}

CHOSEN: list[tuple[dict[str, Any], str, str]] = [
    # Native packed f32 and three-input max.
    (SUM, "sm_100a", "sm100_packed"),
    (ANY, "sm_100a", "packed_tree"),
    (MAX, "sm_100a", "packed_tree"),
    (COLUMNS, "sm_100a", "packed_columns"),
    (ANY, "sm_103f", "packed_tree"),
    (ANY, "sm_107", "packed_tree"),
    # Packed f32 is legal there, but two scalar adds; three-input max is native.
    (SUM, "sm_110", "local"),
    (ANY, "sm_110a", "local"),
    (MAX, "sm_110", "packed_tree"),
    (COLUMNS, "sm_110", "local"),
    # Neither is native.
    (SUM, "sm_120a", "local"),
    (ANY, "sm_121", "local"),
    (MAX, "sm_120", "local"),
    # Neither is legal.
    (SUM, "sm_90", "local"),
    (ANY, "sm_80", "local"),
    (MAX, "sm_90a", "local"),
    # Pairs of 16 bits.
    (BF16, "sm_90", "packed_16bit"),
    (BF16, "sm_80", "local"),
    (I16, "sm_90", "packed_16bit"),
    (I16, "sm_80", "local"),
    (I16, "sm_110", "local"),
]


@pytest.mark.parametrize(("reduction", "chip", "variant"), CHOSEN, ids=str)
def test_chosen(reduction: dict[str, Any], chip: str, variant: str):
    options = dict(reduction)
    kernel = compile_reduction(
        options.pop("kind"), options.pop("shape"), chip=chip, **options
    )
    assert kernel.variant == variant
    assert kernel.assemble()


def answers(chip: str, variant: str, **options: Any) -> dict[str, str]:
    """The reasons why `variant` declines, by predicate."""
    arguments: dict[str, Any] = {"kind": "add", "shape": [32], **options}
    module = reduction_module(
        arguments.pop("kind"), arguments.pop("shape"), chip=chip, **arguments
    )
    (decision,) = explain(module).decisions
    (verdict,) = [v for v in decision.verdicts if v.variant == variant]
    return {a.predicate: a.reason for a in verdict.answers if a.reason is not None}


def test_the_seed_s_gate_in_its_order():
    names = [
        predicate.name
        for variant in VARIANTS
        if variant.name == "sm100_packed"
        for predicate in variant.predicates
    ]
    assert names[:7] == [
        "exec_scope",
        "local_scope",
        "dst_len",
        "src_ndim",
        "dtype",
        "sm_version",
        "reduction_len",
    ]


REASONS: list[tuple[str, dict[str, Any], dict[str, str]]] = [
    ("sm_100a", {"scope": "cta"}, {"exec_scope": "scope is cta, expected thread"}),
    (
        "sm_100a",
        {"shape": [2, 16], "axes": [1]},
        {
            "dst_len": "destination has 2 elements, expected 1",
            "src_ndim": "source has rank 2, expected 1",
        },
    ),
    (
        "sm_100a",
        {"shape": [7]},
        {"reduction_len": "reduces 7 elements, expected 8 or more"},
    ),
    (
        "sm_100a",
        {"order": "sequential"},
        {"order": "order is sequential, expected lanes8"},
    ),
    (
        "sm_100a",
        {"kind": "mul"},
        {"kind": "kind is mul, expected add, maxnumf, minnumf, maximumf, minimumf"},
    ),
    (
        "sm_90",
        {},
        {
            "sm_version": "chip is sm_90, expected sm_100 or newer",
            "legal": "add.rn.f32x2 needs sm_100 or newer, the target is sm_90",
        },
    ),
    ("sm_120a", {}, {"native": "add.rn.f32x2 is legal but not native on sm_120a"}),
    (
        "sm_100a",
        {"kind": "max", "ptx_version": "8.6"},
        {"legal": "max.f32 3in needs PTX 8.8, the target says 8.6"},
    ),
]


@pytest.mark.parametrize(("chip", "options", "reasons"), REASONS, ids=str)
def test_why_the_seed_s_variant_declines(
    chip: str, options: dict[str, Any], reasons: dict[str, str]
):
    assert answers(chip, "sm100_packed", **options) == reasons


def test_what_is_only_emulated_can_be_asked_for_by_name():
    kernel = compile_reduction("add", [32], chip="sm_120a", variant="sm100_packed")
    assert kernel.variant == "sm100_packed"
    assert kernel.ptx.count("add.rn.f32x2") == 15
    text = kernel.report.text()
    assert "waived: add.rn.f32x2 is legal but not native on sm_120a" in text
    assert "legal but not native: add.rn.f32x2 is emulated on this chip" in text


def test_every_predicate_answers_every_reduction():
    """Also where others say no: none relies on one before it."""
    for chip in ("sm_75", "sm_90", "sm_100a", "sm_120a"):
        for dtype in ("f32", "f16", "bf16", "f64", "i1", "i8", "i16", "index"):
            for shape, axes in (([1], None), ([9], None), ([2, 3], [0]), ([2, 3], [])):
                for scope in ("thread", "warp"):
                    module = reduction_module(
                        "add", shape, axes=axes, dtype=dtype, chip=chip, scope=scope
                    )
                    (decision,) = explain(module).decisions
                    assert len(decision.verdicts) == len(VARIANTS)
                    for verdict, variant in zip(
                        decision.verdicts,
                        sorted(VARIANTS, key=lambda v: (-v.priority, v.name)),
                    ):
                        asked = [p.name for p in variant.predicates]
                        assert [
                            a.predicate for a in verdict.answers[: len(asked)]
                        ] == asked
