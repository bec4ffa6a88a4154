"""
`xdsl-packed-run`: run a function of a module at any stage of its lowering.

    xdsl-packed-run k.mlir --symbol k --verbose \\
        --args 'dense<1.0> : tensor<32xf32>, dense<0.0> : tensor<1xf32>'

Arguments are MLIR attributes: numbers, and dense elements for memrefs and vectors. With
`--verbose` it prints the results, then every dense argument as it stands afterwards.
Exit code 0 on success, 1 on a diagnostic, 2 on wrong usage.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
)
from xdsl.interpreter import Interpreter
from xdsl.tools.xdsl_run import xDSLRunMain
from xdsl.utils.arg_spec import parse_spec
from xdsl.utils.exceptions import ArgSpecParseError, DiagnosticException, ParseError
from xdsl.utils.hints import isa

from xdsl_packed import frontend
from xdsl_packed.dialects import ptx
from xdsl_packed.interpreters import (
    find_function,
    register_implementations,
    run_function,
)
from xdsl_packed.interpreters.numerics import to_f64
from xdsl_packed.interpreters.values import constant, element_type

Number = IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr


class XdslPackedRunMain(xDSLRunMain):
    """xDSL's runner with locations, our interpreters, and memory shown afterwards."""

    def __init__(self, args: Sequence[str] | None = None) -> None:
        super().__init__("Run a function of a tile, packed or ptx module.", args)

    def register_all_arguments(self, arg_parser: argparse.ArgumentParser) -> None:
        super().register_all_arguments(arg_parser)
        arg_parser.set_defaults(frontend=frontend.MlirWithLocations.name)
        arg_parser.add_argument(
            "--bits",
            action="store_true",
            help="Print numbers as their bits, in hexadecimal.",
        )

    def register_implementations(self, interpreter: Interpreter) -> None:
        register_implementations(interpreter)

    def run(self) -> None:
        module = self._parse()
        if not self.args.disable_verify:
            frontend.verify(module)
        arguments = self._arguments()
        values = [_value(argument) for argument in arguments]
        results = run_function(module, self.args.symbol, values)
        if not self.args.verbose:
            return
        for line in self._report(module, arguments, values, results):
            print(line)

    def _parse(self) -> ModuleOp:
        name = parse_spec(self.args.frontend).name
        if name not in self.available_frontends:
            known = ", ".join(sorted(self.available_frontends))
            raise DiagnosticException(
                f"error: there is no frontend {name}: expected one of {known}"
            )
        try:
            stream, extension = self.get_input_stream()
        except OSError as error:
            raise DiagnosticException(
                f"{self.get_input_name()}: error: cannot be read: {error.strerror}"
            ) from None
        with stream:
            module = self.parse_chunk(stream, extension)
        if module is None:
            raise DiagnosticException(f"{self.get_input_name()}: error: no module")
        return module

    def _arguments(self) -> list[Number]:
        attributes = frontend.parse_attributes(self.ctx, self.args.args, "--args")
        for i, attribute in enumerate(attributes):
            if not isa(attribute, Number):
                raise DiagnosticException(
                    f"--args: error: argument {i} is {attribute}: "
                    "expected a number or dense elements"
                )
        return [attribute for attribute in attributes if isa(attribute, Number)]

    def _report(
        self,
        module: ModuleOp,
        arguments: Sequence[Number],
        values: Sequence[Any],
        results: Sequence[Any],
    ) -> Iterator[str]:
        names = _result_types(module, self.args.symbol)
        shown = [self._shown(*pair) for pair in zip(results, names)]
        yield f"result: {shown[0] if len(shown) == 1 else '(' + ', '.join(shown) + ')'}"
        for i, (argument, value) in enumerate(zip(arguments, values)):
            if isinstance(value, np.ndarray):
                name = str(element_type(argument.type))
                yield f"argument {i}: {self._shown(value, name)}"

    def _shown(self, value: Any, name: str) -> str:
        array = np.asarray(value)
        if array.ndim:
            return "[" + ", ".join(self._shown(part, name) for part in array) + "]"
        if array.dtype == object:
            return "an address"
        if self.args.bits:
            width = 8 * array.dtype.itemsize
            return f"0x{int(array.view(f'u{width // 8}')):0{width // 4}x}"
        if array.dtype == np.bool_:
            return "true" if array else "false"
        return str(to_f64("bf16", array) if name == "bf16" else array[()])


def _value(argument: Number) -> Any:
    value = constant(argument, argument.type)
    if isa(argument, DenseIntOrFPElementsAttr):
        return np.array(value)
    return value


def _result_types(module: ModuleOp, symbol: str) -> Iterable[str]:
    op = find_function(module, symbol)
    if isinstance(op, ptx.EntryOp | ptx.FuncOp):
        return [result.data.value for result in op.declared_results()]
    return [str(element_type(type)) for type in op.function_type.outputs.data]


def main(args: Sequence[str] | None = None) -> int:
    """The console script. Returns the exit code."""
    try:
        XdslPackedRunMain(args).run()
    except (DiagnosticException, ParseError, ArgSpecParseError) as error:
        print(error, file=sys.stderr)
        return 1
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        print(f"error: xdsl-packed-run failed, please report ({what})", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
