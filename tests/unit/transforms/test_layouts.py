"""Memory spaces, and what a module is after a refusal."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import (
    IntAttr,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    StringAttr,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import DiagnosticException

from tests.unit.transforms.lowering import context, kernel, ptx
from xdsl_packed.layouts import MemorySpace, memory_space
from xdsl_packed.target import GpuTarget
from xdsl_packed.transforms.convert_kernels_to_ptx import ConvertKernelsToPtxPass


class Test_memory_space:
    @pytest.mark.parametrize(
        ("attribute", "space"),
        [
            (NoneAttr(), MemorySpace.GENERIC),
            (IntegerAttr(0, i64), MemorySpace.GENERIC),
            (IntegerAttr(1, i64), MemorySpace.GLOBAL),
            (IntegerAttr(3, i32), MemorySpace.SHARED),
            (IntegerAttr(5, i8), MemorySpace.LOCAL),
            (IntAttr(5), MemorySpace.LOCAL),
            (IntegerAttr(4, i64), None),
            (StringAttr("local"), None),
        ],
    )
    def test_number(self, attribute: Attribute, space: MemorySpace | None) -> None:
        assert memory_space(attribute) is space

    @pytest.mark.parametrize(
        ("text", "space"),
        [
            ("#gpu.address_space<global>", MemorySpace.GLOBAL),
            ("#gpu.address_space<workgroup>", MemorySpace.SHARED),
            ("#gpu.address_space<private>", MemorySpace.LOCAL),
            ("#nvvm.memory_space<shared>", MemorySpace.SHARED),
            ("#gpu.address_space<else>", None),
        ],
    )
    def test_text(self, text: str, space: MemorySpace | None) -> None:
        """xDSL does not know these attributes: they arrive unregistered."""
        type = Parser(context(), f"memref<4xf32, {text}>").parse_type()
        assert isinstance(type, MemRefType)
        assert memory_space(type.memory_space) is space


class Test_refusal:
    def test_leaves_the_module_as_it_was(self) -> None:
        text = kernel("%x: f32", "%y = arith.addf %x, %x : f32", "good") + kernel(
            "%x: f32", "%y = math.sin %x : f32", "bad"
        )
        module = Parser(context(), text).parse_module()
        GpuTarget.of("sm_90").set_on_module(module)
        before = str(module)
        with pytest.raises(DiagnosticException, match=r"@bad.*math\.sin"):
            ConvertKernelsToPtxPass().apply(context(), module)
        assert str(module) == before


class Test_rank_reduction:
    def test_which_dimension_is_dropped_follows_from_the_strides(self) -> None:
        text = kernel(
            "%a: memref<4x1x4xf32, 1> {llvm.align = 16 : i64}, %b: memref<4xf32, 1>",
            """
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %s = memref.subview %a[2, 0, 0] [1, 1, 4] [1, 1, 1] : memref<4x1x4xf32, 1> to memref<1x4xf32, strided<[4, 1], offset: 8>, 1>
  %x = memref.load %s[%c0, %c3] : memref<1x4xf32, strided<[4, 1], offset: 8>, 1>
  memref.store %x, %b[%c0] : memref<4xf32, 1>
""",
        )
        assert "+44];" in ptx(text)
