// RUN: xdsl-opt -p promote-local-buffers --split-input-file --verify-diagnostics "%s" | filecheck "%s"

// CHECK: @unwritten: `%x = memref.load {{.*}}: error: 'memref.load' reads index [1] of a local buffer before it is written
func.func @unwritten(%f: f32) -> f32 {
  %l = memref.alloca() : memref<4xf32, 5>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  memref.store %f, %l[%c0] : memref<4xf32, 5>
  %x = memref.load %l[%c1] : memref<4xf32, 5>
  func.return %x : f32
}

// -----

// Written on one of two ways only.
// CHECK: @one_way: {{.*}}: error: 'memref.load' reads index [0] of a local buffer before it is written (or where only some of the ways to it write it): store it first
func.func @one_way(%f: f32, %p: i1) -> f32 {
  %l = memref.alloca() : memref<4xf32, 5>
  %c0 = arith.constant 0 : index
  scf.if %p {
    memref.store %f, %l[%c0] : memref<4xf32, 5>
  }
  %x = memref.load %l[%c0] : memref<4xf32, 5>
  func.return %x : f32
}

// -----

// A loop that may not run at all.
// CHECK: @may_not_run: {{.*}}: error: 'memref.load' reads index [0] of a local buffer before it is written
func.func @may_not_run(%f: f32, %n: index) -> f32 {
  %l = memref.alloca() : memref<4xf32, 5>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    memref.store %f, %l[%c0] : memref<4xf32, 5>
  }
  %x = memref.load %l[%c0] : memref<4xf32, 5>
  func.return %x : f32
}

// -----

// CHECK: @outside: `memref.store {{.*}}: error: 'memref.store' has index [4] out of range for shape [4]
func.func @outside(%f: f32) {
  %l = memref.alloca() : memref<4xf32, 5>
  %c4 = arith.constant 4 : index
  memref.store %f, %l[%c4] : memref<4xf32, 5>
  func.return
}

// -----

// CHECK: @partly_outside: {{.*}}: error: 'vector.load' has index [4] out of range for shape [4]
func.func @partly_outside() {
  %l = memref.alloca() : memref<4xf32, 5>
  %c1 = arith.constant 1 : index
  %v = vector.load %l[%c1] : memref<4xf32, 5>, vector<4xf32>
  func.return
}

// -----

// CHECK: @liar: {{.*}}: error: 'memref.subview' has result type memref<2xf32, strided<[1], offset: 1>, 5 : i64>, but it selects shape [2], strides [1], offset 2
func.func @liar() {
  %l = memref.alloca() : memref<4xf32, 5>
  %s = memref.subview %l[2] [2] [1] : memref<4xf32, 5> to memref<2xf32, strided<[1], offset: 1>, 5>
  func.return
}

// -----

// CHECK: @leaves: {{.*}}: error: 'memref.subview' selects 2 to 4 of dimension 0, which has extent 4
func.func @leaves() {
  %l = memref.alloca() : memref<4xf32, 5>
  %s = memref.subview %l[2] [3] [1] : memref<4xf32, 5> to memref<3xf32, strided<[1], offset: 2>, 5>
  func.return
}

// -----

// A buffer that has to stay in memory, and nothing ever writes to it.
// CHECK: @never_written: {{.*}}: error: 'memref.load' reads a local buffer that nothing writes to: store to it first
func.func @never_written(%i: index) -> f32 {
  %l = memref.alloca() : memref<4xf32, 5>
  %s = memref.subview %l[1] [2] [1] : memref<4xf32, 5> to memref<2xf32, strided<[1], offset: 1>, 5>
  %x = memref.load %s[%i] : memref<2xf32, strided<[1], offset: 1>, 5>
  func.return %x : f32
}
