// RUN: xdsl-opt "%s" --allow-unregistered-dialect -p 'ptx-set-target{chip="sm_100a"},tile-dispatch' 2>&1 | filecheck "%s"

// Nothing checks an unregistered op: all of it is checked here.
func.func @refused(%s: f32, %v: vector<2x4xf32>, %acc: vector<2xf32>, %w: vector<[4]xf32>, %z: vector<f32>) {
  %0 = "vector.multi_reduction"(%v) <{kind = #vector.kind<add>, reduction_dims = array<i64: 1>}> : (vector<2x4xf32>) -> vector<2xf32>
  // CHECK: 'vector.multi_reduction' is left alone: cannot be read as a reduction: it has 1 operands and 1 results, expected a vector and an accumulator, and one result
  %1 = "vector.multi_reduction"(%s, %s) <{kind = #vector.kind<add>, reduction_dims = array<i64: 0>}> : (f32, f32) -> f32
  // CHECK: it reduces f32, expected a vector
  %2 = "vector.multi_reduction"(%v, %acc) <{kind = "add", reduction_dims = array<i64: 1>}> : (vector<2x4xf32>, vector<2xf32>) -> vector<2xf32>
  // CHECK: its kind is "add", expected #vector.kind<...> with one of add, mul, maxnumf, minnumf, maximumf, minimumf, maxsi, minsi, maxui, minui, and, or, xor
  %3 = "vector.multi_reduction"(%v, %acc) <{kind = #vector.kind<add>, reduction_dims = array<i64: 2>}> : (vector<2x4xf32>, vector<2xf32>) -> vector<2xf32>
  // CHECK: its reduction_dims name dimension 2 of a vector of rank 2
  %4 = "vector.multi_reduction"(%v, %acc) <{kind = #vector.kind<add>, reduction_dims = array<i64: 1, 1>}> : (vector<2x4xf32>, vector<2xf32>) -> vector<2xf32>
  // CHECK: its reduction_dims name dimension 1 twice
  %5 = "vector.multi_reduction"(%v, %acc) <{kind = #vector.kind<add>}> : (vector<2x4xf32>, vector<2xf32>) -> vector<2xf32>
  // CHECK: its reduction_dims are None, expected array<i64: ...>
  %6 = "vector.multi_reduction"(%v, %acc) <{kind = #vector.kind<add>, reduction_dims = array<i64: 0>}> : (vector<2x4xf32>, vector<2xf32>) -> vector<2xf32>
  // CHECK: its result is vector<2xf32>, expected vector<4xf32>: vector<2x4xf32> reduced along dimensions [0]
  %7 = "vector.multi_reduction"(%v, %s) <{kind = #vector.kind<add>, reduction_dims = array<i64: 1>}> : (vector<2x4xf32>, f32) -> vector<2xf32>
  // CHECK: its accumulator is f32, expected vector<2xf32> as the result
  %8 = "vector.multi_reduction"(%w, %s) <{kind = #vector.kind<add>, reduction_dims = array<i64: 0>}> : (vector<[4]xf32>, f32) -> f32
  // CHECK: vector<[4]xf32> is scalable: a GPU's registers hold a fixed number of elements
  %9 = "vector.multi_reduction"(%z, %z) <{kind = #vector.kind<add>, reduction_dims = array<i64>}> : (vector<f32>, vector<f32>) -> vector<f32>
  // CHECK: vector<f32> has rank 0: there is no dimension to reduce
  %10 = "vector.multi_reduction"(%v, %acc) <{kind = #vector.kind<or>, reduction_dims = array<i64: 1>}> : (vector<2x4xf32>, vector<2xf32>) -> vector<2xf32>
  // CHECK: has kind <or> on f32: it combines integers
  func.return
}
