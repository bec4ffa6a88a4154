"""
The state of a conversion to PTX, and the table of what converts which op.

One forward walk builds a PTX function next to the one it is made of, as MLIR's
DialectConversion does with its adaptor: each op is looked at once and each PTX op built
once. Nothing of the source is touched, so a diagnostic leaves the module as it was.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeAlias

from typing_extensions import TypeVar
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import DiagnosticException

from xdsl_packed.constants import KnownIntegers
from xdsl_packed.diagnostics import error_at
from xdsl_packed.dialects import ptx
from xdsl_packed.dialects.ptx import PtxOperation, PtxRegisterType, PtxType
from xdsl_packed.target import GpuTarget
from xdsl_packed.transforms.conversion.memory import Memory
from xdsl_packed.transforms.conversion.types import (
    pair_type,
    register_bits,
    scalar_type,
    vector_type,
)

OpT = TypeVar("OpT", bound=Operation)
PtxOpT = TypeVar("PtxOpT", bound=PtxOperation)

CONVERTERS: dict[type[Operation], Callable[[Conversion, Any], None]] = {}
"""What converts each op; filled by `converts`."""


def converts(
    *ops: type[OpT],
) -> Callable[[Callable[[Conversion, OpT], None]], Callable[[Conversion, OpT], None]]:
    """Register the decorated function as the converter of `ops`."""

    def register(
        converter: Callable[[Conversion, OpT], None],
    ) -> Callable[[Conversion, OpT], None]:
        for op in ops:
            CONVERTERS[op] = converter
        return converter

    return register


@dataclass(frozen=True)
class Constant:
    """A constant that gets its register when one is asked for; `value` as ptx.constant takes it."""

    type: PtxType
    value: float


@dataclass(eq=False)
class Vector:
    """
    A vector as one register a lane, row-major, or a pair of floats as one register.

    Whichever is missing is made when it is first asked for.
    """

    lanes: list[SSAValue] | None = None
    pair: SSAValue | None = None


Value: TypeAlias = SSAValue | Constant | Vector

_REDUCTION = "tile-dispatch lowers it, or reports why not"
_HINTS = {
    "tile.reduce": _REDUCTION,
    "vector.reduction": _REDUCTION,
    "vector.multi_reduction": _REDUCTION,
    "linalg.reduce": _REDUCTION,
    "memref.alloc": "use memref.alloca in space 5 (local) or 3 (shared)",
    "cf.br": "use scf.for and scf.if",
    "cf.cond_br": "use scf.for and scf.if",
}


@dataclass
class Conversion:
    """The conversion of one function: what its values have become, and where we build."""

    target: GpuTarget
    functions: Mapping[str, Operation]
    """Every function of the module by its name, none of them changed yet."""
    block: Block
    """Where ops are appended."""
    region: Region
    source: Operation
    """The op that is being converted: diagnostics and locations are its."""
    is_kernel: bool = True
    values: dict[SSAValue, Value] = field(default_factory=dict[SSAValue, Value])
    known: KnownIntegers = field(default_factory=KnownIntegers)
    constants: dict[tuple[PtxType, str], ptx.ConstantOp] = field(
        default_factory=dict[tuple[PtxType, str], ptx.ConstantOp]
    )
    cache: ChainMap[Hashable, SSAValue] = field(
        default_factory=ChainMap[Hashable, SSAValue]
    )
    """Registers to use again; those of a block are forgotten at its end."""
    may_be_dead: dict[Operation, None] = field(default_factory=dict[Operation, None])
    """Index arithmetic, in order: addresses may have taken all of it into their offsets."""
    narrow: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """The 32-bit registers that 64-bit ones were extended from by zeros."""
    named: dict[type[PtxRegisterType], int] = field(
        default_factory=dict[type[PtxRegisterType], int]
    )
    """How many registers of each class have a name."""
    memory: Memory = field(init=False)
    _legal: dict[str, str | None] = field(default_factory=dict[str, str | None])

    def __post_init__(self) -> None:
        self.memory = Memory(self)

    # region building

    def convert(self, op: Operation) -> None:
        """
        Build what `op` becomes.

        Raises DiagnosticException at `op` when nothing converts it.
        """
        converter = CONVERTERS.get(type(op))
        if converter is None:
            raise _unlowerable(op)
        outer, self.source = self.source, op
        converter(self, op)
        self.source = outer

    def convert_block(self, block: Block) -> None:
        """Every op of `block`, in order."""
        for op in block.ops:
            self.convert(op)

    def emit(self, op: PtxOpT) -> PtxOpT:
        """Append `op`, which has to be legal on the target."""
        if (refusal := self.refusal(op.form())) is not None:
            raise self.error(f"cannot be lowered to PTX: {refusal}")
        op.location = self.source.location
        self.block.add_op(op)
        return op

    def refusal(self, form: str) -> str | None:
        """Why `form` is not legal on the target, or None."""
        if form not in self._legal:
            self._legal[form] = self.target.refusal(form)
        return self._legal[form]

    def legal(self, form: str) -> bool:
        return self.refusal(form) is None

    def error(self, message: str) -> DiagnosticException:
        """The diagnostic to raise at the op that is being converted."""
        return error_at(self.source, message)

    def constant(self, type: PtxType, value: float) -> SSAValue:
        """The register of a constant, one a function; an int is a bit pattern."""
        written = type if isinstance(value, float) else register_bits(type)
        # By its text, as 0.0 and -0.0 are equal.
        key = (written, repr(value))
        if (known := self.constants.get(key)) is None:
            known = self.constants[key] = ptx.ConstantOp(written, value)
        return known.d

    def cached(self, key: Hashable, make: Callable[[], SSAValue]) -> SSAValue:
        """What `make` builds, once where the one result reaches."""
        if (known := self.cache.get(key)) is None:
            known = self.cache[key] = make()
        return known

    @contextmanager
    def nested(self) -> Generator[None]:
        """Forget at the end what was cached inside: it does not reach further."""
        self.cache = self.cache.new_child()
        yield
        self.cache = self.cache.parents

    def add_block(self) -> Block:
        """A new block at the end of the function; building goes on where it was."""
        block = Block()
        self.region.add_block(block)
        return block

    def new_register(self, type: PtxRegisterType) -> PtxRegisterType:
        """A register type with a name that nothing else in the function has."""
        number = self.named.get(type.__class__, 0)
        self.named[type.__class__] = number + 1
        return type.__class__.from_index(~number)

    def finish(self) -> None:
        """Put the constants in front; erase index arithmetic that nothing uses."""
        for op in reversed(self.may_be_dead):
            if not any(result.uses for result in op.results):
                Rewriter.erase_op(op)
        used = [op for op in self.constants.values() if op.d.uses]
        entry = self.region.blocks.first
        assert entry is not None
        Rewriter.insert_op(used, InsertPoint.at_start(entry))

    # endregion
    # region values

    def type(self, type: Attribute) -> PtxType:
        """
        The PTX type of a scalar, integers signed.

        Raises DiagnosticException at the op for a type that has none.
        """
        if (found := scalar_type(type)) is None:
            raise self.error(
                f"cannot be lowered to PTX: no register holds {type}; there are "
                "i1, i8, i16, i32, i64, index, f16, bf16, f32 and f64"
            )
        return found

    def register(self, value: SSAValue) -> SSAValue:
        """The register of a scalar, or of a pair of floats."""
        found = self.values.get(value)
        match found:
            case SSAValue():
                return found
            case Constant():
                return self.constant(found.type, found.value)
            case Vector():
                return self.pair(found)
            case None:
                raise self.error(
                    f"uses a value of type {value.type} that has no register"
                )

    def pair(self, vector: Vector) -> SSAValue:
        """The one register of a pair of floats."""
        if vector.pair is not None:
            return vector.pair
        lanes = vector.lanes
        assert lanes is not None
        if len(lanes) != 2:
            raise self.error(f"takes a pair, not {len(lanes)} lanes, in one register")
        return self.cached(
            (vector, "pair"), lambda: self.emit(ptx.PackOp(lanes[0], lanes[1])).d
        )

    def lanes(self, value: SSAValue) -> list[SSAValue]:
        """The registers of a vector, row-major; of a scalar its one register."""
        vector = self.values.get(value)
        if not isinstance(vector, Vector):
            return [self.register(value)]
        if vector.lanes is None:
            assert vector.pair is not None
            # Right where the pair is made, so that every later use may share it.
            op = ptx.UnpackOp(vector.pair)
            op.location = self.source.location
            owner = vector.pair.owner
            assert isinstance(owner, Operation)
            Rewriter.insert_op(op, InsertPoint.after(owner))
            vector.lanes = [op.lo, op.hi]
        return vector.lanes

    def set_lanes(self, value: SSAValue, lanes: Sequence[SSAValue]) -> None:
        """Say what `value`, a vector or scalar, has become."""
        if isinstance(value.type, VectorType):
            self.values[value] = Vector(list(lanes))
        else:
            self.values[value] = lanes[0]

    def elementwise(
        self, result: SSAValue, operation: Callable[[tuple[SSAValue, ...]], SSAValue]
    ) -> None:
        """`result` is, lane by lane, `operation` on the registers of the op's operands."""
        owner = result.owner
        assert isinstance(owner, Operation)
        operands = [self.lanes(operand) for operand in owner.operands]
        count = max(map(len, operands))
        # A scalar operand, as the condition of a select, goes with every lane.
        spread = [lanes * count if len(lanes) == 1 else lanes for lanes in operands]
        self.set_lanes(result, [operation(lane) for lane in zip(*spread, strict=True)])

    def element(self, type: Attribute) -> PtxType:
        """The PTX type of a scalar, or of the lanes of a vector."""
        vector = vector_type(type)
        return self.type(type if vector is None else vector.element_type)

    def carried(self, value: SSAValue) -> list[SSAValue]:
        """The registers that carry `value` through a loop: a pair of floats as one."""
        if self._is_pair(value.type):
            return [self.register(value)]
        return self.lanes(value)

    def carried_types(self, type: Attribute) -> list[PtxRegisterType]:
        """The types of the registers that carry a value of this type."""
        if (vector := vector_type(type)) is None:
            return [self.type(type).register]
        lane = self.type(vector.element_type)
        if self._is_pair(type) and (pair := pair_type(lane)) is not None:
            return [pair.register]
        return [lane.register] * prod(vector.get_shape())

    def set_carried(self, value: SSAValue, registers: Sequence[SSAValue]) -> None:
        """Say what `value`, carried as `carried` says, has become."""
        if self._is_pair(value.type):
            self.values[value] = Vector(pair=registers[0])
        else:
            self.set_lanes(value, registers)

    def _is_pair(self, type: Attribute) -> bool:
        return (
            (vector := vector_type(type)) is not None
            and vector.get_shape() == (2,)
            and (lane := scalar_type(vector.element_type)) is not None
            and pair_type(lane) is not None
        )

    # endregion


def _unlowerable(op: Operation) -> DiagnosticException:
    name = op.name
    if (unregistered := getattr(op, "op_name", None)) is not None:
        name = unregistered.data
    hint = _HINTS.get(name)
    return error_at(op, "cannot be lowered to PTX" + (f": {hint}" if hint else ""))
