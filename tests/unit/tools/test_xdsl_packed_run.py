"""The runner: the same output at every stage, one message on every error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline
from xdsl.universe import Universe

from xdsl_packed.frontend import parse_text
from xdsl_packed.tools.xdsl_packed_run import main

KERNEL = """\
func.func @k(%a: memref<9xf32, 1 : i32>, %b: memref<1xf32, 1 : i32>) attributes {gpu.kernel} {
  %s = memref.alloca() : memref<9xf32, 5 : i32>
  %d = memref.alloca() : memref<1xf32, 5 : i32>
  "memref.copy"(%a, %s) : (memref<9xf32, 1 : i32>, memref<9xf32, 5 : i32>) -> ()
  tile.reduce <maximumf> %s into %d : memref<9xf32, 5 : i32>, memref<1xf32, 5 : i32>
  "memref.copy"(%d, %b) : (memref<1xf32, 5 : i32>, memref<1xf32, 1 : i32>) -> ()
  func.return
}
"""

ARGS = "dense<[1.0, 2.0, 3.0, 4.0, -0.5, 6.0, 7.0, 8.5, 0.1]> : tensor<9xf32>, dense<0.0> : tensor<1xf32>"
SOURCE = "[1.0, 2.0, 3.0, 4.0, -0.5, 6.0, 7.0, 8.5, 0.1]"

STAGES = (
    "",
    'ptx-set-target{chip="sm_100a"},tile-dispatch',
    'ptx-set-target{chip="sm_100a"},tile-dispatch,convert-to-ptx',
)

Run: TypeAlias = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the tool on a module: its exit code, standard output and standard error."""

    def run(text: str | bytes, *arguments: str) -> tuple[int, str, str]:
        path = tmp_path / "k.mlir"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        code = main([str(path), "--symbol", "k", "--verbose", *arguments])
        out, err = capsys.readouterr()
        return code, out, err.replace(str(path), "k.mlir")

    return run


def _at(stage: str) -> ModuleOp:
    ctx, module = parse_text(KERNEL)
    passes = Universe.get_multiverse().all_passes
    PassPipeline.parse_spec(passes, stage, None).apply(ctx, module)
    return module


class Test_output:
    @pytest.mark.parametrize("stage", STAGES)
    def test_is_the_same_at_every_stage(self, stage: str, run: Run):
        code, out, err = run(str(_at(stage)), "--args", ARGS)
        assert (code, err) == (0, "")
        assert out == (f"result: ()\nargument 0: {SOURCE}\nargument 1: [8.5]\n")

    @pytest.mark.parametrize("stage", STAGES)
    def test_bits(self, stage: str, run: Run):
        source = np.array([0x7F800001, *[0x3F800000] * 8], "<u4").tobytes().hex()
        arguments = f'dense<"0x{source}"> : tensor<9xf32>, dense<0.0> : tensor<1xf32>'
        _, out, _ = run(str(_at(stage)), "--bits", "--args", arguments)
        assert out.endswith("argument 1: [0x7fffffff]\n")

    def test_results_and_special_values(self, run: Run):
        code, out, err = run(
            "func.func @k(%a: bf16, %b: vector<2x2xf16>) -> (f32, f64, i1, bf16, "
            "vector<2x2xf16>) {\n"
            "  %nan = arith.constant 0x7FC00000 : f32\n"
            "  %zero = arith.constant -0.0 : f64\n"
            "  %true = arith.constant true\n"
            "  func.return %nan, %zero, %true, %a, %b : f32, f64, i1, bf16, "
            "vector<2x2xf16>\n}",
            "--args",
            '1.5 : bf16, dense<"0x003C007C00C0662E"> : vector<2x2xf16>',
        )
        assert (code, err) == (0, "")
        assert out == (
            "result: (nan, -0.0, true, 1.5, [[1.0, inf], [-2.0, 0.1]])\n"
            "argument 1: [[1.0, inf], [-2.0, 0.1]]\n"
        )

    def test_nothing_without_verbose(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ):
        path = tmp_path / "k.mlir"
        path.write_text(
            "func.func @main() -> i32 {\n  %c = arith.constant 1 : i32\n  func.return %c : i32\n}"
        )
        assert main([str(path)]) == 0
        assert capsys.readouterr() == ("", "")


ERRORS = {
    "": "k.mlir:1:1: error: the input is empty",
    b"\x7fELF\xff": "k.mlir:1:5: error: byte 0xff is not UTF-8: MLIR text is expected",
    "foo.bar": "k.mlir:1:1: error: Operation foo.bar is not registered",
    "func.func @f() {\n  func.return\n}": (
        "error: there is no function @k: the module has @f"
    ),
    "func.func @k(%a: i32) {\n  func.return\n}": (
        "k.mlir:1:1: error: 'func.func' @k takes 1 arguments, got 0"
    ),
    "func.func @k() -> i32 {\n  func.return\n}": (
        "k.mlir:2:3: error: 'func.return' does not verify: Expected arguments to have "
        "the same types as the function output types: expected [i32], got []"
    ),
    'func.func @k() {\n  "test.op"() : () -> ()\n  func.return\n}': (
        "k.mlir:2:3: error: 'test.op' cannot be interpreted"
    ),
}


class Test_errors:
    @pytest.mark.parametrize(
        ("text", "message"), ERRORS.items(), ids=range(len(ERRORS))
    )
    def test_of_the_module(self, text: str | bytes, message: str, run: Run):
        assert run(text) == (1, "", f"{message}\n")

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (
                "dense<",
                "--args:1:7: error: Expected either a float, integer, or complex",
            ),
            ("1 : i32 2", "--args:1:9: error: end of input expected"),
            (
                '"text"',
                '--args: error: argument 0 is "text": expected a number or dense',
            ),
            (
                "dense<1.0> : tensor<9xf64>, dense<0.0> : tensor<1xf32>",
                "k.mlir:1:1: error: 'func.func' takes as argument 0 a numpy array of "
                "float32 (9,), got float64 (9,)",
            ),
        ],
    )
    def test_of_the_arguments(self, arguments: str, message: str, run: Run):
        code, out, err = run(KERNEL, "--args", arguments)
        assert (code, out) == (1, "")
        assert err.startswith(message)
        assert err.count("\n") == 1

    def test_a_file_that_is_not_there(self, capsys: pytest.CaptureFixture[str]):
        assert main(["none.mlir"]) == 1
        assert capsys.readouterr().err == (
            "none.mlir: error: cannot be read: No such file or directory\n"
        )

    def test_an_unknown_frontend(self, run: Run):
        code, _, err = run(KERNEL, "-f", "nothing")
        assert code == 1
        assert err.startswith("error: there is no frontend nothing: expected one of ")

    def test_wrong_usage(self):
        with pytest.raises(SystemExit) as caught:
            main(["--nothing"])
        assert caught.value.code == 2
