// RUN: xdsl-opt -p promote-local-buffers "%s" 2>&1 | filecheck "%s"

// The remarks come first.
// CHECK: @stays: {{.*}}: remark: 'memref.alloca' stays in local memory: an index of a 'memref.load' is not constant
// CHECK: @stays: {{.*}}: remark: 'memref.alloca' stays in local memory: 'test.op' uses it

// A store is what later loads read, also through a subview of a subview; unused ones go.
func.func @straight(%x: f32, %y: f32) -> (f32, f32) {
  %l = memref.alloca() : memref<4x8xf32, 5>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.addi %c2, %c2 : index
  %row = memref.subview %l[2, 0] [1, 8] [1, 1] : memref<4x8xf32, 5> to memref<8xf32, strided<[1], offset: 16>, 5>
  %odd = memref.subview %row[1] [4] [2] : memref<8xf32, strided<[1], offset: 16>, 5> to memref<4xf32, strided<[2], offset: 17>, 5>
  memref.store %x, %l[%c2, %c1] : memref<4x8xf32, 5>
  memref.store %y, %l[%c2, %c5] : memref<4x8xf32, 5>
  %a = memref.load %odd[%c0] : memref<4xf32, strided<[2], offset: 17>, 5>
  memref.store %y, %odd[%c0] : memref<4xf32, strided<[2], offset: 17>, 5>
  %b = memref.load %l[%c2, %c1] : memref<4x8xf32, 5>
  func.return %a, %b : f32, f32
}
//      CHECK: func.func @straight
// CHECK-NEXT: func.return %x, %y : f32, f32

// What a loop that stays writes, it carries; what it writes only is known after it if it runs.
func.func @loop(%x: f32, %n: index) -> (f32, f32) {
  %l = memref.alloca() : memref<2xf32, 5>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  memref.store %x, %l[%c0] : memref<2xf32, 5>
  scf.for %i = %c0 to %c4 step %c1 {
    %a = memref.load %l[%c0] : memref<2xf32, 5>
    %b = arith.addf %a, %x : f32
    memref.store %b, %l[%c0] : memref<2xf32, 5>
    memref.store %a, %l[%c1] : memref<2xf32, 5>
  }
  %r = memref.load %l[%c0] : memref<2xf32, 5>
  %s = memref.load %l[%c1] : memref<2xf32, 5>
  func.return %r, %s : f32, f32
}
//      CHECK: func.func @loop
//  CHECK-NOT: memref
//      CHECK: [[Z:%\d+]] = arith.constant 0.{{0*}}e+00 : f32
// CHECK-NEXT: [[R:%\w+]], [[S:%\w+]] = scf.for {{.*}} iter_args([[A:%\w+]] = %x, {{%\w+}} = [[Z]])
// CHECK-NEXT:   [[B:%\S+]] = arith.addf [[A]], %x : f32
// CHECK-NEXT:   scf.yield [[B]], [[A]] : f32, f32
//      CHECK: func.return [[R]], [[S]]

func.func @branch(%p: i1, %x: f32) -> f32 {
  %l = memref.alloca() : memref<1xf32, 5>
  %c0 = arith.constant 0 : index
  memref.store %x, %l[%c0] : memref<1xf32, 5>
  scf.if %p {
    %y = arith.negf %x : f32
    memref.store %y, %l[%c0] : memref<1xf32, 5>
  }
  %r = memref.load %l[%c0] : memref<1xf32, 5>
  func.return %r : f32
}
//      CHECK: func.func @branch
//  CHECK-NOT: memref
//      CHECK: [[R:%\w+]] = scf.if %p -> (f32) {
// CHECK-NEXT:   [[Y:%\S+]] = arith.negf %x : f32
// CHECK-NEXT:   scf.yield [[Y]] : f32
// CHECK-NEXT: } else {
// CHECK-NEXT:   scf.yield %x : f32
//      CHECK: func.return [[R]] : f32

// A vector that is loaded as it was stored is the same value; two floats are a pair.
func.func @vectors(%v: vector<4xf32>, %x: f32) -> (vector<4xf32>, vector<2xf32>) {
  %l = memref.alloca() : memref<8xf32, 5>
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  vector.store %v, %l[%c2] : memref<8xf32, 5>, vector<4xf32>
  %w = vector.load %l[%c2] : memref<8xf32, 5>, vector<4xf32>
  memref.store %x, %l[%c3] : memref<8xf32, 5>
  %pair = vector.load %l[%c2] : memref<8xf32, 5>, vector<2xf32>
  func.return %w, %pair : vector<4xf32>, vector<2xf32>
}
//      CHECK: func.func @vectors
// CHECK-NEXT: [[E:%\d+]] = vector.extract %v[0] : f32 from vector<4xf32>
//      CHECK: [[P:%\w+]] = packed.pack [[E]], %x : f32 to vector<2xf32>
// CHECK-NEXT: func.return %v, [[P]]

// It has to stay in memory, and the user hears why.
func.func @stays(%n: index, %f: f32) -> f32 {
  %l = memref.alloca() : memref<4xf32, 5>
  memref.store %f, %l[%n] : memref<4xf32, 5>
  %x = memref.load %l[%n] : memref<4xf32, 5>
  %other = memref.alloca() : memref<4xf32, 5>
  "test.op"(%other) : (memref<4xf32, 5>) -> ()
  func.return %x : f32
}
//     CHECK: func.func @stays
//     CHECK: memref.load %l[%n]
