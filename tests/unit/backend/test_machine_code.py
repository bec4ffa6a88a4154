"""Reading machine code back: counts, depth, cycles, and the expression that the hardware computes."""

from pathlib import Path

import pytest
from xdsl.utils.exceptions import DiagnosticException

from xdsl_packed.backend.machine_code import (
    Constant,
    Element,
    Expression,
    MachineCode,
    Operation,
    combine,
    disassemble,
    read_machine_code,
)
from xdsl_packed.backend.ptxas import assemble, assemble_with_resources
from xdsl_packed.orders import Order, fold_of_order

VERSIONS = {"sm_80": "8.0", "sm_90": "8.0", "sm_100a": "8.8", "sm_120a": "9.0"}


def _ptx(body: str, chip: str = "sm_100a", *, name: str = "k") -> str:
    return f"""
.visible .entry {name}(.param .u64 p0, .param .u64 p1)
{{
  .reg .b64 %rd<200>; .reg .f32 %f<400>; .reg .b32 %r<200>; .reg .pred %p0;
  ld.param.u64 %rd0, [p0]; ld.param.u64 %rd1, [p1];
  {body}
  ret;
}}
"""


def _module(*entries: str, chip: str = "sm_100a") -> str:
    header = f".version {VERSIONS[chip]}\n.target {chip}\n.address_size 64\n"
    return header + "".join(entries)


def _compile(body: str, chip: str = "sm_100a") -> MachineCode:
    return read_machine_code(assemble(_module(_ptx(body, chip), chip=chip), chip))


def _loads(length: int) -> str:
    """Elements 0 .. length - 1 into %f0 .."""
    return "\n".join(
        f"ld.global.v4.f32 {{%f{i}, %f{i + 1}, %f{i + 2}, %f{i + 3}}}, [%rd0+{4 * i}];"
        for i in range(0, length, 4)
    )


def _tensor_loads(length: int) -> str:
    """The same registers by one tcgen05.ld and its wait, so that all values are there at the start."""
    registers = ", ".join(f"%r{i}" for i in range(length))
    moves = " ".join(f"mov.b32 %f{i}, %r{i};" for i in range(length))
    return f"""
  ld.param.u32 %r199, [p0];
  tcgen05.ld.sync.aligned.32x32b.x{length}.b32 {{{registers}}}, [%r199];
  tcgen05.wait::ld.sync.aligned;
  {moves}"""


