"""Diagnostics for people: where it is, what was wrong, what would be right."""

from __future__ import annotations

import sys

from xdsl.dialects.builtin import (
    ArrayAttr,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    NameLoc,
    StringAttr,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import DiagnosticException, VerifyException
from xdsl.utils.hints import isa


def file_line_column(location: Attribute) -> str | None:
    """The first `file:line:column` that a location holds, or None."""
    match location:
        case FileLineColLoc():
            return (
                f"{location.filename.data}:{location.line.data}:{location.column.data}"
            )
        case NameLoc():
            return file_line_column(location.location)
        case CallSiteLoc():
            return file_line_column(location.callee)
        case FusedLoc() if isa(location.locations, ArrayAttr[Attribute]):
            found = map(file_line_column, location.locations)
            return next((text for text in found if text is not None), None)
        case _:
            return None


def _function_name(op: Operation) -> str | None:
    parent: Operation | None = op
    while parent is not None:
        name = parent.get_attr_or_prop("sym_name")
        if isinstance(name, StringAttr):
            return name.data
        parent = parent.parent_op()
    return None


def _first_line(op: Operation) -> str:
    return str(op).split("\n", 1)[0].strip()


def name_of(op: Operation) -> str:
    """The op's name as it is written, also where xDSL does not know the op."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def where(op: Operation) -> str:
    """Where `op` stands: `file:line:column` when known, else its function and text."""
    if (known := file_line_column(op.location)) is not None:
        return known
    if (function := _function_name(op)) is not None:
        return f"@{function}: `{_first_line(op)}`"
    return f"`{_first_line(op)}`"


def place(op: Operation) -> str:
    """Like `where`, without the text of the op: `file:line:column` or `@function`."""
    if (known := file_line_column(op.location)) is not None:
        return known
    return f"@{_function_name(op) or '?'}"


def message_at(op: Operation, severity: str, message: str) -> str:
    """One line: where, severity ("error", "remark"), the op's name, the message."""
    return f"{where(op)}: {severity}: '{name_of(op)}' {message}"


def error_at(op: Operation, message: str) -> DiagnosticException:
    """The exception to raise for a user's error at `op`."""
    return DiagnosticException(message_at(op, "error", message))


def verify_error_at(op: Operation, message: str) -> VerifyException:
    """The exception to raise from an op's verifier."""
    return VerifyException(message_at(op, "error", message))


def remark_at(op: Operation, message: str) -> None:
    """Tell the user something that is no error, on standard error."""
    print(message_at(op, "remark", message), file=sys.stderr)
