"""
The GPU that a module is compiled for, and what its instruction set takes.

A form is an instruction with its modifiers and types, spelled as in PTX ("add.rn.ftz.f32x2"); what PTX tells apart by
operands alone is told apart by a word behind ("max.f32 3in", "mov.b64 pack", "mov.u32 %tid.x"). Legal is not native:
ptxas takes add.rn.f32x2 for sm_120 and makes two scalar adds of it.

Everything here was measured with ptxas and nvdisasm 13.5; the tests measure it again.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from types import MappingProxyType

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.utils.exceptions import DiagnosticException

CHIP_ATTRIBUTE = "ptx.chip"
"""Module attribute with the chip's name, such as "sm_100a"."""

VERSION_ATTRIBUTE = "ptx.version"
"""Module attribute with the PTX version, such as "9.0"; absent when none was asked for."""


@dataclass(frozen=True, order=True)
class PtxVersion:
    """A version of the PTX instruction set, what `.version` names."""

    major: int
    minor: int

    @staticmethod
    def parse(text: str) -> "PtxVersion":
        """
        The version that `text` ("9.0") names.

        Raises DiagnosticException for anything that is not in PTX_VERSIONS.
        """
        for version in PTX_VERSIONS:
            if str(version) == text:
                return version
        raise DiagnosticException(
            f'"{text}" is not a PTX version, known are {", ".join(map(str, PTX_VERSIONS))}'
        )

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


PTX_VERSIONS: tuple[PtxVersion, ...] = tuple(
    PtxVersion(major, minor)
    for major, minors in ((6, (3, 4, 5)), (7, range(9)), (8, range(9)), (9, range(6)))
    for minor in minors
)
"""Every version that some chip of CHIPS takes, ascending. ptxas also reads 1.0 to 6.2, but for none of them."""


@dataclass(frozen=True)
class Chip:
    """A target of ptxas: `.target` and `-arch`."""

    name: str
    number: int
    """100 in sm_100a: chips are ordered by it."""
    suffix: str
    """"a": features of this chip only, "f": of its family, "": what later chips keep."""
    since: PtxVersion
    """The lowest PTX version that knows the chip."""


def _chips(since_by_name: Mapping[str, str]) -> Mapping[str, Chip]:
    """Chips by name; "90a" stands for sm_90a."""
    chips: dict[str, Chip] = {}
    for short, since in since_by_name.items():
        suffix = short.lstrip("0123456789")
        number = int(short.removesuffix(suffix))
        name = f"sm_{short}"
        chips[name] = Chip(name, number, suffix, PtxVersion.parse(since))
    return MappingProxyType(chips)


# fmt: off
CHIPS: Mapping[str, Chip] = _chips({
    "75": "6.3", "80": "7.0", "86": "7.1", "87": "7.4", "88": "9.0", "89": "7.8",
    "90": "7.8", "90a": "8.0",
    "100": "8.6", "100a": "8.6", "100f": "8.8",
    "103": "8.8", "103a": "8.8", "103f": "8.8",
    "107": "9.4", "107a": "9.4", "107f": "9.4",
    "110": "9.0", "110a": "9.0", "110f": "9.0",
    "120": "8.7", "120a": "8.7", "120f": "8.8",
    "121": "8.8", "121a": "8.8", "121f": "8.8",
})
# fmt: on
"""Every chip that ptxas 13.5 assembles for, by name, ascending."""


@dataclass(frozen=True)
class Requirement:
    """What a form needs of the target."""

    chip: int
    """The least chip number."""
    only: tuple[str, ...]
    """The only chips that have it, by name; empty when every chip from `chip` on has it."""
    ptx: PtxVersion
    """The least PTX version, where the chip itself does not need a later one."""
    native: frozenset[int] | None
    """The chip numbers on which it is one machine instruction; None for all that have it."""

    def version_on(self, chip: Chip) -> PtxVersion:
        """The least PTX version with which `chip`, if it has the form at all, takes it."""
        return max(self.ptx, chip.since)


