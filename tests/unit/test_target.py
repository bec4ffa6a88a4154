"""The capability table against ptxas and nvdisasm, and what a target says about itself."""

import re
import subprocess
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import FrozenInstanceError
from functools import cache
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i32
from xdsl.utils.exceptions import DiagnosticException

from xdsl_packed.backend.ptxas import find_tool
from xdsl_packed.target import (
    CHIPS,
    FORMS,
    PTX_VERSIONS,
    ROWS,
    Chip,
    GpuTarget,
    PtxVersion,
    Requirement,
)
from xdsl_packed.transforms.ptx_set_target import PtxSetTarget

NEWEST = PTX_VERSIONS[-1]

# Instructions by the number of their inputs, all of the type that the form ends in.
INPUTS = {
    **dict.fromkeys(
        "neg abs not ex2 lg2 rcp sqrt rsqrt sin cos tanh mov cvta".split(), 1
    ),
    **dict.fromkeys("add sub mul min max div rem and or xor copysign".split(), 2),
    **dict.fromkeys("fma mad lop3 prmt".split(), 3),
}

WRITTEN_OUT = {
    "lop3.b32": "lop3.b32 %r0, %r1, %r2, %r3, 0x80",
    "mov.b32 pack": "mov.b32 %r0, {%h0, %h1}",
    "mov.b32 unpack": "mov.b32 {%h0, %h1}, %r0",
    "mov.b64 pack": "mov.b64 %d0, {%r0, %r1}",
    "mov.b64 unpack": "mov.b64 {%r0, %r1}, %d0",
    "mov.b64 pack 4x16": "mov.b64 %d0, {%h0, %h1, %h2, %h3}",
    "mov.b64 unpack 4x16": "mov.b64 {%h0, %h1, %h2, %h3}, %d0",
    "bra": "@%p0 bra END",
    "bra.uni": "@%p0 bra.uni END",
    "ret": "@%p0 ret",
    "exit": "@%p0 exit",
    "trap": "@%p0 trap",
    "call": "call (%r0), callee, (%r1)",
    "call.uni": "call.uni (%r0), callee, (%r1)",
    "bar.sync": "bar.sync 0",
    "barrier.sync": "barrier.sync 0",
    "barrier.cta.sync": "barrier.cta.sync 0",
    "barrier.cta.sync.aligned": "barrier.cta.sync.aligned 0",
    "bar.warp.sync": "bar.warp.sync -1",
    "activemask.b32": "activemask.b32 %r0",
    "vote.sync.ballot.b32": "vote.sync.ballot.b32 %r0, %p0, -1",
    "elect.sync": "elect.sync %r0|%p0, -1",
}

MODULE = """\
.version {version}
.target {chip}
.address_size 64
.visible .func (.reg .b32 %result) callee(.reg .b32 %argument) {{ mov.b32 %result, %argument; ret; }}
.visible .func (.param .align 32 .b8 result[64]) forms(.param .align 32 .b8 argument[64]) {{
.reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %d<10>;
{body}
END: ret;
}}
"""
LINES_BEFORE_BODY = MODULE[: MODULE.index("{body}")].count("\n")


def bits(type_name: str) -> int:
    """Bits of a PTX type: 32 for f32, s32 and f16x2."""
    width, _, lanes = type_name.lstrip("bfsu").partition("x")
    return int(width) * int(lanes or 1)


def register(type_name: str, index: int) -> str:
    if type_name == "pred":
        return f"%p{index}"
    return f"%{ {8: 'h', 16: 'h', 32: 'r', 64: 'd'}[bits(type_name)] }{index}"


def registers(*type_names: str) -> str:
    return ", ".join(register(t, index) for index, t in enumerate(type_names))


def operand_types(name: str, note: str) -> Sequence[str]:
    """Destination and inputs of an instruction whose operands follow from its types."""
    opcode, *modifiers = name.split(".")
    last = modifiers[-1]
    match opcode:
        case "setp":
            return ("pred", last, last)
        case "selp":
            return (last, last, last, "pred")
        case "cvt" if modifiers[-2].endswith("x2"):
            return (modifiers[-2], last, last)
        case "cvt":
            return (modifiers[-2], last)
        case "popc" | "clz":
            return ("b32", last)
        case "shl" | "shr":
            return (last, last, "b32")
        case "shf":
            return ("b32",) * 4
        case "mul" | "mad" if "wide" in modifiers:
            wide = f"{last[0]}{2 * bits(last)}"
            return (wide, last, last, wide)[: INPUTS[opcode] + 1]
        case "add" | "sub" if modifiers[-2:-1] == ["f32"]:
            return ("f32", last, "f32")
        case "fma" if modifiers[-2:-1] == ["f32"]:
            return ("f32", last, last, "f32")
        case _:
            return (last,) * (INPUTS[opcode] + 1 + (note == "3in"))


