"""
What the body of a reduction combines by: one op of arith, or a compare and select.

A compare-and-select body only ever answers one of its two arguments, and only their order,
and whether one is NaN, decides which. So a few pairs of values stand for all, and the kind
is the one that answers alike on every pair.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerAttr
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Block, Operation, SSAValue

from xdsl_packed.diagnostics import name_of
from xdsl_packed.entrances.fastmath import flags_of, order_of
from xdsl_packed.orders import Order
from xdsl_packed.reduction import Kind

KIND_OF_OP: Mapping[type[Operation], Kind] = {
    arith.AddfOp: Kind.ADD,
    arith.AddiOp: Kind.ADD,
    arith.MulfOp: Kind.MUL,
    arith.MuliOp: Kind.MUL,
    arith.MaxnumfOp: Kind.MAXNUMF,
    arith.MinnumfOp: Kind.MINNUMF,
    arith.MaximumfOp: Kind.MAXIMUMF,
    arith.MinimumfOp: Kind.MINIMUMF,
    arith.MaxSIOp: Kind.MAXSI,
    arith.MinSIOp: Kind.MINSI,
    arith.MaxUIOp: Kind.MAXUI,
    arith.MinUIOp: Kind.MINUI,
    arith.AndIOp: Kind.AND,
    arith.OrIOp: Kind.OR,
    arith.XOrIOp: Kind.XOR,
}
"""The combining ops of arith; all of them commute."""


@dataclass(frozen=True)
class Combiner:
    """
    What a body combines by. `order` is of use for float sums and products only.

    `remark` is where the kind differs from the body that it was read from.
    """

    kind: Kind
    order: Order
    remark: str | None = None


def read_combiner(body: Block) -> Combiner | str:
    """
    The combiner that `body` is, or why it is none.

    `body` has two arguments, the element and the value so far, in either order, and ends
    in a terminator with one operand.
    """
    *ops, terminator = body.ops
    if len(body.args) != 2 or len(terminator.operands) != 1:
        return (
            f"its body takes {len(body.args)} values and gives {len(terminator.operands)}, "
            "expected an element and the value so far, and one result"
        )
    (result,) = terminator.operands
    if len(ops) == 1 and (kind := KIND_OF_OP.get(type(ops[0]))) is not None:
        if set(ops[0].operands) == set(body.args) and result.owner is ops[0]:
            return Combiner(kind, order_of(ops[0]))
        return (
            f"its body does not combine the element with the value so far: "
            f"`{ops[0]}` has other operands, or is not what is yielded"
        )
    for op in ops:
        if type(op) not in _SELECTING:
            return (
                f"its body holds {name_of(op)}: expected one combining op "
                "(arith.addf, arith.maximumf, ...) or a compare and select of the "
                "element and the value so far"
            )
    return _read_select(body, ops, result)


_SELECTING: tuple[type[Operation], ...] = (
    arith.CmpfOp,
    arith.CmpiOp,
    arith.SelectOp,
    arith.AndIOp,
    arith.OrIOp,
    arith.XOrIOp,
    arith.ConstantOp,
)

_Number: TypeAlias = float | int
_Pair: TypeAlias = tuple[_Number, _Number]

_FLOAT_PAIRS: Sequence[_Pair] = (
    (1.0, 2.0),
    (2.0, 1.0),
    (1.0, math.nan),
    (math.nan, 1.0),
    (math.nan, math.nan),
)
"""Every way in which two floats can compare, unless they are equal, as 0.0 and -0.0 are."""

_INTEGER_PAIRS: Sequence[_Pair] = ((1, 2), (2, 1), (-1, 1), (1, -1), (-2, -1), (-1, -2))
"""Every way in which two different integers can compare, signed and unsigned."""

_FLOAT_COMPARISONS = (0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 8, 15)
"""
By the number of arith.cmpf's predicate, when it is true: 1 for equal, plus 2 for greater,
plus 4 for less, plus 8 for unordered.
"""

_INTEGER_COMPARISONS: Sequence[Callable[[int, int], bool]] = (
    operator.eq,
    operator.ne,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    lambda a, b: a % 256 < b % 256,
    lambda a, b: a % 256 <= b % 256,
    lambda a, b: a % 256 > b % 256,
    lambda a, b: a % 256 >= b % 256,
)
"""By the number of arith.cmpi's predicate; unsigned ones on the bits of the pairs above."""


def _without_nan(
    combine: Callable[[_Number, _Number], _Number],
) -> Callable[[_Number, _Number], _Number]:
    def drops_nan(a: _Number, b: _Number) -> _Number:
        if math.isnan(a) or math.isnan(b):
            return b if math.isnan(a) else a
        return combine(a, b)

    return drops_nan


def _with_nan(
    combine: Callable[[_Number, _Number], _Number],
) -> Callable[[_Number, _Number], _Number]:
    def propagates_nan(a: _Number, b: _Number) -> _Number:
        return math.nan if math.isnan(a) or math.isnan(b) else combine(a, b)

    return propagates_nan


_Meanings: TypeAlias = Mapping[Kind, Callable[[_Number, _Number], _Number]]

_FLOAT_MEANINGS: _Meanings = {
    Kind.MAXNUMF: _without_nan(max),
    Kind.MINNUMF: _without_nan(min),
    Kind.MAXIMUMF: _with_nan(max),
    Kind.MINIMUMF: _with_nan(min),
}
_INTEGER_MEANINGS: _Meanings = {
    Kind.MAXSI: max,
    Kind.MINSI: min,
    Kind.MAXUI: lambda a, b: max(a, b, key=lambda n: n % 256),
    Kind.MINUI: lambda a, b: min(a, b, key=lambda n: n % 256),
}