@dataclass(frozen=True)
class Row:
    """Forms that need the same of the target, written with braces: "{add,sub}.rn{,.ftz}.f32"."""

    patterns: tuple[str, ...]
    requirement: Requirement

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """Every form that the patterns stand for."""
        return tuple(form for pattern in self.patterns for form in _expand(pattern))


def _expand(pattern: str) -> Iterable[str]:
    """Every way to choose one alternative from each pair of braces; braces do not nest."""
    literals_and_choices = re.split(r"\{([^}]*)\}", pattern)
    alternatives = (
        part.split(",") if index % 2 else (part,)
        for index, part in enumerate(literals_and_choices)
    )
    return map("".join, product(*alternatives))


def _row(
    *patterns: str,
    chip: int = 75,
    only: tuple[str, ...] = (),
    ptx: str = "6.3",
    native: tuple[int, ...] | None = None,
) -> Row:
    return Row(
        patterns,
        Requirement(
            chip,
            only,
            PtxVersion.parse(ptx),
            None if native is None else frozenset(native),
        ),
    )


# Chips whose machine code has the instruction.
_PACKED_F32 = (100, 103, 107)
_THREE_INPUT_F32 = (100, 103, 107, 110)
_PACKED_16 = (90, 100, 103, 107, 120, 121)
_WIDE_INTEGER = (107, 120, 121)
_PACKED_EX2 = (103, 107)
_SUB_16 = (90, 100, 103, 110)
_NOWHERE = ()

# The only chips that reduce floats across a warp: the one row that does not follow from the chip's number.
_FLOAT_REDUX = (
    "sm_100a", "sm_100f", "sm_103a", "sm_103f", "sm_107a", "sm_107f",
)  # fmt: skip

