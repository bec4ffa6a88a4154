// RUN: xdsl-opt "%s" | xdsl-opt | filecheck "%s"
// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP

// CHECK-LABEL: ptx.entry @all_ops [#ptx<type u64>, #ptx<type f32>] attributes {alignments = array<i64: 16, 0>, reqntid = array<i64: 32>} {
// CHECK-GENERIC: "ptx.entry"() <{sym_name = "all_ops", params = [#ptx<type u64>, #ptx<type f32>], alignments = array<i64: 16, 0>, reqntid = array<i64: 32>}> ({
ptx.entry @all_ops [#ptx<type u64>, #ptx<type f32>] attributes {alignments = array<i64: 16, 0>, reqntid = array<i64: 32>} {
  %address = ptx.ld_param 0 u64
  //         CHECK: %address = ptx.ld_param 0 u64
  // CHECK-GENERIC: %address = "ptx.ld_param"() <{index = 0 : i64, type = #ptx<type u64>}> : () -> !ptx.b64
  %x = ptx.ld_param 1 f32
  //         CHECK: %x = ptx.ld_param 1 f32

  %h = ptx.constant f16 15360
  //         CHECK: %h = ptx.constant f16 15360
  // CHECK-GENERIC: %h = "ptx.constant"() <{type = #ptx<type f16>, bits = 15360 : i64}> : () -> !ptx.b16
  %n = ptx.constant s32 -3
  // CHECK: %n = ptx.constant s32 -3
  %full = ptx.constant u32 4294967295
  // CHECK: %full = ptx.constant u32 4294967295
  %tid = ptx.special_register tid.x
  //         CHECK: %tid = ptx.special_register tid.x
  // CHECK-GENERIC: %tid = "ptx.special_register"() <{register = #ptx<special_register tid.x>}> : () -> !ptx.b32

  %a, %b = ptx.ld global f32 %address offset 8 {nc} : !ptx.b32, !ptx.b32
  //         CHECK: %a, %b = ptx.ld global f32 %address offset 8 {nc} : !ptx.b32, !ptx.b32
  // CHECK-GENERIC: %a, %b = "ptx.ld"(%address) <{space = #ptx<space global>, type = #ptx<type f32>, offset = 8 : i64, nc}> : (!ptx.b64) -> (!ptx.b32, !ptx.b32)
  %c = ptx.ld generic f32 %address : !ptx.b32
  // CHECK: %c = ptx.ld generic f32 %address : !ptx.b32
  ptx.st global f32 %address offset 8, %a, %b : !ptx.b32, !ptx.b32
  //         CHECK: ptx.st global f32 %address offset 8, %a, %b : !ptx.b32, !ptx.b32
  // CHECK-GENERIC: "ptx.st"(%address, %a, %b) <{space = #ptx<space global>, type = #ptx<type f32>, offset = 8 : i64}> : (!ptx.b64, !ptx.b32, !ptx.b32) -> ()
  %buffer = ptx.alloc local size 64 align 16
  // CHECK: %buffer = ptx.alloc local size 64 align 16
  %generic = ptx.cvta local %buffer
  // CHECK: %generic = ptx.cvta local %buffer
  %local = ptx.cvta local %generic {to}
  // CHECK: %local = ptx.cvta local %generic {to}

  %ab = ptx.pack %a, %b : !ptx.b32, !ptx.b32 -> !ptx.b64
  //         CHECK: %ab = ptx.pack %a, %b : !ptx.b32, !ptx.b32 -> !ptx.b64
  // CHECK-GENERIC: %ab = "ptx.pack"(%a, %b) : (!ptx.b32, !ptx.b32) -> !ptx.b64
  %lo, %hi = ptx.unpack %ab : !ptx.b64 -> !ptx.b32, !ptx.b32
  //         CHECK: %lo, %hi = ptx.unpack %ab : !ptx.b64 -> !ptx.b32, !ptx.b32
  // CHECK-GENERIC: %lo, %hi = "ptx.unpack"(%ab) : (!ptx.b64) -> (!ptx.b32, !ptx.b32)
  %copy = ptx.mov %a : !ptx.b32 -> !ptx.b32
  // CHECK: %copy = ptx.mov %a : !ptx.b32 -> !ptx.b32
  %variable = ptx.mov %a : !ptx.b32 -> !ptx.b32<r40>
  // CHECK: %variable = ptx.mov %a : !ptx.b32 -> !ptx.b32<r40>
  %read = ptx.mov %variable : !ptx.b32<r40> -> !ptx.b32
  // CHECK: %read = ptx.mov %variable : !ptx.b32<r40> -> !ptx.b32

  %sum2 = ptx.add f32x2 %ab, %ab {ftz} : !ptx.b64
  //         CHECK: %sum2 = ptx.add f32x2 %ab, %ab {ftz} : !ptx.b64
  // CHECK-GENERIC: %sum2 = "ptx.add"(%ab, %ab) <{{{.*}}ftz{{.*}}}> : (!ptx.b64, !ptx.b64) -> !ptx.b64
  %difference = ptx.sub f32 %a, %b : !ptx.b32
  // CHECK: %difference = ptx.sub f32 %a, %b : !ptx.b32
  %product = ptx.mul s32 %n, %n : !ptx.b32
  // CHECK: %product = ptx.mul s32 %n, %n : !ptx.b32
  %quotient = ptx.div f32 %a, %b : !ptx.b32
  // CHECK: %quotient = ptx.div f32 %a, %b : !ptx.b32
  %remainder = ptx.rem u32 %n, %n : !ptx.b32
  // CHECK: %remainder = ptx.rem u32 %n, %n : !ptx.b32
  %fused = ptx.fma f32 %a, %b, %c : !ptx.b32
  // CHECK: %fused = ptx.fma f32 %a, %b, %c : !ptx.b32
  %mad = ptx.mad s32 %n, %n, %tid : !ptx.b32
  // CHECK: %mad = ptx.mad s32 %n, %n, %tid : !ptx.b32
  %wide = ptx.mul_wide s32 %n, %tid : !ptx.b32
  //         CHECK: %wide = ptx.mul_wide s32 %n, %tid : !ptx.b32
  // CHECK-GENERIC: %wide = "ptx.mul_wide"(%n, %tid) <{type = #ptx<type s32>}> : (!ptx.b32, !ptx.b32) -> !ptx.b64
  %mixed = ptx.add_mixed f16 %h, %a
  // CHECK: %mixed = ptx.add_mixed f16 %h, %a
  %max = ptx.max f32 %a, %b : !ptx.b32
  // CHECK: %max = ptx.max f32 %a, %b : !ptx.b32
  %min = ptx.min s32 %n, %tid : !ptx.b32
  // CHECK: %min = ptx.min s32 %n, %tid : !ptx.b32
  %max3 = ptx.max3 f32 %a, %b, %c {nan} : !ptx.b32
  //         CHECK: %max3 = ptx.max3 f32 %a, %b, %c {nan} : !ptx.b32
  // CHECK-GENERIC: %max3 = "ptx.max3"(%a, %b, %c) <{{{.*}}nan{{.*}}}> : (!ptx.b32, !ptx.b32, !ptx.b32) -> !ptx.b32
  %min3 = ptx.min3 f32 %a, %b, %c {abs, ftz} : !ptx.b32
  // CHECK: %min3 = ptx.min3 f32 %a, %b, %c {abs, ftz} : !ptx.b32
  %neg = ptx.neg f32 %a : !ptx.b32
  // CHECK: %neg = ptx.neg f32 %a : !ptx.b32
  %abs = ptx.abs s32 %n : !ptx.b32
  // CHECK: %abs = ptx.abs s32 %n : !ptx.b32
  %rcp = ptx.rcp f32 %a : !ptx.b32
  // CHECK: %rcp = ptx.rcp f32 %a : !ptx.b32
  %sqrt = ptx.sqrt f32 %a : !ptx.b32
  // CHECK: %sqrt = ptx.sqrt f32 %a : !ptx.b32
  %rsqrt = ptx.rsqrt f32 %a : !ptx.b32
  // CHECK: %rsqrt = ptx.rsqrt f32 %a : !ptx.b32
  %ex2 = ptx.ex2 f32 %a {ftz} : !ptx.b32
  // CHECK: %ex2 = ptx.ex2 f32 %a {ftz} : !ptx.b32
  %lg2 = ptx.lg2 f32 %a : !ptx.b32
  // CHECK: %lg2 = ptx.lg2 f32 %a : !ptx.b32

  %and = ptx.and b32 %n, %tid : !ptx.b32
  // CHECK: %and = ptx.and b32 %n, %tid : !ptx.b32
  %or = ptx.or b32 %n, %tid : !ptx.b32
  // CHECK: %or = ptx.or b32 %n, %tid : !ptx.b32
  %xor = ptx.xor b32 %n, %tid : !ptx.b32
  // CHECK: %xor = ptx.xor b32 %n, %tid : !ptx.b32
  %not = ptx.not b32 %n : !ptx.b32
  // CHECK: %not = ptx.not b32 %n : !ptx.b32
  %shl = ptx.shl b64 %wide, %tid : !ptx.b64
  //         CHECK: %shl = ptx.shl b64 %wide, %tid : !ptx.b64
  // CHECK-GENERIC: %shl = "ptx.shl"(%wide, %tid) <{type = #ptx<type b64>}> : (!ptx.b64, !ptx.b32) -> !ptx.b64
  %shr = ptx.shr s32 %n, %tid : !ptx.b32
  // CHECK: %shr = ptx.shr s32 %n, %tid : !ptx.b32
  %p = ptx.setp lt s64 %wide, %shl : !ptx.b64
  //         CHECK: %p = ptx.setp lt s64 %wide, %shl : !ptx.b64
  // CHECK-GENERIC: %p = "ptx.setp"(%wide, %shl) <{comparison = #ptx<comparison lt>, type = #ptx<type s64>}> : (!ptx.b64, !ptx.b64) -> !ptx.pred
  %selected = ptx.selp b32 %n, %tid, %p : !ptx.b32
  // CHECK: %selected = ptx.selp b32 %n, %tid, %p : !ptx.b32
  %half = ptx.cvt f16 from f32 %a {rounding = #ptx<rounding rn>}
  //         CHECK: %half = ptx.cvt f16 from f32 %a {rounding = #ptx<rounding rn>}
  // CHECK-GENERIC: %half = "ptx.cvt"(%a) <{{{.*}}rounding = #ptx<rounding rn>{{.*}}}> : (!ptx.b32) -> !ptx.b16

  %active = ptx.activemask
  // CHECK: %active = ptx.activemask
  %shuffled = ptx.shfl_sync bfly %a, %n, %n, %full
  // CHECK: %shuffled = ptx.shfl_sync bfly %a, %n, %n, %full
  %reduced = ptx.redux_sync max s32 %n, %active : !ptx.b32
  // CHECK: %reduced = ptx.redux_sync max s32 %n, %active : !ptx.b32
  ptx.bar_sync 0
  // CHECK: ptx.bar_sync 0
  %called = ptx.call @callee(%address, %x) : (!ptx.b64, !ptx.b32) -> !ptx.b32
  //         CHECK: %called = ptx.call @callee(%address, %x) : (!ptx.b64, !ptx.b32) -> !ptx.b32
  // CHECK-GENERIC: %called = "ptx.call"(%address, %x) <{callee = @callee}> : (!ptx.b64, !ptx.b32) -> !ptx.b32
  ptx.cond_bra %p, ^then, ^else
  // CHECK: ptx.cond_bra %p, ^[[THEN:.*]], ^[[ELSE:.*]]
^then:
  ptx.bra ^else
  // CHECK: ptx.bra ^[[ELSE]]
^else:
  ptx.ret
  // CHECK: ptx.ret
}

ptx.func @callee [#ptx<type b64>, #ptx<type f32>] -> [#ptx<type f32>] {
// CHECK: ptx.func @callee [#ptx<type b64>, #ptx<type f32>] -> [#ptx<type f32>] {
  %0 = ptx.ld_param 1 f32
  ptx.st_param 0 f32 %0 : !ptx.b32
  // CHECK: ptx.st_param 0 f32 %{{.*}} : !ptx.b32
  ptx.ret
}
