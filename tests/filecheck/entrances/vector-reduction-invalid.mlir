// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{variant="sm100_packed"}' --split-input-file --verify-diagnostics | filecheck "%s"

// A variant asked for by name may not decline, and none reorders a sum without reassoc.
func.func @ordered(%v: vector<32xf32>) -> f32 {
  %r = vector.reduction <add>, %v : vector<32xf32> into f32
  func.return %r : f32
}
// CHECK: error: 'vector.reduction' <add> 32xf32 -> f32 axes [0], order sequential, thread, sm_100a: variant 'sm100_packed' declines: order: order is sequential, expected lanes8

// -----

// An accumulator of another type is refused by xDSL itself.
func.func @accumulator(%v: vector<4xf32>, %acc: f64) -> f32 {
  %r = "vector.reduction"(%v, %acc) <{kind = #vector.kind<add>}> : (vector<4xf32>, f64) -> f32
  func.return %r : f32
}
// CHECK: operand 'acc' at position 1 does not verify:
