// RUN: xdsl-opt "%s" -t ptx | filecheck "%s"
// RUN: xdsl-opt "%s" -t 'ptx{version=9.0}' | filecheck "%s"

builtin.module attributes {ptx.chip = "sm_100a", ptx.version = "9.0"} {
  // CHECK: .version 9.0
  // CHECK: .visible .func (.param .b32 half_retval0) half(.param .b32 half_param_0);
  // CHECK: .visible .entry k(
  ptx.entry @k [#ptx<type u64>, #ptx<type bf16>] {
    // CHECK: .param .u64 k_param_0,
    // CHECK: .param .b16 k_param_1
    // CHECK: .shared .align 16 .b8 k_shared_0[64];
    %p = ptx.ld_param 0 u64
    %buffer = ptx.alloc shared size 64 align 16
    // CHECK: mov.b64 %{{rd[0-9]+}}, k_shared_0;
    %x = ptx.ld global f32 %p offset -4 : !ptx.b32
    // CHECK: ld.global.b32 [[X:%r[0-9]+]], [%{{rd[0-9]+}}+-4];
    %y = ptx.call @half(%x) : (!ptx.b32) -> !ptx.b32
    // CHECK:      .param .b32 half_arg_0;
    // CHECK-NEXT: st.param.b32 [half_arg_0], [[X]];
    // CHECK-NEXT: .param .b32 half_result0;
    // CHECK-NEXT: call.uni (half_result0), half, (half_arg_0);
    // CHECK-NEXT: ld.param.b32 [[Y:%r[0-9]+]], [half_result0];
    ptx.st global f32 %p, %y : !ptx.b32
    // CHECK: st.global.b32 [%{{rd[0-9]+}}], [[Y]];
    ptx.ret
  }
  // CHECK: .visible .func (.param .b32 half_retval0) half(.param .b32 half_param_0)
  // CHECK-NEXT: {
  ptx.func @half [#ptx<type f32>] -> [#ptx<type f32>] {
    %x = ptx.ld_param 0 f32
    %half = ptx.constant f32 1056964608
    // CHECK: mov.b32 [[HALF:%r[0-9]+]], 0f3F000000;
    %y = ptx.mul f32 %x, %half : !ptx.b32
    // CHECK: mul.rn.f32 [[PRODUCT:%r[0-9]+]], %{{r[0-9]+}}, [[HALF]];
    ptx.st_param 0 f32 %y : !ptx.b32
    // CHECK: st.param.b32 [half_retval0], [[PRODUCT]];
    ptx.ret
  }
}
