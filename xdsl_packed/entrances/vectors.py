"""Reductions of SSA vectors: what their types and values give."""

from __future__ import annotations

from itertools import product

from xdsl.builder import Builder
from xdsl.dialects import vector
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from xdsl_packed.diagnostics import name_of
from xdsl_packed.dialects.tile import wrong_kind
from xdsl_packed.entrances.memrefs import element_bytes
from xdsl_packed.reduction import Kind, Storage, Tile


def register_tile(element: Attribute) -> Tile:
    return Tile(str(element), Storage.REGISTER, element_bytes(element))


def kind_of(op: Operation) -> Kind | None:
    """The `#vector.kind<...>` of `op`, by its text, or None where it has none."""
    text = str(op.get_attr_or_prop("kind")).replace(" ", "")
    return next((kind for kind in Kind if text == f"#vector.kind<{kind}>"), None)


def unknown_kind(op: Operation) -> str:
    return (
        f"its kind is {op.get_attr_or_prop('kind')}, expected #vector.kind<...> "
        f"with one of {', '.join(Kind)}"
    )


def wrong_source(op: Operation, kind: Kind, type: VectorType[Attribute]) -> str | None:
    """Why a vector of `type` cannot be reduced by `kind`, or None."""
    if any(type.get_scalable_dims()):
        return f"{type} is scalable: a GPU's registers hold a fixed number of elements"
    if not type.get_shape():
        return f"{type} has rank 0: there is no dimension to reduce"
    if 0 in type.get_shape():
        return f"{type} has no elements: a fold starts from its first element"
    return wrong_kind(kind, type.element_type) or wrong_mask(op)


def wrong_mask(op: Operation) -> str | None:
    """Why `op`, when a `vector.mask` surrounds it, cannot be read, or None."""
    parent = op.parent_op()
    if parent is None or name_of(parent) != "vector.mask":
        return None
    return (
        "it is masked by vector.mask: missing is a variant that leaves out the lanes "
        "that are off. Put the neutral element there (arith.select) and reduce all lanes"
    )


def extract_all(value: SSAValue, builder: Builder) -> list[SSAValue]:
    """The elements of a vector, row-major; a scalar is its own element."""
    if not isa(value.type, VectorType[Attribute]):
        return [value]
    element = value.type.element_type
    return [
        builder.insert(vector.ExtractOp(value, index, element)).result
        for index in product(*map(range, value.type.get_shape()))
    ]
