"""TVM's tile primitives, through its `tirx` pipeline to CUDA, and nvcc with the flags that TVM itself gives."""

from functools import cache
from importlib import import_module
from typing import Any

from bench.ops import OpName
from bench.peer import NotOffered
from bench.peers.nvcc import cuda_to_ptx, toolkit

# What tvm/support/nvcc.py passes; the .ftz of its scalar adds comes from here.
_FLAGS = (
    "-O3",
    "-U__CUDA_NO_HALF_OPERATORS__",
    "-U__CUDA_NO_HALF_CONVERSIONS__",
    "-U__CUDA_NO_BFLOAT16_OPERATORS__",
    "-U__CUDA_NO_BFLOAT16_CONVERSIONS__",
    "-U__CUDA_NO_BFLOAT162_OPERATORS__",
    "-U__CUDA_NO_BFLOAT162_CONVERSIONS__",
    "--expt-relaxed-constexpr",
    "--expt-extended-lambda",
    "--use_fast_math",
)

_DTYPE = {
    "sum": "float32",
    "max": "float32",
    "sum_f16": "float16",
    "sum_bf16": "bfloat16",
    "sum_i32": "int32",
    "max_i32": "int32",
}
_PACKED = {"sum": "packed_add_sum", "max": "3input_maxmin"}

_PROGRAM = """
@T.prim_func
def reduce(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, [{n}], "{dtype}", layout=TileLayout(S[({n},)]))
    B = T.match_buffer(B_ptr, [1], "{dtype}", layout=TileLayout(S[(1,)]))
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    A_local = T.alloc_buffer([{n}], "{dtype}", scope="local")
    B_local = T.alloc_buffer([1], "{dtype}", scope="local")
    for i in T.serial({n}):
        A_local[i] = A[i]
    Tx.{function}(B_local, A_local, accum=False, dispatch="{variant}")
    B[0] = B_local[0]
"""


class _Tvm:
    """One variant of TVM's reduction dispatch, forced by its internal name."""

    name: str

    def __init__(self) -> None:
        toolkit()
        self._tvm: Any = import_module("tvm")
        # The package has a function of the same name as this module.
        self._build: Any = import_module("tvm.tirx.build")
        layout: Any = import_module("tvm.tirx.layout")
        self._names: dict[str, Any] = {
            "T": import_module("tvm.script.tirx"),
            "Tx": import_module("tvm.script.tirx").tile,
            "TileLayout": layout.TileLayout,
            "S": layout.S,
        }
        self._parsed = cache(self._parse)

    def version(self) -> str:
        return f"TVM {import_module('importlib.metadata').version('apache-tvm')}"

    def variant(self, op: OpName) -> str:
        """The name of the variant. Raises NotOffered for an op that it does not take."""
        raise NotImplementedError

    def _parse(self, op: OpName, n: int) -> Any:
        variant = self.variant(op)
        text = _PROGRAM.format(
            n=n, dtype=_DTYPE[op], function=op.split("_")[0], variant=variant
        )
        return self._tvm.script.from_source(text, extra_vars=self._names)

    def lower(self, op: OpName, n: int, chip: str) -> object:
        """
        From the parsed program to CUDA text: what `tvm.compile(..., tir_pipeline="tirx")` does for the device.

        Neither reading the program nor the host's code that launches the kernel is part of it.
        """
        program = self._tvm.IRModule({"reduce": self._parsed(op, n)})
        target = self._tvm.target.Target({"kind": "cuda", "arch": chip})
        bound = target.with_host(self._tvm.target.Target("llvm"))
        pipeline, _, finish = self._tvm.tirx.get_tir_pipeline("tirx")
        lowered = pipeline(self._tvm.tirx.transform.BindTarget(bound)(program))
        _, device = self._build.split_host_device_mods(lowered)
        ((target, module),) = device.items()
        return self._build.codegen_build(finish()(module), target).inspect_source()

    def ptx(self, op: OpName, n: int, chip: str) -> str:
        return cuda_to_ptx(str(self.lower(op, n, chip)), chip, _FLAGS)


class TvmPacked(_Tvm):
    """`sm100_packed`, the variant that our own of the same name follows."""

    name = "TVM packed"

    def variant(self, op: OpName) -> str:
        if op not in _PACKED:
            raise NotOffered("sm100_packed takes sum, max and min of f32")
        return _PACKED[op]


class TvmLocal(_Tvm):
    """`local`, the variant below it."""

    name = "TVM local"

    def variant(self, op: OpName) -> str:
        if op not in _DTYPE:
            raise NotOffered("TVM reduces by sum, max and min alone")
        return "local"
