"""What stands around a reduction: values used again after it, and products before it."""

from __future__ import annotations

import numpy as np
import pytest

from xdsl_packed import lower, parse_text
from xdsl_packed.backend.machine_code import MachineCode, read_machine_code
from xdsl_packed.backend.ptx_target import print_ptx
from xdsl_packed.backend.ptxas import assemble
from xdsl_packed.interpreters import run_function

SUBTRACT_MAX = """
func.func @k(%p: memref<{n}xf32, 1> {{llvm.align = 16 : i64}}, %q: memref<{n}xf32, 1> {{llvm.align = 16 : i64}})
    attributes {{gpu.kernel, nvvm.reqntid = array<i32: 1, 1, 1>, nvvm.minctasm = 1 : i32}} {{
  %c0 = arith.constant 0 : index
  %x = vector.load %p[%c0] : memref<{n}xf32, 1>, vector<{n}xf32>
  %max = vector.reduction <maxnumf>, %x : vector<{n}xf32> into f32
  %all = vector.broadcast %max : f32 to vector<{n}xf32>
  %y = arith.subf %x, %all : vector<{n}xf32>
  vector.store %y, %q[%c0] : memref<{n}xf32, 1>, vector<{n}xf32>
  func.return
}}
"""

SUM_OF_SQUARES = """
func.func @k(%p: memref<32xf32, 1> {llvm.align = 16 : i64}, %q: memref<1xf32, 1>) attributes {gpu.kernel} {
  %c0 = arith.constant 0 : index
  %x = vector.load %p[%c0] : memref<32xf32, 1>, vector<32xf32>
  %squares = arith.mulf %x, %x : vector<32xf32>
  %old = memref.load %q[%c0] : memref<1xf32, 1>
  %sum = vector.reduction <add>, %squares, %old fastmath<reassoc> : vector<32xf32> into f32
  memref.store %sum, %q[%c0] : memref<1xf32, 1>
  func.return
}
"""


def machine_code(text: str, chip: str) -> MachineCode:
    _, module = parse_text(text)
    lower(module, chip=chip)
    return read_machine_code(assemble(print_ptx(module), chip), "k")


@pytest.mark.parametrize("length", [32, 192, 224, 240])
def test_values_used_again(length: int):
    """len-07: the softmax shape. Up to 240 live values nothing is spilled."""
    code = machine_code(SUBTRACT_MAX.format(n=length), "sm_100a")
    assert code.spill_stores == code.spill_loads == 0
    assert code.opcode_counts()["FMNMX3"] == (length - 1) // 2


def test_values_used_again_have_the_right_bits():
    length = 256
    source = ((np.arange(length) * 37) % 256 - 128).astype(np.float32)
    _, module = parse_text(SUBTRACT_MAX.format(n=length))
    lower(module, chip="sm_100a")
    result = np.zeros(length, np.float32)
    run_function(module, "k", [source, result])
    assert result.tolist() == (source - 127).tolist()


@pytest.mark.parametrize("chip", ["sm_90", "sm_100a"])
def test_products_that_were_not_asked_to_fuse_do_not(chip: str):
    """fuse-01: scalar products and packed sums, which no ptxas contracts."""
    counts = machine_code(SUM_OF_SQUARES, chip).opcode_counts()
    assert counts["FMUL"] == 32
    assert {"FFMA", "FFMA2"} & set(counts) == set()
    _, module = parse_text(SUM_OF_SQUARES)
    lower(module, chip=chip)
    source = np.zeros(32, np.float32)
    source[0] = 1.000244140625
    result = np.array([-1.00048828125], np.float32)
    run_function(module, "k", [source, result])
    assert result[0] == 0
