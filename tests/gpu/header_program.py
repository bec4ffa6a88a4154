"""
A CUDA program that calls the generated header on a GPU and compares bits.

    python -m tests.gpu.header_program build/header sm_90
    build/header/program

The first command writes the header and the program, with inputs and the bits that the
interpreter gives for them, and has nvcc compile it; that needs no GPU. The second prints
one line a function and exits with 0 when all bits are equal. It needs a GPU of the named
chip and nothing else.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from tests.unit.exits.cuda_tools import nvcc_program
from tests.unit.semantics.inputs import INFINITY, Array, bits, inputs
from xdsl_packed import compile_reduction, reduction_module
from xdsl_packed.exits.cuda_header import cuda_header
from xdsl_packed.exits.lowering import Lowering, lowerings
from xdsl_packed.interpreters import run_function

CASES: list[tuple[str, tuple[int, ...], dict[str, Any]]] = [
    *(
        (kind, (32,), {})
        for kind in ("add", "maxnumf", "minnumf", "maximumf", "minimumf")
    ),
    ("add", (32,), {"ftz": True}),
    ("add", (33,), {"accumulate": True}),
    ("add", (19,), {"order": "sequential"}),
    ("add", (21,), {"order": "tree"}),
    ("mul", (8,), {}),
    ("sumsq", (17,), {}),
    ("absmax", (18,), {}),
    ("maximumf", (7,), {"ftz": True, "accumulate": True}),
    ("add", (4, 8), {"axes": (0,), "accumulate": True}),
    ("add", (4, 8), {"axes": (1,)}),
    *(
        (kind, (9,), {"dtype": dtype})
        for dtype in ("f64", "f16", "bf16")
        for kind in ("add", "mul", "maxnumf", "minimumf")
    ),
    *(
        (kind, (9,), {"dtype": dtype, "accumulate": True})
        for dtype in ("i8", "i16", "i32", "i64")
        for kind in (
            "add",
            "mul",
            "maxsi",
            "minsi",
            "maxui",
            "minui",
            "and",
            "or",
            "xor",
        )
    ),
]

HEAD = """
#include <cstdio>
#include <cstring>
#include "xp.cuh"

// A NaN is a NaN: its payload is not promised.
template <class U> U canonical(U bits, U infinity)
{
    const U magnitude = bits & (U(~U(0)) >> 1);
    return infinity && magnitude > infinity ? infinity + 1 : bits;
}

template <class T, class U>
bool check(const char *name, void (*kernel)(const T *, T *), const U *in, const U *old,
           const U *expected, int sources, int results, int columns, U infinity)
{
    T *source, *destination;
    cudaMalloc(&source, sizeof(T) * sources * columns);
    cudaMalloc(&destination, sizeof(T) * results * columns);
    cudaMemcpy(source, in, sizeof(T) * sources * columns, cudaMemcpyHostToDevice);
    cudaMemcpy(destination, old, sizeof(T) * results * columns, cudaMemcpyHostToDevice);
    kernel<<<1, columns>>>(source, destination);
    U *got = new U[results * columns];
    const cudaError_t copied =
        cudaMemcpy(got, destination, sizeof(T) * results * columns, cudaMemcpyDeviceToHost);
    int equal = 0;
    for (int i = 0; i < results * columns; i++)
        equal += canonical(got[i], infinity) == expected[i];
    std::printf("%-32s %4d of %4d equal%s%s\\n", name, equal, results * columns,
                copied ? ": " : "", copied ? cudaGetErrorString(copied) : "");
    return !copied && equal == results * columns;
}
"""

MOST_COLUMNS = 48


def program(lowering: Lowering, kind: str, options: dict[str, Any]) -> tuple[str, str]:
    """A kernel with its data, and the call that checks it."""
    name, t = lowering.name, lowering.c_element
    dtype = lowering.reduction.element_type
    source = inputs(lowering.sources, dtype, kind, "header")
    chosen = np.unique(np.linspace(0, source.shape[1] - 1, MOST_COLUMNS, dtype=int))
    source = np.ascontiguousarray(source[:, chosen])
    columns = source.shape[1]
    old = np.resize(inputs(lowering.results, dtype, "old"), (lowering.results, columns))
    expected = old.copy()
    shape = lowering.reduction.shape
    meant = compile_reduction(kind, shape, chip="sm_100a", **options)
    run_function(
        meant.module,
        meant.entry,
        [
            source.reshape(*shape, columns),
            expected.reshape(*lowering.reduction.destination_shape, columns),
        ],
        batch_axes=1,
    )
    width = 8 * source.dtype.itemsize
    u = {
        8: "unsigned char",
        16: "unsigned short",
        32: "unsigned",
        64: "unsigned long long",
    }[width]
    n, m = lowering.sources, lowering.results
    old_value = ", y[0]" if lowering.reduction.accumulate else ""
    call = f"y[0] = {name}(x{old_value});" if m == 1 else f"{name}(x, y);"
    kernel = f"""
__global__ void kernel_{name}(const {t} *source, {t} *destination)
{{
    const int column = threadIdx.x, columns = blockDim.x;
    {t} x[{n}], y[{m}];
    for (int i = 0; i < {n}; i++)
        x[i] = source[i * columns + column];
    for (int i = 0; i < {m}; i++)
        y[i] = destination[i * columns + column];
    {call}
    for (int i = 0; i < {m}; i++)
        destination[i * columns + column] = y[i];
}}
static const {u} in_{name}[] = {{{_listed(_raw(source))}}};
static const {u} old_{name}[] = {{{_listed(_raw(old))}}};
static const {u} expected_{name}[] = {{{_listed(bits(expected, dtype))}}};
"""
    infinity = INFINITY.get(dtype, 0)
    check = (
        f'good &= check<{t}, {u}>("{name}", kernel_{name}, in_{name}, old_{name}, '
        f"expected_{name}, {n}, {m}, {columns}, {infinity}u{'ll' if width == 64 else ''});"
    )
    return kernel, check


def _raw(values: Array) -> Array:
    return np.ascontiguousarray(values).view(f"u{values.dtype.itemsize}")


def _listed(values: Array) -> str:
    suffix = "ull" if values.dtype.itemsize == 8 else "u"
    return ",".join(f"{value}{suffix}" for value in values.ravel().tolist())


def main(folder: Path, chip: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    every: list[Lowering] = []
    parts: list[str] = []
    checks: list[str] = []
    for kind, shape, options in CASES:
        (lowering,) = lowerings(
            reduction_module(kind, shape, chip="sm_100a", **options)
        )
        kernel, check = program(lowering, kind, options)
        every.append(lowering)
        parts.append(kernel)
        checks.append(f"    {check}")
    (folder / "xp.cuh").write_text(cuda_header(every))
    end = '    std::puts(good ? "all equal" : "WRONG");\n    return good ? 0 : 1;\n'
    body = "int main()\n{\n    bool good = true;\n" + "\n".join(checks) + f"\n{end}}}\n"
    nvcc_program("".join((HEAD, *parts, body)), chip, folder, "program")
    print(f"wrote {folder / 'program'}: {len(every)} functions for {chip}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