ROWS: tuple[Row, ...] = (
    # Floating point. `.rn` is always written: an add without it may be contracted.
    _row("{add,sub,mul,fma}.{rn,rz,rm,rp}{,.ftz}.f32"),
    _row("{add,sub,mul,fma}.{rn,rz,rm,rp}{,.ftz}.f32x2", chip=100, ptx="8.6", native=_PACKED_F32),
    _row("{add,sub,mul,fma}.{rn,rz,rm,rp}.f64"),
    _row("{add,sub,mul,fma}.rn{,.ftz}.{f16,f16x2}"),
    _row("{add,sub,mul}.rn.{bf16,bf16x2}", chip=90, ptx="7.8"),
    _row("fma.rn.{bf16,bf16x2}", chip=80, ptx="7.0"),
    _row("{add,sub,fma}.rn.f32.{f16,bf16}", chip=100, ptx="8.6"),
    _row("{max,min}{,.ftz}.f32"),
    _row("{max,min}{,.ftz}.NaN.f32", chip=80, ptx="7.0"),
    _row("{max,min}{,.ftz}{,.NaN}.xorsign.abs.f32", chip=86, ptx="7.2"),
    _row("{max,min}{,.ftz}{,.NaN}{,.abs}.f32 3in", chip=100, ptx="8.8", native=_THREE_INPUT_F32),
    _row("{max,min}.f64", native=_NOWHERE),
    _row("{max,min}{,.ftz}{,.NaN}.{f16,f16x2}", "{max,min}{,.NaN}.{bf16,bf16x2}", chip=80, ptx="7.0"),
    _row("{max,min}{,.NaN}.xorsign.abs.{f16,f16x2,bf16,bf16x2}", chip=86, ptx="7.2"),
    _row("{neg,abs}{,.ftz}.f32", "{neg,abs}.f64", "copysign.{f32,f64}", "neg{,.ftz}.f16", "neg.f16x2"),
    _row("abs{,.ftz}.f16", "abs.f16x2", ptx="6.5"),
    _row("neg.ftz.f16x2", native=_NOWHERE),
    _row("abs.ftz.f16x2", ptx="6.5", native=_NOWHERE),
    _row("{neg,abs}.{bf16,bf16x2}", chip=80, ptx="7.0"),
    _row("{ex2,lg2,rcp,sqrt,rsqrt}.approx.ftz.f32"),
    _row("{ex2,lg2,rcp,sqrt,rsqrt}.approx.f32", "{sin,cos}.approx{,.ftz}.f32", native=_NOWHERE),
    _row("{rcp,sqrt,div}.rn{,.ftz}.f32", "{rcp,sqrt,div}.rn.f64", "div.{approx,full}{,.ftz}.f32", native=_NOWHERE),
    _row("tanh.approx.{f32,f16}", "ex2.approx.f16", ptx="7.0"),
    _row("tanh.approx.f16x2", ptx="7.0", native=_NOWHERE),
    _row("ex2.approx.f16x2", ptx="7.0", native=_PACKED_EX2),
    _row("tanh.approx.bf16", "ex2.approx.ftz.bf16", chip=90, ptx="7.8"),
    _row("tanh.approx.bf16x2", chip=90, ptx="7.8", native=_NOWHERE),
    _row("ex2.approx.ftz.bf16x2", chip=90, ptx="7.8", native=_PACKED_EX2),
    # Integers.
    _row("{add,min,max,mul.lo,mad.lo}.{s16,u16,s32,u32}", "sub.{s32,u32}", "mul.hi.{s32,u32}", "mul.wide.{s16,u16,s32,u32}"),
    _row("sub.{s16,u16}", native=_SUB_16),
    _row("{add,sub,min,max}.{s64,u64}", "mad.wide.{s32,u32}", native=_WIDE_INTEGER),
    _row("{mul.lo,mad.lo}.{s64,u64}", "{div,rem}.{s16,u16,s32,u32,s64,u64}", native=_NOWHERE),
    _row("{add,min,max}.{s16x2,u16x2}", chip=90, ptx="8.0", native=_PACKED_16),
    _row("{neg,abs}.{s16,s32}"),
    _row("neg.s64", native=_WIDE_INTEGER),
    _row("abs.s64", native=_NOWHERE),
    _row("{and,or,xor,not}.{pred,b16,b32}", "{lop3,prmt,popc}.b32", "shf.{l,r}.{wrap,clamp}.b32", "shl.b32", "shr.{s32,u32,b32}"),
    # A 16-bit shift clamps its amount first.
    _row("{and,or,xor,not}.b64", "clz.b32", "{popc,clz}.b64", "shl.{b16,b64}", "shr.{s16,u16,b16,s64,u64,b64}", native=_NOWHERE),
    # Compare and select.
    _row("setp.{eq,ne,lt,le,gt,ge}.{s16,u16,s32,u32}", "setp.{eq,ne}.{b16,b32}"),
    _row("setp.{eq,ne,lt,le,gt,ge}.{s64,u64}", "setp.{eq,ne}.b64", native=_WIDE_INTEGER),
    _row("setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{f16,f32,f64,ftz.f16,ftz.f32}"),
    _row("setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.bf16", chip=90, ptx="7.8"),
    _row("selp.{b16,s16,u16,b32,s32,u32,f32}"),
    _row("selp.{b64,s64,u64}", native=_WIDE_INTEGER),
    _row("selp.f64", native=_NOWHERE),
    # Conversions, destination type first.
    _row("cvt.{s8,u8,s16,u16,s32,u32,s64,u64}.{s8,u8,s16,u16,s32,u32,s64,u64}"),
    _row("cvt.{f32,ftz.f32,f64}.f16", "cvt.f64.f32", "cvt.rn.{f32.f64,f16.f32,f16.f64}"),
    _row("cvt.rn.ftz.f32.f64", native=_NOWHERE),
    _row("cvt.f32.bf16", chip=80, ptx="7.1"),
    _row("cvt.rn.bf16.f32", "cvt.rn.{f16x2,bf16x2}.f32", chip=80, ptx="7.0"),
    _row("cvt.{ftz.f32,f64}.bf16", "cvt.rn.bf16.f64", chip=90, ptx="7.8"),
    _row("cvt.rn.{f16,f64}.{s8,u8,s16,u16,s32,u32,s64,u64}", "cvt.rn.f32.{s8,s16,u16,s32,u32,s64,u64}"),
    _row("cvt.rn.f32.u8", native=(75, 80)),
    _row("cvt.rn.bf16.{s16,u16,s32,u32,s64,u64}", chip=90, ptx="7.8"),
    _row("cvt.{rni,rzi,rmi,rpi}.{s8,s16,u16,s32,u32,s64,u64}.{f16,f32,f64}"),
    _row("cvt.{rni,rzi,rmi,rpi}.u8.{f16,f32,f64}", native=_NOWHERE),
    _row("cvt.{rni,rzi,rmi,rpi}.{s16,u16,s32,u32,s64,u64}.bf16", chip=90, ptx="7.8"),
    _row("cvt.{rni,rzi,rmi,rpi}.{f16.f16,f32.f32,f64.f64}"),
    _row("cvt.{rni,rzi,rmi,rpi}.bf16.bf16", chip=90, ptx="7.8"),
    # Moves: two halves of a register, or four quarters; a pair in neighbouring registers costs nothing.
    _row("mov.{pred,b16,u16,s16,b32,u32,s32,f32,b64,u64,s64,f64}", "mov.{b32,b64} {pack,unpack}", "mov.b64 {pack,unpack} 4x16"),
    _row("mov.u32 %{tid,ntid,ctaid,nctaid}.{x,y,z}", "mov.u32 %{laneid,warpid,nwarpid,lanemask_lt}"),
    # Memory. Vectors of 256 bits are for .global alone: ptxas also takes them without a space, but makes a global access of that.
    _row("{ld,st}{,.global,.shared,.local,.param}{,.v2,.v4}.{b8,u8,s8,b16,u16,s16,b32,u32,s32,f32}"),
    _row("{ld,st}{,.global,.shared,.local,.param}{,.v2}.{b64,u64,s64,f64}"),
    _row("ld.global.nc{,.v2,.v4}.{b8,u8,s8,b16,u16,s16,b32,u32,s32,f32}", "ld.global.nc{,.v2}.{b64,u64,s64,f64}"),
    _row("{ld,st}.global.v8.{b32,u32,s32,f32}", "{ld,st}.global.v4.{b64,u64,s64,f64}", chip=100, ptx="8.8"),
    _row("ld.global.nc.v8.{b32,u32,s32,f32}", "ld.global.nc.v4.{b64,u64,s64,f64}", chip=100, ptx="8.8"),
    _row("cvta{,.to}.{global,shared,local}.u64"),
    _row("red.global.add.{s32,u32,u64,f32,f64}", "red.global.add.noftz.{f16,f16x2}"),
    _row("red.global.add.noftz.{bf16,bf16x2}", chip=90, ptx="7.8"),
    _row("red.global.add.{v2,v4}.f32", chip=90, ptx="8.1"),
    # Control, and what the threads of a warp or block do together.
    _row("bra", "bra.uni", "ret", "exit", "trap", "call", "call.uni"),
    _row("bar.sync", "bar.warp.sync", "barrier.sync", "fence.{acq_rel,sc}.{cta,gpu}"),
    _row("barrier.cta.sync{,.aligned}", ptx="7.8"),
    _row("shfl.sync.{bfly,down,up,idx}.b32{, |p}", "vote.sync.{any,all}.pred", "vote.sync.ballot.b32", "activemask.b32"),
    _row("elect.sync", chip=90, ptx="8.0"),
    _row("redux.sync.{add,min,max}.{s32,u32}", "redux.sync.{and,or,xor}.b32", chip=80, ptx="7.0"),
    _row("redux.sync.{min,max}{,.abs}{,.NaN}.f32", chip=100, only=_FLOAT_REDUX, ptx="8.6"),
)  # fmt: skip
"""The capability table. A row's forms are legal on the same targets and native on the same chips."""

