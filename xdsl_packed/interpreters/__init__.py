"""What the ops compute, on numpy values: see `values` for how they are held."""

from xdsl_packed.interpreters.execution import (
    find_function,
    register_implementations,
    run_function,
)

__all__ = [
    "find_function",
    "register_implementations",
    "run_function",
]
