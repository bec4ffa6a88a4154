"""Plain xdsl-opt of this environment knows us, and pays nothing for it until we are used."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from xdsl.universe import Universe

from xdsl_packed.universe import XDSL_PACKED_UNIVERSE

ROOT = Path(__file__).parents[2]


def test_the_entry_point_is_discovered():
    (point,) = entry_points(group="xdsl.universe", name="xdsl_packed")
    assert point.load() is XDSL_PACKED_UNIVERSE


def test_every_factory_makes_what_it_is_named():
    for name, dialect in XDSL_PACKED_UNIVERSE.all_dialects.items():
        assert dialect().name == name
    for name, module_pass in XDSL_PACKED_UNIVERSE.all_passes.items():
        assert module_pass().name == name
    for name, target in XDSL_PACKED_UNIVERSE.all_targets.items():
        assert target().name == name
    for name, frontend in XDSL_PACKED_UNIVERSE.all_frontends.items():
        assert frontend().name == name


def test_every_pass_and_op_says_what_it_does():
    for module_pass in XDSL_PACKED_UNIVERSE.all_passes.values():
        assert module_pass().__doc__
    for dialect in XDSL_PACKED_UNIVERSE.all_dialects.values():
        for op in dialect().operations:
            assert op.__doc__, op.name


def test_it_is_in_the_multiverse():
    multiverse = Universe.get_multiverse()
    assert {"tile", "packed", "ptx"} <= set(multiverse.all_dialects)
    assert set(XDSL_PACKED_UNIVERSE.all_passes) <= set(multiverse.all_passes)
    assert "ptx" in multiverse.all_targets


@pytest.mark.parametrize("what", ["xdsl_packed.universe", "xdsl_packed"])
def test_listing_loads_nothing_of_ours(what: str):
    code = (
        f"import sys, {what}; "
        "print([m for m in sys.modules if m.startswith('xdsl_packed.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() in ("[]", "['xdsl_packed.universe']")


def test_a_typed_package():
    assert (ROOT / "xdsl_packed" / "py.typed").is_file()
