"""`convert-packed-to-llvm`: what a real MLIR says to its text, and what is refused."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from xdsl.dialects import llvm
from xdsl.utils.exceptions import DiagnosticException

from xdsl_packed.frontend import parse_text
from xdsl_packed.transforms.convert_packed_to_llvm import ConvertPackedToLlvmPass

EVERYTHING = """
func.func @f(%a: f32, %b: f32, %c: f32, %d: f64, %h: f16, %w: bf16)
    -> (f32, f64, f16, bf16, f32, vector<2xf32>, vector<2xf16>) {
  %p = packed.pack %a, %b : f32 to vector<2xf32>
  %hp = packed.pack %h, %h : f16 to vector<2xf16>
  %q = packed.add %p, %p {ftz} : vector<2xf32>
  %r = packed.fma %p, %p, %q : vector<2xf32>
  %s = packed.mul %r, %p : vector<2xf32>
  %l, %u = packed.unpack %s : vector<2xf32> to f32
  %m = packed.max3 %l, %u, %c {ftz, nan} : f32
  %e = packed.add %d, %d : f64
  %x = packed.max %h, %h {nan} : f16
  %y = packed.min %w, %w : bf16
  %g = packed.add %a, %b {ftz} : f32
  %xp = packed.max %hp, %hp : vector<2xf16>
  return %m, %e, %x, %y, %g, %s, %xp : f32, f64, f16, bf16, f32, vector<2xf32>, vector<2xf16>
}
"""


def converted(text: str, spelling: str = "asm") -> str:
    ctx, module = parse_text(text, "packed.mlir")
    ConvertPackedToLlvmPass(spelling=spelling).apply(ctx, module)
    module.verify()
    assert "packed." not in str(module)
    return str(module)


def iree_opt(text: str, folder: Path) -> str:
    """What a real MLIR (of the wheel iree-base-compiler) prints for this text."""
    (folder / "in.mlir").write_text(text)
    program = Path(sys.executable).parent / "iree-opt"
    done = subprocess.run(
        [str(program), "in.mlir"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_mlir_reads_inline_assembly(tmp_path: Path):
    printed = iree_opt(converted(EVERYTHING), tmp_path)
    assert 'llvm.inline_asm "add.rn.ftz.f32x2 $0, $1, $2;", "=l,l,l"' in printed
    assert printed.count("llvm.inline_asm") == 8


def test_mlir_knows_the_nvvm_ops(tmp_path: Path):
    printed = iree_opt(converted(EVERYTHING, "nvvm"), tmp_path)
    # In the op's own syntax: MLIR has it registered, and took its rounding mode.
    pair, single = (
        r"rnd = <rn> ftz = true : vector<2xf32>",
        r"rnd = <rn> ftz = true : f32",
    )
    assert re.search(rf"nvvm\.addf %\w+, %\w+ {pair}\n", printed)
    assert re.search(rf"nvvm\.addf %\w+, %\w+ {single}\n", printed)
    assert re.search(
        r"nvvm\.fma %\w+, %\w+, %\w+, rnd = <rn> : vector<2xf32>\n", printed
    )
    assert '"nvvm.' not in printed
    assert printed.count("llvm.inline_asm") == 5


def test_inline_assembly_is_pure():
    ctx, module = parse_text(EVERYTHING, "packed.mlir")
    ConvertPackedToLlvmPass().apply(ctx, module)
    assembly = [op for op in module.walk() if isinstance(op, llvm.InlineAsmOp)]
    assert assembly
    assert all(op.has_side_effects is None for op in assembly)


def test_an_unknown_spelling_is_refused():
    with pytest.raises(DiagnosticException, match="spelling=ptx: expected asm or nvvm"):
        converted(EVERYTHING, "ptx")


def test_what_the_target_lacks_is_refused_at_the_op():
    text = """
    builtin.module attributes {ptx.chip = "sm_90"} {
      func.func @f(%p: vector<2xf32>) -> vector<2xf32> {
        %q = packed.add %p, %p : vector<2xf32>
        return %q : vector<2xf32>
      }
    }
    """
    message = r"packed.mlir:4:\d+: error: 'packed.add' cannot be lowered: add.rn.f32x2"
    with pytest.raises(DiagnosticException, match=message):
        converted(text)
