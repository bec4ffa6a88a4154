"""Files are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from xdsl.utils.exceptions import DiagnosticException


def write_whole(path: Path, content: str | bytes) -> None:
    """
    Write `content` to `path` through a temporary file beside it.

    Raises DiagnosticException, and leaves what stood there, when that is not possible.
    """
    data = content.encode() if isinstance(content, str) else content
    if path.exists() and not path.is_file():
        # A device or a pipe, such as /dev/stdout, cannot be replaced.
        _write_through(path, data)
        return
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise _cannot_write(path, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except OSError as error:
        os.unlink(name)
        raise _cannot_write(path, error) from None


def _write_through(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise _cannot_write(path, error) from None


def _cannot_write(path: Path, error: OSError) -> DiagnosticException:
    return DiagnosticException(f"cannot write {path}: {error.strerror}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
