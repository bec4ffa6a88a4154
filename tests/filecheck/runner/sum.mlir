// The tile module, the packed module and the ptx module give the same bits.
//
// RUN: xdsl-packed-run "%s" --symbol sum --verbose --bits --args "dense<[1.0, 0.1, 0.2, 3.0, 16777216.0, 1.0, 1.0, 0.3, 0.7, 1.0e-39]> : tensor<10xf32>, dense<2.0> : tensor<1xf32>" | filecheck "%s"
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch' | xdsl-packed-run --symbol sum --verbose --bits --args "dense<[1.0, 0.1, 0.2, 3.0, 16777216.0, 1.0, 1.0, 0.3, 0.7, 1.0e-39]> : tensor<10xf32>, dense<2.0> : tensor<1xf32>" | filecheck "%s"
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch,convert-to-ptx' | xdsl-packed-run --symbol sum --verbose --bits --args "dense<[1.0, 0.1, 0.2, 3.0, 16777216.0, 1.0, 1.0, 0.3, 0.7, 1.0e-39]> : tensor<10xf32>, dense<2.0> : tensor<1xf32>" | filecheck "%s"
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_90"},tile-dispatch,convert-to-ptx' | xdsl-packed-run --symbol sum --verbose --bits --args "dense<[1.0, 0.1, 0.2, 3.0, 16777216.0, 1.0, 1.0, 0.3, 0.7, 1.0e-39]> : tensor<10xf32>, dense<2.0> : tensor<1xf32>" | filecheck "%s"

func.func @sum(%src: memref<10xf32, 1 : i32>, %dst: memref<1xf32, 1 : i32>) attributes {gpu.kernel} {
  %a = memref.alloca() : memref<10xf32, 5 : i32>
  %b = memref.alloca() : memref<1xf32, 5 : i32>
  "memref.copy"(%src, %a) : (memref<10xf32, 1 : i32>, memref<10xf32, 5 : i32>) -> ()
  "memref.copy"(%dst, %b) : (memref<1xf32, 1 : i32>, memref<1xf32, 5 : i32>) -> ()
  tile.reduce <add> %a into %b axes [0] order(lanes8) accumulate ftz : memref<10xf32, 5 : i32>, memref<1xf32, 5 : i32>
  "memref.copy"(%b, %dst) : (memref<1xf32, 5 : i32>, memref<1xf32, 1 : i32>) -> ()
  func.return
}

// CHECK: result: ()
// CHECK: argument 1: [0x4b800004]
