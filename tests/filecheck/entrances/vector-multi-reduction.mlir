// RUN: xdsl-opt "%s" --allow-unregistered-dialect -p 'ptx-set-target{chip="sm_90"},tile-dispatch' | filecheck "%s"

// The accumulator first, then the reduced elements in row-major order.
// CHECK-LABEL: func.func @inner
func.func @inner(%v: vector<2x2xf32>, %acc: vector<2xf32>) -> vector<2xf32> {
  %r = "vector.multi_reduction"(%v, %acc) <{kind = #vector.kind<mul>, reduction_dims = array<i64: 1>}> : (vector<2x2xf32>, vector<2xf32>) -> vector<2xf32>
  func.return %r : vector<2xf32>
}
// CHECK:      [[X00:%.*]] = vector.extract %v[0, 0]
// CHECK-NEXT: [[X01:%.*]] = vector.extract %v[0, 1]
// CHECK-NEXT: [[X10:%.*]] = vector.extract %v[1, 0]
// CHECK-NEXT: [[X11:%.*]] = vector.extract %v[1, 1]
// CHECK-NEXT: [[A0:%.*]] = vector.extract %acc[0]
// CHECK-NEXT: [[A1:%.*]] = vector.extract %acc[1]
// CHECK-NEXT: [[B0:%.*]] = packed.mul [[A0]], [[X00]] : f32
// CHECK-NEXT: [[C0:%.*]] = packed.mul [[B0]], [[X01]] : f32
// CHECK-NEXT: [[B1:%.*]] = packed.mul [[A1]], [[X10]] : f32
// CHECK-NEXT: [[C1:%.*]] = packed.mul [[B1]], [[X11]] : f32
// CHECK-NEXT: [[I:%.*]] = vector.insert [[C0]], %acc [0]
// CHECK-NEXT: [[R:%.*]] = vector.insert [[C1]], [[I]] [1]
// CHECK-NEXT: func.return [[R]]

// The outer dimension; dimensions as they were written before they became an array.
// CHECK-LABEL: func.func @outer
func.func @outer(%v: vector<2x2xi32>, %acc: vector<2xi32>) -> vector<2xi32> {
  %r = "vector.multi_reduction"(%v, %acc) {kind = #vector.kind<maxsi>, reduction_dims = [0]} : (vector<2x2xi32>, vector<2xi32>) -> vector<2xi32>
  func.return %r : vector<2xi32>
}
// CHECK:      [[X00:%.*]] = vector.extract %v[0, 0]
// CHECK:      [[X10:%.*]] = vector.extract %v[1, 0]
// CHECK:      [[A0:%.*]] = vector.extract %acc[0]
// CHECK:      [[B:%.*]] = arith.maxsi [[X00]], [[X10]] : i32
// CHECK-NEXT: arith.maxsi [[B]], [[A0]] : i32

// All dimensions, in any order, to a scalar.
// CHECK-LABEL: func.func @all
func.func @all(%v: vector<1x2xf32>, %acc: f32) -> f32 {
  %r = "vector.multi_reduction"(%v, %acc) <{kind = #vector.kind<add>, reduction_dims = array<i64: 1, 0>}> : (vector<1x2xf32>, f32) -> f32
  func.return %r : f32
}
// CHECK:      [[B:%.*]] = packed.add %acc, {{%.*}} : f32
// CHECK-NEXT: [[C:%.*]] = packed.add [[B]], {{%.*}} : f32
// CHECK-NEXT: func.return [[C]]

// No dimension: upstream folds it to its source.
// CHECK-LABEL: func.func @none
func.func @none(%v: vector<2xf32>, %acc: vector<2xf32>) -> vector<2xf32> {
  %r = "vector.multi_reduction"(%v, %acc) <{kind = #vector.kind<minimumf>, reduction_dims = array<i64>}> : (vector<2xf32>, vector<2xf32>) -> vector<2xf32>
  func.return %r : vector<2xf32>
}
// CHECK-NEXT: [[X0:%.*]] = vector.extract %v[0]
// CHECK-NEXT: [[X1:%.*]] = vector.extract %v[1]
// CHECK-NEXT: [[I:%.*]] = vector.insert [[X0]], %acc [0]
// CHECK-NEXT: [[R:%.*]] = vector.insert [[X1]], [[I]] [1]
// CHECK-NEXT: func.return [[R]]

// Middle dimensions of a higher rank.
// CHECK-LABEL: func.func @middle
func.func @middle(%v: vector<2x3x2xf64>, %acc: vector<2x2xf64>) -> vector<2x2xf64> {
  %r = "vector.multi_reduction"(%v, %acc) <{kind = #vector.kind<add>, reduction_dims = array<i64: 1>}> : (vector<2x3x2xf64>, vector<2x2xf64>) -> vector<2x2xf64>
  func.return %r : vector<2x2xf64>
}
// CHECK-COUNT-12: packed.add {{.*}} : f64
// CHECK:          vector.insert {{.*}} [1, 1] : f64 into vector<2x2xf64>
