// RMSNorm of 32 values in one thread's registers: x * rsqrt(mean(x * x) + eps) * weight.
// The row is used again after the sum of its squares.
func.func @rmsnorm(%x: memref<32xf32, 1> {llvm.align = 16 : i64}, %weight: memref<32xf32, 1> {llvm.align = 16 : i64}, %y: memref<32xf32, 1> {llvm.align = 16 : i64}) attributes {gpu.kernel} {
  %c0 = arith.constant 0 : index
  %eps = arith.constant 1.0e-5 : f32
  %reciprocal = arith.constant 0.03125 : f32
  %row = vector.load %x[%c0] : memref<32xf32, 1>, vector<32xf32>
  %w = vector.load %weight[%c0] : memref<32xf32, 1>, vector<32xf32>
  %squares = arith.mulf %row, %row : vector<32xf32>
  %sum = vector.reduction <add>, %squares fastmath<reassoc> : vector<32xf32> into f32
  %mean = arith.mulf %sum, %reciprocal : f32
  %with_eps = arith.addf %mean, %eps : f32
  %factor = math.rsqrt %with_eps : f32
  %all = vector.broadcast %factor : f32 to vector<32xf32>
  %normal = arith.mulf %row, %all : vector<32xf32>
  %result = arith.mulf %normal, %w : vector<32xf32>
  vector.store %result, %y[%c0] : memref<32xf32, 1>, vector<32xf32>
  func.return
}
