"""Reductions written in MLIR, lowered to the best legal PTX for the named GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xdsl_packed.compiler import (
        CompiledKernel,
        compile_reduction,
        lower,
        reduction_module,
    )
    from xdsl_packed.frontend import parse_file, parse_text
    from xdsl_packed.selection.report import Report
    from xdsl_packed.target import GpuTarget
    from xdsl_packed.transforms.tile_dispatch import dispatch, explain

_HOME = {
    "CompiledKernel": "xdsl_packed.compiler",
    "GpuTarget": "xdsl_packed.target",
    "Report": "xdsl_packed.selection.report",
    "compile_reduction": "xdsl_packed.compiler",
    "dispatch": "xdsl_packed.transforms.tile_dispatch",
    "explain": "xdsl_packed.transforms.tile_dispatch",
    "lower": "xdsl_packed.compiler",
    "parse_file": "xdsl_packed.frontend",
    "parse_text": "xdsl_packed.frontend",
    "reduction_module": "xdsl_packed.compiler",
}

__all__ = [
    "CompiledKernel",
    "GpuTarget",
    "Report",
    "compile_reduction",
    "dispatch",
    "explain",
    "lower",
    "parse_file",
    "parse_text",
    "reduction_module",
]


def __getattr__(name: str) -> Any:
    """The public names, each imported when it is first asked for (PEP 562)."""
    if (home := _HOME.get(name)) is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
