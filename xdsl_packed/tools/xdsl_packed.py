"""
`xdsl-packed`: compile reductions to PTX, and explain which variant lowers them and why.

Exit code 0 on success, 1 on a diagnostic, 2 on usage. Only the result is written to
standard output.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from xdsl.utils.exceptions import DiagnosticException

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from xdsl_packed.target import GpuTarget

DESCRIPTION = "Reductions written in MLIR, lowered to PTX for the named GPU."


@dataclass(frozen=True)
class _Lowered:
    """A module in the ptx dialect, and what it prints to."""

    module: ModuleOp
    ptx: str
    target: GpuTarget


def _numbers(text: str) -> tuple[int, ...]:
    """`4x8` or `4,8`; nothing at all is the empty list."""
    parts = text.replace("x", ",").split(",") if text else []
    try:
        return tuple(int(part) for part in parts)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no list of integers such as 4x8 or 4,8"
        ) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="xdsl-packed", description=DESCRIPTION)
    commands = parser.add_subparsers(dest="command", required=True)

    compile_command = commands.add_parser(
        "compile", help="compile a .mlir file or one reduction to PTX or machine code"
    )
    _add_input(compile_command)
    compile_command.add_argument(
        "-o", dest="output", type=Path, metavar="FILE", help="default: standard output"
    )
    compile_command.add_argument(
        "--emit",
        choices=("ptx", "cubin", "sass", "mlir", "func", "cuda", "llvm"),
        default="ptx",
        help="mlir is the module in the ptx dialect; func, cuda and llvm are, for each "
        "reduction, a PTX device function, a CUDA C++ function in a header, and an LLVM IR "
        "kernel; default: ptx",
    )
    compile_command.add_argument(
        "--by",
        choices=("pointer", "value"),
        help="how the function takes the elements (func); default: pointer",
    )
    compile_command.add_argument(
        "--ptxas", metavar="PATH", help="the assembler to use (cubin and sass)"
    )
    compile_command.add_argument(
        "--nvdisasm", metavar="PATH", help="the disassembler to use (sass)"
    )

    explain_command = commands.add_parser(
        "explain", help="print every variant's answer to every reduction"
    )
    _add_input(explain_command)
    explain_command.add_argument(
        "--json", action="store_true", help="as JSON (schema 1) instead of text"
    )
    return parser


def _add_input(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "file", nargs="?", help="a .mlir file, or - for standard input"
    )
    command.add_argument(
        "--allow-unregistered-dialect",
        action="store_true",
        help="take ops of dialects that xDSL does not know, in generic form",
    )
    command.add_argument("--kind", help="add (sum), maxnumf (max), minnumf (min), ...")
    command.add_argument("--shape", type=_numbers, metavar="4x8")
    command.add_argument("--dtype", default="f32", help="default: f32")
    command.add_argument("--axes", type=_numbers, metavar="0,1", help="default: all")
    command.add_argument("--accumulate", action="store_true")
    command.add_argument("--ftz", action="store_true")
    command.add_argument("--order", help="sequential, lanes8, tree or any")
    command.add_argument("--scope", default="thread", help="default: thread")
    command.add_argument("--align", type=int, metavar="BYTES")
    command.add_argument("--acc", help="the accumulation type, such as f32 for bf16")
    command.add_argument("--out", help="the destination's type; default: --acc's")
    command.add_argument("--variant", help="the variant to use")
    command.add_argument(
        "--enable", type=lambda text: tuple(text.split(",")), metavar="A,B"
    )
    command.add_argument("--chip", help="for example sm_100a or sm_90")
    command.add_argument("--ptx-version", metavar="9.0")


_REDUCTION_OPTIONS = (
    "kind",
    "shape",
    "axes",
    "accumulate",
    "ftz",
    "order",
    "align",
    "acc",
    "out",
)


def _check_usage(
    parser: argparse.ArgumentParser, arguments: argparse.Namespace
) -> None:
    emit = getattr(arguments, "emit", None)
    if getattr(arguments, "by", None) is not None and emit != "func":
        parser.error("--by says how a function is called: expected with --emit func")
    if arguments.align is not None and emit == "cuda":
        parser.error(
            "--align is about pointers, which --emit cuda has none of: leave it out"
        )
    if arguments.file is None:
        if arguments.kind is None or arguments.shape is None:
            parser.error("expected a .mlir file, or --kind and --shape")
        if arguments.chip is None:
            parser.error("expected --chip, for example --chip sm_100a")
        return
    for option in _REDUCTION_OPTIONS:
        if getattr(arguments, option) not in (None, False):
            parser.error(
                f"--{option} describes a reduction and does not go with a file"
            )


def _module(arguments: argparse.Namespace) -> ModuleOp:
    """The module of the file or of the options, verified, with its target recorded."""
    from xdsl_packed.compiler import reduction_module
    from xdsl_packed.frontend import parse_file, parse_text, verify
    from xdsl_packed.target import CHIP_ATTRIBUTE, GpuTarget

    unregistered = arguments.allow_unregistered_dialect
    if arguments.file is None:
        module = reduction_module(
            arguments.kind,
            arguments.shape,
            axes=arguments.axes,
            dtype=arguments.dtype,
            chip=arguments.chip,
            ptx_version=arguments.ptx_version,
            accumulate=arguments.accumulate,
            ftz=arguments.ftz,
            order=arguments.order,
            scope=arguments.scope,
            align=arguments.align,
            acc=arguments.acc,
            out=arguments.out,
        )
    elif arguments.file == "-":
        _, module = parse_text(
            _standard_input(), "<stdin>", allow_unregistered=unregistered
        )
    else:
        _, module = parse_file(arguments.file, allow_unregistered=unregistered)
    if arguments.chip is not None:
        GpuTarget.of(arguments.chip, arguments.ptx_version).set_on_module(module)
    elif CHIP_ATTRIBUTE not in module.attributes:
        raise DiagnosticException(
            f"{arguments.file}: error: names no chip: give one, for example --chip sm_100a"
        )
    verify(module)
    return module


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise DiagnosticException(f"<stdin>: error: it is no text: {error}") from None


def _lowered(arguments: argparse.Namespace) -> _Lowered:
    from xdsl.context import Context

    from xdsl_packed.backend.ptx_target import PtxTarget
    from xdsl_packed.target import GpuTarget
    from xdsl_packed.transforms.convert_to_ptx import ConvertToPtxPass
    from xdsl_packed.transforms.tile_dispatch import dispatch

    module = _module(arguments)
    target = GpuTarget.from_module(module, "compile")
    dispatch(module, variant=arguments.variant, enable=arguments.enable)
    context = Context()
    ConvertToPtxPass().apply(context, module)
    text = io.StringIO()
    PtxTarget().emit(context, module, text)
    return _Lowered(module, text.getvalue(), target)


def _exit(arguments: argparse.Namespace) -> str:
    """What another compiler takes."""
    from xdsl_packed.exits.lowering import lowerings

    found = lowerings(
        _module(arguments), variant=arguments.variant, enable=arguments.enable
    )
    if arguments.emit == "func":
        from xdsl_packed.exits.device_function import device_function_ptx

        by_value = arguments.by == "value"
        return device_function_ptx(found, by_value=by_value, align=arguments.align)
    if arguments.emit == "cuda":
        from xdsl_packed.exits.cuda_header import cuda_header

        return cuda_header(found)
    from xdsl_packed.exits.llvm_ir import llvm_ir

    return llvm_ir(found, align=arguments.align)


_EXITS = ("func", "cuda", "llvm")


def _compile(arguments: argparse.Namespace) -> str | bytes:
    if arguments.emit in _EXITS:
        return _exit(arguments)
    lowered = _lowered(arguments)
    if arguments.emit == "ptx":
        return lowered.ptx
    if arguments.emit == "mlir":
        return str(lowered.module) + "\n"
    from xdsl_packed.backend.ptxas import assemble

    cubin = assemble(lowered.ptx, lowered.target.chip.name, ptxas=arguments.ptxas)
    if arguments.emit == "cubin":
        return cubin
    from xdsl_packed.backend.machine_code import disassemble

    return disassemble(cubin, nvdisasm=arguments.nvdisasm)


def _explain(arguments: argparse.Namespace) -> str:
    from xdsl_packed.transforms.tile_dispatch import explain

    module = _module(arguments)
    report = explain(module, variant=arguments.variant, enable=arguments.enable)
    return report.json() if arguments.json else report.text()


def _write(result: str | bytes, output: Path | None) -> None:
    if output is not None:
        from xdsl_packed.files import write_whole

        write_whole(output, result)
        return
    data = result.encode() if isinstance(result, str) else result
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # The reader, such as head, has seen enough.
        sys.stderr.close()


def _run(arguments: argparse.Namespace) -> None:
    if arguments.command == "compile":
        _write(_compile(arguments), arguments.output)
    else:
        _write(_explain(arguments), None)


def _axes_joined(args: Sequence[str]) -> list[str]:
    """`--axes -1,0` as `--axes=-1,0`: argparse takes what starts with - for an option."""
    joined: list[str] = []
    for arg in args:
        if joined and joined[-1] == "--axes":
            joined[-1] = f"--axes={arg}"
        else:
            joined.append(arg)
    return joined


def main(args: Sequence[str] | None = None) -> NoReturn:
    parser = _parser()
    arguments = parser.parse_args(_axes_joined(sys.argv[1:] if args is None else args))
    _check_usage(parser, arguments)
    try:
        _run(arguments)
    except DiagnosticException as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        print(f"error: xdsl-packed failed, please report ({what})", file=sys.stderr)
        sys.exit(1)
    sys.exit(0)


if __name__ == "__main__":
    main()
