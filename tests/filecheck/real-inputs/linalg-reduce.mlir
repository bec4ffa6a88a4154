// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=text enable="sm100_packed","local"}' 2>&1 | filecheck "%s"

// Bufferized, into one thread's local memory, and shorter where the source has thousands.

// https://github.com/microsoft/triton-shared/blob/main/test/Conversion/StructuredToMemref/convert_minmax_reduce.mlir
// The bodies as they come in from Triton, before that pass names them.
func.func @signed_maximum(%a: memref<64xi32, 5>, %b: memref<i32, 5>) {
  linalg.reduce ins(%a : memref<64xi32, 5>) outs(%b : memref<i32, 5>) dimensions = [0]
    (%in: i32, %init: i32) {
      %c = arith.cmpi sgt, %in, %init : i32
      %r = arith.select %c, %in, %init : i32
      linalg.yield %r : i32
    }
  func.return
}
func.func @unsigned_maximum(%a: memref<64xi32, 5>, %b: memref<i32, 5>) {
  linalg.reduce ins(%a : memref<64xi32, 5>) outs(%b : memref<i32, 5>) dimensions = [0]
    (%in: i32, %init: i32) {
      %c = arith.cmpi ugt, %in, %init : i32
      %r = arith.select %c, %in, %init : i32
      linalg.yield %r : i32
    }
  func.return
}
func.func @signed_minimum(%a: memref<64xi32, 5>, %b: memref<i32, 5>) {
  linalg.reduce ins(%a : memref<64xi32, 5>) outs(%b : memref<i32, 5>) dimensions = [0]
    (%in: i32, %init: i32) {
      %c = arith.cmpi slt, %in, %init : i32
      %r = arith.select %c, %in, %init : i32
      linalg.yield %r : i32
    }
  func.return
}
func.func @unsigned_minimum(%a: memref<64xi32, 5>, %b: memref<i32, 5>) {
  linalg.reduce ins(%a : memref<64xi32, 5>) outs(%b : memref<i32, 5>) dimensions = [0]
    (%in: i32, %init: i32) {
      %c = arith.cmpi ult, %in, %init : i32
      %r = arith.select %c, %in, %init : i32
      linalg.yield %r : i32
    }
  func.return
}

// https://github.com/microsoft/triton-shared/blob/main/test/Conversion/StructuredToMemref/convert_minmax_fp_reduce.mlir
func.func @minimum_of_numbers(%a: memref<64xf32, 5>, %b: memref<f32, 5>) {
  linalg.reduce ins(%a : memref<64xf32, 5>) outs(%b : memref<f32, 5>) dimensions = [0]
    (%in: f32, %init: f32) {
      %r = arith.minnumf %in, %init : f32
      linalg.yield %r : f32
    }
  func.return
}

// https://github.com/microsoft/triton-shared/blob/main/test/Conversion/StructuredToMemref/kernel-02-fused-softmax.mlir
// The maximum and the sum of a softmax, after that pass named them.
func.func @softmax(%row: memref<32xf32, 5>, %max: memref<f32, 5>, %powers: memref<32xf32, 5>, %sum: memref<f32, 5>) {
  linalg.reduce ins(%row : memref<32xf32, 5>) outs(%max : memref<f32, 5>) dimensions = [0]
    (%in: f32, %init: f32) {
      %r = arith.maximumf %in, %init : f32
      linalg.yield %r : f32
    }
  linalg.reduce ins(%powers : memref<32xf32, 5>) outs(%sum : memref<f32, 5>) dimensions = [0]
    (%in: f32, %init: f32) {
      %r = arith.addf %in, %init : f32
      linalg.yield %r : f32
    }
  func.return
}

// https://github.com/triton-lang/triton/blob/0cb3d17d1216094ff741efdf62f7a28ede1552c4/test/Conversion/TritonToLinalg/kernel-02-fused-softmax.mlir
// The maximum as an older Triton wrote it: what it gives for NaN depends on the order.
func.func @softmax_of_old(%row: memref<32xf32, 5>, %max: memref<f32, 5>) {
  linalg.reduce ins(%row : memref<32xf32, 5>) outs(%max : memref<f32, 5>) dimensions = [0]
    (%in: f32, %init: f32) {
      %c = arith.cmpf ogt, %in, %init : f32
      %r = arith.select %c, %in, %init : f32
      linalg.yield %r : f32
    }
  func.return
}

