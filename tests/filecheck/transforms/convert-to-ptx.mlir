// RUN: xdsl-opt -p 'ptx-set-target{chip="sm_100a"},convert-to-ptx' "%s" | filecheck "%s"
// RUN: xdsl-opt -p 'ptx-set-target{chip="sm_100a"},convert-to-ptx,convert-to-ptx' "%s" | filecheck "%s"

// All the way from copies and loops over local buffers.
func.func @total(%a: memref<2xf32, 1> {llvm.align = 8 : i64}, %b: memref<1xf32, 1>) attributes {gpu.kernel} {
  %l = memref.alloca() : memref<2xf32, 5>
  %sum = memref.alloca() : memref<1xf32, 5>
  "memref.copy"(%a, %l) : (memref<2xf32, 1>, memref<2xf32, 5>) -> ()
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %first = memref.load %l[%c0] : memref<2xf32, 5>
  memref.store %first, %sum[%c0] : memref<1xf32, 5>
  scf.for %i = %c1 to %c2 step %c1 {
    %x = memref.load %l[%i] : memref<2xf32, 5>
    %y = memref.load %sum[%c0] : memref<1xf32, 5>
    %z = arith.addf %y, %x : f32
    memref.store %z, %sum[%c0] : memref<1xf32, 5>
  }
  "memref.copy"(%sum, %b) : (memref<1xf32, 5>, memref<1xf32, 1>) -> ()
  func.return
}
//      CHECK: ptx.entry @total
// CHECK-NEXT: [[A:%\w+]] = ptx.ld_param 0 u64
// CHECK-NEXT: [[B:%\w+]] = ptx.ld_param 1 u64
// CHECK-NEXT: [[X:%\w+]], [[Y:%\w+]] = ptx.ld global f32 [[A]] : !ptx.b32, !ptx.b32
// CHECK-NEXT: [[Z:%\w+]] = ptx.add f32 [[X]], [[Y]] : !ptx.b32
// CHECK-NEXT: ptx.st global f32 [[B]], [[Z]] : !ptx.b32
// CHECK-NEXT: ptx.ret
