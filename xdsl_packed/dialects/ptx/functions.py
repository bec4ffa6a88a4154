"""PTX functions: kernels and device functions, and how a whole one is written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from xdsl.dialects.builtin import (
    I64,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    StringAttr,
    SymbolNameConstraint,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
)
from xdsl.traits import (
    CallableOpInterface,
    IsolatedFromAbove,
    SymbolOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from .ops import AllocOp, LdParamOp, Names, PtxOperation, StParamOp
from .registers import (
    BITS_OF_REGISTER,
    REGISTER_CLASSES,
    PtxRegisterType,
    PtxType,
    PtxTypeAttr,
    named_index,
)

_INDENT = "    "


class FunctionInterface(CallableOpInterface):
    @classmethod
    def get_callable_region(cls, op: Operation) -> Region:
        assert isinstance(op, FunctionOp)
        return op.body

    @classmethod
    def get_argument_types(cls, op: Operation) -> tuple[Attribute, ...]:
        assert isinstance(op, FunctionOp)
        return tuple(param.data.register for param in op.params)

    @classmethod
    def get_result_types(cls, op: Operation) -> tuple[Attribute, ...]:
        assert isinstance(op, FunctionOp)
        return tuple(result.data.register for result in op.declared_results())


class FunctionOp(IRDLOperation, ABC):
    """A function of virtual registers: blocks without arguments, none of it nested."""

    irdl_options = (ParsePropInAttrDict(),)

    sym_name = prop_def(SymbolNameConstraint())
    params = prop_def(ArrayAttr[PtxTypeAttr])
    body = region_def()

    traits = traits_def(SymbolOpInterface(), FunctionInterface(), IsolatedFromAbove())

    def declared_results(self) -> Iterable[PtxTypeAttr]:
        return ()

    @abstractmethod
    def head(self) -> str:
        """What stands before the opening brace."""

    def parameter_names(self) -> tuple[str, ...]:
        """What the text declares for parameters and results, unique in the function."""
        name = self.sym_name.data
        return tuple(f"{name}_param_{i}" for i in range(len(self.params)))

    def verify_(self) -> None:
        if self.body.first_block is None:
            raise VerifyException("a body expected, ending in ptx.ret")
        for block in self.body.blocks:
            if block.args:
                raise VerifyException(
                    "PTX has no block arguments: carry the value in a named register, "
                    "which ptx.mov writes and reads"
                )
            if block.last_op is None:
                raise VerifyException(
                    "every block ends in ptx.bra, ptx.cond_bra or ptx.ret"
                )
        self._verify_parameters()

    def _verify_parameters(self) -> None:
        results = tuple(self.declared_results())
        for op in self.body.walk():
            match op:
                case LdParamOp():
                    _verify_parameter(
                        op, op.index.value.data, op.type, self.params.data
                    )
                case StParamOp():
                    _verify_parameter(op, op.index.value.data, op.type, results)
                case _:
                    pass

    def names(self) -> Names:
        """
        Numbers the values in the order of their definition, past every register that a
        type names, and the blocks and buffers in their order.
        """
        function = self.sym_name.data
        values = dict[SSAValue, str]()
        labels = dict[Block, str]()
        buffers = dict[Operation, str]()
        taken = _named_registers(self.body)
        free = {kind: _without(taken[kind]) for kind in REGISTER_CLASSES}
        declared = {kind: max(taken[kind], default=-1) + 1 for kind in REGISTER_CLASSES}
        for i, block in enumerate(self.body.blocks):
            labels[block] = f"$L_{function}_{i}"
            for op in block.ops:
                if isinstance(op, AllocOp):
                    space = op.space.data.value
                    buffers[op] = f"{function}_{space}_{len(buffers)}"
                for value in op.results:
                    register = value.type
                    assert isinstance(register, PtxRegisterType)
                    if register.is_allocated:
                        values[value] = f"%{register.register_name}"
                        continue
                    kind = type(register)
                    index = next(free[kind])
                    declared[kind] = max(declared[kind], index + 1)
                    values[value] = f"%{kind.infinite_register_prefix()}{index}"
        parameters = self.parameter_names()
        return Names(function, values, labels, buffers, parameters, declared)

    def text(self, names: Names) -> str:
        """The function in PTX, with the names that `names()` gives."""
        lines = [self.head(), "{"]
        for kind, size in names.registers.items():
            if size:
                width = BITS_OF_REGISTER[kind.unallocated()].value
                prefix = kind.infinite_register_prefix()
                lines.append(f"{_INDENT}.reg .{width} %{prefix}<{size}>;")
        for op, name in names.buffers.items():
            assert isinstance(op, AllocOp)
            lines.append(f"{_INDENT}{op.declaration(name)}")
        for block in self.body.blocks:
            if block is not self.body.first_block:
                lines.append(f"{names.labels[block]}:")
            for op in block.ops:
                assert isinstance(op, PtxOperation)
                if text := op.text(names):
                    lines.append(_INDENT + text.replace("\n", f"\n{_INDENT}"))
        lines.append("}\n")
        return "\n".join(lines)


def _without(taken: set[int]) -> Iterator[int]:
    return (index for index in count() if index not in taken)


def _verify_parameter(
    op: Operation, index: int, type: PtxTypeAttr, declared: Sequence[PtxTypeAttr]
) -> None:
    if not 0 <= index < len(declared):
        raise VerifyException(
            f"{op.name} {index}: the function declares {len(declared)} of them"
        )
    if (width := declared[index].data.width) != type.data.width:
        raise VerifyException(
            f"{op.name} {index}: {type.data.value} expected to have the {width} bits "
            f"of {declared[index].data.value}"
        )


def _named_registers(body: Region) -> dict[type[PtxRegisterType], set[int]]:
    taken: dict[type[PtxRegisterType], set[int]] = {
        kind: set() for kind in REGISTER_CLASSES
    }
    for block in body.blocks:
        for op in block.ops:
            for value in op.results:
                register = value.type
                if isinstance(register, PtxRegisterType) and register.is_allocated:
                    taken[type(register)].add(named_index(register))
    return taken


def _types(types: Sequence[PtxType]) -> ArrayAttr[PtxTypeAttr]:
    return ArrayAttr([type.attr for type in types])


def _integers(values: Sequence[int] | None) -> DenseArrayBase[IntegerType] | None:
    return None if values is None else DenseArrayBase.from_list(i64, values)


@irdl_op_definition
class EntryOp(FunctionOp):
    """
    `.entry`, a kernel (PTX ISA, Directives: Kernel and Function Directives: .entry).

    `alignments` has for each parameter the bytes that the memory it points to is aligned
    to, 0 where it is no pointer or nothing is known; `reqntid` and `maxntid` are the
    threads of a block in x, y and z; `minnctapersm` is how many blocks one multiprocessor
    should hold at least, which with them says how many registers ptxas may use.
    """

    name = "ptx.entry"

    alignments = opt_prop_def(DenseArrayBase.constr(i64))
    reqntid = opt_prop_def(DenseArrayBase.constr(i64))
    maxntid = opt_prop_def(DenseArrayBase.constr(i64))
    minnctapersm = opt_prop_def(IntegerAttr[I64])

    assembly_format = "$sym_name $params attr-dict-with-keyword $body"

    def __init__(
        self,
        name: str,
        params: Sequence[PtxType],
        body: Region,
        *,
        alignments: Sequence[int] | None = None,
        reqntid: Sequence[int] | None = None,
        maxntid: Sequence[int] | None = None,
        minnctapersm: int | None = None,
    ):
        super().__init__(
            regions=(body,),
            properties={
                "sym_name": StringAttr(name),
                "params": _types(params),
                "alignments": _integers(alignments),
                "reqntid": _integers(reqntid),
                "maxntid": _integers(maxntid),
                "minnctapersm": None
                if minnctapersm is None
                else IntegerAttr(minnctapersm, i64),
            },
        )

    def verify_(self) -> None:
        super().verify_()
        for param in self.params:
            if param.data is PtxType.pred:
                raise VerifyException("a predicate cannot be a parameter")
        if self.alignments is not None and len(self.alignments) != len(self.params):
            raise VerifyException(
                f"one alignment a parameter expected, got {len(self.alignments)} for "
                f"{len(self.params)}"
            )
        for threads in (self.reqntid, self.maxntid):
            if threads is not None and not 1 <= len(threads) <= 3:
                raise VerifyException("reqntid and maxntid take x, y and z")
        if self.minnctapersm is not None and not (self.reqntid or self.maxntid):
            raise VerifyException("minnctapersm needs reqntid or maxntid beside it")

    def head(self) -> str:
        alignments = (
            self.alignments.get_values() if self.alignments else [0] * len(self.params)
        )
        params = [
            f"{_INDENT}.param .{_parameter_type(param.data)} "
            + (f".ptr .align {align} " if align else "")
            + name
            for param, align, name in zip(
                self.params, alignments, self.parameter_names(), strict=True
            )
        ]
        name = self.sym_name.data
        head = f".visible .entry {name}()"
        if params:
            head = f".visible .entry {name}(\n" + ",\n".join(params) + "\n)"
        for directive, threads in (
            ("reqntid", self.reqntid),
            ("maxntid", self.maxntid),
        ):
            if threads is not None:
                head += f"\n.{directive} {', '.join(map(str, threads.get_values()))}"
        if self.minnctapersm is not None:
            head += f"\n.minnctapersm {self.minnctapersm.value.data}"
        return head


_FUNDAMENTAL_FLOATS = (PtxType.f32, PtxType.f64)


def _parameter_type(type: PtxType) -> str:
    """Parameters have fundamental types: halves and pairs are declared as bits."""
    if type in _FUNDAMENTAL_FLOATS:
        return type.value
    return type.bits if type.is_float or "x" in type.value else type.value


@irdl_op_definition
class FuncOp(FunctionOp):
    """
    `.func`, a device function (PTX ISA, Directives: Kernel and Function Directives:
    .func).

    Parameters and results are declared by the width of their registers, as `ptx.call`
    passes them.
    """

    name = "ptx.func"

    returns = prop_def(ArrayAttr[PtxTypeAttr])

    assembly_format = "$sym_name $params `->` $returns attr-dict-with-keyword $body"

    def __init__(
        self,
        name: str,
        params: Sequence[PtxType],
        results: Sequence[PtxType],
        body: Region,
    ):
        super().__init__(
            regions=(body,),
            properties={
                "sym_name": StringAttr(name),
                "params": _types(params),
                "returns": _types(results),
            },
        )

    def declared_results(self) -> Iterable[PtxTypeAttr]:
        return self.returns

    def parameter_names(self) -> tuple[str, ...]:
        name = self.sym_name.data
        results = (f"{name}_retval{i}" for i in range(len(self.returns)))
        return (*super().parameter_names(), *results)

    def verify_(self) -> None:
        super().verify_()
        for type in (*self.params, *self.returns):
            if type.data is PtxType.pred or type.data.width == 8:
                raise VerifyException(
                    f"{type.data.value} cannot be passed: 16, 32 or 64 bits expected"
                )

    def head(self) -> str:
        name = self.sym_name.data
        results = ", ".join(
            f".param .{result.data.bits} {name}_retval{i}"
            for i, result in enumerate(self.returns)
        )
        params = ", ".join(
            f".param .{param.data.bits} {name}_param_{i}"
            for i, param in enumerate(self.params)
        )
        results = f"({results}) " if results else ""
        return f".visible .func {results}{name}({params})"
