"""
Triton's Gluon: a [32, P] tile, one row a thread, reduced along the row.

Triton's shapes are powers of two, so a row of n is one of P >= n whose end is masked off with the identity.
"""

import warnings
from importlib import import_module
from typing import Any

from bench.ops import OpName

gluon: Any = import_module("triton.experimental.gluon")
gl: Any = import_module("triton.experimental.gluon.language")
tl: Any = import_module("triton.language")

_TYPE = {"sum_f16": "fp16", "sum_bf16": "bf16", "sum_i32": "i32", "max_i32": "i32"}
_LOWEST = {"max": float("-inf"), "maximum": float("-inf"), "max_i32": -(2**31)}


# Triton reads these functions' text: a quoted annotation is a constant to it, a name would be looked up.
@gluon.jit
def _maximum(x: "Any", y: "Any") -> "Any":
    return gl.maximum(x, y, propagate_nan=tl.PropagateNan.ALL)


@gluon.jit
def _reduce_one(
    src: "Any", dst: "Any", N: "Any", P: "Any", REST: "Any", OP: "Any", LAYOUT: "Any"
) -> "Any":
    rows = gl.arange(0, 32, gl.SliceLayout(1, LAYOUT))
    cols = gl.arange(0, P, gl.SliceLayout(0, LAYOUT))
    x = gl.load(
        src + rows[:, None] * P + cols[None, :], mask=cols[None, :] < N, other=REST
    )
    if OP == "max" or OP == "max_i32":
        result = gl.max(x, axis=1)
    elif OP == "maximum":
        result = gl.reduce(x, 1, _maximum)
    elif OP == "absmax":
        result = gl.max(gl.abs(x), axis=1)
    elif OP == "sumsq":
        result = gl.sum(x * x, axis=1)
    else:
        result = gl.sum(x, axis=1)
    gl.store(dst + rows, result)


@gluon.jit
def _reduce_two(
    src: "Any",
    other: "Any",
    dst: "Any",
    N: "Any",
    P: "Any",
    REST: "Any",
    OP: "Any",
    LAYOUT: "Any",
) -> "Any":
    rows = gl.arange(0, 32, gl.SliceLayout(1, LAYOUT))
    cols = gl.arange(0, P, gl.SliceLayout(0, LAYOUT))
    at = rows[:, None] * P + cols[None, :]
    x = gl.load(src + at, mask=cols[None, :] < N, other=REST)
    y = gl.load(other + at, mask=cols[None, :] < N, other=REST)
    gl.store(dst + rows, gl.sum(x * y, axis=1))


class TritonGluon:
    """Triton's own pipeline from the Python function to PTX, called stage by stage: without its cache and its ptxas."""

    name = "Triton Gluon"

    def __init__(self) -> None:
        self._compiler: Any = import_module("triton.compiler.compiler")
        self._targets: Any = import_module("triton.backends.compiler")
        self._runtime: Any = import_module("triton.experimental.gluon._runtime")
        self._ir: Any = import_module("triton._C.libtriton").ir
        # Gluon wants to say which default of floating-point fusion it took; it took the one that fuses more.
        warnings.filterwarnings("ignore", message="TRITON_DEFAULT_FP_FUSION")

    def version(self) -> str:
        return f"Triton {import_module('triton').__version__}"

    def ptx(self, op: OpName, n: int, chip: str) -> str:
        width = 1 << (n - 1).bit_length()
        element = "*" + _TYPE.get(op, "fp32")
        pointers = ["src", "other", "dst"] if op == "dot" else ["src", "dst"]
        constants = {
            "N": n,
            "P": width,
            "REST": _LOWEST.get(op, 0 if op == "sum_i32" else 0.0),
            "OP": op,
            "LAYOUT": gl.BlockedLayout([1, width], [32, 1], [1, 1], [1, 0]),
        }
        source = self._runtime.GluonASTSource(
            _reduce_two if op == "dot" else _reduce_one,
            dict.fromkeys(pointers, element) | dict.fromkeys(constants, "constexpr"),
            constants,
        )
        return self._stages(source, int(chip.removeprefix("sm_").rstrip("af")))

    def _stages(self, source: Any, capability: int) -> str:
        """triton.compile up to the PTX."""
        target = self._targets.GPUTarget("cuda", capability, 32)
        backend = self._compiler.make_backend(target)
        options = backend.parse_options({"num_warps": 1} | source.parse_options())
        stages: dict[str, Any] = {}
        backend.add_stages(stages, options, source.language)
        context = self._ir.context()
        self._ir.load_dialects(context)
        backend.load_dialects(context)
        module: Any = source.make_ir(
            target,
            options,
            backend.get_codegen_implementation(options),
            backend.get_module_map(),
            context,
        )
        metadata: dict[str, Any] = {"target": target, **options.__dict__}
        names = list(stages)
        for name in names[names.index(source.ext) : names.index("ptx") + 1]:
            module = stages[name](module, metadata)
        return str(module)

    def lower(self, op: OpName, n: int, chip: str) -> object:
        return self.ptx(op, n, chip)
