"""Loops that index local buffers by their counter are unrolled, so that every index is constant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import Pure
from xdsl.transforms.scf_for_loop_unroll import UnrollLoopPattern
from xdsl.utils.hints import isa

from xdsl_packed.constants import KnownIntegers
from xdsl_packed.diagnostics import error_at, remark_at
from xdsl_packed.layouts import is_local

# A buffer in registers has at most a few thousand elements: a loop that becomes more ops
# than this is left as it is, rather than fill the memory of the machine that compiles.
_MOST_OPS = 1 << 20


@dataclass(frozen=True)
class UnrollLocalLoopsPass(ModulePass):
    """
    Unroll each `scf.for` with constant bounds in whose body the index of a local buffer
    depends on the loop, nested ones too. Other loops are left.
    """

    name = "unroll-local-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        known = KnownIntegers()
        for block in _blocks(op):
            _unroll_in(block, known)


def _blocks(op: Operation) -> Iterator[Block]:
    for region in op.regions:
        yield from region.blocks


def _unroll_in(block: Block, known: KnownIntegers) -> None:
    """Outer loops first: the bounds of an inner one may depend on them."""
    op = block.first_op
    while op is not None:
        before = op.prev_op
        if isinstance(op, scf.ForOp) and _unroll(op, known):
            op = block.first_op if before is None else before.next_op
            continue
        for inner in _blocks(op):
            _unroll_in(inner, known)
        op = op.next_op


def _unroll(loop: scf.ForOp, known: KnownIntegers) -> bool:
    """Unroll `loop` if it has to be and can; whether it was."""
    step = known.get(loop.step)
    if step is not None and step <= 0:
        raise error_at(loop, f"has step {step}: the step of a loop is 1 or more")
    if not _indexes_local_buffers(loop):
        return False
    bounds = known.get_all((loop.lb, loop.ub, loop.step))
    if bounds is None:
        return False
    size = len(range(*bounds)) * sum(1 for _ in loop.body.walk())
    if size > _MOST_OPS:
        remark_at(
            loop,
            f"is not unrolled, as it would become {size} ops (at most {_MOST_OPS}): "
            "the local buffers that it indexes stay in memory",
        )
        return False
    _write_bounds(loop, bounds)
    UnrollLoopPattern().match_and_rewrite(loop, PatternRewriter(loop))
    return True


def _write_bounds(loop: scf.ForOp, bounds: tuple[int, ...]) -> None:
    """xDSL's pattern wants the bounds as constants, where ours may be sums of constants."""
    for position, (operand, bound) in enumerate(zip(loop.operands[:3], bounds)):
        if isinstance(operand.owner, arith.ConstantOp):
            continue
        type = operand.type
        assert isa(type, IndexType | IntegerType)
        constant = arith.ConstantOp(IntegerAttr(bound, type))
        Rewriter.insert_op(constant, InsertPoint.before(loop))
        loop.operands[position] = constant.result


def _indexes_local_buffers(loop: scf.ForOp) -> bool:
    """Whether the index of a local buffer in the body depends on what `loop` carries."""
    depends: set[SSAValue] = {
        arg for arg in loop.body.block.args if _may_index(arg.type)
    }
    for op in loop.body.walk():
        used = [operand for operand in op.operands if operand in depends]
        if not used:
            continue
        if _selects_local(op, used):
            return True
        if isinstance(op, scf.ForOp):
            depends.update(arg for arg in op.body.block.args if _may_index(arg.type))
        if isinstance(op, scf.ForOp) or op.has_trait(Pure, value_if_unregistered=False):
            depends.update(result for result in op.results if _may_index(result.type))
    return False


def _may_index(type: Attribute) -> bool:
    return isinstance(type, IndexType | IntegerType)


def _selects_local(op: Operation, used: list[SSAValue]) -> bool:
    """Whether `op` selects elements of a local buffer by one of the `used` operands."""
    memrefs = [v for v in op.operands if isinstance(v.type, MemRefType)]
    return any(map(is_local, memrefs)) and any(
        isinstance(v.type, IndexType) for v in used
    )
