// Softmax of one row of 32 values in one thread's registers, in base 2: exp(x) is
// exp2(x * log2(e)). The row is used again after its maximum, and so are the powers after
// their sum.
func.func @row_softmax(%x: memref<32xf32, 1> {llvm.align = 16 : i64}, %y: memref<32xf32, 1> {llvm.align = 16 : i64}) attributes {gpu.kernel} {
  %c0 = arith.constant 0 : index
  %log2e = arith.constant 1.44269504 : f32
  %scale = vector.broadcast %log2e : f32 to vector<32xf32>
  %row = vector.load %x[%c0] : memref<32xf32, 1>, vector<32xf32>
  %max = vector.reduction <maxnumf>, %row : vector<32xf32> into f32
  %all_max = vector.broadcast %max : f32 to vector<32xf32>
  %below = arith.subf %row, %all_max : vector<32xf32>
  %scaled = arith.mulf %below, %scale : vector<32xf32>
  %powers = math.exp2 %scaled : vector<32xf32>
  %sum = vector.reduction <add>, %powers fastmath<reassoc> : vector<32xf32> into f32
  %all_sum = vector.broadcast %sum : f32 to vector<32xf32>
  %result = arith.divf %powers, %all_sum : vector<32xf32>
  vector.store %result, %y[%c0] : memref<32xf32, 1>, vector<32xf32>
  func.return
}