def instruction(form: str) -> str:
    """A line of PTX in the form."""
    if form in WRITTEN_OUT:
        return f"{WRITTEN_OUT[form]};"
    name, _, note = form.partition(" ")
    opcode, *modifiers = name.split(".")
    if note.startswith("%"):
        return f"{name} %r0, {note};"
    if opcode == "fence":
        return f"{name};"
    if opcode == "vote":
        return f"{name} %p0, %p1, -1;"
    if opcode == "redux":
        return f"{name} %r0, %r1, -1;"
    if opcode == "shfl":
        written = "%r0|%p0" if note == "|p" else "%r0"
        return f"{name} {written}, %r1, 1, 31, -1;"
    if opcode not in ("ld", "st", "red"):
        return f"{name} {registers(*operand_types(name, note))};"
    lanes = next((int(m[1]) for m in modifiers if re.fullmatch(r"v\d", m)), 1)
    values = registers(*[modifiers[-1]] * lanes)
    values = f"{{{values}}}" if lanes > 1 else values
    address = "[%d9]"
    if "param" in modifiers:
        address = "[argument]" if opcode == "ld" else "[result]"
    operands = (values, address) if opcode == "ld" else (address, values)
    return f"{name} {', '.join(operands)};"


def refused(
    forms: Sequence[str], chip: Chip, version: PtxVersion, folder: Path
) -> AbstractSet[str]:
    """The forms whose lines ptxas complains about, in one run."""
    source = folder / "forms.ptx"
    body = "\n".join(map(instruction, forms))
    source.write_text(MODULE.format(version=version, chip=chip.name, body=body))
    run = subprocess.run(
        [
            find_tool("ptxas"),
            f"-arch={chip.name}",
            source,
            "-o",
            folder / "forms.cubin",
        ],
        capture_output=True,
        text=True,
    )
    lines = re.findall(r", line (\d+); (?:error|fatal)", run.stdout + run.stderr)
    numbers = {int(line) - LINES_BEFORE_BODY - 1 for line in lines}
    assert (run.returncode == 0) == (not numbers), run.stderr[:2000]
    assert all(0 <= number < len(forms) for number in numbers), run.stderr[:2000]
    return {forms[number] for number in numbers}


class Test_Table:
    def test_no_form_stands_twice(self):
        forms = [form for row in ROWS for form in row.forms]
        assert len(forms) == len(set(forms))

    def test_chips_of_a_row_exist(self):
        numbers = {chip.number for chip in CHIPS.values()}
        for row in ROWS:
            needs = row.requirement
            assert needs.chip in numbers
            assert set(needs.only) <= set(CHIPS)
            assert needs.native is None or needs.native <= numbers

    @pytest.mark.parametrize("chip", CHIPS.values(), ids=lambda chip: chip.name)
    def test_every_form_at_every_version(self, chip: Chip, tmp_path: Path):
        """ptxas refuses, at every PTX version, exactly the forms that the table refuses."""
        forms = list(FORMS)
        for version in (v for v in PTX_VERSIONS if v >= chip.since):
            target = GpuTarget(chip, version)
            expected = {form for form in forms if target.refusal(form) is not None}
            assert refused(forms, chip, version, tmp_path) == expected, version

    @pytest.mark.parametrize("chip", CHIPS.values(), ids=lambda chip: chip.name)
    def test_legal_forms_assemble(self, chip: Chip, tmp_path: Path):
        """All that is legal together makes a cubin, at the chip's own version and at the newest."""
        for version in (chip.since, NEWEST):
            target = GpuTarget(chip, version)
            legal = [form for form in FORMS if target.refusal(form) is None]
            assert target.lowest_version(legal) <= version
            assert refused(legal, chip, version, tmp_path) == set()

    @pytest.mark.parametrize(
        "form",
        [
            "add.rn.sat.f32x2",
            "max.f32x2",
            "max.NaN.f64",
            "max.f16 3in",
            "add.rn.f32x2 3in",
            "redux.sync.add.f32",
            "ld.shared.v8.b32",
            "st.local.v4.b64",
        ],
    )
    def test_what_no_chip_has_is_not_in_the_table(self, form: str, tmp_path: Path):
        assert form not in FORMS
        assert refused([form], CHIPS["sm_100a"], NEWEST, tmp_path) == {form}

    def test_versions_are_what_ptxas_knows(self, tmp_path: Path):
        chip = CHIPS["sm_75"]
        for version in PTX_VERSIONS:
            assert refused(["ret"], chip, version, tmp_path) == set()
        beyond = [
            PtxVersion(version.major, version.minor + 1)
            for version in PTX_VERSIONS
            if PtxVersion(version.major, version.minor + 1) not in PTX_VERSIONS
        ]
        for version in (*beyond, PtxVersion(6, 2), PtxVersion(10, 0)):
            with pytest.raises(AssertionError, match=r"\.version"):
                refused(["ret"], chip, version, tmp_path)

    @pytest.mark.parametrize("chip", CHIPS.values(), ids=lambda chip: chip.name)
    def test_the_version_before_does_not_know_the_chip(
        self, chip: Chip, tmp_path: Path
    ):
        before = [v for v in PTX_VERSIONS if v < chip.since]
        if not before:
            assert chip.name == "sm_75"
            return
        with pytest.raises(
            AssertionError, match=f"does not support .target {chip.name}"
        ):
            refused(["ret"], chip, before[-1], tmp_path)