def _read_select(
    body: Block, ops: Sequence[Operation], result: SSAValue
) -> Combiner | str:
    is_float = isinstance(body.args[0].type, AnyFloat)
    pairs = _FLOAT_PAIRS if is_float else _INTEGER_PAIRS
    answers: dict[_Pair, _Number] = {}
    for pair in pairs:
        answer = _answer(body, ops, result, pair)
        if answer is None:
            return (
                "its body is no compare and select of the element and the value so far "
                "alone: expected one, or one combining op (arith.addf, ...)"
            )
        answers[pair] = answer
    if not is_float:
        kind = _kind_that_answers(answers, _INTEGER_MEANINGS)
        return _integer_reason(answers) if kind is None else Combiner(kind, Order.ANY)
    return _read_float_select(answers, _flags_of_all(ops))


def _read_float_select(
    answers: Mapping[_Pair, _Number], flags: frozenset[FastMathFlag]
) -> Combiner | str:
    """No comparison tells -0.0 from +0.0: every such body differs from its kind there."""
    cared_for = {
        pair: answer
        for pair, answer in answers.items()
        if FastMathFlag.NO_NANS not in flags or not any(map(math.isnan, pair))
    }
    kind = _kind_that_answers(cared_for, _FLOAT_MEANINGS)
    if kind is None:
        return _float_reason(answers)
    if FastMathFlag.NO_SIGNED_ZEROS in flags:
        return Combiner(kind, Order.ANY)
    zero = "+0.0" if kind in (Kind.MAXNUMF, Kind.MAXIMUMF) else "-0.0"
    return Combiner(
        kind,
        Order.ANY,
        f"has a compare and select that is read as <{kind}>: of zeros of both signs it "
        f"gives {zero}, where the select keeps one by its place",
    )


def _kind_that_answers(
    answers: Mapping[_Pair, _Number], meanings: _Meanings
) -> Kind | None:
    for kind, meaning in meanings.items():
        if all(_is_alike(meaning(*pair), answer) for pair, answer in answers.items()):
            return kind
    return None


def _is_alike(a: _Number, b: _Number) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def _flags_of_all(ops: Sequence[Operation]) -> frozenset[FastMathFlag]:
    """The flags that every float comparison of `ops` has."""
    flags = [flags_of(op) for op in ops if isinstance(op, arith.CmpfOp)]
    return frozenset(flag for flag in FastMathFlag if all(flag in f for f in flags))


def _float_reason(answers: Mapping[_Pair, _Number]) -> str:
    first, second = answers[1.0, math.nan], answers[math.nan, 1.0]
    return (
        "its compare and select is no float kind: of an element and a value so far "
        f"(1, 2) it gives {answers[1.0, 2.0]:g}, of (2, 1) {answers[2.0, 1.0]:g}, of "
        f"(1, NaN) {_text(first)}, of (NaN, 1) {_text(second)}. maximumf and minimumf give "
        "NaN for both, maxnumf and minnumf 1: test for NaN too, or use arith.maximumf"
    )


def _text(number: _Number) -> str:
    return "NaN" if math.isnan(number) else f"{number:g}"


def _integer_reason(answers: Mapping[_Pair, _Number]) -> str:
    listed = ", ".join(f"of {pair} {answer}" for pair, answer in answers.items())
    return (
        "its compare and select is no maxsi, minsi, maxui or minui: of an element and a "
        f"value so far it gives {listed}"
    )


def _answer(
    body: Block, ops: Sequence[Operation], result: SSAValue, pair: _Pair
) -> _Number | None:
    """What the body gives for `pair`, or None where it does more than select."""
    values: dict[SSAValue, _Number] = dict(zip(body.args, pair))
    constants = [v.owner for op in ops for v in op.operands if v not in values]
    for op in (*(c for c in constants if isinstance(c, arith.ConstantOp)), *ops):
        operands = [values[operand] for operand in op.operands if operand in values]
        if len(operands) != len(op.operands):
            return None
        if (value := _evaluate(op, operands)) is None:
            return None
        values[op.results[0]] = value
    answer = values.get(result)
    return None if isinstance(answer, bool) else answer


def _evaluate(op: Operation, operands: Sequence[_Number]) -> _Number | None:
    """A condition as a bool, or one of the two values as itself."""
    match op, operands:
        case arith.CmpfOp(), (a, b):
            relation = (a == b) | (a > b) << 1 | (a < b) << 2
            return bool(_FLOAT_COMPARISONS[op.predicate.value.data] & (relation or 8))
        case arith.CmpiOp(), (int(a), int(b)):
            return _INTEGER_COMPARISONS[op.predicate.value.data](a, b)
        case arith.SelectOp(), (bool(condition), a, b):
            return a if condition else b
        case arith.AndIOp(), (bool(a), bool(b)):
            return a and b
        case arith.OrIOp(), (bool(a), bool(b)):
            return a or b
        case arith.XOrIOp(), (bool(a), bool(b)):
            return a != b
        case arith.ConstantOp(), _ if isinstance(op.value, IntegerAttr):
            return bool(op.value.value.data) if str(op.value.type) == "i1" else None
        case _:
            return None
