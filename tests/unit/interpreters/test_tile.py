"""What tile.reduce means, on values whose exact order shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.utils.exceptions import InterpretationError

from xdsl_packed.frontend import parse_text, verify
from xdsl_packed.interpreters import run_function


def _reduce(
    options: str,
    source: np.ndarray[Any, Any],
    destination: np.ndarray[Any, Any],
    type: str = "f32",
    *,
    kind: str = "add",
    batch_axes: int = 0,
) -> list[Any]:
    shapes = [
        "x".join(map(str, (*array.shape[: array.ndim - batch_axes], type)))
        for array in (source, destination)
    ]
    source_type, destination_type = (f"memref<{shape}>" for shape in shapes)
    _, module = parse_text(
        f"func.func @f(%a: {source_type}, %b: {destination_type}) {{\n"
        f"  tile.reduce <{kind}> %a into %b {options} : {source_type}, {destination_type}\n"
        "  func.return\n}",
        "k.mlir",
    )
    verify(module)
    run_function(module, "f", (source, destination), batch_axes=batch_axes)
    return destination.tolist()


def _one() -> np.ndarray[Any, Any]:
    return np.zeros(1, np.float32)


class Test_order:
    # Adding 1 to 2^24 is lost, adding 2 is not.
    BIG = np.float32(2**24)

    def test_sequential_takes_left_to_right(self):
        x = np.array([1, 1, self.BIG, 0, 0, 0, 0, 0], np.float32)
        assert _reduce("order(sequential)", x, _one()) == [2**24 + 2]
        assert _reduce("order(sequential)", x[::-1].copy(), _one()) == [2**24]

    def test_lanes8_is_the_default(self):
        # Lanes 0 and 2 meet first, then 1 and 3, then the halves.
        x = np.array([self.BIG, 0, 1, 0, 1, 0, 0, 0], np.float32)
        assert _reduce("", x, _one()) == [2**24]
        assert _reduce("order(lanes8)", x, _one()) == [2**24]
        y = np.array([self.BIG, 0, 0, 0, 1, 0, 1, 0], np.float32)
        assert _reduce("", y, _one()) == [2**24 + 2]

    def test_lanes8_below_eight_is_sequential(self):
        x = np.array([1, 1, self.BIG], np.float32)
        assert _reduce("", x, _one()) == [2**24 + 2]

    @pytest.mark.parametrize("order", ["sequential", "lanes8"])
    def test_the_old_destination_comes_first(self, order: str):
        old = np.array([self.BIG], np.float32)
        x = np.array([1, 1, 0], np.float32)
        assert _reduce(f"order({order}) accumulate", x, old) == [2**24]

    def test_without_accumulate_the_old_destination_is_gone(self):
        old = np.array([np.nan], np.float32)
        assert _reduce("", np.ones(3, np.float32), old) == [3]

    def test_any_is_one_of_the_named(self):
        x = np.array([self.BIG, 0, 0, 0, 1, 0, 1, 0], np.float32)
        assert _reduce("order(tree)", x, _one()) == [2**24]
        assert _reduce("order(any)", x, _one()) == [2**24]
        assert _reduce("order(lanes8)", x, _one()) == [2**24 + 2]


class Test_axes:
    @pytest.mark.parametrize(
        ("axes", "shape", "destination"),
        [
            ((0,), (4, 8), (8,)),
            ((1,), (4, 8), (4,)),
            ((1,), (4, 8), (4, 1)),
            ((0, 2), (3, 4, 5), (4,)),
            ((-1,), (2, 3, 4), (2, 3)),
            ((0,), (2, 3, 4), (3, 4)),
            ((0, 1, 2), (2, 3, 4), (1,)),
        ],
    )
    def test_integers_like_numpy(
        self,
        axes: tuple[int, ...],
        shape: tuple[int, ...],
        destination: tuple[int, ...],
    ):
        x = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
        result = np.zeros(destination, np.int32)
        _reduce(f"axes {list(axes)}", x, result, "i32")
        assert np.array_equal(result, x.sum(axis=axes).reshape(destination))

    def test_no_axes_copy_every_bit(self):
        x = np.array([0x7FA00001, 0x80000001], np.uint32).view(np.float32)
        result = np.zeros(2, np.float32)
        _reduce("axes [] ftz", x, result)
        assert result.view(np.uint32).tolist() == [0x7FA00001, 0x80000001]

    def test_no_axes_accumulate_elementwise(self):
        x, old = np.array([1, 2], np.float32), np.array([10, 20], np.float32)
        assert _reduce("axes [] accumulate", x, old) == [11, 22]


class Test_kinds:
    @pytest.mark.parametrize(
        ("kind", "values", "expected"),
        [
            ("maxnumf", [1, np.nan, -1], 1),
            ("minnumf", [1, np.nan, -1], -1),
            ("maxnumf", [-np.inf, -np.inf], -np.inf),
            ("mul", [2, 3, 4], 24),
        ],
    )
    def test_floats(self, kind: str, values: list[float], expected: float):
        x = np.array(values, np.float32)
        assert _reduce("", x, _one(), kind=kind) == [expected]

    @pytest.mark.parametrize("kind", ["maximumf", "minimumf"])
    @pytest.mark.parametrize("position", range(9))
    def test_nan_propagates_from_everywhere(self, kind: str, position: int):
        x = np.ones(9, np.float32)
        x[position] = np.nan
        assert np.isnan(_reduce("", x, _one(), kind=kind)[0])

    def test_there_are_no_seeds(self):
        minus = np.full(9, -0.0, np.float32)
        for kind in ("add", "maxnumf", "minnumf", "maximumf", "minimumf"):
            (result,) = _reduce("", minus, _one(), kind=kind)
            assert np.signbit(result), kind

    @pytest.mark.parametrize(
        ("kind", "expected"),
        [
            ("add", -128 + 127 + 3),
            ("mul", (-128 * 127 * 3 + 128) % 256 - 128),
            ("maxsi", 127),
            ("minsi", -128),
            ("maxui", -128),
            ("minui", 3),
            ("and", 0),
            ("or", -1),
            ("xor", -128 ^ 127 ^ 3),
        ],
    )
    def test_integers(self, kind: str, expected: int):
        x = np.array([-128, 127, 3], np.int8)
        assert _reduce("", x, np.zeros(1, np.int8), "i8", kind=kind) == [expected]

    def test_ftz_flushes_every_step(self):
        x = np.array([1e-38, 1e-39, -1e-38], np.float32)
        assert _reduce("", x, _one())[0] != 0
        assert _reduce("ftz", x, _one()) == [0]

    @pytest.mark.parametrize("type", ["f16", "bf16", "f64"])
    def test_other_floats_round_to_their_own_type(self, type: str):
        dtype = {"f16": np.float16, "bf16": np.uint16, "f64": np.float64}[type]
        one = {"f16": 1, "bf16": 0x3F80, "f64": 1}[type]
        large, expected = {
            "f16": (2048, 2048),
            "bf16": (0x4380, 0x4380),
            "f64": (2**24, 2**24 + 1),
        }[type]
        x = np.array([large, one], dtype)
        assert _reduce("", x, np.zeros(1, dtype), type) == [expected]


class Test_memory:
    def test_a_destination_that_aliases_the_source(self):
        _, module = parse_text(
            "func.func @f(%a: memref<8xf32>) {\n"
            "  %d = memref.subview %a[0] [1] [1] : memref<8xf32> to memref<1xf32>\n"
            "  tile.reduce <add> %a into %d accumulate : memref<8xf32>, memref<1xf32>\n"
            "  func.return\n}"
        )
        a = np.arange(1, 9, dtype=np.float32)
        run_function(module, "f", (a,))
        assert a.tolist() == [37, 2, 3, 4, 5, 6, 7, 8]

    def test_a_batch_gives_what_each_input_gives(self):
        rng = np.random.default_rng(1)
        x = rng.standard_normal((3, 11, 6)).astype(np.float32)
        results = np.zeros((3, 6), np.float32)
        _reduce("axes [1]", x, results, batch_axes=1)
        for i in range(6):
            alone = np.zeros(3, np.float32)
            _reduce("axes [1]", x[..., i].copy(), alone)
            assert np.array_equal(alone, results[..., i])

    def test_a_source_that_was_never_written(self):
        _, module = parse_text(
            "func.func @f(%b: memref<1xf32>) {\n"
            "  %a = memref.alloca() : memref<8xf32, 5 : i32>\n"
            "  tile.reduce <add> %a into %b : memref<8xf32, 5 : i32>, memref<1xf32>\n"
            "  func.return\n}",
            "k.mlir",
        )
        with pytest.raises(InterpretationError) as caught:
            run_function(module, "f", (_one(),))
        assert str(caught.value) == (
            "k.mlir:3:3: error: 'tile.reduce' reads an element that was never written"
        )
