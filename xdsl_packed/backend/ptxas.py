"""NVIDIA's assembler: finding it, running it, and saying in its own words what it refuses."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from xdsl.utils.exceptions import DiagnosticException

Tool: TypeAlias = Literal["ptxas", "nvdisasm"]

_VARIABLE: Mapping[Tool, str] = {"ptxas": "PTXAS", "nvdisasm": "NVDISASM"}
_DISTRIBUTION: Mapping[Tool, str] = {
    "ptxas": "nvidia-cuda-nvcc",
    "nvdisasm": "nvidia-cuda-nvdisasm",
}

# Each takes well under a second for a tile reduction, but nvdisasm has been seen to run forever on a damaged cubin.
_TIMEOUT_SECONDS = 120

# ptxas runs inside its own temporary folder, so that no path of this machine enters a message.
_PTX_FILE = "kernel.ptx"
_CUBIN_FILE = "kernel.cubin"


@dataclass(frozen=True)
class EntryResources:
    """What ptxas reports about one entry: registers a thread, and bytes a thread of stack and spilled values."""

    registers: int
    stack: int
    spill_stores: int
    spill_loads: int


@dataclass(frozen=True)
class Assembly:
    """A cubin, and what ptxas reports about each entry and device function in it, by name."""

    cubin: bytes
    resources: Mapping[str, EntryResources]


def find_tool(name: Tool, explicit: str | os.PathLike[str] | None = None) -> Path:
    """
    Where `name` is: `explicit`, else the variable PTXAS (NVDISASM), else the wheel of the `cuda` extra, else
    CUDA_HOME/bin or CUDA_PATH/bin, else PATH.

    Raises DiagnosticException when `explicit` or the variable names something that cannot be run, and when there is
    no such tool at all.
    """
    if explicit is not None:
        return _named_tool(name, os.fspath(explicit), "given explicitly")
    variable = _VARIABLE[name]
    if from_variable := os.environ.get(variable):
        return _named_tool(name, from_variable, f"named by {variable}")
    if (in_wheel := find_in_wheel(name)) is not None:
        return in_wheel
    for home in ("CUDA_HOME", "CUDA_PATH"):
        if (root := os.environ.get(home)) and _is_program(
            candidate := Path(root) / "bin" / name
        ):
            return candidate
    if (on_path := shutil.which(name)) is not None:
        return Path(on_path)
    raise DiagnosticException(
        f"{name} not found (looked at {variable}, the wheel {_DISTRIBUTION[name]}, CUDA_HOME, CUDA_PATH, PATH): "
        "pip install 'xdsl-packed[cuda]'"
    )


@cache
def find_in_wheel(name: Tool) -> Path | None:
    """Where the wheel of the `cuda` extra put `name`, or None when it is not installed."""
    # Imported here because it costs more than the whole search.
    from importlib import metadata

    try:
        files = metadata.distribution(_DISTRIBUTION[name]).files
    except metadata.PackageNotFoundError:
        return None
    located = (Path(str(file.locate())) for file in files or () if file.stem == name)
    return next((path for path in located if _is_program(path)), None)


def assemble(
    ptx: str,
    chip: str,
    *,
    ptxas: str | os.PathLike[str] | None = None,
    options: Sequence[str] = (),
) -> bytes:
    """
    The cubin that ptxas makes of `ptx` for `chip` ("sm_100a").

    Raises DiagnosticException with ptxas' own lines when it refuses.
    """
    return assemble_with_resources(ptx, chip, ptxas=ptxas, options=options).cubin


def assemble_with_resources(
    ptx: str,
    chip: str,
    *,
    ptxas: str | os.PathLike[str] | None = None,
    options: Sequence[str] = (),
) -> Assembly:
    """As `assemble`, together with the registers, stack and spilled bytes that ptxas reports."""
    tool = find_tool("ptxas", ptxas)
    with tempfile.TemporaryDirectory(prefix="xdsl-packed-") as folder:
        (Path(folder) / _PTX_FILE).write_text(ptx, encoding="utf-8")
        arguments = [f"-arch={chip}", "-v", *options, _PTX_FILE, "-o", _CUBIN_FILE]
        report = run_tool(tool, arguments, folder=folder, subject=f"PTX for {chip}")
        report = report.replace(_PTX_FILE, "<ptx>")
        cubin = Path(folder) / _CUBIN_FILE
        if not cubin.exists():
            raise DiagnosticException(
                f"{tool} reported success but wrote no cubin; is it NVIDIA's ptxas?"
            )
        return Assembly(cubin.read_bytes(), dict(_read_resources(report)))


def run_tool(tool: Path, arguments: Sequence[str], *, folder: str, subject: str) -> str:
    """
    Run `tool` in `folder`; what it printed, standard output first.

    Raises DiagnosticException when it cannot be started, does not end, crashes, or refuses `subject`.
    """
    try:
        done = subprocess.run(
            [str(tool.absolute()), *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise DiagnosticException(
            f"{tool.name} did not end within {_TIMEOUT_SECONDS} seconds on the {subject}"
        ) from None
    except (OSError, ValueError) as error:
        raise DiagnosticException(f"{tool} cannot be run: {error}") from None
    printed = done.stdout + done.stderr
    if done.returncode < 0:
        raise DiagnosticException(
            f"{tool.name} crashed ({_signal_name(-done.returncode)}) on the {subject}"
            + _indented(printed)
        )
    if done.returncode:
        raise DiagnosticException(
            f"{tool.name} refused the {subject}:"
            + (
                _indented(printed.replace(_PTX_FILE, "<ptx>"))
                or f" exit code {done.returncode}"
            )
        )
    return printed


def _named_tool(name: Tool, path: str, origin: str) -> Path:
    if _is_program(candidate := Path(path)):
        return candidate
    fault = "is not executable" if candidate.exists() else "does not exist"
    raise DiagnosticException(f"{name} {origin} {fault}: {path}")


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _indented(printed: str) -> str:
    """The lines that say what is wrong, each on its own line; the chatter of -v is left out."""
    lines = (line.strip() for line in printed.splitlines())
    return "".join(
        f"\n  {line}" for line in lines if line and not line.startswith("ptxas info")
    )


_PROPERTIES_OF = re.compile(r"Function properties for '?([\w$%.]+)'?")
_FRAME = re.compile(
    r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads"
)
_REGISTERS = re.compile(r"Used (\d+) registers")


def _read_resources(report: str) -> Iterator[tuple[str, EntryResources]]:
    """The `-v` report: a line with the name, a line with the frame, a line with the registers (entries only)."""
    _, *functions = _PROPERTIES_OF.split(report)
    for name, properties in zip(functions[::2], functions[1::2], strict=True):
        if (frame := _FRAME.search(properties)) is None:
            continue
        registers = _REGISTERS.search(properties)
        stack, stores, loads = (int(count) for count in frame.groups())
        used = int(registers.group(1)) if registers else 0
        yield name, EntryResources(used, stack, stores, loads)
