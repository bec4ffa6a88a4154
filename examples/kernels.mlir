// A kernel, by `gpu.kernel`. The values are copied to local tiles, and the sum back.
func.func @sum8(%x: memref<8xf32, 1>, %y: memref<1xf32, 1>) attributes {gpu.kernel} {
  %tile = memref.alloca() : memref<8xf32, 5>
  %sum = memref.alloca() : memref<1xf32, 5>
  "memref.copy"(%x, %tile) : (memref<8xf32, 1>, memref<8xf32, 5>) -> ()
  tile.reduce <add> %tile into %sum : memref<8xf32, 5>, memref<1xf32, 5>
  "memref.copy"(%sum, %y) : (memref<1xf32, 5>, memref<1xf32, 1>) -> ()
  func.return
}

// A kernel that reduces where the values are: the maximum of each row, no copies.
func.func @row_max(%x: memref<2x4xf32, 1>, %y: memref<2xf32, 1>) attributes {gpu.kernel} {
  tile.reduce <maximumf> %x into %y axes [1] : memref<2x4xf32, 1>, memref<2xf32, 1>
  func.return
}

// Not marked: a device function, which may return a value.
func.func @sum_of_8(%x: memref<8xf32, 1>) -> f32 {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] : memref<8xf32, 1>, vector<8xf32>
  %s = vector.reduction <add>, %v fastmath<reassoc> : vector<8xf32> into f32
  func.return %s : f32
}