FORMS: Mapping[str, Requirement] = MappingProxyType(
    {form: row.requirement for row in ROWS for form in row.forms}
)
"""What each form of the table needs, by the form's name."""


@dataclass(frozen=True)
class GpuTarget:
    """
    A chip, and the PTX version that the text must keep to; None leaves the version open.

    Raises DiagnosticException when the version is older than the chip.
    """

    chip: Chip
    ptx_version: PtxVersion | None = None

    def __post_init__(self) -> None:
        if self.ptx_version is None or self.ptx_version >= self.chip.since:
            return
        possible = (str(v) for v in PTX_VERSIONS if v >= self.chip.since)
        raise DiagnosticException(
            f"PTX {self.ptx_version} does not know {self.chip.name}: the lowest version that does is "
            f"{self.chip.since}, possible are {', '.join(possible)}"
        )

    @staticmethod
    def of(chip: str, ptx_version: str | None = None) -> "GpuTarget":
        """
        The target with the chip and PTX version so named: ("sm_100a", "9.0").

        Raises DiagnosticException for an unknown chip, an unknown version, and a version older than the chip.
        """
        if chip not in CHIPS:
            raise DiagnosticException(
                f'"{chip}" is not a known chip, known are {", ".join(CHIPS)}'
            )
        # A version may come as the number that it looks like: 9.0 is "9.0".
        version = None if ptx_version is None else PtxVersion.parse(str(ptx_version))
        return GpuTarget(CHIPS[chip], version)

    @staticmethod
    def from_module(module: ModuleOp, asked_by: str) -> "GpuTarget":
        """
        The target recorded on `module`; `asked_by` is the pass that needs it.

        Raises DiagnosticException when there is none, and when what is recorded is not a target.
        """
        chip = _string_attribute(module, CHIP_ATTRIBUTE)
        if chip is None:
            raise DiagnosticException(
                f"the module has no target: run ptx-set-target{{chip=...}} before {asked_by}"
            )
        return GpuTarget.of(chip, _string_attribute(module, VERSION_ATTRIBUTE))

    def set_on_module(self, module: ModuleOp) -> None:
        """Records this target on `module`, in place of one that was there."""
        module.attributes[CHIP_ATTRIBUTE] = StringAttr(self.chip.name)
        module.attributes.pop(VERSION_ATTRIBUTE, None)
        if self.ptx_version is not None:
            module.attributes[VERSION_ATTRIBUTE] = StringAttr(str(self.ptx_version))

    def refusal(self, form: str) -> str | None:
        """Why `form` is not legal on this target, for a person to read; None when it is legal."""
        if (reason := self._chip_refusal(form)) is not None:
            return reason
        needed = FORMS[form].version_on(self.chip)
        if self.ptx_version is None or self.ptx_version >= needed:
            return None
        return f"{form} needs PTX {needed}, the target says {self.ptx_version}"

    def is_native(self, form: str) -> bool:
        """
        Whether `form` is legal here and becomes one machine instruction, or none; moves between registers and byte
        permutes around it are not counted.
        """
        if self.refusal(form) is not None:
            return False
        native = FORMS[form].native
        return native is None or self.chip.number in native

    def lowest_version(self, forms: Iterable[str]) -> PtxVersion:
        """
        The lowest PTX version with which the chip takes all of `forms`, whatever version the target names.

        Raises DiagnosticException with the reason when the chip has one of them at no version.
        """
        lowest = self.chip.since
        for form in forms:
            if (reason := self._chip_refusal(form)) is not None:
                raise DiagnosticException(reason)
            lowest = max(lowest, FORMS[form].ptx)
        return lowest

    def _chip_refusal(self, form: str) -> str | None:
        """Why the chip has `form` at no PTX version."""
        if (needs := FORMS.get(form)) is None:
            return f"{form} is not a form of the table"
        if needs.only and self.chip.name not in needs.only:
            return f"{form} needs one of {', '.join(needs.only)}, the target is {self.chip.name}"
        if self.chip.number < needs.chip:
            return (
                f"{form} needs sm_{needs.chip} or newer, the target is {self.chip.name}"
            )
        return None


def _string_attribute(module: ModuleOp, name: str) -> str | None:
    attribute = module.attributes.get(name)
    if attribute is None:
        return None
    if not isinstance(attribute, StringAttr):
        raise DiagnosticException(
            f"the module's {name} must be a string such as those of ptx-set-target, got {attribute}"
        )
    return attribute.data
