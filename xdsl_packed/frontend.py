"""
Reading MLIR text so that every op knows where it stands.

xDSL's parser gives an op no location, and raises whatever its parts raise on bad input.
The frontend `mlir-with-locations` gives each op and block argument its
file:line:column, and raises one `InputError` that says where and what.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from os import PathLike, fspath
from pathlib import Path
from typing import IO

from typing_extensions import TypeVar
from xdsl.context import Context
from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    FileLineColLoc,
    IntAttr,
    LocationAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import (
    Attribute,
    AttributeInvT,
    Block,
    BlockArgument,
    Operation,
    SSAValue,
)
from xdsl.parser import Parser, Position, UnresolvedOperand
from xdsl.universe import Universe
from xdsl.utils.exceptions import (
    DiagnosticException,
    MultipleSpansParseError,
    ParseError,
)
from xdsl.utils.frontend import Frontend
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRTokenKind

from xdsl_packed.diagnostics import error_at, where

T = TypeVar("T")


class InputError(ParseError, DiagnosticException):
    """
    What is wrong with the input, as `file:line:column: error: message`.

    A ParseError too, so that `xdsl-opt --parsing-diagnostics` prints it and
    `--split-input-file` corrects its line.
    """

    def __str__(self) -> str:
        return f"{self.span.get_location()}: error: {self.msg}"


class ParserWithLocations(Parser):
    """
    Gives every op without a `loc(...)` of its own the place of its first token, and every
    block argument the place of its name.

    Ops that a parser adds by itself (implicit terminators, the implicit module) take the
    place of the op around them, or the start of the input. A written `loc(unknown)` stays.
    """

    def __init__(self, ctx: Context, text: str, name: str) -> None:
        super().__init__(ctx, text, name)
        self._file = StringAttr(name)
        self._line_starts = [0, *(i + 1 for i, c in enumerate(text) if c == "\n")]
        self._operation_start = self._current_token.span
        self._location_end: Position = -1
        self._written_unknown: set[Operation] = set()
        self._first_uses: dict[str, Span] = {}

    def location(self, position: Position) -> FileLineColLoc:
        """The 1-based line and column, in code points, of a position in the input."""
        line = bisect_right(self._line_starts, position)
        column = position - self._line_starts[line - 1] + 1
        return FileLineColLoc(self._file, IntAttr(line), IntAttr(column))

    def parse_module(self, allow_implicit_module: bool = True) -> ModuleOp:
        try:
            module = super().parse_module(allow_implicit_module)
        except ParseError as error:
            raise self._at_first_use(error) from error
        self._locate_added_operations(module)
        return module

    def expect_end(self) -> None:
        """Raises ParseError unless the whole input was parsed."""
        if self._current_token.kind != MLIRTokenKind.EOF:
            self.raise_error("end of input expected")

    def parse_operation(self) -> Operation:
        start = self._operation_start = self._current_token.span
        op = super().parse_operation()
        if op.location != UNKNOWN_LOC:
            return op
        if self._location_end == self.pos:
            self._written_unknown.add(op)
            return op
        op.location = self.location(start.start)
        return op

    def parse_optional_location(self) -> LocationAttr | None:
        location = super().parse_optional_location()
        if location is not None:
            self._location_end = self.pos
        return location

    def resolve_operand(
        self, operand: UnresolvedOperand, type: AttributeInvT
    ) -> SSAValue[AttributeInvT]:
        self._first_uses.setdefault(operand.operand_name, operand.span)
        return super().resolve_operand(operand, type)

    def _register_ssa_definition(
        self, name: str, values: Sequence[SSAValue], span: Span
    ) -> None:
        super()._register_ssa_definition(name, values, span)
        if self._location_end == self.pos:
            return
        for value in values:
            if isinstance(value, BlockArgument) and value.location == UNKNOWN_LOC:
                value.location = self.location(span.start)

    def _get_op_by_name(self, name: str) -> type[Operation]:
        op_type = self.ctx.get_optional_op(
            name, dialect_stack=self._parser_state.dialect_stack
        )
        if op_type is None:
            # xDSL points behind the name; the op itself is the better place.
            self.raise_error(
                f"Operation {name} is not registered", self._operation_start
            )
        return op_type

    def _at_first_use(self, error: ParseError) -> ParseError:
        """xDSL reports undefined values at the end of the input: point at a use."""
        if not error.msg.startswith("values used but not defined"):
            return error
        name = next(iter(self.forward_ssa_references))
        return ParseError(self._first_uses[name], f"%{name} is used but not defined")

    def _locate_added_operations(self, module: ModuleOp) -> None:
        for op in module.walk():
            if op.location != UNKNOWN_LOC or op in self._written_unknown:
                continue
            parent = op.parent_op()
            op.location = self.location(0) if parent is None else parent.location


def _one_line(text: str) -> str:
    """Without line breaks, and with characters that do not print escaped."""
    line = " ".join(text.split())
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in line)


def _message(error: Exception) -> str:
    """What an exception of xDSL's parser says; its kind where that is no sentence."""
    if isinstance(error, RecursionError):
        return "operations or attributes are nested too deeply for xDSL's parser"
    several = len(error.args) > 1
    text = _one_line(" ".join(map(str, error.args)) if several else str(error))
    if text and isinstance(error, DiagnosticException | ValueError):
        return text
    return f"xDSL's parser stopped here: {type(error).__name__} {text}".rstrip()