# What nvdisasm shows besides the form's own instruction: addresses, loads, stores, moves, constants, byte permutes.
NOT_COUNTED = re.compile(
    r"LDCU?|ULDC|LDG|STG|EXIT|BRA|NOP|RET|U?MOV|S2R|S2UR|CS2R|BSSY|BSYNC|PRMT|IMAD\.MOV|RPCMOV|HFMA2(\.MMA)? R\d+, -RZ, RZ,"
)
# Not computing, or without a result that could be stored.
NOT_MEASURED = frozenset(
    "ld st red bra ret exit trap call bar barrier fence cvta vote elect activemask mov".split()
)


def kernel(name: str, line: str) -> str:
    """A kernel that loads the line's inputs, runs it and stores its results."""
    text = line.split(maxsplit=1)[1]
    operands = list(dict.fromkeys(re.findall(r"%([phrd]\d)", text)))
    written = text.split("}")[0] if text.startswith("{") else text.split(",")[0]
    results = list(dict.fromkeys(re.findall(r"%([phrd]\d)", written)))
    width = {"h": "b16", "r": "b32", "d": "b64"}
    body = list[str]()
    for index, operand in enumerate(o for o in operands if o not in results):
        address = f"[%d8+{64 * index}]"
        if operand[0] == "p":
            body.append(f"ld.global.b32 %r1{operand[1]}, {address};")
            body.append(f"setp.ne.b32 %{operand}, %r1{operand[1]}, 0;")
        else:
            body.append(f"ld.global.{width[operand[0]]} %{operand}, {address};")
    body.append(line)
    for index, result in enumerate(results):
        address = f"[%d9+{64 * index}]"
        if result[0] == "p":
            body.append(f"selp.b32 %r1{result[1]}, 1, 0, %{result};")
            body.append(f"st.global.b32 {address}, %r1{result[1]};")
        else:
            body.append(f"st.global.{width[result[0]]} {address}, %{result};")
    return "\n".join(
        (
            f".visible .entry {name}(.param .b64 source, .param .b64 destination) {{",
            ".reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<20>; .reg .b64 %d<10>;",
            "ld.param.b64 %d8, [source]; ld.param.b64 %d9, [destination];",
            *body,
            "ret; }",
        )
    )


