// Layernorm of 32 values in one thread's registers, without scale and bias: the mean by
// tile.reduce on a local buffer, the variance by linalg.reduce on another, both of them
// read again afterwards. reassoc lets the second be packed as well.
func.func @layernorm(%x: memref<32xf32, 1> {llvm.align = 16 : i64}, %y: memref<32xf32, 1> {llvm.align = 16 : i64}) attributes {gpu.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %reciprocal = arith.constant 0.03125 : f32
  %row = memref.alloca() : memref<32xf32, 5>
  %sum = memref.alloca() : memref<1xf32, 5>
  %squares = memref.alloca() : memref<32xf32, 5>
  %variance = memref.alloca() : memref<f32, 5>
  "memref.copy"(%x, %row) : (memref<32xf32, 1>, memref<32xf32, 5>) -> ()

  tile.reduce <add> %row into %sum : memref<32xf32, 5>, memref<1xf32, 5>
  %s = memref.load %sum[%c0] : memref<1xf32, 5>
  %mean = arith.mulf %s, %reciprocal : f32
  %all_mean = vector.broadcast %mean : f32 to vector<32xf32>
  %values = vector.load %row[%c0] : memref<32xf32, 5>, vector<32xf32>
  %centred = arith.subf %values, %all_mean : vector<32xf32>

  %squared = arith.mulf %centred, %centred : vector<32xf32>
  vector.store %squared, %squares[%c0] : memref<32xf32, 5>, vector<32xf32>
  memref.store %zero, %variance[] : memref<f32, 5>
  linalg.reduce ins(%squares : memref<32xf32, 5>) outs(%variance : memref<f32, 5>) dimensions = [0]
    (%element: f32, %so_far: f32) {
      %next = arith.addf %element, %so_far fastmath<reassoc> : f32
      linalg.yield %next : f32
    }
  %v = memref.load %variance[] : memref<f32, 5>
  %scaled = arith.mulf %v, %reciprocal : f32
  %with_eps = arith.addf %scaled, %eps : f32
  %factor = math.rsqrt %with_eps : f32
  %all_factor = vector.broadcast %factor : f32 to vector<32xf32>
  %result = arith.mulf %centred, %all_factor : vector<32xf32>
  vector.store %result, %y[%c0] : memref<32xf32, 1>, vector<32xf32>
  func.return
}
