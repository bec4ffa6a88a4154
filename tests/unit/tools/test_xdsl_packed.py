"""The command line: exit codes, where things are written, and never a traceback."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from xdsl_packed.tools.xdsl_packed import main

SUM32 = str(Path(__file__).parents[3] / "examples" / "sum32.mlir")
ADD_32 = ["--kind", "add", "--shape", "32", "--chip", "sm_100a"]


def run(
    capfd: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int | str | None, str, str]:
    """The exit code, standard output and standard error."""
    with pytest.raises(SystemExit) as exit_info:
        main(arguments)
    out, err = capfd.readouterr()
    return exit_info.value.code, out, err


def test_compile_a_file(capfd: pytest.CaptureFixture[str]):
    code, out, err = run(capfd, "compile", SUM32, "--chip", "sm_100a")
    assert (code, err) == (0, "")
    assert out.startswith(".version 8.6\n.target sm_100a\n.address_size 64\n")
    assert out.count("add.rn.ftz.f32x2") == 15
    assert out.count("add.rn.ftz.f32 ") == 1
    assert ".entry sum32(" in out


def test_compile_a_reduction(capfd: pytest.CaptureFixture[str]):
    code, out, err = run(capfd, "compile", *ADD_32)
    assert (code, err) == (0, "")
    assert ".entry add_f32_32(" in out


@pytest.mark.parametrize(
    ("option", "text"),
    [
        (["--ftz"], "add.rn.ftz.f32x2"),
        (["--variant", "local"], "add.rn.f32 "),
        (["--enable", "local"], "add.rn.f32 "),
        (["--order", "sequential"], "add.rn.f32 "),
        (["--accumulate"], "ld.global.b32 %r0, [%rd1]"),
        (["--align", "16"], "ld.global.v4.b32"),
        (["--ptx-version", "9.0"], ".version 9.0"),
        (["--dtype", "f16"], "add.rn.f16"),
        (["--chip", "sm_90"], ".target sm_90\n"),
        (["--kind", "max"], "max.f32"),
        (["--shape", "4x8", "--axes", "0"], "axes0"),
        (["--shape", "4,8", "--axes=-1"], "axesm1"),
        (["--shape", "4,8", "--axes", "-1,0"], "axesm1_0"),
    ],
    ids=str,
)
def test_options(capfd: pytest.CaptureFixture[str], option: list[str], text: str):
    code, out, err = run(capfd, "compile", *ADD_32, *option)
    assert (code, err) == (0, "")
    assert text in out


def test_emit_cubin_sass_and_mlir(capfd: pytest.CaptureFixture[str], tmp_path: Path):
    cubin = tmp_path / "out.cubin"
    assert run(capfd, "compile", *ADD_32, "--emit", "cubin", "-o", str(cubin)) == (
        0,
        "",
        "",
    )
    assert cubin.read_bytes().startswith(b"\x7fELF")
    code, sass, err = run(capfd, "compile", *ADD_32, "--emit", "sass")
    assert (code, err) == (0, "")
    assert sass.count("FADD2") == 15
    code, mlir, err = run(capfd, "compile", *ADD_32, "--emit", "mlir")
    assert (code, err) == (0, "")
    assert mlir.count("ptx.add f32x2") == 15


def test_explain(capfd: pytest.CaptureFixture[str]):
    code, out, err = run(capfd, "explain", SUM32, "--chip", "sm_90")
    assert (code, err) == (0, "")
    assert "sum32.mlir:13:3: tile.reduce <add> 32xf32 -> 1xf32" in out
    assert re.search("sm_version +chip is sm_90, expected sm_100 or newer", out)
    assert "local (priority 10): chosen" in out


def test_explain_json(capfd: pytest.CaptureFixture[str]):
    code, out, err = run(capfd, "explain", *ADD_32, "--json")
    assert (code, err) == (0, "")
    report = json.loads(out)
    assert report["schema"] == 1
    (decision,) = report["decisions"]
    assert decision["chosen"] == "sm100_packed"
    by_name = {variant["name"]: variant for variant in decision["variants"]}
    assert [p["name"] for p in by_name["sm100_packed"]["predicates"]] == [
        "exec_scope",
        "local_scope",
        "dst_len",
        "src_ndim",
        "dtype",
        "sm_version",
        "reduction_len",
        "kind",
        "order",
        "native",
        "legal",
    ]


def test_explain_says_why_nothing_takes_it(capfd: pytest.CaptureFixture[str]):
    """What compile refuses, explain still explains."""
    code, out, err = run(capfd, "explain", *ADD_32, "--scope", "warp")
    assert (code, err) == (0, "")
    assert "scope is warp, expected thread" in out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["compile"],
        ["compile", "--kind", "add"],
        ["compile", "--kind", "add", "--shape", "8"],
        ["compile", *ADD_32, "--shape", "a"],
        ["compile", *ADD_32, "--shape", "3x"],
        ["compile", *ADD_32, "--shape", "3xx4"],
        ["compile", SUM32, "--kind", "add", "--chip", "sm_90"],
        ["compile", *ADD_32, "--emit", "object"],
        ["explain", *ADD_32, "--nothing"],
    ],
    ids=str,
)
def test_usage(capfd: pytest.CaptureFixture[str], arguments: list[str]):
    code, out, err = run(capfd, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("usage:")


DIAGNOSED = {
    "no chip": ([SUM32], "names no chip: give one, for example --chip sm_100a"),
    "chip": ([*ADD_32, "--chip", "sm_1"], "is not a known chip, known are sm_75"),
    "version": ([*ADD_32, "--ptx-version", "8.0"], "8.6"),
    "kind": (
        [*ADD_32, "--kind", "average"],
        "there is no kind 'average': expected add",
    ),
    "dtype": ([*ADD_32, "--dtype", "f31"], "there is no element type 'f31'"),
    "order": ([*ADD_32, "--order", "best"], "there is no order 'best'"),
    "variant": ([*ADD_32, "--variant", "best"], "there is no variant 'best'"),
    "enable": ([*ADD_32, "--enable", "best"], "there is no variant 'best'"),
    "scope": ([*ADD_32, "--scope", "warp"], "no variant takes it"),
    "align": ([*ADD_32, "--align", "3"], "align is 3: expected a power of two"),
    "missing": (
        ["no/such.mlir", "--chip", "sm_90"],
        "no/such.mlir: error: cannot be read",
    ),
    "binary": ([sys.executable, "--chip", "sm_90"], "MLIR text is expected"),
    "ptxas": (
        [*ADD_32, "--emit", "cubin", "--ptxas", "/no/such/ptxas"],
        "/no/such/ptxas",
    ),
    "output": ([*ADD_32, "-o", "/no/such/folder/x"], "cannot write /no/such/folder/x"),
}


@pytest.mark.parametrize("name", DIAGNOSED)
def test_diagnostics(capfd: pytest.CaptureFixture[str], name: str):
    arguments, text = DIAGNOSED[name]
    code, out, err = run(capfd, "compile", *arguments)
    assert (code, out) == (1, "")
    assert text in err
    assert "Traceback" not in err


BAD_MLIR = {
    "syntax": "func.func @f( {",
    "unknown op": '%0 = "no.such"() : () -> i32',
    "block label": '"test.op"() ({ ^bb: ^bb: }) : () -> ()',
    "odd label": '"test.op"() ({ ^3: "test.op"() [^4] : () -> () }) : () -> ()',
    "undefined": "func.func @f() {\n  func.return %x : i32\n}",
    "wrong rank": (
        "func.func @f(%a: memref<4xf32>) {\n"
        "  %0 = memref.load %a[] : memref<4xf32>\n  func.return\n}"
    ),
    "empty": "",
    "kind": (
        "func.func @f(%a: vector<4xf32>) {\n"
        "  %0 = vector.reduction <sum>, %a : vector<4xf32> into f32\n  func.return\n}"
    ),
    "not text": "\x00\x01",
}


@pytest.mark.parametrize("name", BAD_MLIR)
def test_bad_mlir_is_one_line(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, name: str
):
    file = tmp_path / "bad.mlir"
    file.write_text(BAD_MLIR[name])
    code, out, err = run(capfd, "compile", str(file), "--chip", "sm_90")
    assert (code, out) == (1, "")
    assert err.startswith(f"{file}:"), err
    assert err.count("\n") == 1


UNKNOWN = """
func.func @k(%v: vector<8xf32>, %acc: f32) -> f32 {
  %0 = "vector.multi_reduction"(%v, %acc) <{kind = #vector.kind<add>, reduction_dims = [0]}> : (vector<8xf32>, f32) -> f32
  func.return %0 : f32
}
"""


def test_ops_that_xdsl_does_not_know(capfd: pytest.CaptureFixture[str], tmp_path: Path):
    file = tmp_path / "unknown.mlir"
    file.write_text(UNKNOWN)
    arguments = ["explain", str(file), "--chip", "sm_90"]
    code, out, err = run(capfd, *arguments)
    assert (code, out) == (1, "")
    assert "vector.multi_reduction" in err
    code, out, err = run(capfd, *arguments, "--allow-unregistered-dialect")
    assert (code, err) == (0, "")
    assert "vector.multi_reduction <add> 8xf32" in out


def test_the_output_file_is_whole_or_untouched(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
):
    output = tmp_path / "kernel.ptx"
    output.write_text("what stood there")
    code, _, _ = run(capfd, "compile", *ADD_32, "--scope", "cta", "-o", str(output))
    assert code == 1
    assert output.read_text() == "what stood there"
    code, _, _ = run(capfd, "compile", *ADD_32, "-o", str(output))
    assert code == 0
    assert output.read_text().startswith(".version")
    assert [path.name for path in tmp_path.iterdir()] == ["kernel.ptx"]


def test_same_text_under_any_hash_seed():
    texts = {
        subprocess.run(
            [
                sys.executable,
                "-m",
                "xdsl_packed.tools.xdsl_packed",
                "compile",
                SUM32,
                "--chip",
                "sm_100a",
            ],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "12345")
    }
    assert len(texts) == 1