def machine_code(
    lines: Sequence[str], chip: Chip, folder: Path
) -> Sequence[Sequence[str]]:
    """For each line, the machine instructions of a kernel around it that are counted."""
    source, cubin = folder / "kernels.ptx", folder / "kernels.cubin"
    kernels = "\n".join(kernel(f"k{i}", line) for i, line in enumerate(lines))
    source.write_text(
        f".version {NEWEST}\n.target {chip.name}\n.address_size 64\n{kernels}\n"
    )
    command = [find_tool("ptxas"), f"-arch={chip.name}", source, "-o", cubin]
    subprocess.run(command, check=True, capture_output=True)
    listing = subprocess.run(
        [find_tool("nvdisasm"), "-c", cubin], check=True, capture_output=True, text=True
    ).stdout
    # The text of each section, behind the section's name.
    _, *sections = re.split(r"\.section\s+\.text\.k(\d+),", listing)
    found = dict(zip(map(int, sections[::2]), sections[1::2], strict=True))
    instructions = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?([A-Z][^;]*);")
    return [
        [i for i in instructions.findall(found[n]) if not NOT_COUNTED.match(i)]
        for n in range(len(lines))
    ]


def around(line: str) -> int:
    """The instructions that the kernel needs for predicates: one for each that is read or written."""
    return len(set(re.findall(r"%p\d", line)))


@cache
def first_chip_that_has(number: int, needs: Requirement) -> Chip | None:
    return next(
        (
            chip
            for chip in CHIPS.values()
            if chip.number == number
            and chip.number >= needs.chip
            and (not needs.only or chip.name in needs.only)
        ),
        None,
    )


class Test_Native:
    @pytest.mark.parametrize("number", sorted({c.number for c in CHIPS.values()}))
    def test_one_instruction(self, number: int, tmp_path: Path):
        """The first and the last form of every row, on every chip number: native is at most one instruction."""
        measured = [row for row in ROWS if self.is_measured(row.forms[0])]
        by_chip = dict[Chip, list[str]]()
        for row in measured:
            chip = first_chip_that_has(number, row.requirement)
            if chip is not None:
                by_chip.setdefault(chip, []).extend({row.forms[0], row.forms[-1]})
        for chip, forms in by_chip.items():
            lines = ["mov.b32 %r0, %r1;", *map(instruction, forms)]
            # sm_87 begins every kernel with instructions of its own.
            empty, *codes = machine_code(lines, chip, tmp_path)
            counts = {
                form: len(code) - len(empty) - around(line)
                for form, line, code in zip(forms, lines[1:], codes, strict=True)
            }
            native = {form for form in forms if GpuTarget(chip).is_native(form)}
            assert {form for form in forms if counts[form] <= 1} == native, counts

    @staticmethod
    def is_measured(form: str) -> bool:
        return form.split(".")[0] not in NOT_MEASURED

    @pytest.mark.parametrize(
        ("form", "chip", "opcodes"),
        [
            ("add.rn.f32x2", "sm_100a", ["FADD2"]),
            ("add.rn.f32x2", "sm_110a", ["FADD", "FADD"]),
            ("add.rn.f32x2", "sm_120a", ["FADD", "FADD"]),
            ("fma.rn.ftz.f32x2", "sm_103a", ["FFMA2"]),
            ("mul.rn.f32x2", "sm_107a", ["FMUL2"]),
            ("max.NaN.f32 3in", "sm_100a", ["FMNMX3"]),
            ("max.NaN.f32 3in", "sm_110a", ["FMNMX3"]),
            ("max.NaN.f32 3in", "sm_120a", ["FMNMX", "FMNMX"]),
            ("redux.sync.max.f32", "sm_100a", ["CREDUX"]),
            ("max.s16x2", "sm_90a", ["VIMNMX"]),
            ("max.s16x2", "sm_110a", ["IMNMX", "IMNMX"]),
        ],
    )
    def test_known_machine_code(
        self, form: str, chip: str, opcodes: list[str], tmp_path: Path
    ):
        [code] = machine_code([instruction(form)], CHIPS[chip], tmp_path)
        assert [re.split(r"[. ]", i)[0] for i in code] == opcodes
        assert GpuTarget.of(chip).is_native(form) == (len(opcodes) == 1)


class Test_PtxVersion:
    def test_text(self):
        assert [PtxVersion.parse(str(v)) for v in PTX_VERSIONS] == list(PTX_VERSIONS)

    def test_order_is_by_number(self):
        assert PtxVersion(7, 8) < PtxVersion(8, 0) < PtxVersion(10, 0)
        assert sorted(PTX_VERSIONS) == list(PTX_VERSIONS)

    @pytest.mark.parametrize(
        "text", ["", "9", "9.9", "nine", "9.0 ", "09.0", "6.2", "٩.0"]
    )
    def test_nonsense(self, text: str):
        with pytest.raises(DiagnosticException, match=r"known are 6\.3, .*, 9\.5$"):
            PtxVersion.parse(text)


