"""The Python API, as other compilers call it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from xdsl.utils.exceptions import DiagnosticException

import xdsl_packed
from xdsl_packed import (
    CompiledKernel,
    compile_reduction,
    dispatch,
    explain,
    lower,
    parse_text,
    reduction_module,
)
from xdsl_packed.backend.ptx_target import print_ptx

TWO = """
func.func @two(%p: memref<8xf32, 1>, %q: memref<1xf32, 1>) attributes {gpu.kernel} {
  %a = memref.alloca() : memref<8xf32, 5>
  %b = memref.alloca() : memref<1xf32, 5>
  "memref.copy"(%p, %a) : (memref<8xf32, 1>, memref<8xf32, 5>) -> ()
  tile.reduce <add> %a into %b : memref<8xf32, 5>, memref<1xf32, 5>
  tile.reduce <add> %a into %b accumulate : memref<8xf32, 5>, memref<1xf32, 5>
  "memref.copy"(%b, %q) : (memref<1xf32, 5>, memref<1xf32, 1>) -> ()
  func.return
}
"""


def test_a_compiled_kernel():
    kernel = compile_reduction("sum", (32,), ftz=True)
    assert isinstance(kernel, CompiledKernel)
    assert kernel.entry == "add_f32_32_ftz"
    assert kernel.variant == "sm100_packed"
    assert f".entry {kernel.entry}(" in kernel.ptx
    assert print_ptx(kernel.module) == kernel.ptx
    (decision,) = kernel.report.decisions
    assert decision.chosen == kernel.variant
    assert kernel.assemble().startswith(b"\x7fELF")
    counts = kernel.machine_code().opcode_counts()
    assert (counts["FADD2"], counts["FADD"]) == (15, 1)


@pytest.mark.parametrize(
    ("alias", "kind"), [("sum", "add"), ("max", "maxnumf"), ("min", "minnumf")]
)
def test_aliases(alias: str, kind: str):
    assert compile_reduction(alias, [9]).ptx == compile_reduction(kind, [9]).ptx


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"accumulate": True, "ftz": True},
        {"order": "sequential"},
        {"kind": "maximumf", "shape": [3, 4, 5], "axes": [0, -1]},
        {"chip": "sm_90", "dtype": "bf16"},
        {"dtype": "i8", "kind": "minui"},
        {"align": 16, "accumulate": True},
        {"kind": "mul", "shape": [2, 3], "axes": []},
        {"kind": "dot", "accumulate": True},
        {"kind": "sumsq", "dtype": "bf16", "acc": "f32", "order": "any"},
        {"kind": "absmax", "shape": [4, 6], "axes": [0]},
        {"shape": [300], "out": "f32", "dtype": "f16", "acc": "f32"},
    ],
    ids=str,
)
def test_both_roads_print_one_text(options: dict[str, Any]):
    """Built straight on the pointers, or lowered pass by pass: the same PTX."""
    options = {"kind": "add", "shape": [37], "chip": "sm_100a", **options}
    kind, shape = options.pop("kind"), options.pop("shape")
    kernel = compile_reduction(kind, shape, **options)
    module = reduction_module(kind, shape, **options)
    report = lower(module, chip=options["chip"])
    assert report == kernel.report
    assert print_ptx(module) == kernel.ptx


def test_same_call_same_text():
    assert compile_reduction("add", [50]).ptx == compile_reduction("add", [50]).ptx


def test_lower_to_packed_and_to_ptx():
    _, module = parse_text(TWO)
    report = lower(module, chip="sm_100a", to="packed")
    assert [decision.chosen for decision in report.decisions] == ["sm100_packed"] * 2
    names = {op.name for op in module.walk()}
    assert "packed.add" in names
    assert "tile.reduce" not in names

    _, module = parse_text(TWO)
    lower(module, chip="sm_90", variant="local")
    assert "ptx.entry" in {op.name for op in module.walk()}


def test_lower_raises_and_leaves_the_module():
    _, module = parse_text(TWO)
    with pytest.raises(DiagnosticException, match="'sm100_packed' declines"):
        lower(module, chip="sm_90", variant="sm100_packed")
    assert sum(op.name == "tile.reduce" for op in module.walk()) == 2
    with pytest.raises(DiagnosticException, match="expected 'packed' or 'ptx'"):
        lower(module, chip="sm_90", to="llvm")  # pyright: ignore[reportArgumentType]


def test_explain_changes_nothing():
    module = reduction_module("add", [8], scope="cta")
    before = str(module)
    (decision,) = explain(module).decisions
    assert decision.chosen is None
    assert str(module) == before
    with pytest.raises(DiagnosticException, match="no variant takes it"):
        dispatch(module)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kind": "mean"}, "there is no kind 'mean': expected add, mul"),
        ({"shape": [-1]}, "extents are 0 or more"),
        ({"shape": [0]}, "axis 0 of extent 0"),
        ({"dtype": "float"}, "there is no element type 'float'"),
        ({"chip": "blackwell"}, "is not a known chip"),
        ({"ptx_version": "8.0"}, "8.6"),
        ({"axes": [1]}, "axis 1, out of range for rank 1"),
        ({"axes": [0, 0]}, "axis 0 twice"),
        ({"order": "tree-ish"}, "there is no order"),
        (
            {"kind": "max", "order": "lanes8"},
            "only float sums and products take an order",
        ),
        ({"dtype": "f64", "ftz": True}, "ftz flushes f32 subnormals"),
        ({"scope": "grid"}, "there is no scope 'grid': expected thread, warp"),
        ({"scope": "warp"}, "no variant takes it"),
        ({"variant": "fast"}, "variant 'fast'"),
        ({"align": 2}, "align is 2: expected a power of two of 4 bytes or more"),
        ({"dtype": "i1"}, "i1, whose add is xor: widen"),
        ({"shape": 8}, "shape is 8: expected a list of integers"),
        ({"shape": [8.0]}, "holds 8.0: expected integers"),
        ({"shape": [True]}, "holds True: expected integers"),
        ({"axes": 0}, "axes is 0: expected a list of integers"),
        ({"align": "16"}, "holds '16': expected integers"),
        ({"acc": "bf16"}, "has acc.bf16. on f32"),
        ({"dtype": "bf16", "acc": "f32", "out": "f64"}, "into f64"),
        ({"dtype": "i24"}, "there is no code for i24"),
    ],
    ids=str,
)
def test_every_wrong_argument_is_a_diagnostic(arguments: dict[str, Any], message: str):
    arguments = {"kind": "add", "shape": [8], **arguments}
    with pytest.raises(DiagnosticException, match=message):
        compile_reduction(arguments.pop("kind"), arguments.pop("shape"), **arguments)


def test_names_are_lazy():
    """`import xdsl_packed` imports neither xDSL nor numpy."""
    code = (
        "import sys, xdsl_packed; "
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'xdsl', 'numpy'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_public_names():
    assert dir(xdsl_packed) == sorted(xdsl_packed.__all__)
    for name in xdsl_packed.__all__:
        assert getattr(xdsl_packed, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        xdsl_packed.nothing
