// RUN: xdsl-opt "%s" --allow-unregistered-dialect -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=text enable="packed_tree","sm100_packed","local"}' 2>&1 | filecheck "%s"

// Upstream's op has no flags, so a sum keeps its order; one that carries reassoc need not.
func.func @ordered(%v: vector<16xf32>, %acc: f32) -> (f32, f32) {
  %r = "vector.multi_reduction"(%v, %acc) <{kind = #vector.kind<add>, reduction_dims = array<i64: 0>}> : (vector<16xf32>, f32) -> f32
  %s = "vector.multi_reduction"(%v, %acc) <{kind = #vector.kind<add>, reduction_dims = array<i64: 0>}> {fastmath = #arith.fastmath<reassoc>} : (vector<16xf32>, f32) -> f32
  func.return %r, %s : f32, f32
}
// CHECK:      @ordered: vector.multi_reduction <add> 16xf32 -> f32 axes [0], order sequential, accumulate, thread, sm_100a
// CHECK-NEXT: packed_tree (priority 30): declines
// CHECK:      order          order is sequential, expected tree
// CHECK:      sm100_packed (priority 20): declines
// CHECK:      local (priority 10): chosen
// CHECK:      @ordered: vector.multi_reduction <add> 16xf32 -> f32 axes [0], order tree, accumulate, thread, sm_100a
// CHECK-NEXT: packed_tree (priority 30): chosen

func.func @none(%v: vector<2x2xf32>) -> vector<2x2xf32> {
  %r = "vector.multi_reduction"(%v, %v) <{kind = #vector.kind<add>, reduction_dims = array<i64>}> : (vector<2x2xf32>, vector<2x2xf32>) -> vector<2x2xf32>
  func.return %r : vector<2x2xf32>
}
// CHECK:      @none: vector.multi_reduction <add> 2x2xf32 -> 2x2xf32 axes [], order sequential, thread, sm_100a
// CHECK-NEXT: has no reduction_dims: its result is its source, and the accumulator takes no part, as upstream folds it