// https://github.com/pytorch/pytorch/blob/main/torch/_inductor/runtime/triton_helpers.py
// `maximum` and `minimum`: NaN goes first, by comparing a value with itself.
func.func @inductor_maximum(%a: memref<32xf32, 5>, %b: memref<f32, 5>) {
  linalg.reduce ins(%a : memref<32xf32, 5>) outs(%b : memref<f32, 5>) dimensions = [0]
    (%in: f32, %init: f32) {
      %c = arith.cmpf ogt, %in, %init : f32
      %nan = arith.cmpf une, %in, %in : f32
      %mask = arith.ori %c, %nan : i1
      %r = arith.select %mask, %in, %init : f32
      linalg.yield %r : f32
    }
  func.return
}
func.func @inductor_minimum(%a: memref<32xf32, 5>, %b: memref<f32, 5>) {
  linalg.reduce ins(%a : memref<32xf32, 5>) outs(%b : memref<f32, 5>) dimensions = [0]
    (%in: f32, %init: f32) {
      %c = arith.cmpf olt, %in, %init : f32
      %nan = arith.cmpf une, %in, %in : f32
      %mask = arith.ori %c, %nan : i1
      %r = arith.select %mask, %in, %init : f32
      linalg.yield %r : f32
    }
  func.return
}

// https://github.com/microsoft/triton-shared/blob/main/test/Conversion/StructuredToMemref/reducesum_512_256_bf16_axis0.mlir
func.func @sum_of_columns(%a: memref<8x4xbf16, 5>, %b: memref<4xbf16, 5>) {
  linalg.reduce ins(%a : memref<8x4xbf16, 5>) outs(%b : memref<4xbf16, 5>) dimensions = [0]
    (%in: bf16, %init: bf16) {
      %r = arith.addf %in, %init : bf16
      linalg.yield %r : bf16
    }
  func.return
}

// https://github.com/iree-org/iree/blob/main/compiler/src/iree/compiler/InputConversion/StableHLO/test/stablehlo_to_linalg_reduce.mlir
// Before bufferization.
func.func @tensors(%a: tensor<5x4xi32>, %b: tensor<5xi32>) -> tensor<5xi32> {
  %0 = "linalg.reduce"(%a, %b) <{dimensions = array<i64: 1>}> ({
  ^bb0(%in: i32, %init: i32):
    %r = arith.addi %in, %init : i32
    linalg.yield %r : i32
  }) : (tensor<5x4xi32>, tensor<5xi32>) -> tensor<5xi32>
  func.return %0 : tensor<5xi32>
}

// CHECK: @signed_maximum: linalg.reduce <maxsi> 64xi32 -> i32 axes [0], accumulate
// CHECK: local (priority 10): chosen
// CHECK: @unsigned_maximum: linalg.reduce <maxui>
// CHECK: @signed_minimum: linalg.reduce <minsi>
// CHECK: @unsigned_minimum: linalg.reduce <minui>
// CHECK: local (priority 10): chosen
// CHECK: @minimum_of_numbers: linalg.reduce <minnumf> 64xf32 -> f32
// CHECK: sm100_packed (priority 20): chosen
// CHECK: @softmax: linalg.reduce <maximumf> 32xf32 -> f32
// CHECK: sm100_packed (priority 20): chosen
// CHECK: @softmax: linalg.reduce <add> 32xf32 -> f32 axes [0], order sequential, accumulate
// CHECK: local (priority 10): chosen
// CHECK: @softmax_of_old: linalg.reduce: left alone: its compare and select is no float kind: {{.*}} test for NaN too, or use arith.maximumf
// CHECK: @inductor_maximum: linalg.reduce <maximumf> 32xf32 -> f32
// CHECK: sm100_packed (priority 20): chosen
// CHECK: @inductor_minimum: linalg.reduce <minimumf> 32xf32 -> f32
// CHECK: sm100_packed (priority 20): chosen
// CHECK: @sum_of_columns: linalg.reduce <add> 8x4xbf16 -> 4xbf16 axes [0], order sequential, accumulate
// CHECK: local (priority 10): chosen
// CHECK: @tensors: linalg.reduce: left alone: it reduces tensor<5x4xi32> into tensor<5xi32>, expected memrefs: bufferize the tensors first
