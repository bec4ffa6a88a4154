"""Another xDSL project, installed, adds our passes to its own pipeline by name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent / "foreign_package"
SUM32 = Path(__file__).parents[3] / "examples" / "sum32.mlir"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which the foreign package is installed beside ours."""
    folder = tmp_path_factory.mktemp("foreign")
    site = folder / "site"
    source = folder / "source"
    source.mkdir()
    for file in PACKAGE.glob("*.*"):
        (source / file.name).write_bytes(file.read_bytes())
    pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps")
    subprocess.run(
        [*pip, "--no-build-isolation", "--target", str(site), str(source)], check=True
    )
    return os.environ | {"PYTHONPATH": str(site)}


def run(environment: dict[str, str], *arguments: str) -> str:
    xdsl_opt = Path(sys.executable).parent / "xdsl-opt"
    done = subprocess.run(
        [str(xdsl_opt), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("chip", "packed", "scalar"), [("sm_100a", 15, 1), ("sm_90", 0, 31)]
)
def test_its_pass_runs_ours(
    environment: dict[str, str], chip: str, packed: int, scalar: int
):
    spec = f'foreign-lower{{chip="{chip}"}}'
    ptx = run(environment, "-p", spec, "-t", "ptx", str(SUM32))
    assert f".target {chip}" in ptx
    assert ptx.count("f32x2") == packed
    assert ptx.count("add.rn.ftz.f32 ") == scalar


def test_its_pass_is_not_known_without_it():
    xdsl_opt = Path(sys.executable).parent / "xdsl-opt"
    done = subprocess.run(
        [str(xdsl_opt), "-p", "foreign-lower", str(SUM32)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
