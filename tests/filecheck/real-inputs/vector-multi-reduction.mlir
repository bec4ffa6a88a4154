// RUN: xdsl-opt "%s" --allow-unregistered-dialect -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=text enable="sm100_packed","local"}' 2>&1 | filecheck "%s"

// https://github.com/llvm/llvm-project/blob/main/mlir/test/Dialect/Vector/vector-multi-reduction-pass-lowering.mlir
func.func @inner_product(%v: vector<2x4xf32>, %acc: vector<2xf32>) -> vector<2xf32> {
  %r = "vector.multi_reduction"(%v, %acc) <{kind = #vector.kind<mul>, reduction_dims = array<i64: 1>}> : (vector<2x4xf32>, vector<2xf32>) -> vector<2xf32>
  func.return %r : vector<2xf32>
}

// https://github.com/llvm/llvm-project/pull/129694
func.func @to_a_scalar(%v: vector<4x2xf32>, %acc: f32) -> f32 {
  %r = "vector.multi_reduction"(%v, %acc) <{kind = #vector.kind<add>, reduction_dims = array<i64: 0, 1>}> : (vector<4x2xf32>, f32) -> f32
  func.return %r : f32
}

// https://github.com/llvm/llvm-project/pull/184241
func.func @rank_1(%v: vector<8xf32>, %acc: f32) -> f32 {
  %r = "vector.multi_reduction"(%v, %acc) <{kind = #vector.kind<add>, reduction_dims = array<i64: 0>}> : (vector<8xf32>, f32) -> f32
  func.return %r : f32
}

// https://github.com/llvm/llvm-project/pull/188983
func.func @no_dimensions(%v: vector<3x3xi32>) -> vector<3x3xi32> {
  %r = "vector.multi_reduction"(%v, %v) <{kind = #vector.kind<add>, reduction_dims = array<i64>}> : (vector<3x3xi32>, vector<3x3xi32>) -> vector<3x3xi32>
  func.return %r : vector<3x3xi32>
}

// https://github.com/llvm/llvm-project/pull/89978
func.func @scalable_outer(%v: vector<8x[4]x2xf32>, %acc: vector<8x[4]xf32>) -> vector<8x[4]xf32> {
  %r = "vector.multi_reduction"(%v, %acc) <{kind = #vector.kind<add>, reduction_dims = array<i64: 2>}> : (vector<8x[4]x2xf32>, vector<8x[4]xf32>) -> vector<8x[4]xf32>
  func.return %r : vector<8x[4]xf32>
}

// https://github.com/iree-org/iree/blob/main/compiler/src/iree/compiler/Codegen/LLVMGPU/test/reduction_pipeline_cuda.mlir
func.func @one_thread_each(%v: vector<4x13xf32>, %acc: vector<4xf32>) -> vector<4xf32> {
  %r = "vector.multi_reduction"(%v, %acc) <{kind = #vector.kind<add>, reduction_dims = array<i64: 1>}> : (vector<4x13xf32>, vector<4xf32>) -> vector<4xf32>
  func.return %r : vector<4xf32>
}

// CHECK: @inner_product: vector.multi_reduction <mul> 2x4xf32 -> 2xf32 axes [1], order sequential, accumulate
// CHECK: local (priority 10): chosen
// CHECK: @to_a_scalar: vector.multi_reduction <add> 4x2xf32 -> f32 axes [0, 1], order sequential, accumulate
// CHECK: local (priority 10): chosen
// CHECK: @rank_1: vector.multi_reduction <add> 8xf32 -> f32 axes [0], order sequential, accumulate
// CHECK: local (priority 10): chosen
// CHECK: @no_dimensions: vector.multi_reduction <add> 3x3xi32 -> 3x3xi32 axes [], thread
// CHECK-NEXT: its result is its source
// CHECK: local (priority 10): chosen
// CHECK: @scalable_outer: vector.multi_reduction: left alone: vector<8x[4]x2xf32> is scalable
// CHECK: @one_thread_each: vector.multi_reduction <add> 4x13xf32 -> 4xf32 axes [1], order sequential, accumulate
// CHECK: local (priority 10): chosen
