// RUN: xdsl-opt "%s" -t ptx | filecheck "%s"

// A loop carries its values in named registers; the printer numbers the others past them.
builtin.module attributes {ptx.chip = "sm_90"} {
  // CHECK:      .version 7.8
  // CHECK-NEXT: .target sm_90
  // CHECK-NEXT: .address_size 64
  // CHECK:      .visible .entry count(
  // CHECK-NEXT:     .param .u64 .ptr .align 4 count_param_0
  // CHECK-NEXT: )
  // CHECK-NEXT: .maxntid 32, 1, 1
  // CHECK-NEXT: {
  // CHECK-NEXT:     .reg .pred %p<1>;
  // CHECK-NEXT:     .reg .b32 %r<6>;
  // CHECK-NEXT:     .reg .b64 %rd<1>;
  ptx.entry @count [#ptx<type u64>] attributes {alignments = array<i64: 4>, maxntid = array<i64: 32, 1, 1>} {
    %p = ptx.ld_param 0 u64
    // CHECK-NEXT: ld.param.b64 [[P:%rd[0-9]+]], [count_param_0];
    %zero = ptx.constant s32 0
    // CHECK-NEXT: mov.b32 [[ZERO:%r[0-9]+]], 0;
    %one = ptx.constant s32 1
    // CHECK-NEXT: mov.b32 [[ONE:%r[0-9]+]], 1;
    %i = ptx.mov %zero : !ptx.b32 -> !ptx.b32<r0>
    // CHECK-NEXT: mov.b32 %r0, [[ZERO]];
    ptx.bra ^loop
    // CHECK-NEXT: [[LOOP:\$L_count_1]]:
  ^loop:
    %old = ptx.mov %i : !ptx.b32<r0> -> !ptx.b32
    // CHECK-NEXT: mov.b32 [[OLD:%r[0-9]+]], %r0;
    %new = ptx.add s32 %old, %one : !ptx.b32
    // CHECK-NEXT: add.s32 [[NEW:%r[0-9]+]], [[OLD]], [[ONE]];
    %set = ptx.mov %new : !ptx.b32 -> !ptx.b32<r0>
    // CHECK-NEXT: mov.b32 %r0, [[NEW]];
    %more = ptx.setp lt s32 %new, %one : !ptx.b32
    // CHECK-NEXT: setp.lt.s32 [[MORE:%p[0-9]+]], [[NEW]], [[ONE]];
    ptx.cond_bra %more, ^loop, ^end
    // CHECK-NEXT: @[[MORE]] bra [[LOOP]];
  ^end:
    // CHECK-NEXT: $L_count_2:
    %last = ptx.mov %i : !ptx.b32<r0> -> !ptx.b32
    // CHECK-NEXT: mov.b32 [[LAST:%r[0-9]+]], %r0;
    ptx.st global s32 %p, %last : !ptx.b32
    // CHECK-NEXT: st.global.b32 {{\[}}[[P]]], [[LAST]];
    ptx.ret
    // CHECK-NEXT: ret;
  }
  // CHECK-NEXT: }
}
