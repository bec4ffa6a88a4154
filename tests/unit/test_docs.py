"""
What a doc shows was run, and is run again here.

- A `console` block holds commands (`$ ...`) and, under each, what it prints.
- A `python` block is run; a `text` block right after it is what it prints.
- A `mlir` block is parsed and verified.

A line `...` in shown output stands for any lines.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from xdsl_packed.frontend import parse_text, verify

ROOT = Path(__file__).parents[2]
DOCS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int


def blocks(doc: Path) -> list[Block]:
    text = doc.read_text()
    return [
        Block(match[1], match[2], text.count("\n", 0, match.start()) + 1)
        for match in FENCE.finditer(text)
    ]


def matches(shown: str, printed: str) -> bool:
    """Whether `printed` is `shown`, where `...` lines stand for anything."""
    parts = re.split(r"^\.\.\.\n", shown.strip() + "\n", flags=re.MULTILINE)
    pattern = "(?s:.*?)".join(map(re.escape, parts))
    return re.fullmatch(pattern, printed.strip() + "\n") is not None


def commands(block: Block) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, output = part.replace("\\\n", "").partition("\n")
        yield command, output


def run(command: str) -> str:
    environment = os.environ | {
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    }
    done = subprocess.run(
        shlex.split(command),
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def test_there_are_docs():
    assert {doc.name for doc in DOCS} >= {
        "README.md",
        "tile-dialect.md",
        "variants.md",
        "floating-point.md",
        "adding-a-variant.md",
    }


@pytest.mark.parametrize("doc", DOCS, ids=lambda doc: str(doc.relative_to(ROOT)))
def test_console_blocks(doc: Path):
    for block in blocks(doc):
        if block.language != "console":
            continue
        for command, shown in commands(block):
            printed = run(command)
            assert matches(shown, printed), (
                f"{doc.name}:{block.line}: $ {command}\nprints:\n{printed}"
            )


@pytest.mark.parametrize("doc", DOCS, ids=lambda doc: str(doc.relative_to(ROOT)))
def test_python_blocks(doc: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    namespace: dict[str, object] = {"__name__": "__main__"}
    found = blocks(doc)
    for block, after in zip(found, [*found[1:], Block("", "", 0)]):
        if block.language != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block.text, f"{doc.name}:{block.line}", "exec"), namespace)
        if after.language == "text":
            assert matches(after.text, printed.getvalue()), (
                f"{doc.name}:{block.line} prints:\n{printed.getvalue()}"
            )


@pytest.mark.parametrize("doc", DOCS, ids=lambda doc: str(doc.relative_to(ROOT)))
def test_mlir_blocks(doc: Path):
    for block in blocks(doc):
        if block.language == "mlir":
            _, module = parse_text(block.text, f"{doc.name}:{block.line}")
            verify(module)
