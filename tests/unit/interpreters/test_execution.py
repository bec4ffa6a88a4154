"""Arguments and results of ptx functions, as run_function takes and gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.passes import PassPipeline
from xdsl.universe import Universe
from xdsl.utils.exceptions import InterpretationError

from xdsl_packed import compile_reduction
from xdsl_packed.frontend import parse_text
from xdsl_packed.interpreters import run_function

STRIDED = """
func.func @f(%a: memref<3xf32, strided<[4]>>, %b: memref<1xf32>) attributes {gpu.kernel} {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %x = memref.load %a[%two] : memref<3xf32, strided<[4]>>
  memref.store %x, %b[%zero] : memref<1xf32>
  func.return
}
"""


def _run_ptx(text: str, *args: Any, batch_axes: int = 0) -> tuple[Any, ...]:
    ctx, module = parse_text(text)
    passes = Universe.get_multiverse().all_passes
    stage = 'ptx-set-target{chip="sm_90"},convert-to-ptx'
    PassPipeline.parse_spec(passes, stage, None).apply(ctx, module)
    return run_function(module, "f", args, batch_axes=batch_axes)


class Test_pointers:
    def test_a_view_is_an_address_in_its_memory(self):
        memory = np.arange(12, dtype=np.float32).reshape(3, 4)
        result = np.zeros(1, np.float32)
        _run_ptx(STRIDED, memory[:, 1], result)
        assert result.tolist() == [9]

    def test_a_view_with_a_batch(self):
        memory = np.arange(24, dtype=np.float32).reshape(3, 4, 2)
        result = np.zeros((1, 2), np.float32)
        _run_ptx(STRIDED, memory[:, 1], result, batch_axes=1)
        assert result.tolist() == [[18, 19]]

    def test_outside_of_the_memory(self):
        with pytest.raises(
            InterpretationError, match=r"'ptx\.ld' out of range: 4 bytes"
        ):
            _run_ptx(STRIDED, np.zeros(3, np.float32), np.zeros(1, np.float32))


class Test_numbers:
    @pytest.mark.parametrize(
        ("type", "op", "value", "expected"),
        [
            ("f32", "arith.addf", 1.5, 3),
            ("f16", "arith.addf", 1.5, 3),
            ("bf16", "arith.addf", 1.5, 0x4040),
            ("f64", "arith.addf", 1.5, 3),
            ("i32", "arith.addi", -4, -8),
            ("i64", "arith.addi", 2**62, -(2**63)),
            ("i16", "arith.addi", -4, -8),
        ],
    )
    def test_in_and_out(self, type: str, op: str, value: Any, expected: Any):
        (result,) = _run_ptx(
            f"func.func @f(%a: {type}) -> {type} {{\n"
            f"  %r = {op} %a, %a : {type}\n  func.return %r : {type}\n}}",
            value,
        )
        width = 8 * result.dtype.itemsize
        assert result == expected or int(result) == expected % (1 << width)


def test_a_pointer_to_what_is_not_row_major_is_refused():
    """A pointer knows no strides: this used to read the elements of other inputs."""
    kernel = compile_reduction("add", [2])
    source = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    result = np.zeros((1, 3), np.float32)
    with pytest.raises(InterpretationError, match="ascontiguousarray"):
        run_function(kernel.module, kernel.entry, [source, result], batch_axes=1)
    rows = np.ascontiguousarray(source)
    run_function(kernel.module, kernel.entry, [rows, result], batch_axes=1)
    assert result.tolist() == [[3.0, 5.0, 7.0]]