def _two_packed_chains(length: int) -> str:
    """The best sum of ../shared/facts/ptx.md: pairs into two accumulators, which are added, then lane 0 + lane 1."""
    lines = [
        f"mov.b64 %rd{10 + i}, {{%f{2 * i}, %f{2 * i + 1}}};"
        for i in range(length // 2)
    ]
    sums = ["%rd10", "%rd11"]
    for i in range(2, length // 2):
        lines.append(f"add.rn.f32x2 %rd{100 + i}, {sums[i % 2]}, %rd{10 + i};")
        sums[i % 2] = f"%rd{100 + i}"
    return "\n".join(
        (
            *lines,
            f"add.rn.f32x2 %rd190, {sums[0]}, {sums[1]};",
            "mov.b64 {%f390, %f391}, %rd190;",
            "add.rn.f32 %f392, %f390, %f391;",
            "st.global.f32 [%rd1], %f392;",
        )
    )


def _add(*operands: Expression) -> Expression:
    return combine("add", *operands)


def _elements(*positions: int) -> list[Element]:
    return [Element(0, position) for position in positions]


def _expression_of_two_chains(length: int) -> Expression:
    lanes: list[Expression] = [*_elements(0, 1, 2, 3)]
    for position in range(4, length):
        lanes[position % 4] = _add(lanes[position % 4], Element(0, position))
    return _add(_add(lanes[0], lanes[2]), _add(lanes[1], lanes[3]))


class Test_combine:
    def test_commutative(self):
        x0, x1, x2 = _elements(0, 1, 2)
        assert _add(_add(x2, x1), x0) == _add(x0, _add(x1, x2))
        assert _add(x0, _add(x0, x1)) == _add(_add(x1, x0), x0)

    def test_a_float_sum_is_not_associative(self):
        x0, x1, x2 = _elements(0, 1, 2)
        assert _add(x0, _add(x1, x2)) != _add(_add(x0, x1), x2)
        assert Operation("add", (x0, x1)) == _add(x1, x0)

    def test_a_maximum_is_associative_within_its_modifiers(self):
        x0, x1, x2 = _elements(0, 1, 2)
        assert combine("max", x2, combine("max", x1, x0)) == combine("max", x0, x1, x2)
        assert combine("max", x2, combine("max.nan", x1, x0)) != combine(
            "max", x0, x1, x2
        )

    def test_fma_keeps_its_addend(self):
        x0, x1, x2 = _elements(0, 1, 2)
        assert combine("fma", x1, x0, x2) == combine("fma", x0, x1, x2)
        assert combine("fma", x0, x2, x1) != combine("fma", x0, x1, x2)


class Test_sum:
    def test_packed(self):
        code = _compile(_loads(8) + _two_packed_chains(8))
        assert code.entry == "k"
        assert code.opcode_counts() == {
            "EXIT": 1,
            "FADD": 1,
            "FADD2": 3,
            "LDC": 3,
            "LDCU": 1,
            "LDG": 2,
            "STG": 1,
        }
        assert (code.arithmetic_count, code.moves) == (4, 0)
        assert code.dependency_depth == 3
        assert code.expression() == _expression_of_two_chains(8)
        assert code.last_store.address == Element(1, 0)

    @pytest.mark.parametrize(
        ("length", "arithmetic", "cycles"),
        [(8, 4, 15), (16, 8, 23), (32, 16, 39), (64, 32, 71), (128, 64, 135)],
    )
    def test_cycles(self, length: int, arithmetic: int, cycles: int):
        """The table of ../shared/facts/ptx.md, measured again."""
        code = _compile(_tensor_loads(length) + _two_packed_chains(length))
        assert (code.arithmetic_count, code.stall_cycles) == (arithmetic, cycles)
        assert code.dependency_depth == length // 4 + 1

    def test_scalar_on_a_chip_without_packed_adds(self):
        code = _compile(_loads(8) + _two_packed_chains(8), "sm_120a")
        assert code.opcode_counts()["FADD"] == 7
        assert code.arithmetic_count == 7
        assert code.expression() == _expression_of_two_chains(8)

    @pytest.mark.parametrize("chip", VERSIONS)
    @pytest.mark.parametrize("order", [Order.SEQUENTIAL, Order.LANES8])
    def test_a_named_order_is_kept(self, chip: str, order: Order):
        """The fold written as scalar PTX comes back as the same fold."""
        fold = fold_of_order(order, 20)
        lines = [
            f"add.rn.ftz.f32 %f{number}, %f{a}, %f{b};"
            for number, (a, b) in fold.lanes()
        ]
        stored = f"st.global.f32 [%rd1+8], %f{fold.outputs[0]};"
        code = _compile("\n".join((_loads(20), *lines, stored)), chip)

        values: dict[int, Expression] = {i: Element(0, i) for i in range(20)}
        for number, lane in fold.lanes():
            values[number] = combine("add.ftz", *(values[v] for v in lane))
        assert code.expression() == values[fold.outputs[0]]
        assert code.arithmetic_count == 19
        assert code.dependency_depth == fold.depth()
        assert code.last_store.address == Element(1, 2)

    def test_another_order_is_told_apart(self):
        body = "add.rn.f32 %f4, %f{}, %f{}; add.rn.f32 %f5, %f4, %f{}; st.global.f32 [%rd1], %f5;"
        first = _compile(_loads(4) + body.format(0, 1, 2))
        second = _compile(_loads(4) + body.format(1, 2, 0))
        assert first.expression() != second.expression()


class Test_lanes:
    """Which half of a pair meets which."""

    PACKED_SUM = """
  add.rn.f32x2 %rd4, %rd2, %rd3;
  mov.b64 {%f10, %f11}, %rd4;
  st.global.v2.f32 [%rd1], {%f10, %f11};"""

    def _words(self, body: str) -> tuple[Expression, ...]:
        return _compile(_loads(4) + body + self.PACKED_SUM).last_store.words

    def test_swapped(self):
        words = self._words("mov.b64 %rd2, {%f1, %f0}; mov.b64 %rd3, {%f2, %f3};")
        assert words == (_add(*_elements(1, 2)), _add(*_elements(0, 3)))

    def test_strided_needs_moves(self):
        body = "mov.b64 %rd2, {%f0, %f2}; mov.b64 %rd3, {%f1, %f3};"
        store = _compile(_loads(4) + body + self.PACKED_SUM).last_store
        assert store.words == (_add(*_elements(0, 1)), _add(*_elements(2, 3)))
        assert len(store.moves) > 0
        assert len(store.arithmetic) == 1

    def test_one_element_twice(self):
        words = self._words("mov.b64 %rd2, {%f0, %f0}; mov.b64 %rd3, {%f2, %f3};")
        assert words == (_add(*_elements(0, 2)), _add(*_elements(0, 3)))

    def test_negated_in_one_lane(self):
        words = self._words(
            "neg.f32 %f5, %f1; mov.b64 %rd2, {%f0, %f5}; mov.b64 %rd3, {%f2, %f3};"
        )
        negated = combine("neg", Element(0, 1))
        assert words == (_add(*_elements(0, 2)), _add(negated, Element(0, 3)))

    def test_constant(self):
        words = self._words(
            "mov.b64 %rd2, {%f0, %f1}; mov.b64 %rd3, 0x4000000040000000;"
        )
        two = Constant("2")
        assert words == (_add(Element(0, 0), two), _add(Element(0, 1), two))

    def test_fused(self):
        code = _compile(
            _loads(8)
            + """
  mov.b64 %rd2, {%f0, %f1}; mov.b64 %rd3, {%f2, %f3}; mov.b64 %rd5, {%f4, %f5};
  fma.rn.f32x2 %rd4, %rd2, %rd3, %rd5;
  mul.rn.f32x2 %rd4, %rd4, %rd5;
  mov.b64 {%f10, %f11}, %rd4;
  st.global.v2.f32 [%rd1], {%f10, %f11};"""
        )
        assert code.last_store.words == tuple(
            combine(
                "mul", combine("fma", *_elements(i, 2 + i, 4 + i)), Element(0, 4 + i)
            )
            for i in (0, 1)
        )
        assert code.summary().startswith("1 FFMA2, 1 FMUL2\ndependency depth 2, ")

    def test_256_bits(self):
        """The machine names the two halves of a 256-bit access in opposite orders when it loads and when it stores."""
        registers = ", ".join(f"%f{i}" for i in range(8))
        code = _compile(
            f"ld.global.v8.f32 {{{registers}}}, [%rd0+32];\n"
            "add.rn.f32 %f0, %f0, %f7;\n"
            f"st.global.v8.f32 [%rd1+64], {{{registers}}};"
        )
        assert code.last_store.address == Element(1, 16)
        assert code.last_store.words == (
            _add(*_elements(8, 15)),
            *_elements(*range(9, 16)),
        )


class Test_maximum:
    @pytest.mark.parametrize("chip", VERSIONS)
    def test_two_inputs(self, chip: str):
        """However ptxas fuses the chain, the same elements are in it."""
        chain = "\n".join(f"max.f32 %f0, %f0, %f{i};" for i in range(1, 8))
        code = _compile(_loads(8) + chain + "st.global.f32 [%rd1], %f0;", chip)
        assert code.expression() == combine("max", *_elements(*range(8)))
        has_three_inputs = chip == "sm_100a"
        assert ("FMNMX3" in code.opcode_counts()) == has_three_inputs

    def test_three_inputs(self):
        code = _compile(
            _loads(8)
            + """
  max.f32 %f10, %f0, %f1, %f2;
  min.NaN.f32 %f11, %f10, %f3;
  max.NaN.ftz.f32 %f12, %f11, %f4, %f5;
  st.global.f32 [%rd1], %f12;"""
        )
        inner = combine("max", *_elements(0, 1, 2))
        middle = combine("min.nan", inner, Element(0, 3))
        assert code.expression() == combine("max.ftz.nan", middle, *_elements(4, 5))
        assert code.summary().startswith("2 FMNMX3, 1 FMNMX\ndependency depth 3, ")

    def test_integers(self):
        code = _compile(
            """
  ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd0];
  or.b32 %r0, %r0, %r1; or.b32 %r0, %r0, %r2;
  max.u32 %r0, %r0, %r3; max.u32 %r0, %r0, %r1;
  st.global.b32 [%rd1], %r0;"""
        )
        bits = combine("or", *_elements(0, 1, 2))
        assert code.expression() == combine("imax.u32", bits, *_elements(1, 3))


class Test_memory:
    def test_spilled_values_are_followed_through_the_stack_frame(self):
        """More values stay alive than there are registers, and each is used again after the sum."""
        length = 300
        body = "\n".join(
            (
                *(f"ld.global.f32 %f{i}, [%rd0+{4 * i}];" for i in range(length)),
                "add.rn.f32 %f390, %f0, %f1;",
                *(f"add.rn.f32 %f390, %f390, %f{i};" for i in range(2, length)),
                *(
                    f"mul.rn.f32 %f391, %f{i}, %f390; st.global.f32 [%rd1+{4 * i}], %f391;"
                    for i in range(length)
                ),
            )
        )
        assembly = assemble_with_resources(_module(_ptx(body)), "sm_100a")
        code = read_machine_code(assembly.cubin)

        reported = assembly.resources["k"]
        assert reported.spill_stores > 0
        assert code.spill_stores == reported.spill_stores
        assert code.spill_loads == reported.spill_loads
        assert code.stack == reported.stack
        assert code.registers == reported.registers
        assert f"{code.spill_stores} bytes spilled" in code.summary()

        total: Expression = Element(0, 0)
        for i in range(1, length):
            total = _add(total, Element(0, i))
        stored = {store.address: store.words for store in code.stores}
        assert stored == {
            Element(1, i): (combine("mul", Element(0, i), total),)
            for i in range(length)
        }

    def test_narrow_elements_are_counted_by_their_own_width(self):
        code = _compile(
            """
  ld.global.s8 %r1, [%rd0+3]; ld.global.s8 %r2, [%rd0+1];
  add.s32 %r3, %r1, %r2;
  st.global.b8 [%rd1+5], %r3;"""
        )
        assert code.expression() == combine("iadd", *_elements(1, 3))
        assert code.last_store.address == Element(1, 5)

    def test_several_stores(self):
        code = _compile(
            _loads(4)
            + "add.rn.f32 %f4, %f0, %f1; st.global.f32 [%rd1], %f4;"
            + "add.rn.f32 %f5, %f2, %f3; st.global.f32 [%rd1+4], %f5;"
        )
        assert {store.address: store.words[0] for store in code.stores} == {
            Element(1, 0): _add(*_elements(0, 1)),
            Element(1, 1): _add(*_elements(2, 3)),
        }

    def test_a_copy_computes_nothing(self):
        code = _compile(_loads(4) + "st.global.f32 [%rd1], %f3;")
        assert code.expression() == Element(0, 3)
        assert (code.dependency_depth, code.stall_cycles) == (0, 0)
        assert code.summary().splitlines()[0] == "no arithmetic"

    def test_a_guarded_store_of_one_thread(self):
        code = _compile(
            "mov.u32 %r1, %tid.x; setp.ne.u32 %p0, %r1, 0; @%p0 ret;"
            + _loads(4)
            + "add.rn.f32 %f4, %f0, %f1; st.global.f32 [%rd1], %f4;"
        )
        assert code.expression() == _add(*_elements(0, 1))


class Test_summary:
    def test_whole(self):
        code = _compile(_tensor_loads(32) + _two_packed_chains(32))
        assert code.summary() == (
            "15 FADD2, 1 FADD\n"
            "dependency depth 9, 39 cycles from first to last, no moves\n"
            f"{code.registers} registers, no spills"
        )

    def test_instructions(self):
        code = _compile(
            _loads(4) + "add.rn.ftz.f32 %f4, %f0, %f1; st.global.f32 [%rd1], %f4;"
        )
        (add,) = (i for i in code.instructions if i.opcode == "FADD")
        assert add.modifiers == ("FTZ",)
        assert str(add).startswith("FADD.FTZ R")
        assert 1 << 64 < add.encoding < 1 << 128
        assert 1 <= add.stall_cycles <= 15
        assert [i.address for i in code.instructions] == [
            16 * index for index in range(len(code.instructions))
        ]
        assert code.instructions[-1].opcode == "EXIT"


class Test_disassemble:
    def test_text(self):
        entries = (_ptx(_loads(4) + _two_packed_chains(4), name=n) for n in "ab")
        text = disassemble(assemble(_module(*entries), "sm_100a"))
        assert text.count("FADD2 ") == 2
        assert ".text.a:" in text
        assert ".text.b:" in text

    def test_not_a_cubin(self):
        with pytest.raises(DiagnosticException, match="not a cubin"):
            disassemble(b"hello")


class Test_refusals:
    LOOP = """
  mov.f32 %f1, 0f00000000; ld.param.u32 %r3, [p1]; mov.b32 %r1, 0;
L:
  ld.global.f32 %f0, [%rd0];
  add.rn.f32 %f1, %f1, %f0;
  add.u64 %rd0, %rd0, 4;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p0, %r1, %r3;
  @%p0 bra L;
  st.global.f32 [%rd1], %f1;"""

    def test_loop(self):
        code = _compile(self.LOOP)
        assert code.opcode_counts()["STG"] == 1
        with pytest.raises(DiagnosticException) as error:
            _ = code.dependency_depth
        branch = code.branch
        assert branch is not None
        assert str(error.value) == (
            "the values stored by k can be followed in straight-line code only; "
            f"it has a {branch.opcode} at {branch.address:#06x}"
        )
        assert f"no dependency depth: {error.value}" in code.summary()

    def test_computed_local_address(self):
        code = _compile(
            """
  .local .align 16 .b8 buffer[64];
  mov.u64 %rd5, buffer; ld.param.u32 %r3, [p1];"""
            + _loads(4)
            + """
  st.local.v4.f32 [%rd5], {%f0, %f1, %f2, %f3};
  mul.wide.u32 %rd6, %r3, 4; add.u64 %rd6, %rd6, %rd5;
  ld.local.f32 %f4, [%rd6];
  st.global.f32 [%rd1], %f4;"""
        )
        with pytest.raises(DiagnosticException, match="through local memory: LDL"):
            _ = code.stores

    def test_no_store(self):
        code = _compile("")
        with pytest.raises(DiagnosticException, match="k stores nothing"):
            code.expression()

    def test_entries(self):
        store = "st.global.f32 [%rd1], %f{};"
        entries = (
            _ptx(_loads(4) + store.format(i), name=name)
            for i, name in enumerate(("second", "first"))
        )
        cubin = assemble(_module(*entries), "sm_100a")
        assert read_machine_code(cubin, "first").expression() == Element(0, 1)
        assert read_machine_code(cubin, "second").expression() == Element(0, 0)
        with pytest.raises(DiagnosticException) as error:
            read_machine_code(cubin)
        assert str(error.value) == "which entry? the cubin has first, second"
        with pytest.raises(DiagnosticException) as error:
            read_machine_code(cubin, "third")
        assert str(error.value) == "no entry third: the cubin has first, second"

    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b"", "it does not start as a 64-bit ELF file does"),
            (b"hello", "it does not start as a 64-bit ELF file does"),
            (b"\x7fELF\x02\x01\x01", "the ELF file is damaged or cut off"),
        ],
    )
    def test_not_a_cubin(self, data: bytes, reason: str):
        with pytest.raises(DiagnosticException) as error:
            read_machine_code(data)
        assert str(error.value) == f"not a cubin: {reason}"

    def test_cut_off(self):
        cubin = assemble(_module(_ptx(_loads(4))), "sm_100a")
        for length in range(5, len(cubin) - 1, 97):
            with pytest.raises(DiagnosticException):
                read_machine_code(cubin[:length])

    def test_another_machine(self):
        cubin = bytearray(assemble(_module(_ptx("")), "sm_100a"))
        cubin[18:20] = (62).to_bytes(2, "little")
        with pytest.raises(DiagnosticException, match="an ELF file for machine 62"):
            read_machine_code(bytes(cubin))

    def test_nvdisasm_that_prints_something_else(self, tmp_path: Path):
        cubin = assemble(_module(_ptx("")), "sm_100a")
        tool = tmp_path / "nvdisasm"
        tool.write_text("#!/bin/sh\necho nothing\n")
        tool.chmod(0o755)
        with pytest.raises(DiagnosticException, match="did not print the code as JSON"):
            read_machine_code(cubin, nvdisasm=tool)
        with pytest.raises(DiagnosticException, match="nvdisasm given explicitly"):
            read_machine_code(cubin, nvdisasm=tmp_path / "none")

    def test_nvdisasm_that_prints_nothing(self, tmp_path: Path):
        cubin = assemble(_module(_ptx("")), "sm_100a")
        tool = tmp_path / "nvdisasm"
        tool.write_text("#!/bin/sh\n")
        tool.chmod(0o755)
        with pytest.raises(DiagnosticException, match="printed nothing"):
            disassemble(cubin, nvdisasm=tool)
