"""`tile-dispatch`: where the emitted ops say that they come from."""

import pytest
from xdsl.utils.exceptions import DiagnosticException

from xdsl_packed import lower
from xdsl_packed.frontend import parse_text

READS_UNWRITTEN = """
func.func @k(%to: memref<1xf32, 1>) attributes {gpu.kernel} {
  %l = memref.alloca() : memref<8xf32, 5>
  %o = memref.alloca() : memref<1xf32, 5>
  tile.reduce <add> %l into %o : memref<8xf32, 5>, memref<1xf32, 5>
  "memref.copy"(%o, %to) : (memref<1xf32, 5>, memref<1xf32, 1>) -> ()
  func.return
}
"""


def test_a_later_diagnostic_names_the_place_of_the_reduction():
    _, module = parse_text(READS_UNWRITTEN, "k.mlir")
    message = r"^k\.mlir:5:3: error: 'memref\.load' reads index \[0\]"
    with pytest.raises(DiagnosticException, match=message):
        lower(module, chip="sm_100a")


def test_ops_before_the_reduction_keep_their_place():
    _, module = parse_text(READS_UNWRITTEN, "k.mlir")
    lower(module, chip="sm_100a", to="packed")
    alloca = next(op for op in module.walk() if op.name == "memref.alloca")
    assert str(alloca.location) == 'loc("k.mlir":3:3)'
