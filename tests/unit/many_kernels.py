"""Many kernels, one run of ptxas and of nvdisasm: each takes longer to start than to work."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl_packed import CompiledKernel
from xdsl_packed.backend.machine_code import MachineCode, read_all_machine_code
from xdsl_packed.backend.ptxas import assemble

END_OF_HEADER = ".address_size 64\n"


def machine_codes(kernels: Iterable[CompiledKernel]) -> list[MachineCode]:
    """The machine code of each of `kernels`, which have one chip and different names."""
    kernels = list(kernels)
    headers, bodies = zip(*(kernel.ptx.split(END_OF_HEADER, 1) for kernel in kernels))
    ptx = max(headers) + END_OF_HEADER + "".join(bodies)
    codes = read_all_machine_code(assemble(ptx, kernels[0].reduction.target.chip.name))
    return [codes[kernel.entry] for kernel in kernels]