def _input_error(error: ParseError) -> InputError:
    message = _one_line(error.msg)
    if error.msg.startswith(" "):
        # xDSL says only " in block definition" and the like.
        message = f"unexpected {error.span.text or 'end of input'} {message}"
    if isinstance(error, MultipleSpansParseError):
        places = ", ".join(str(span.get_location()) for span, _ in error.refs)
        message = f"{message} ({error.ref_text or 'see'} {places})"
    return InputError(error.span, message)


def _decode(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        span = Span(error.start, error.end, Input(content, name))
        message = (
            f"byte 0x{content[error.start]:02x} is not UTF-8: MLIR text is expected"
        )
        raise InputError(span, message) from None


def _parse(
    ctx: Context, text: str, name: str, parse: Callable[[ParserWithLocations], T]
) -> T:
    """Parse, turning whatever xDSL's parser raises into one InputError."""
    position = 0
    try:
        parser = ParserWithLocations(ctx, text, name)
        try:
            return parse(parser)
        finally:
            position = parser.pos
    except ParseError as error:
        raise _input_error(error) from None
    except Exception as error:
        # xDSL raises ValueError, KeyError, AssertionError and plain Exception on bad input.
        span = Span(position, position, Input(text, name))
        raise InputError(span, _message(error)) from error


def _parse_module(
    ctx: Context, text: str, name: str, no_implicit_module: bool = False
) -> ModuleOp:
    if not text.strip():
        raise InputError(Span(0, 0, Input(text, name)), "the input is empty")
    return _parse(
        ctx, text, name, lambda parser: parser.parse_module(not no_implicit_module)
    )


def parse_attributes(ctx: Context, text: str, name: str) -> list[Attribute]:
    """Parse attributes separated by commas, maybe none. Raises InputError."""
    return _parse(ctx, text, name, _attributes)


def _attributes(parser: ParserWithLocations) -> list[Attribute]:
    attributes = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_attribute, parser.parse_attribute
    )
    parser.expect_end()
    return attributes or []


@dataclass(frozen=True)
class MlirWithLocations(Frontend):
    """MLIR text, with a location on every op. Raises InputError on bad input."""

    name = "mlir-with-locations"

    no_implicit_module: bool = False

    def parse(
        self, ctx: Context, input: IO[bytes], input_name: str = "input"
    ) -> ModuleOp:
        text = _decode(input.read(), input_name)
        return _parse_module(ctx, text, input_name, self.no_implicit_module)


def new_context(*, allow_unregistered: bool = False) -> Context:
    """A context that knows every dialect of the environment, loaded when first used."""
    ctx = Context(allow_unregistered=allow_unregistered)
    for name, factory in Universe.get_multiverse().all_dialects.items():
        ctx.register_dialect(name, factory)
    return ctx


def parse_text(
    text: str, name: str = "input", *, allow_unregistered: bool = False
) -> tuple[Context, ModuleOp]:
    """
    Parse MLIR text; `name` stands for the file in locations.

    `allow_unregistered` takes ops of dialects that xDSL does not know, in generic form.
    The module is not verified: see `verify`. Raises InputError.
    """
    ctx = new_context(allow_unregistered=allow_unregistered)
    return ctx, _parse_module(ctx, text, name)


def parse_file(
    path: str | PathLike[str], *, allow_unregistered: bool = False
) -> tuple[Context, ModuleOp]:
    """
    Parse an MLIR file, like `parse_text`.

    Raises InputError on bad input, DiagnosticException if the file cannot be read.
    """
    name = fspath(path)
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise DiagnosticException(
            f"{name}: error: cannot be read: {error.strerror}"
        ) from None
    ctx = new_context(allow_unregistered=allow_unregistered)
    return ctx, MlirWithLocations().parse(ctx, BytesIO(content), name)


def verify(module: Operation) -> None:
    """
    Verify `module` and every op in it.

    Raises DiagnosticException with the location of the first op that does not verify,
    inner ops first.
    """
    for op in module.walk(region_first=True):
        try:
            _verify_one(op)
        except Exception as error:
            # Some of xDSL's verifiers raise ValueError or plain Exception.
            raise _verify_error(op, error) from None


def _verify_one(op: Operation) -> None:
    for region in op.regions:
        for block in region.blocks:
            _verify_empty_block(block)
    op.verify(verify_nested_ops=False)


def _verify_empty_block(block: Block) -> None:
    if block.is_empty:
        block.verify()


def _verify_error(op: Operation, error: Exception) -> DiagnosticException:
    message = _one_line(str(error)) or type(error).__name__
    if message.startswith(where(op)):
        return DiagnosticException(message)
    return error_at(op, f"does not verify: {message}")
