// The same products are fused whoever lowers the op: columns in pairs, trees, scalar code.
//
// RUN: xdsl-packed-run %s --symbol columns --verbose --bits --args "dense<[[0.1, 0.7], [0.3, 0.9], [1.3, 1.7]]> : tensor<3x2xf32>, dense<[0.6, 0.2]> : tensor<2xf32>" | filecheck %s
// RUN: xdsl-opt %s -p 'ptx-set-target{chip="sm_90"},tile-dispatch' | xdsl-packed-run --symbol columns --verbose --bits --args "dense<[[0.1, 0.7], [0.3, 0.9], [1.3, 1.7]]> : tensor<3x2xf32>, dense<[0.6, 0.2]> : tensor<2xf32>" | filecheck %s
// RUN: xdsl-opt %s -p 'ptx-set-target{chip="sm_100a"},tile-dispatch' | xdsl-packed-run --symbol columns --verbose --bits --args "dense<[[0.1, 0.7], [0.3, 0.9], [1.3, 1.7]]> : tensor<3x2xf32>, dense<[0.6, 0.2]> : tensor<2xf32>" | filecheck %s

func.func @columns(%src: memref<3x2xf32, 1 : i32>, %dst: memref<2xf32, 1 : i32>) attributes {gpu.kernel} {
  %a = memref.alloca() : memref<3x2xf32, 5 : i32>
  %b = memref.alloca() : memref<2xf32, 5 : i32>
  "memref.copy"(%src, %a) : (memref<3x2xf32, 1 : i32>, memref<3x2xf32, 5 : i32>) -> ()
  "memref.copy"(%dst, %b) : (memref<2xf32, 1 : i32>, memref<2xf32, 5 : i32>) -> ()
  tile.reduce <sumsq> %a into %b axes [0] order(tree) accumulate : memref<3x2xf32, 5 : i32>, memref<2xf32, 5 : i32>
  "memref.copy"(%b, %dst) : (memref<2xf32, 5 : i32>, memref<2xf32, 1 : i32>) -> ()
  func.return
}

// CHECK: result: ()
