// RUN: xdsl-opt -p unroll-local-loops "%s" | filecheck "%s"

// Both loops index the buffer, the inner one through bounds that the outer one gives.
func.func @nested() {
  %l = memref.alloca() : memref<4xf32, 5>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %end = arith.addi %i, %c1 : index
    scf.for %j = %c0 to %end step %c1 {
      %x = memref.load %l[%j] : memref<4xf32, 5>
      "test.op"(%x) : (f32) -> ()
    }
  }
  func.return
}
//     CHECK: func.func @nested
// CHECK-NOT: scf.for
//     CHECK: "test.op"
//     CHECK: "test.op"
//     CHECK: "test.op"
// CHECK-NOT: "test.op"
//     CHECK: func.return

// Carried values go through; a loop that never runs gives what it starts with.
func.func @carried(%f: f32) -> (f32, f32) {
  %l = memref.alloca() : memref<4xf32, 5>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%acc = %f) -> (f32) {
    %view = memref.subview %l[%i] [1] [1] : memref<4xf32, 5> to memref<1xf32, strided<[1], offset: ?>, 5>
    %x = memref.load %view[%c0] : memref<1xf32, strided<[1], offset: ?>, 5>
    %s = arith.addf %acc, %x : f32
    scf.yield %s : f32
  }
  %never = scf.for %i = %c2 to %c0 step %c1 iter_args(%acc = %f) -> (f32) {
    %x = memref.load %l[%i] : memref<4xf32, 5>
    scf.yield %x : f32
  }
  func.return %r, %never : f32, f32
}
//     CHECK: func.func @carried
// CHECK-NOT: scf.for
//     CHECK: [[A:%\S+]] = arith.addf %f, {{%\S+}} : f32
//     CHECK: [[B:%\S+]] = arith.addf [[A]], {{%\S+}} : f32
//     CHECK: func.return [[B]], %f : f32, f32

// Left: the index does not depend on the loop; the buffer is not local; a bound is not known.
func.func @left(%a: memref<4xf32, 1>, %n: index) {
  %l = memref.alloca() : memref<4xf32, 5>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %x = memref.load %a[%i] : memref<4xf32, 1>
    memref.store %x, %l[%c0] : memref<4xf32, 5>
  }
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %l[%i] : memref<4xf32, 5>
  }
  func.return
}
// CHECK: func.func @left
// CHECK: scf.for
// CHECK: scf.for
