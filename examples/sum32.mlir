// The seed's demonstration program: one thread sums 32 f32 values held in registers.
// `ftz`, as in the seed's generated code.
func.func @sum32(%A: memref<32xf32, 1>, %B: memref<1xf32, 1>) attributes {gpu.kernel} {
  %A_local = memref.alloca() : memref<32xf32, 5>
  %B_local = memref.alloca() : memref<1xf32, 5>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    %a = memref.load %A[%i] : memref<32xf32, 1>
    memref.store %a, %A_local[%i] : memref<32xf32, 5>
  }
  tile.reduce <add> %A_local into %B_local ftz : memref<32xf32, 5>, memref<1xf32, 5>
  %b = memref.load %B_local[%c0] : memref<1xf32, 5>
  memref.store %b, %B[%c0] : memref<1xf32, 1>
  func.return
}
