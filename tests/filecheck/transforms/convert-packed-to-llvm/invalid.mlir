// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip=sm_90},convert-packed-to-llvm' --verify-diagnostics --split-input-file | filecheck "%s"
// RUN: xdsl-opt "%s" -p 'convert-packed-to-llvm{spelling=ptx}' --verify-diagnostics --split-input-file | filecheck "%s" --check-prefix=SPELLING

// CHECK: 'packed.max3' cannot be lowered: max.f32 3in needs sm_100 or newer, the target is sm_90
// SPELLING: convert-packed-to-llvm has spelling=ptx: expected asm or nvvm
func.func @f(%a: f32) -> f32 {
  %m = packed.max3 %a, %a, %a : f32
  return %m : f32
}
