// RUN: xdsl-opt "%s" --allow-unregistered-dialect -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=text enable="sm100_packed","local"}' 2>&1 | filecheck "%s"

// https://github.com/llvm/llvm-project/blob/main/mlir/test/Dialect/GPU/ops.mlir
func.func @of_threads(%one: f32) -> (f32, f32, f32) {
  %all = "gpu.all_reduce"(%one) <{op = #gpu<all_reduce_op add>}> ({}) : (f32) -> f32
  %by_body = "gpu.all_reduce"(%one) ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    "gpu.yield"(%0) : (f32) -> ()
  }) : (f32) -> f32
  %lanes = "gpu.subgroup_reduce"(%one) <{op = #gpu<all_reduce_op add>}> : (f32) -> f32
  func.return %all, %by_body, %lanes : f32, f32, f32
}

// https://github.com/iree-org/iree/blob/main/compiler/src/iree/compiler/Codegen/Common/GPU/test/vector_reduction_to_gpu.mlir
// What a thread holds is ours, what the lanes hold together is not yet.
func.func @thread_then_warp(%v: vector<4xf32>) -> f32 {
  %mine = vector.reduction <add>, %v : vector<4xf32> into f32
  %ours = "gpu.subgroup_reduce"(%mine) <{op = #gpu<all_reduce_op add>}> : (f32) -> f32
  func.return %ours : f32
}

// CHECK: @of_threads: gpu.all_reduce: left alone: it combines one value of every thread of the block
// CHECK: @of_threads: gpu.all_reduce: left alone: it combines one value of every thread of the block
// CHECK: @of_threads: gpu.subgroup_reduce: left alone: it combines one value of every lane of the warp
// CHECK: @thread_then_warp: vector.reduction <add> 4xf32 -> f32 axes [0], order sequential
// CHECK: local (priority 10): chosen
// CHECK: @thread_then_warp: gpu.subgroup_reduce: left alone
