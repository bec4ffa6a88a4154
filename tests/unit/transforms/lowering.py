"""Running passes on text, from within a test."""

from __future__ import annotations

from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.passes import PassPipeline
from xdsl.universe import Universe

from xdsl_packed.backend.ptx_target import print_ptx


@cache
def _universe() -> Universe:
    return Universe.get_multiverse()


def context() -> Context:
    ctx = Context(allow_unregistered=True)
    for name, factory in _universe().all_dialects.items():
        ctx.register_dialect(name, factory)
    return ctx


def run(text: str, pipeline: str) -> ModuleOp:
    """The verified module that the passes of `pipeline` make of `text`."""
    ctx = context()
    module = Parser(ctx, text).parse_module()
    module.verify()
    PassPipeline.parse_spec(_universe().all_passes, pipeline, None).apply(ctx, module)
    module.verify()
    return module


def lower(text: str, chip: str = "sm_100a") -> ModuleOp:
    """The ptx module of `text` for `chip`."""
    return run(text, f'ptx-set-target{{chip="{chip}"}},convert-to-ptx')


def ptx(text: str, chip: str = "sm_100a") -> str:
    """The PTX of `text` for `chip`."""
    return print_ptx(lower(text, chip))


def kernel(parameters: str, body: str, name: str = "k") -> str:
    """A kernel of these parameters and this body."""
    return f"""
func.func @{name}({parameters}) attributes {{gpu.kernel}} {{
{body}
  func.return
}}
"""
