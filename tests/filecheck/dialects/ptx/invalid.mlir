// RUN: xdsl-opt "%s" --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck "%s"

%a = "test.op"() : () -> !ptx.b64
// CHECK: type f32 takes !ptx.b32, but got !ptx.b64
%b = "ptx.add"(%a, %a) <{type = #ptx<type f32>}> : (!ptx.b64, !ptx.b64) -> !ptx.b64

// -----

%a = "test.op"() : () -> !ptx.b32<r3>
// CHECK: !ptx.b32<r3> names a register, which only ptx.mov reads and writes; expected !ptx.b32
%b = "ptx.neg"(%a) <{type = #ptx<type f32>}> : (!ptx.b32<r3>) -> !ptx.b32

// -----

// CHECK: Invalid register name rd3 for register type ptx.b32.
%a = "test.op"() : () -> !ptx.b32<rd3>

// -----

%a = "test.op"() : () -> !ptx.b32
// CHECK: registers of one width expected, got !ptx.b32 and !ptx.b64
%b = ptx.mov %a : !ptx.b32 -> !ptx.b64

// -----

%a = "test.op"() : () -> !ptx.b16
// CHECK: !ptx.b64 has two halves !ptx.b32, got !ptx.b16 and !ptx.b16
%b = ptx.pack %a, %a : !ptx.b16, !ptx.b16 -> !ptx.b64

// -----

// CHECK: 65536 does not fit into the 16 bits of f16
%a = ptx.constant f16 65536

// -----

%a = "test.op"() : () -> !ptx.b64
// CHECK: 1, 2, 4 or 8 values expected, got 3
%x, %y, %z = ptx.ld global f32 %a : !ptx.b32, !ptx.b32, !ptx.b32

// -----

%a, %x = "test.op"() : () -> (!ptx.b64, !ptx.b16)
// CHECK: st takes no s8: a byte is stored as b8
ptx.st global s8 %a, %x : !ptx.b16

// -----

// CHECK: local or shared expected, got global
%a = ptx.alloc global size 4 align 4

// -----

// CHECK: a power of two expected to align to, got 3
%a = ptx.alloc local size 4 align 3

// -----

// CHECK: PTX has no block arguments: carry the value in a named register, which ptx.mov writes and reads
ptx.entry @k [] {
^first(%a : !ptx.b32):
  ptx.ret
}

// -----

// CHECK: a body expected, ending in ptx.ret
ptx.entry @k [] {}

// -----

// CHECK: ptx.ld_param 1: the function declares 1 of them
ptx.entry @k [#ptx<type u64>] {
  %a = ptx.ld_param 1 u64
  ptx.ret
}

// -----

// CHECK: ptx.ld_param 0: f32 expected to have the 64 bits of u64
ptx.entry @k [#ptx<type u64>] {
  %a = ptx.ld_param 0 f32
  ptx.ret
}

// -----

// CHECK: one alignment a parameter expected, got 2 for 1
ptx.entry @k [#ptx<type u64>] attributes {alignments = array<i64: 4, 4>} {
  ptx.ret
}

// -----

// CHECK: u8 cannot be passed: 16, 32 or 64 bits expected
ptx.func @f [#ptx<type u8>] -> [] {
  ptx.ret
}

// -----

// CHECK: every block ends in ptx.bra, ptx.cond_bra or ptx.ret
ptx.entry @k [] {
  ptx.ret
^second:
}
