// The source is [[-2.0, -0.0, nan], [-1.5, 0.0, 1.0]], by its bits.
//
// RUN: xdsl-packed-run "%s" --symbol maximumf --verbose --args 'dense<"0x000000C0000000800000C07F0000C0BF000000000000803F"> : tensor<2x3xf32>, dense<0.0> : tensor<3xf32>' | filecheck "%s" --check-prefix=PROPAGATES
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch,convert-to-ptx' | xdsl-packed-run --symbol maximumf --verbose --args 'dense<"0x000000C0000000800000C07F0000C0BF000000000000803F"> : tensor<2x3xf32>, dense<0.0> : tensor<3xf32>' | filecheck "%s" --check-prefix=PROPAGATES
// RUN: xdsl-packed-run "%s" --symbol maxnumf --verbose --args 'dense<"0x000000C0000000800000C07F0000C0BF000000000000803F"> : tensor<2x3xf32>, dense<0.0> : tensor<3xf32>' | filecheck "%s" --check-prefix=DROPS
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch,convert-to-ptx' | xdsl-packed-run --symbol maxnumf --verbose --args 'dense<"0x000000C0000000800000C07F0000C0BF000000000000803F"> : tensor<2x3xf32>, dense<0.0> : tensor<3xf32>' | filecheck "%s" --check-prefix=DROPS

func.func @maximumf(%src: memref<2x3xf32, 1 : i32>, %dst: memref<3xf32, 1 : i32>) attributes {gpu.kernel} {
  %a = memref.alloca() : memref<2x3xf32, 5 : i32>
  %b = memref.alloca() : memref<3xf32, 5 : i32>
  "memref.copy"(%src, %a) : (memref<2x3xf32, 1 : i32>, memref<2x3xf32, 5 : i32>) -> ()
  tile.reduce <maximumf> %a into %b axes [0] : memref<2x3xf32, 5 : i32>, memref<3xf32, 5 : i32>
  "memref.copy"(%b, %dst) : (memref<3xf32, 5 : i32>, memref<3xf32, 1 : i32>) -> ()
  func.return
}
// PROPAGATES: argument 1: [-1.5, 0.0, nan]

func.func @maxnumf(%src: memref<2x3xf32, 1 : i32>, %dst: memref<3xf32, 1 : i32>) attributes {gpu.kernel} {
  %a = memref.alloca() : memref<2x3xf32, 5 : i32>
  %b = memref.alloca() : memref<3xf32, 5 : i32>
  "memref.copy"(%src, %a) : (memref<2x3xf32, 1 : i32>, memref<2x3xf32, 5 : i32>) -> ()
  tile.reduce <maxnumf> %a into %b axes [0] : memref<2x3xf32, 5 : i32>, memref<3xf32, 5 : i32>
  "memref.copy"(%b, %dst) : (memref<3xf32, 5 : i32>, memref<3xf32, 1 : i32>) -> ()
  func.return
}
// DROPS: argument 1: [-1.5, 0.0, 1.0]
