"""Locations on everything that is parsed, and one clear message on bad input."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import scf, test
from xdsl.dialects.builtin import UNKNOWN_LOC, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import DiagnosticException

from xdsl_packed.diagnostics import file_line_column
from xdsl_packed.frontend import (
    InputError,
    MlirWithLocations,
    new_context,
    parse_file,
    parse_text,
    verify,
)


def _parse(text: str) -> ModuleOp:
    return parse_text(text, "k.mlir")[1]


def _places(op: Operation) -> list[tuple[str, str | None]]:
    return [(inner.name, file_line_column(inner.location)) for inner in op.walk()]


def _verified(text: str) -> None:
    verify(_parse(text))


class Test_locations:
    def test_every_op_has_the_place_of_its_first_token(self):
        module = _parse(
            "func.func @f(%a: f32) {\n"
            "  %b = arith.addf %a, %a : f32\n"
            '    %c:2 = "test.op"() ({\n'
            "      %d = arith.mulf %b, %b : f32\n"
            '      "test.termop"() : () -> ()\n'
            "    }) : () -> (f32, f32)\n"
            "  func.return\n"
            "}\n"
        )
        assert _places(module) == [
            ("builtin.module", "k.mlir:1:1"),
            ("func.func", "k.mlir:1:1"),
            ("arith.addf", "k.mlir:2:3"),
            ("test.op", "k.mlir:3:5"),
            ("arith.mulf", "k.mlir:4:7"),
            ("test.termop", "k.mlir:5:7"),
            ("func.return", "k.mlir:7:3"),
        ]

    def test_implicit_terminators_take_the_place_of_their_op(self):
        module = _parse(
            "func.func @f(%a: index) {\n"
            "  scf.for %i = %a to %a step %a {\n"
            "  }\n"
            "  func.return\n"
            "}\n"
        )
        (terminator,) = (op for op in module.walk() if isinstance(op, scf.YieldOp))
        assert file_line_column(terminator.location) == "k.mlir:2:3"

    def test_a_written_location_stays(self):
        module = _parse(
            '"test.op"() : () -> () loc("other":7:8)\n'
            '"test.op"() : () -> () loc(unknown)\n'
            'arith.constant 1 : i32 loc("x"("other":3:4))\n'
            "arith.constant 1 : i32 loc(unknown)\n"
        )
        first, second, third, fourth = module.ops
        assert file_line_column(first.location) == "other:7:8"
        assert second.location == UNKNOWN_LOC
        assert file_line_column(third.location) == "other:3:4"
        assert fourth.location == UNKNOWN_LOC

    def test_a_location_attribute_is_not_the_op_s_location(self):
        (op,) = _parse('  "test.op"() {a = loc(unknown)} : () -> ()').ops
        assert file_line_column(op.location) == "k.mlir:1:3"

    def test_block_arguments_have_the_place_of_their_name(self):
        module = _parse(
            "func.func @f(%a: f32, %b: f32) {\n"
            '  "test.op"() ({\n'
            '  ^entry(%c: i32, %d: i32 loc("other":1:2), %e: i32 loc(unknown)):\n'
            '    "test.termop"() : () -> ()\n'
            "  }) : () -> ()\n"
            "  func.return\n"
            "}\n"
        )
        arguments: list[SSAValue] = [
            argument for block in module.walk_blocks() for argument in block.args
        ]
        places = [file_line_column(a.location) for a in arguments]  # pyright: ignore
        assert places == [
            "k.mlir:1:14",
            "k.mlir:1:23",
            "k.mlir:3:10",
            "other:1:2",
            None,
        ]

    def test_columns_count_characters(self):
        first, second = _parse(
            '"test.op"() {s = "é😀"} : () -> () "test.op"() : () -> ()'
        ).ops
        assert file_line_column(first.location) == "k.mlir:1:1"
        assert file_line_column(second.location) == "k.mlir:1:35"

    def test_an_explicit_module_keeps_its_place(self):
        module = _parse("\n\n  builtin.module {\n  }")
        assert file_line_column(module.location) == "k.mlir:3:3"

    def test_all_ops_of_a_cfg(self):
        module = _parse(
            "func.func @f(%c: i1) {\n"
            "  cf.cond_br %c, ^yes, ^no\n"
            "^yes:\n"
            "  cf.br ^no\n"
            "^no:\n"
            "  func.return\n"
            "}\n"
        )
        verify(module)
        assert [place for _, place in _places(module)] == [
            "k.mlir:1:1",
            "k.mlir:1:1",
            "k.mlir:2:3",
            "k.mlir:4:3",
            "k.mlir:6:3",
        ]


BAD = {
    "": "k.mlir:1:1: error: the input is empty",
    " \n\t\n": "k.mlir:1:1: error: the input is empty",
    "builtin.module {": (
        "k.mlir:1:17: error: unexpected end of input in block definition"
    ),
    "\n  foo.bar": "k.mlir:2:3: error: Operation foo.bar is not registered",
    "%a = arith.constant 1.0 : f32\n%b = arith.nothing %a : f32": (
        "k.mlir:2:1: error: Operation arith.nothing is not registered"
    ),
    "func.func @f(%a: f32) {\n  %b = arith.addf %a, %c : f32\n  func.return\n}": (
        "k.mlir:2:23: error: %c is used but not defined"
    ),
    "func.func @f() {\n^0x:\n  func.return\n}": (
        "k.mlir:2:3: error: Invalid Block name format `0`. Make sure names contain only "
        "characters of [A-Za-z0-9_$.-] and don't start with a number."
    ),
    "func.func @f() {\n  cf.br ^gone\n}": (
        "k.mlir:3:2: error: region ends with missing block declarations for block(s) "
        "gone (dangling block references: k.mlir:2:9)"
    ),
    "func.func @f() {\n^a:\n  func.return\n^a:\n  func.return\n}": (
        "k.mlir:4:1: error: re-declaration of block 'a' "
        "(originally declared here: k.mlir:2:1)"
    ),
    '%0 = "test.op"() : () -> f32\n%1 = vector.reduction <sum>, %0 : f32': (
        "k.mlir:2:27: error: 'sum' is not a valid CombiningKindFlag"
    ),
    '"test.op"() : "': (
        "k.mlir:1:15: error: End of file reached before closing string literal."
    ),
    "%a:2 = arith.constant 1 : i32": (
        "k.mlir:1:1: error: Operation has 1 results, but was given 2 to bind."
    ),
    "\x00": "k.mlir:1:1: error: Unexpected character: \\x00",
    "func.func @f(%a: memref<4xf32, #foo>)": (
        "k.mlir:1:36: error: undefined symbol alias '#foo'"
    ),
    "#a = " + 3000 * "[": ("nested too deeply for xDSL's parser"),
    400 * '"test.op"() ({\n': ("nested too deeply for xDSL's parser"),
}


class Test_bad_input:
    @pytest.mark.parametrize(("text", "message"), BAD.items(), ids=range(len(BAD)))
    def test_one_message_that_says_where_and_what(self, text: str, message: str):
        with pytest.raises(InputError) as caught:
            _parse(text)
        shown = str(caught.value)
        assert shown.endswith(message)
        assert shown.startswith("k.mlir:")
        assert "\n" not in shown

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"\x7fELF\xff\xfe", "b:1:5: error: byte 0xff is not UTF-8"),
            (b"func.func @f() {\n \xc3\x28 }", "b:2:2: error: byte 0xc3 is not UTF-8"),
        ],
    )
    def test_binary_files(self, content: bytes, message: str):
        with pytest.raises(InputError) as caught:
            MlirWithLocations().parse(new_context(), BytesIO(content), "b")
        assert str(caught.value) == f"{message}: MLIR text is expected"

    def test_whatever_a_dialect_raises_becomes_a_diagnostic(
        self, monkeypatch: pytest.MonkeyPatch
    ):
        def parse(parser: object) -> object:
            raise KeyError("lost")

        monkeypatch.setattr(test.TestOp, "parse", parse)
        with pytest.raises(InputError) as caught:
            _parse("\ntest.op")
        assert str(caught.value) == (
            "k.mlir:2:8: error: xDSL's parser stopped here: KeyError 'lost'"
        )

    def test_an_unregistered_op_where_that_is_allowed(self):
        ctx = Context(allow_unregistered=True)
        module = MlirWithLocations().parse(ctx, BytesIO(b'"a.b"() : () -> ()'), "k")
        assert [place for _, place in _places(module)] == ["k:1:1", "k:1:1"]

    def test_no_implicit_module(self):
        frontend = MlirWithLocations(no_implicit_module=True)
        with pytest.raises(
            InputError, match=r"k:1:1: error: builtin\.module operation"
        ):
            frontend.parse(new_context(), BytesIO(b'"test.op"() : () -> ()'), "k")


class Test_parse_file:
    def test_names_the_file(self, tmp_path: Path):
        path = tmp_path / "k.mlir"
        path.write_text('"test.op"() : () -> ()')
        _, module = parse_file(path)
        assert file_line_column(module.location) == f"{path}:1:1"

    def test_a_file_that_is_not_there(self, tmp_path: Path):
        path = tmp_path / "none.mlir"
        with pytest.raises(DiagnosticException) as caught:
            parse_file(path)
        assert str(caught.value) == (
            f"{path}: error: cannot be read: No such file or directory"
        )


class Test_verify:
    def test_a_good_module(self):
        _verified("func.func @f() {\n  func.return\n}")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            # memref.load raises a plain Exception.
            (
                "%m = memref.alloca() : memref<4xf32>\n"
                "%v = memref.load %m[] : memref<4xf32>",
                "k.mlir:2:1: error: 'memref.load' does not verify: "
                "expected an index for each dimension",
            ),
            (
                "func.func @f() {\n"
                '  %a = "test.op"() : () -> i32\n'
                '  %b = "arith.addf"(%a, %a) : (i32, i32) -> i32\n'
                "  func.return\n}",
                "k.mlir:3:3: error: 'arith.addf' does not verify: operand 'lhs' "
                "at position 0 does not verify: ",
            ),
            (
                "func.func @f() -> i32 {\n  func.return\n}",
                "k.mlir:2:3: error: 'func.return' does not verify: ",
            ),
            (
                "func.func @f(%c: i1) {\n"
                '  "scf.if"(%c) ({\n  ^bb0:\n  }, {\n  }) : (i1) -> ()\n'
                "  func.return\n}",
                "k.mlir:2:3: error: 'scf.if' does not verify: Operation scf.if contains "
                "empty block in single-block region",
            ),
            # A message of ours that says where already is kept.
            (
                '\n%a = "test.op"() : () -> f64\n%b = packed.add %a, %a {ftz} : f64',
                "k.mlir:3:1: error: 'packed.add' has ftz on f64: "
                "ftz is for f32 and vector<2xf32>",
            ),
        ],
    )
    def test_names_the_op(self, text: str, message: str):
        with pytest.raises(DiagnosticException) as caught:
            _verified(text)
        assert str(caught.value).startswith(message)
        assert "\n" not in str(caught.value)


def _xdsl_opt(path: Path, *arguments: str) -> str:
    opt = Path(sys.executable).with_name("xdsl-opt")
    return subprocess.run(
        [opt, "-f", "mlir-with-locations", path, *arguments],
        capture_output=True,
        check=True,
        text=True,
    ).stdout


class Test_in_xdsl_opt:
    def test_prints_locations(self, tmp_path: Path):
        path = tmp_path / "k.mlir"
        path.write_text('\n  "test.op"() : () -> ()\n')
        shown = _xdsl_opt(path, "--print-debuginfo")
        assert f'"test.op"() : () -> () loc("{path}":2:3)' in shown

    def test_bad_input_in_the_second_piece(self, tmp_path: Path):
        path = tmp_path / "k.mlir"
        path.write_text('"test.op"() : () -> ()\n// -----\n\n  foo.bar\n')
        shown = _xdsl_opt(path, "--split-input-file", "--parsing-diagnostics")
        assert f"{path}:4:3: error: Operation foo.bar is not registered" in shown
