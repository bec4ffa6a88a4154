"""scf: loops and branches; what they carry goes through named registers."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Region, SSAValue
from xdsl.utils.hints import isa

from xdsl_packed.dialects import ptx
from xdsl_packed.dialects.ptx import Comparison, PtxRegisterType, PtxType
from xdsl_packed.dialects.ptx.registers import BITS_OF_REGISTER
from xdsl_packed.transforms.conversion.conversion import Conversion, converts
from xdsl_packed.transforms.conversion.types import arithmetic_type


def _write(conversion: Conversion, values: Sequence[SSAValue]) -> list[SSAValue]:
    """Each of `values` in a new named register."""
    return [_write_one(conversion, value) for value in values]


def _write_one(conversion: Conversion, value: SSAValue) -> SSAValue:
    assert isinstance(value.type, PtxRegisterType)
    register = conversion.new_register(value.type)
    return conversion.emit(ptx.MovOp(value, register)).d


def _write_again(
    conversion: Conversion, registers: Sequence[SSAValue], values: Sequence[SSAValue]
) -> None:
    """
    Write `values` to registers that are named already.

    No value is a named register itself, as each is read into one of its own: that makes
    a swap right.
    """
    for register, value in zip(registers, values, strict=True):
        assert isinstance(register.type, PtxRegisterType)
        conversion.emit(ptx.MovOp(value, register.type))


def _read(conversion: Conversion, registers: Sequence[SSAValue]) -> list[SSAValue]:
    return [conversion.emit(ptx.MovOp(register)).d for register in registers]


def _check_carried(conversion: Conversion, values: Sequence[SSAValue]) -> None:
    for value in values:
        if isa(value.type, MemRefType):
            raise conversion.error(
                f"cannot be lowered to PTX: it gives a {value.type}; carry an index instead"
            )


def _flat(conversion: Conversion, values: Sequence[SSAValue]) -> list[SSAValue]:
    return [register for value in values for register in conversion.carried(value)]


def _set(
    conversion: Conversion,
    values: Sequence[SSAValue],
    counts: Sequence[int],
    registers: Sequence[SSAValue],
) -> None:
    """Say what `values` have become, each as many of the registers as its count."""
    at = 0
    for value, count in zip(values, counts, strict=True):
        conversion.set_carried(value, registers[at : at + count])
        at += count


def _yielded(block: Block) -> Sequence[SSAValue]:
    terminator = block.last_op
    assert isinstance(terminator, scf.YieldOp)
    return terminator.arguments


@converts(scf.YieldOp)
def _yield(conversion: Conversion, op: scf.YieldOp) -> None:
    """What it yields is asked for by the loop or branch around it."""


@converts(scf.ForOp)
def _for(conversion: Conversion, op: scf.ForOp) -> None:
    """
    The condition stands at the end, and once more in front where the body may not run:

        mov carried, initial; [bra body if lb < ub, else after]
        body: ...; mov carried, yielded; bra body if next < ub, else after
        after: mov results, carried
    """
    counter, *arguments = op.body.block.args
    type = arithmetic_type(conversion.type(counter.type))
    if type is PtxType.pred:
        raise conversion.error("cannot be lowered to PTX: it counts in i1")
    known = conversion.known
    if (step := known.get(op.step)) is not None and step <= 0:
        raise conversion.error(f"has step {step}: the step of a loop is 1 or more")
    _check_carried(conversion, op.results)
    initial = [conversion.carried(value) for value in op.iter_args]
    counts = list(map(len, initial))
    bounds = known.get_all((op.lb, op.ub, op.step))
    if bounds is not None and not range(*bounds):
        _set(conversion, op.results, counts, [r for rs in initial for r in rs])
        return

    first, end, stride = map(conversion.register, (op.lb, op.ub, op.step))
    carried = _write(conversion, [r for registers in initial for r in registers])
    count = _write_one(conversion, first)
    body, after = conversion.add_block(), conversion.add_block()
    if bounds is None:
        runs = conversion.emit(ptx.SetpOp(Comparison.lt, type, first, end)).p
        conversion.emit(ptx.CondBraOp(runs, body, after))
    else:
        conversion.emit(ptx.BraOp(body))

    conversion.block = body
    with conversion.nested():
        (conversion.values[counter],) = _read(conversion, [count])
        _set(conversion, arguments, counts, _read(conversion, carried))
        conversion.convert_block(op.body.block)
        yielded = _flat(conversion, _yielded(op.body.block))
        here = conversion.register(counter)
        following = conversion.emit(ptx.AddOp(type, here, stride)).d
        _write_again(conversion, [*carried, count], [*yielded, following])
        again = conversion.emit(ptx.SetpOp(Comparison.lt, type, following, end)).p
        conversion.emit(ptx.CondBraOp(again, body, after))
    _move_to_end(conversion, after)

    conversion.block = after
    _set(conversion, op.results, counts, _read(conversion, carried))


@converts(scf.IfOp)
def _if(conversion: Conversion, op: scf.IfOp) -> None:
    _check_carried(conversion, op.results)
    condition = conversion.register(op.cond)
    types = [conversion.carried_types(result.type) for result in op.results]
    # Written in front, so that there is one definition that reaches all that read it.
    carried = _write(
        conversion,
        [
            conversion.constant(BITS_OF_REGISTER[type], 0)
            for registers in types
            for type in registers
        ],
    )
    then_block, else_block, after = (conversion.add_block() for _ in range(3))
    conversion.emit(ptx.CondBraOp(condition, then_block, else_block))

    _branch(conversion, op.true_region, then_block, carried, after)
    _move_to_end(conversion, else_block)
    _branch(conversion, op.false_region, else_block, carried, after)
    _move_to_end(conversion, after)

    conversion.block = after
    _set(conversion, op.results, list(map(len, types)), _read(conversion, carried))


def _branch(
    conversion: Conversion,
    region: Region,
    block: Block,
    carried: Sequence[SSAValue],
    after: Block,
) -> None:
    conversion.block = block
    if region.blocks.first is not None:
        with conversion.nested():
            conversion.convert_block(region.block)
            yielded = _flat(conversion, _yielded(region.block))
            _write_again(conversion, carried, yielded)
    conversion.emit(ptx.BraOp(after))


def _move_to_end(conversion: Conversion, block: Block) -> None:
    """Behind the blocks that were added since: text follows the order of the source."""
    block = conversion.region.detach_block(block)
    conversion.region.add_block(block)
