// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=text enable="sm100_packed","local"}' 2>&1 | filecheck "%s"

// Compare and select, read as the kind that answers alike for every pair of values.

func.func @max_nan(%a: memref<8xf32, 5>, %b: memref<f32, 5>) {
  linalg.reduce ins(%a : memref<8xf32, 5>) outs(%b : memref<f32, 5>) dimensions = [0]
    (%in: f32, %out: f32) {
      %greater = arith.cmpf ogt, %in, %out : f32
      %is_nan = arith.cmpf une, %in, %in : f32
      %take = arith.ori %greater, %is_nan : i1
      %r = arith.select %take, %in, %out : f32
      linalg.yield %r : f32
    }
  func.return
}
// No comparison tells the zeros apart: that is said.
// CHECK: @max_nan: {{.*}} remark: 'linalg.reduce' has a compare and select that is read as <maximumf>: of zeros of both signs it gives +0.0, where the select keeps one by its place

func.func @min_nan(%a: memref<8xf32, 5>, %b: memref<f32, 5>) {
  linalg.reduce ins(%a : memref<8xf32, 5>) outs(%b : memref<f32, 5>) dimensions = [0]
    (%in: f32, %out: f32) {
      %less = arith.cmpf olt, %out, %in : f32
      %is_nan = arith.cmpf une, %out, %out : f32
      %take = arith.ori %less, %is_nan : i1
      %r = arith.select %take, %out, %in : f32
      linalg.yield %r : f32
    }
  func.return
}
// CHECK: @min_nan: {{.*}} is read as <minimumf>: of zeros of both signs it gives -0.0

// Negated: the value so far stays unless it is less or a NaN stands against it.
func.func @max_drops_nan(%a: memref<8xf32, 5>, %b: memref<f32, 5>) {
  %true = arith.constant true
  linalg.reduce ins(%a : memref<8xf32, 5>) outs(%b : memref<f32, 5>) dimensions = [0]
    (%in: f32, %out: f32) {
      %greater = arith.cmpf ogt, %in, %out : f32
      %is_nan = arith.cmpf uno, %out, %out : f32
      %take = arith.ori %greater, %is_nan : i1
      %keep = arith.xori %take, %true : i1
      %r = arith.select %keep, %out, %in : f32
      linalg.yield %r : f32
    }
  func.return
}
// CHECK: @max_drops_nan: {{.*}} is read as <maxnumf>

// With nnan and nsz on the comparison nothing is left to tell.
func.func @max_fast(%a: memref<8xf32, 5>, %b: memref<f32, 5>) {
  linalg.reduce ins(%a : memref<8xf32, 5>) outs(%b : memref<f32, 5>) dimensions = [0]
    (%in: f32, %out: f32) {
      %greater = arith.cmpf oge, %in, %out fastmath<nnan,nsz> : f32
      %r = arith.select %greater, %in, %out : f32
      linalg.yield %r : f32
    }
  func.return
}
// CHECK-NOT: @max_fast{{.*}}remark

func.func @signed(%a: memref<4xi32, 5>, %b: memref<i32, 5>) {
  linalg.reduce ins(%a : memref<4xi32, 5>) outs(%b : memref<i32, 5>) dimensions = [0]
    (%in: i32, %out: i32) {
      %greater = arith.cmpi sgt, %in, %out : i32
      %r = arith.select %greater, %in, %out : i32
      linalg.yield %r : i32
    }
  func.return
}

func.func @unsigned(%a: memref<4xi32, 5>, %b: memref<i32, 5>) {
  linalg.reduce ins(%a : memref<4xi32, 5>) outs(%b : memref<i32, 5>) dimensions = [0]
    (%in: i32, %out: i32) {
      %less = arith.cmpi ule, %in, %out : i32
      %r = arith.select %less, %in, %out : i32
      linalg.yield %r : i32
    }
  func.return
}

// CHECK: @max_nan: linalg.reduce <maximumf> 8xf32 -> f32
// CHECK-NEXT: has a compare and select that is read as <maximumf>
// CHECK: sm100_packed (priority 20): chosen
// CHECK: @min_nan: linalg.reduce <minimumf>
// CHECK: @max_drops_nan: linalg.reduce <maxnumf>
// CHECK: @max_fast: linalg.reduce <maxnumf>
// CHECK: @signed: linalg.reduce <maxsi>
// CHECK: @unsigned: linalg.reduce <minui>
