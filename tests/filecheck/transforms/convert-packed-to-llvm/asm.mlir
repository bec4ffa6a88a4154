// RUN: xdsl-opt "%s" -p convert-packed-to-llvm | filecheck "%s"
// RUN: xdsl-opt "%s" -p convert-packed-to-llvm -t llvm | filecheck "%s" --check-prefix=CHECK-LLVM

builtin.module attributes {llvm.target_triple = "nvptx64-nvidia-cuda"} {
  llvm.func @pairs(%a: f32, %b: f32) -> f32 {
    %p = packed.pack %a, %b : f32 to vector<2xf32>
    // CHECK: llvm.insertelement %a, %{{.*}}[%{{.*}} : i32] : vector<2xf32>
    // CHECK: %p = llvm.insertelement %b, %{{.*}}[%{{.*}} : i32] : vector<2xf32>

    %s = packed.add %p, %p {ftz} : vector<2xf32>
    // CHECK:      %[[A:.*]] = llvm.bitcast %p : vector<2xf32> to i64
    // CHECK-NEXT: %[[B:.*]] = llvm.bitcast %p : vector<2xf32> to i64
    // CHECK-NEXT: %[[S:.*]] = llvm.inline_asm "add.rn.ftz.f32x2 $0, $1, $2;", "=l,l,l" %[[A]], %[[B]] : (i64, i64) -> i64
    // CHECK-NEXT: %s = llvm.bitcast %[[S]] : i64 to vector<2xf32>
    // CHECK-LLVM: call i64 asm  "add.rn.ftz.f32x2 $0, $1, $2;", "=l,l,l"(i64 %{{.*}}, i64 %{{.*}})

    %l, %h = packed.unpack %s : vector<2xf32> to f32
    // CHECK: %l = llvm.bitcast %{{.*}} : i32 to f32
    // CHECK: %h = llvm.bitcast %{{.*}} : i32 to f32

    %m = packed.max3 %l, %h, %a {nan} : f32
    // CHECK-NEXT: %m = llvm.inline_asm "max.NaN.f32 $0, $1, $2, $3;", "=f,f,f,f" %l, %h, %a : (f32, f32, f32) -> f32
    // CHECK-LLVM: call float asm  "max.NaN.f32 $0, $1, $2, $3;", "=f,f,f,f"
    llvm.return %m : f32
  }

  llvm.func @plain(%d: f64, %f: f32) -> f32 {
    %0 = packed.add %d, %d : f64
    // CHECK: llvm.fadd %d, %d : f64
    // CHECK-LLVM: fadd double
    %1 = packed.mul %f, %f : f32
    // CHECK: %[[M:.*]] = llvm.fmul %f, %f : f32
    %2 = packed.fma %f, %f, %1 : f32
    // CHECK-NEXT: llvm.intr.fma(%f, %f, %[[M]]) : (f32, f32, f32) -> f32
    // CHECK-LLVM: call float @"llvm.fma.f32"
    llvm.return %2 : f32
  }
}
