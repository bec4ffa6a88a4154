// The same products are fused whoever lowers the op: columns in pairs, trees, scalar code.
//
// RUN: xdsl-packed-run "%s" --symbol columns --verbose --bits --args "dense<[[0.1, 0.1], [0.1, 0.1], [0.3, 0.4]]> : tensor<3x2xf32>, dense<[0.3, 0.1]> : tensor<2xf32>" | filecheck "%s"
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_90"},tile-dispatch' | xdsl-packed-run --symbol columns --verbose --bits --args "dense<[[0.1, 0.1], [0.1, 0.1], [0.3, 0.4]]> : tensor<3x2xf32>, dense<[0.3, 0.1]> : tensor<2xf32>" | filecheck "%s"
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch' | xdsl-packed-run --symbol columns --verbose --bits --args "dense<[[0.1, 0.1], [0.1, 0.1], [0.3, 0.4]]> : tensor<3x2xf32>, dense<[0.3, 0.1]> : tensor<2xf32>" | filecheck "%s"

func.func @columns(%src: memref<3x2xf32, 1 : i32>, %dst: memref<2xf32, 1 : i32>) attributes {gpu.kernel} {
  %a = memref.alloca() : memref<3x2xf32, 5 : i32>
  %b = memref.alloca() : memref<2xf32, 5 : i32>
  "memref.copy"(%src, %a) : (memref<3x2xf32, 1 : i32>, memref<3x2xf32, 5 : i32>) -> ()
  "memref.copy"(%dst, %b) : (memref<2xf32, 1 : i32>, memref<2xf32, 5 : i32>) -> ()
  // x0 * x0 is fused with the product of x2, not the other way round.
  tile.reduce <sumsq> %a into %b axes [0] order(tree) accumulate : memref<3x2xf32, 5 : i32>, memref<2xf32, 5 : i32>
  "memref.copy"(%b, %dst) : (memref<2xf32, 5 : i32>, memref<2xf32, 1 : i32>) -> ()
  func.return
}

// CHECK: result: ()
// CHECK: argument 1: [0x3ed1eb85, 0x3e8f5c2a]
