// RUN: xdsl-opt -p unroll-local-loops --split-input-file --verify-diagnostics "%s" | filecheck "%s"

// CHECK: error: 'scf.for' has step 0: the step of a loop is 1 or more
func.func @zero() {
  %l = memref.alloca() : memref<4xf32, 5>
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c0 {
    %x = memref.load %l[%i] : memref<4xf32, 5>
  }
  func.return
}

// -----

// CHECK: error: 'scf.for' has step -1: the step of a loop is 1 or more
func.func @negative() {
  %l = memref.alloca() : memref<4xf32, 5>
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %step = arith.constant -1 : index
  scf.for %i = %c4 to %c0 step %step {
    %x = memref.load %l[%i] : memref<4xf32, 5>
  }
  func.return
}
