"""LLVM's NVPTX back end: `llvm.vector.reduce.*` on one vector, through llvmlite."""

from functools import cached_property
from importlib import import_module
from typing import Any

from bench.ops import ALIGNMENT, OpName

# The packed and three-input forms need PTX 8.8, which LLVM does not choose by itself.
_FEATURES = "+ptx88"

_ELEMENT = {
    "sum_f16": "half",
    "sum_bf16": "bfloat",
    "sum_i32": "i32",
    "max_i32": "i32",
}


class Llvm:
    """`vector.reduce`, sums with `reassoc` (and products with `contract`), as a front end that allows it would ask."""

    name = "LLVM"

    def __init__(self) -> None:
        self._llvm: Any = import_module("llvmlite.binding")
        self._llvm.initialize_all_targets()
        self._llvm.initialize_all_asmprinters()
        self._machines: dict[str, Any] = {}

    def version(self) -> str:
        return "LLVM " + ".".join(str(part) for part in self._llvm.llvm_version_info)

    @cached_property
    def _target(self) -> Any:
        return self._llvm.Target.from_triple("nvptx64-nvidia-cuda")

    def _machine(self, chip: str) -> Any:
        if chip not in self._machines:
            self._machines[chip] = self._target.create_target_machine(
                cpu=chip, features=_FEATURES, opt=3
            )
        return self._machines[chip]

    def ptx(self, op: OpName, n: int, chip: str) -> str:
        module = self._llvm.parse_assembly(_source(op, n))
        module.verify()
        return self._machine(chip).emit_assembly(module)

    def lower(self, op: OpName, n: int, chip: str) -> object:
        return self.ptx(op, n, chip)


def _reduce(op: OpName, vector: str, n: int, element: str) -> tuple[str, str]:
    """The declaration and the call that reduce %x."""
    suffix = {"float": "f32", "half": "f16", "bfloat": "bf16", "i32": "i32"}[element]
    match op:
        case "sum" | "sumsq" | "dot" | "sum_f16" | "sum_bf16":
            name = f"@llvm.vector.reduce.fadd.v{n}{suffix}"
            return (
                f"declare {element} {name}({element}, {vector})",
                f"call reassoc contract {element} {name}({element} -0.0, {vector} %x)",
            )
        case "max" | "absmax":
            intrinsic = "fmax"
        case "maximum":
            intrinsic = "fmaximum"
        case "sum_i32":
            intrinsic = "add"
        case "max_i32":
            intrinsic = "smax"
    name = f"@llvm.vector.reduce.{intrinsic}.v{n}{suffix}"
    return (
        f"declare {element} {name}({vector})",
        f"call {element} {name}({vector} %x)",
    )


def _source(op: OpName, n: int) -> str:
    element = _ELEMENT.get(op, "float")
    vector = f"<{n} x {element}>"
    declaration, call = _reduce(op, vector, n, element)
    declarations = [declaration]
    parameters = "ptr addrspace(1) %p, ptr addrspace(1) %q"
    body = [f"%v = load {vector}, ptr addrspace(1) %p, align {ALIGNMENT}"]
    match op:
        case "absmax":
            declarations.append(f"declare {vector} @llvm.fabs.v{n}f32({vector})")
            body.append(f"%x = call {vector} @llvm.fabs.v{n}f32({vector} %v)")
        case "sumsq":
            body.append(f"%x = fmul reassoc contract {vector} %v, %v")
        case "dot":
            parameters = (
                "ptr addrspace(1) %p, ptr addrspace(1) %p1, ptr addrspace(1) %q"
            )
            body.append(f"%w = load {vector}, ptr addrspace(1) %p1, align {ALIGNMENT}")
            body.append(f"%x = fmul reassoc contract {vector} %v, %w")
        case _:
            body[0] = body[0].replace("%v", "%x")
    return "\n".join(
        [
            'target triple = "nvptx64-nvidia-cuda"',
            *declarations,
            f"define ptx_kernel void @reduce({parameters}) {{",
            *(f"  {line}" for line in body),
            f"  %r = {call}",
            f"  store {element} %r, ptr addrspace(1) %q",
            "  ret void",
            "}",
        ]
    )
