// RUN: xdsl-opt "%s" -f mlir-with-locations --verify-diagnostics | filecheck "%s"

// https://github.com/microsoft/triton-shared/blob/main/test/Conversion/StructuredToMemref/convert_argmin_argmax.mlir
// A maximum with its index reduces two values at once, which xDSL's linalg.reduce is not.
func.func @argmax(%a: memref<8xf32, 5>, %i: memref<8xi32, 5>, %max: memref<f32, 5>, %at: memref<i32, 5>) {
  "linalg.reduce"(%a, %i, %max, %at) <{dimensions = array<i64: 0>}> ({
  ^bb0(%in: f32, %index: i32, %init: f32, %best: i32):
    %c = arith.cmpf ogt, %in, %init : f32
    %r = arith.select %c, %in, %init : f32
    %s = arith.select %c, %index, %best : i32
    linalg.yield %r, %s : f32, i32
  }) : (memref<8xf32, 5>, memref<8xi32, 5>, memref<f32, 5>, memref<i32, 5>) -> ()
  func.return
}
// CHECK: Expected 2 operands, but got 4
