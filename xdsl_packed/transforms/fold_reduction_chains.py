"""`fold-reduction-chains`: what unrolled code says in many ops becomes one reduction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import arith, vector
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp, VectorType
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from xdsl_packed.entrances.combiner import KIND_OF_OP
from xdsl_packed.entrances.fastmath import flags_of
from xdsl_packed.reduction import Kind


@dataclass(frozen=True)
class Chain:
    """
    Ops of one kind that combine every element of `vector` once, and maybe `accumulator`.

    `ops` come users first, so that they can be erased in this order; the first is the root.
    """

    ops: Sequence[Operation]
    vector: SSAValue
    accumulator: SSAValue | None
    kind: Kind
    flags: frozenset[FastMathFlag]


@dataclass(frozen=True)
class FoldReductionChainsPass(ModulePass):
    """
    Fold chains and trees of one arith op over all elements that vector.extract takes from
    one vector of rank 1, and at most one other value, into a vector.reduction.

    A float sum or product is folded when every op allows `reassoc`, or when it is written
    in the order that vector.reduction has without: the other value first, then the
    elements by number. The fast-math flags that all ops have are kept. A chain is left
    alone when a value in its middle is used elsewhere too.
    """

    name = "fold-reduction-chains"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        # Users come before what they use: a whole chain is seen before its parts.
        for candidate in reversed(list(op.walk())):
            if candidate.parent is None or type(candidate) not in KIND_OF_OP:
                continue
            if (chain := _chain(candidate)) is not None:
                _fold(chain)


Element: TypeAlias = tuple[SSAValue, int]
"""A vector of rank 1 and the number of an element."""


def _chain(root: Operation) -> Chain | None:
    """The chain that ends in `root`, or None."""
    ops, leaves = _expand(root)
    if (split := _split(leaves)) is None:
        return None
    source, accumulator = split
    flags = _common_flags(ops)
    is_rounded = isinstance(root, arith.AddfOp | arith.MulfOp)
    if is_rounded and FastMathFlag.REASSOC not in flags:
        if not _is_in_order(ops, source, accumulator):
            return None
    return Chain(ops, source, accumulator, KIND_OF_OP[type(root)], flags)


def _expand(root: Operation) -> tuple[list[Operation], list[SSAValue]]:
    """
    The ops like `root` that lead to it alone, users first, and the values they start from.

    Stops early when those cannot be one vector's elements and one more value.
    """
    ops, leaves = [root], list[SSAValue]()
    sources = set[SSAValue | None]()
    waiting = list(root.operands)
    while waiting and len(sources) <= 2:
        value = waiting.pop()
        if (op := _continues(root, value)) is not None:
            ops.append(op)
            waiting.extend(op.operands)
            continue
        element = _element(value)
        if element is None and None in sources:
            return ops, []
        leaves.append(value)
        sources.add(None if element is None else element[0])
    return ops, [] if waiting else leaves


def _continues(root: Operation, value: SSAValue) -> Operation | None:
    """The op that makes `value`, when the chain that ends in `root` goes on there."""
    op = value.owner
    if (
        isinstance(op, Operation)
        and type(op) is type(root)
        and op.parent is root.parent
        and value.has_one_use()
    ):
        return op
    return None


def _element(value: SSAValue) -> Element | None:
    """The element that `value` is extracted as, or None."""
    op = value.owner
    if not isinstance(op, vector.ExtractOp):
        return None
    position = op.static_position.get_values()
    if len(position) != 1 or position[0] == DYNAMIC_INDEX:
        return None
    # One position of a vector of a higher rank is a row.
    return None if isinstance(value.type, VectorType) else (op.vector, position[0])


def _split(leaves: Sequence[SSAValue]) -> tuple[SSAValue, SSAValue | None] | None:
    """
    The vector whose elements `leaves` are, each of them once, and the one other value.

    None when they are no such values.
    """
    numbers: dict[SSAValue, list[int]] = {}
    for leaf in leaves:
        if (element := _element(leaf)) is not None:
            numbers.setdefault(element[0], []).append(element[1])
    source = max(numbers, key=lambda value: len(numbers[value]), default=None)
    if source is None or not isa(source.type, VectorType[Attribute]):
        return None
    (extent,) = source.type.get_shape()
    is_whole = sorted(numbers[source]) == list(range(extent))
    if not is_whole or extent < 2 or any(source.type.get_scalable_dims()):
        return None
    others = [
        leaf
        for leaf in leaves
        if (element := _element(leaf)) is None or element[0] is not source
    ]
    return None if len(others) > 1 else (source, others[0] if others else None)


def _common_flags(ops: Sequence[Operation]) -> frozenset[FastMathFlag]:
    flags = [flags_of(op) for op in ops]
    return frozenset(flag for flag in FastMathFlag if all(flag in f for f in flags))


def _is_in_order(
    ops: Sequence[Operation], source: SSAValue, accumulator: SSAValue | None
) -> bool:
    """
    Whether `ops` combine the value so far with the next element of `source`, one each, the
    accumulator first. Operands may be swapped: float sums and products commute.
    """
    if accumulator is None:
        starts = [v for v in ops[-1].operands if _element(v) == (source, 0)]
    else:
        starts = [v for v in ops[-1].operands if v is accumulator]
    if len(starts) != 1:
        return False
    running = starts[0]
    for number, op in enumerate(reversed(ops), start=0 if accumulator else 1):
        rest = [value for value in op.operands if value is not running]
        if len(rest) != 1 or _element(rest[0]) != (source, number):
            return False
        running = op.results[0]
    return True


def _fold(chain: Chain) -> None:
    root = chain.ops[0]
    flags = FastMathFlagsAttr(sorted(chain.flags))
    reduction = vector.ReductionOp.build(
        operands=[chain.vector, chain.accumulator],
        result_types=[root.results[0].type],
        properties={
            "kind": vector.CombiningKindAttr(_combining(chain.kind)),
            "fastmath": flags,
        },
    )
    reduction.location = root.location
    Rewriter.insert_op(reduction, InsertPoint.before(root))
    extracts = dict.fromkeys(v.owner for op in chain.ops for v in op.operands)
    Rewriter.replace_op(root, [], reduction.results)
    for op in chain.ops[1:]:
        Rewriter.erase_op(op)
    for extract in extracts:
        if isinstance(extract, vector.ExtractOp) and not extract.result.uses:
            Rewriter.erase_op(extract)


def _combining(kind: Kind) -> vector.CombiningKindFlag:
    return vector.CombiningKindFlag(kind.value)
