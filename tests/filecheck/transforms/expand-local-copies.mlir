// RUN: xdsl-opt -p expand-local-copies "%s" | filecheck "%s"

// All elements are read before the first is written: the two overlap.
func.func @overlap() {
  %l = memref.alloca() : memref<3xf32, 5>
  %from = memref.subview %l[0] [2] [1] : memref<3xf32, 5> to memref<2xf32, strided<[1]>, 5>
  %to = memref.subview %l[1] [2] [1] : memref<3xf32, 5> to memref<2xf32, strided<[1], offset: 1>, 5>
  "memref.copy"(%from, %to) : (memref<2xf32, strided<[1]>, 5>, memref<2xf32, strided<[1], offset: 1>, 5>) -> ()
  func.return
}
//      CHECK: func.func @overlap
//      CHECK: %from = memref.subview
// CHECK-NEXT: %to = memref.subview
// CHECK-NEXT: [[ZERO:%\d+]] = arith.constant 0 : index
// CHECK-NEXT: [[ONE:%\d+]] = arith.constant 1 : index
// CHECK-NEXT: [[A:%\d+]] = memref.load %from{{\[}}[[ZERO]]]
// CHECK-NEXT: [[B:%\d+]] = memref.load %from{{\[}}[[ONE]]]
// CHECK-NEXT: memref.store [[A]], %to{{\[}}[[ZERO]]]
// CHECK-NEXT: memref.store [[B]], %to{{\[}}[[ONE]]]
// CHECK-NEXT: func.return

// The offset may be dynamic, the integer type of the memory space any, the rank 0.
func.func @forms(%row: memref<2xf32, strided<[1], offset: ?>>, %one: memref<f64, 1>) {
  %l = memref.alloca() : memref<2xf32, 5 : i32>
  %s = memref.alloca() : memref<f64, 5 : i8>
  "memref.copy"(%row, %l) : (memref<2xf32, strided<[1], offset: ?>>, memref<2xf32, 5 : i32>) -> ()
  "memref.copy"(%s, %one) : (memref<f64, 5 : i8>, memref<f64, 1>) -> ()
  func.return
}
//      CHECK: func.func @forms
//  CHECK-NOT: memref.copy
//      CHECK: memref.load %row
//      CHECK: memref.store {{%\d+}}, %l
//      CHECK: [[X:%\d+]] = memref.load %s[]
// CHECK-NEXT: memref.store [[X]], %one[]

func.func @not_local(%a: memref<2xf32, 1>, %b: memref<2xf32, 3>) {
  "memref.copy"(%a, %b) : (memref<2xf32, 1>, memref<2xf32, 3>) -> ()
  func.return
}
//      CHECK: func.func @not_local
// CHECK-NEXT: "memref.copy"(%a, %b)
