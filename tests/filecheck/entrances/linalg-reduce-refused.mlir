// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch' 2>&1 | filecheck "%s"

func.func @tensors(%a: tensor<8xf32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = "linalg.reduce"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%in: f32, %out: f32):
    %r = arith.addf %in, %out : f32
    linalg.yield %r : f32
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
  func.return %0 : tensor<f32>
}
// CHECK: @tensors: {{.*}} remark: 'linalg.reduce' is left alone: cannot be read as a reduction: it reduces tensor<8xf32> into tensor<f32>, expected memrefs: bufferize the tensors first

func.func @plain_select(%a: memref<8xf32, 5>, %b: memref<f32, 5>) {
  linalg.reduce ins(%a : memref<8xf32, 5>) outs(%b : memref<f32, 5>) dimensions = [0]
    (%in: f32, %out: f32) {
      %c = arith.cmpf ogt, %in, %out : f32
      %r = arith.select %c, %in, %out : f32
      linalg.yield %r : f32
    }
  func.return
}
// CHECK: @plain_select: {{.*}} its compare and select is no float kind: of an element and a value so far (1, 2) it gives 2, of (2, 1) 2, of (1, NaN) NaN, of (NaN, 1) 1. maximumf and minimumf give NaN for both, maxnumf and minnumf 1: test for NaN too, or use arith.maximumf

func.func @first(%a: memref<8xi32, 5>, %b: memref<i32, 5>) {
  %false = arith.constant false
  linalg.reduce ins(%a : memref<8xi32, 5>) outs(%b : memref<i32, 5>) dimensions = [0]
    (%in: i32, %out: i32) {
      %r = arith.select %false, %in, %out : i32
      linalg.yield %r : i32
    }
  func.return
}
// CHECK: @first: {{.*}} its compare and select is no maxsi, minsi, maxui or minui: of an element and a value so far it gives of (1, 2) 2, of (2, 1) 1

func.func @clamp(%a: memref<8xi32, 5>, %b: memref<i32, 5>) {
  %ten = arith.constant 10 : i32
  linalg.reduce ins(%a : memref<8xi32, 5>) outs(%b : memref<i32, 5>) dimensions = [0]
    (%in: i32, %out: i32) {
      %c = arith.cmpi slt, %in, %ten : i32
      %r = arith.select %c, %in, %out : i32
      linalg.yield %r : i32
    }
  func.return
}
// CHECK: @clamp: {{.*}} its body is no compare and select of the element and the value so far alone

func.func @sum_of_squares(%a: memref<8xf32, 5>, %b: memref<f32, 5>) {
  linalg.reduce ins(%a : memref<8xf32, 5>) outs(%b : memref<f32, 5>) dimensions = [0]
    (%in: f32, %out: f32) {
      %s = arith.mulf %in, %in : f32
      %r = arith.addf %s, %out : f32
      linalg.yield %r : f32
    }
  func.return
}
// CHECK: @sum_of_squares: {{.*}} its body holds arith.mulf: expected one combining op (arith.addf, arith.maximumf, ...) or a compare and select of the element and the value so far

func.func @doubled(%a: memref<8xf32, 5>, %b: memref<f32, 5>) {
  linalg.reduce ins(%a : memref<8xf32, 5>) outs(%b : memref<f32, 5>) dimensions = [0]
    (%in: f32, %out: f32) {
      %r = arith.addf %out, %out : f32
      linalg.yield %r : f32
    }
  func.return
}
// CHECK: @doubled: {{.*}} its body does not combine the element with the value so far

func.func @dynamic(%a: memref<?xf32, 5>, %b: memref<f32, 5>) {
  linalg.reduce ins(%a : memref<?xf32, 5>) outs(%b : memref<f32, 5>) dimensions = [0]
    (%in: f32, %out: f32) {
      %r = arith.addf %in, %out : f32
      linalg.yield %r : f32
    }
  func.return
}
// CHECK: @dynamic: {{.*}} memref<?xf32, 5 : i64> has a dynamic shape: give every extent

func.func @empty(%a: memref<0xf32, 5>, %b: memref<f32, 5>) {
  linalg.reduce ins(%a : memref<0xf32, 5>) outs(%b : memref<f32, 5>) dimensions = [0]
    (%in: f32, %out: f32) {
      %r = arith.addf %in, %out : f32
      linalg.yield %r : f32
    }
  func.return
}
// CHECK: @empty: {{.*}} it reduces shape [0], which has no elements

func.func @space(%a: memref<8xf32, 7>, %b: memref<f32, 5>) {
  linalg.reduce ins(%a : memref<8xf32, 7>) outs(%b : memref<f32, 5>) dimensions = [0]
    (%in: f32, %out: f32) {
      %r = arith.addf %in, %out : f32
      linalg.yield %r : f32
    }
  func.return
}
// CHECK: @space: {{.*}} memref<8xf32, 7 : i64> is in memory space 7 : i64: expected 1 (global), 3 (shared), 5 (local) or none

// Read, but no variant takes two axes in memory.
func.func @global(%a: memref<80x4xf32, 1>, %b: memref<f32, 5>) {
  linalg.reduce ins(%a : memref<80x4xf32, 1>) outs(%b : memref<f32, 5>) dimensions = [0, 1]
    (%in: f32, %out: f32) {
      %r = arith.addf %in, %out : f32
      linalg.yield %r : f32
    }
  func.return
}
// CHECK: @global: {{.*}} remark: 'linalg.reduce' is left alone: <add> 80x4xf32 -> f32 axes [0, 1], order sequential, accumulate, thread, sm_100a: no variant takes it
// CHECK:   local_scope       source is in global memory, expected local
// CHECK:   one_axis          reduces 2 axes, expected one: the loop runs along it

// CHECK-LABEL: func.func @tensors
// CHECK-COUNT-10: linalg.reduce
