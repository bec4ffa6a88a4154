// RUN: xdsl-opt "%s" -p 'convert-packed-to-llvm{spelling="nvvm"}' --print-op-generic | filecheck "%s"

func.func @pairs(%p: vector<2xf32>, %f: f32, %d: f64) -> vector<2xf32> {
  %s = packed.add %p, %p {ftz} : vector<2xf32>
  // CHECK: %[[S:.*]] = "nvvm.addf"(%{{.*}}, %{{.*}}) <{rnd = #nvvm.fp_rnd_mode<rn>, ftz = true}> : (vector<2xf32>, vector<2xf32>) -> vector<2xf32>
  %t = packed.fma %p, %p, %s : vector<2xf32>
  // CHECK-NEXT: "nvvm.fma"(%{{.*}}, %{{.*}}, %[[S]]) <{rnd = #nvvm.fp_rnd_mode<rn>}> : (vector<2xf32>, vector<2xf32>, vector<2xf32>) -> vector<2xf32>
  %m = packed.max %f, %f : f32
  // CHECK-NEXT: "llvm.inline_asm"(%{{.*}}, %{{.*}}) <{asm_string = "max.f32 $0, $1, $2;"
  %e = packed.add %d, %d : f64
  // CHECK-NEXT: "llvm.fadd"
  return %t : vector<2xf32>
}
