// RUN: xdsl-opt -p expand-local-copies --verify-diagnostics "%s" | filecheck "%s"

// CHECK: @k: `"memref.copy"(%a, %l)
// CHECK-SAME: error: 'memref.copy' copies memref<?xf32, 1 : i64>, a dynamic shape, from or to a local buffer: give every extent
func.func @k(%a: memref<?xf32, 1>, %n: index) {
  %l = memref.alloca(%n) : memref<?xf32, 5>
  "memref.copy"(%a, %l) : (memref<?xf32, 1>, memref<?xf32, 5>) -> ()
  func.return
}