class Test_GpuTarget:
    def test_parts(self):
        target = GpuTarget.of("sm_103f", "9.0")
        assert target.chip == Chip("sm_103f", 103, "f", PtxVersion(8, 8))
        assert target.ptx_version == PtxVersion(9, 0)
        assert GpuTarget.of("sm_90").ptx_version is None

    def test_is_a_value(self):
        assert {GpuTarget.of("sm_90"), GpuTarget.of("sm_90")} == {GpuTarget.of("sm_90")}
        with pytest.raises(FrozenInstanceError):
            setattr(GpuTarget.of("sm_90"), "chip", CHIPS["sm_100"])

    @pytest.mark.parametrize("chip", ["", "sm_99", "100a", "SM_100", "compute_100"])
    def test_unknown_chip(self, chip: str):
        with pytest.raises(DiagnosticException) as raised:
            GpuTarget.of(chip)
        assert f'"{chip}" is not a known chip' in str(raised.value)
        assert ", ".join(CHIPS) in str(raised.value)

    def test_impossible_pair(self):
        with pytest.raises(
            DiagnosticException,
            match=r"PTX 8\.6 does not know sm_103a: .* is 8\.8, possible are 8\.8, 9\.0, 9\.1,",
        ):
            GpuTarget.of("sm_103a", "8.6")

    @pytest.mark.parametrize("version", [None, "9.0"])
    def test_module(self, version: str | None):
        module = ModuleOp([])
        GpuTarget.of("sm_90", "8.0").set_on_module(module)
        target = GpuTarget.of("sm_100a", version)
        PtxSetTarget("sm_100a", version).apply(Context(), module)
        assert GpuTarget.from_module(module, "tile-dispatch") == target
        assert ("ptx.version" in module.attributes) == (version is not None)

    def test_module_without_target(self):
        with pytest.raises(
            DiagnosticException,
            match=r"no target: run ptx-set-target\{chip=...\} before tile-dispatch",
        ):
            GpuTarget.from_module(ModuleOp([]), "tile-dispatch")

    @pytest.mark.parametrize("name", ["ptx.chip", "ptx.version"])
    def test_module_with_something_else(self, name: str):
        module = ModuleOp([], {"ptx.chip": StringAttr("sm_90")})
        module.attributes[name] = IntegerAttr(90, i32)
        with pytest.raises(DiagnosticException, match=f"{name} must be a string"):
            GpuTarget.from_module(module, "tile-dispatch")

    @pytest.mark.parametrize(
        ("chip", "version", "form", "reason"),
        [
            ("sm_100", None, "add.rn.f32x2", None),
            ("sm_90a", None, "add.rn.f32x2", "add.rn.f32x2 needs sm_100 or newer, the target is sm_90a"),
            ("sm_100a", "8.6", "max.f32 3in", "max.f32 3in needs PTX 8.8, the target says 8.6"),
            ("sm_100a", "8.8", "max.f32 3in", None),
            ("sm_100", None, "redux.sync.max.f32", "redux.sync.max.f32 needs one of sm_100a, sm_100f, sm_103a, sm_103f, sm_107a, sm_107f, the target is sm_100"),
            ("sm_100", None, "max.f32x2", "max.f32x2 is not a form of the table"),
        ],
    )  # fmt: skip
    def test_refusal(
        self, chip: str, version: str | None, form: str, reason: str | None
    ):
        assert GpuTarget.of(chip, version).refusal(form) == reason

    def test_what_is_not_legal_is_not_native(self):
        assert not GpuTarget.of("sm_90").is_native("add.rn.f32x2")
        assert not GpuTarget.of("sm_100", "8.6").is_native("max.f32 3in")
        assert not GpuTarget.of("sm_100").is_native("max.f32x2")

    def test_lowest_version(self):
        target = GpuTarget.of("sm_100a", "9.0")
        assert target.lowest_version([]) == PtxVersion(8, 6)
        assert target.lowest_version(["add.rn.f32x2"]) == PtxVersion(8, 6)
        assert target.lowest_version(["max.f32 3in", "ret"]) == PtxVersion(8, 8)
        with pytest.raises(DiagnosticException, match="needs sm_100 or newer"):
            GpuTarget.of("sm_90").lowest_version(["ret", "add.rn.f32x2"])
