"""The packed ops: lanes, NaN, signed zero, ftz, three operands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from xdsl_packed.frontend import parse_text, verify
from xdsl_packed.interpreters import run_function


def _apply(op: str, type: str, *args: Any, flags: str = "") -> Any:
    names = ", ".join(f"%{i}" for i in range(len(args)))
    inputs = ", ".join(f"%{i}: {type}" for i in range(len(args)))
    _, module = parse_text(
        f"func.func @f({inputs}) -> {type} {{\n"
        f"  %r = packed.{op} {names} {flags} : {type}\n"
        f"  func.return %r : {type}\n}}"
    )
    verify(module)
    (result,) = run_function(module, "f", args)
    return result


def _pair(*lanes: float) -> np.ndarray[Any, Any]:
    return np.array(lanes, np.float32)


class Test_packed:
    def test_each_lane_alone(self):
        a, b = _pair(1, 2), _pair(10, 20)
        assert _apply("add", "vector<2xf32>", a, b).tolist() == [11, 22]
        assert _apply("mul", "vector<2xf32>", a, b).tolist() == [10, 40]
        assert _apply("fma", "vector<2xf32>", a, b, a).tolist() == [11, 42]

    def test_a_batch(self):
        a = np.arange(6, dtype=np.float32).reshape(2, 3)
        result = _apply("add", "vector<2xf32>", a, _pair(10, 20))
        assert result.tolist() == [[10, 11, 12], [23, 24, 25]]

    def test_pairs_of_bf16_are_bits(self):
        one = np.array([0x3F80, 0x4000], np.uint16)
        assert _apply("add", "vector<2xbf16>", one, one).tolist() == [0x4000, 0x4080]

    @pytest.mark.parametrize("op", ["max", "min"])
    def test_nan(self, op: str):
        assert _apply(op, "f32", np.nan, 1.0) == 1
        assert np.isnan(_apply(op, "f32", np.nan, 1.0, flags="{nan}"))
        assert np.isnan(_apply(op, "f32", np.nan, np.nan))

    @pytest.mark.parametrize("op", ["max3", "min3"])
    @pytest.mark.parametrize("position", range(3))
    def test_nan_of_three(self, op: str, position: int):
        args = [1.0, 1.0, 1.0]
        args[position] = np.nan
        assert _apply(op, "f32", *args) == 1
        assert np.isnan(_apply(op, "f32", *args, flags="{nan}"))

    def test_of_three(self):
        assert _apply("max3", "f32", 1.0, 3.0, 2.0) == 3
        assert _apply("min3", "f32", 2.0, 3.0, 1.0) == 1
        assert not np.signbit(_apply("max3", "f32", -0.0, 0.0, -0.0))
        assert np.signbit(_apply("min3", "f32", 0.0, 0.0, -0.0))

    @pytest.mark.parametrize("op", ["add", "mul", "max", "min"])
    def test_ftz(self, op: str):
        small, other = 1e-40, 1.0 if op == "mul" else 1e-40
        assert _apply(op, "f32", small, other) != 0
        assert _apply(op, "f32", small, other, flags="{ftz}") == 0

    def test_pack_and_unpack(self):
        _, module = parse_text(
            "func.func @f(%a: f32, %b: f32) -> (vector<2xf32>, f32, f32) {\n"
            "  %p = packed.pack %a, %b : f32 to vector<2xf32>\n"
            "  %low, %high = packed.unpack %p : vector<2xf32> to f32\n"
            "  func.return %p, %low, %high : vector<2xf32>, f32, f32\n}"
        )
        verify(module)
        pair, low, high = run_function(module, "f", (1.0, 2.0))
        assert pair.tolist() == [1, 2]
        assert (low, high) == (1, 2)
        batch = np.array([2, 3, 4], np.float32)
        pair, low, high = run_function(module, "f", (1.0, batch))
        assert pair.tolist() == [[1, 1, 1], [2, 3, 4]]
        assert low.tolist() == [1, 1, 1]
        assert high.tolist() == [2, 3, 4]
