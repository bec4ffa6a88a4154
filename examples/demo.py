"""The whole way of examples/sum32.mlir for sm_100a: choice, PTX, machine code."""

import io
import os
from pathlib import Path

from xdsl.context import Context

from xdsl_packed import lower, parse_file
from xdsl_packed.backend.machine_code import read_machine_code
from xdsl_packed.backend.ptx_target import PtxTarget
from xdsl_packed.backend.ptxas import assemble

CHIP = "sm_100a"


def main() -> None:
    _, module = parse_file(os.path.relpath(Path(__file__).with_name("sum32.mlir")))
    print(lower(module, chip=CHIP).text())
    ptx = io.StringIO()
    PtxTarget().emit(Context(), module, ptx)
    print(ptx.getvalue())
    print(read_machine_code(assemble(ptx.getvalue(), CHIP), "sum32").summary())


if __name__ == "__main__":
    main()
