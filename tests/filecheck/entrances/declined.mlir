// RUN: xdsl-opt "%s" --allow-unregistered-dialect -p 'ptx-set-target{chip="sm_100a"},tile-dispatch' 2>&1 | filecheck "%s"

// Recognised, and left as they are: what is missing is said.
func.func @declined(%x: f32, %v: vector<16xf32>, %mask: vector<16xi1>, %m: vector<2x8xf32>, %all: vector<2x8xi1>, %acc: vector<2xf32>) {
  %0 = "gpu.all_reduce"(%x) <{op = #gpu<all_reduce_op add>}> ({}) : (f32) -> f32
  // CHECK: remark: 'gpu.all_reduce' is left alone: cannot be read as a reduction: it combines one value of every thread of the block, which needs shared memory and barriers: missing is a variant that asks for them at scope cta.
  %1 = "gpu.subgroup_reduce"(%x) <{op = #gpu<all_reduce_op add>}> : (f32) -> f32
  // CHECK: remark: 'gpu.subgroup_reduce' is left alone: cannot be read as a reduction: it combines one value of every lane of the warp, which needs shuffles (or redux.sync): missing is a variant that emits them at scope warp.
  %2 = "vector.mask"(%mask) ({
    %3 = vector.reduction <add>, %v : vector<16xf32> into f32
    // CHECK: remark: 'vector.reduction' is left alone: cannot be read as a reduction: it is masked by vector.mask: missing is a variant that leaves out the lanes that are off. Put the neutral element there (arith.select) and reduce all lanes
    "vector.yield"(%3) : (f32) -> ()
  }) : (vector<16xi1>) -> f32
  %4 = "vector.mask"(%all) ({
    %5 = "vector.multi_reduction"(%m, %acc) <{kind = #vector.kind<add>, reduction_dims = array<i64: 1>}> : (vector<2x8xf32>, vector<2xf32>) -> vector<2xf32>
    // CHECK: remark: 'vector.multi_reduction' is left alone: cannot be read as a reduction: it is masked by vector.mask
    "vector.yield"(%5) : (vector<2xf32>) -> ()
  }) : (vector<2x8xi1>) -> vector<2xf32>
  func.return
}
// CHECK-LABEL: func.func @declined
// CHECK:         "gpu.all_reduce"
// CHECK:         "gpu.subgroup_reduce"
// CHECK:         "vector.mask"
// CHECK:           vector.reduction <add>
// CHECK:         "vector.mask"
// CHECK:           "vector.multi_reduction"
