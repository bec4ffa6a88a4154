"""The target `ptx`: frames a module of `ptx` functions; their text is the ops' own."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException
from xdsl.utils.target import Target

from xdsl_packed.diagnostics import error_at
from xdsl_packed.dialects.ptx import CallOp, FuncOp, FunctionOp, PtxOperation
from xdsl_packed.target import GpuTarget

# ptxas refuses the constant WARP_SZ, though it is spelled as an identifier.
_IDENTIFIER = re.compile(r"(?!WARP_SZ$)([A-Za-z]|[_$][A-Za-z0-9_$])[A-Za-z0-9_$]*")

Functions = Mapping[str, FunctionOp]


@dataclass(frozen=True)
class PtxTarget(Target):
    """
    Prints PTX text. `version` is its PTX version; by default the one recorded on the
    module, and where there is none the lowest that the instructions used need.
    """

    name = "ptx"

    version: str | float | None = None
    """An option without quotes is a number: ptx{version=9.0}."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        version = None if self.version is None else str(self.version)
        output.write(print_ptx(module, version=version))


def print_ptx(module: ModuleOp, *, version: str | None = None) -> str:
    """
    The PTX text of a verified module, see `PtxTarget`.

    Raises DiagnosticException at the op that is not printable, or not legal on the
    module's target, and for symbols that PTX cannot spell.
    """
    target = GpuTarget.from_module(module, "printing PTX")
    if version is not None:
        target = GpuTarget.of(target.chip.name, version)
    functions = _functions(module)
    forms = _legal_forms(functions.values(), target)
    ptx_version = target.ptx_version or target.lowest_version(forms)
    header = f".version {ptx_version}\n.target {target.chip.name}\n.address_size 64\n\n"
    return header + "\n".join(_texts(functions))


def _functions(module: ModuleOp) -> Functions:
    functions = dict[str, FunctionOp]()
    for op in module.body.ops:
        if not isinstance(op, FunctionOp):
            raise _not_printable(op)
        name = op.sym_name.data
        if _IDENTIFIER.fullmatch(name) is None:
            raise error_at(
                op,
                f'cannot be called "{name}" in PTX: an identifier is letters, digits, _ '
                "and $, starts with a letter, or with _ or $ and one more, and is not "
                "WARP_SZ",
            )
        if name in functions:
            raise error_at(op, f'"{name}" is defined twice: rename one of the two')
        functions[name] = op
    return functions


def _not_printable(op: Operation) -> DiagnosticException:
    return error_at(op, "cannot be printed as PTX: run convert-to-ptx first")


def _legal_forms(functions: Iterable[FunctionOp], target: GpuTarget) -> set[str]:
    """The forms that the functions use, all of them legal on `target`."""
    legal = set[str]()
    for function in functions:
        for block in function.body.blocks:
            for op in block.ops:
                if not isinstance(op, PtxOperation):
                    raise _not_printable(op)
                if (form := op.form()) in legal:
                    continue
                if (reason := target.refusal(form)) is not None:
                    raise error_at(op, f"is not legal here: {reason}")
                legal.add(form)
    return legal


def _texts(functions: Functions) -> Iterator[str]:
    """Each function's text, before it the declarations of those called too early."""
    known = set[str]()
    for name, function in functions.items():
        names = function.names()
        for local in names.variables():
            if local in functions:
                raise error_at(
                    function, f'needs the name "{local}" for itself: rename @{local}'
                )
        known.add(name)
        for op in function.body.walk():
            if not isinstance(op, CallOp):
                continue
            callee = _callee(op, functions)
            if callee.sym_name.data not in known:
                known.add(callee.sym_name.data)
                yield f"{callee.head()};\n"
        yield function.text(names)


def _callee(call: CallOp, functions: Functions) -> FuncOp:
    name = call.callee.root_reference.data
    callee = functions.get(name)
    if not isinstance(callee, FuncOp):
        found = "no function of this module" if callee is None else "a kernel"
        raise error_at(call, f"@{name} is {found}: only a ptx.func can be called")
    passed = (tuple(call.operand_types), tuple(call.result_types))
    declared = (
        tuple(param.data.register for param in callee.params),
        tuple(result.data.register for result in callee.returns),
    )
    if passed != declared:
        raise error_at(
            call,
            f"@{name} takes {_listed(declared[0])} and returns {_listed(declared[1])}",
        )
    return callee


def _listed(types: Iterable[object]) -> str:
    return f"({', '.join(map(str, types))})"
