"""Modules with one reduction on one thread's values, for the tests of the entrances."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from xdsl_packed.frontend import new_context, verify
from xdsl_packed.target import GpuTarget


def parse(text: str, chip: str | None = None) -> ModuleOp:
    """The verified module; ops that xDSL does not know are taken."""
    ctx = new_context()
    ctx.allow_unregistered = True
    module = Parser(ctx, text).parse_module()
    verify(module)
    if chip is not None:
        GpuTarget.of(chip).set_on_module(module)
    return module


def _memref(shape: Sequence[int], element: str, space: int = 1) -> str:
    return f"memref<{''.join(f'{n}x' for n in shape)}{element}, {space}>"


def _vector(shape: Sequence[int], element: str) -> str:
    return f"vector<{'x'.join(map(str, shape))}x{element}>" if shape else element


def vector_reduction(
    kind: str, length: int, element: str, *, flags: str = "", accumulate: bool = False
) -> str:
    """`@kernel(source, old and new destination)` around a vector.reduction."""
    source, destination = _memref([length], element), _memref([1], element)
    vector = _vector([length], element)
    acc = ", %old" if accumulate else ""
    fastmath = f" fastmath<{flags}>" if flags else ""
    return f"""
func.func @kernel(%a: {source}, %b: {destination}) {{
  %c0 = arith.constant 0 : index
  %v = vector.load %a[%c0] : {source}, {vector}
  %old = memref.load %b[%c0] : {destination}
  %r = vector.reduction <{kind}>, %v{acc}{fastmath} : {vector} into {element}
  memref.store %r, %b[%c0] : {destination}
  func.return
}}"""


def multi_reduction(
    kind: str, shape: Sequence[int], axes: Sequence[int], element: str
) -> str:
    """`@kernel(source, old and new destination)` around a vector.multi_reduction."""
    kept = [n for axis, n in enumerate(shape) if axis not in axes]
    source, destination = _memref(shape, element), _memref(kept, element)
    vector, reduced = _vector(shape, element), _vector(kept, element)
    dims = f"array<i64: {', '.join(map(str, axes))}>" if axes else "array<i64>"
    zeros = ", ".join("%c0" for _ in shape)
    at = ", ".join("%c0" for _ in kept)
    load = f"vector.load %b[{at}] : {destination}, {reduced}"
    store = f"vector.store %r, %b[{at}] : {destination}, {reduced}"
    if not kept:
        load = f"memref.load %b[] : {destination}"
        store = f"memref.store %r, %b[] : {destination}"
    return f"""
func.func @kernel(%a: {source}, %b: {destination}) {{
  %c0 = arith.constant 0 : index
  %v = vector.load %a[{zeros}] : {source}, {vector}
  %old = {load}
  %r = "vector.multi_reduction"(%v, %old) <{{kind = #vector.kind<{kind}>, reduction_dims = {dims}}}> : ({vector}, {reduced}) -> {reduced}
  {store}
  func.return
}}"""


def linalg_reduce(
    body: str, shape: Sequence[int], axes: Sequence[int], element: str
) -> str:
    """`@kernel(source, destination)`; `body` combines %in and %out to %r."""
    kept = [n for axis, n in enumerate(shape) if axis not in axes]
    source, destination = _memref(shape, element, 5), _memref(kept, element, 5)
    return f"""
func.func @kernel(%a: {source}, %b: {destination}) {{
  linalg.reduce ins(%a : {source}) outs(%b : {destination}) dimensions = [{", ".join(map(str, axes))}]
    (%in: {element}, %out: {element}) {{
      {body}
      linalg.yield %r : {element}
    }}
  func.return
}}"""
