// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_80"},tile-dispatch' | filecheck "%s"

// The same order in scalar code on a chip without packed instructions.
// CHECK-LABEL: func.func @sum8
func.func @sum8(%a: memref<8xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <add> %a into %b : memref<8xf32, 5>, memref<1xf32, 5>
  func.return
}
// CHECK:      [[X0:%.*]] = memref.load %a
// CHECK:      [[X1:%.*]] = memref.load %a
// CHECK:      [[X2:%.*]] = memref.load %a
// CHECK:      [[X3:%.*]] = memref.load %a
// CHECK:      [[X4:%.*]] = memref.load %a
// CHECK:      [[X5:%.*]] = memref.load %a
// CHECK:      [[X6:%.*]] = memref.load %a
// CHECK:      [[X7:%.*]] = memref.load %a
// CHECK:      [[A:%.*]] = packed.add [[X0]], [[X2]] : f32
// CHECK-NEXT: [[B:%.*]] = packed.add [[X1]], [[X3]] : f32
// CHECK-NEXT: [[C:%.*]] = packed.add [[X4]], [[X6]] : f32
// CHECK-NEXT: [[D:%.*]] = packed.add [[X5]], [[X7]] : f32
// CHECK-NEXT: [[E:%.*]] = packed.add [[A]], [[C]] : f32
// CHECK-NEXT: [[F:%.*]] = packed.add [[B]], [[D]] : f32
// CHECK-NEXT: packed.add [[E]], [[F]] : f32

// The old destination comes first.
// CHECK-LABEL: func.func @sequential
func.func @sequential(%a: memref<2xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <mul> %a into %b order(sequential) accumulate ftz : memref<2xf32, 5>, memref<1xf32, 5>
  func.return
}
// CHECK:      [[OLD:%.*]] = memref.load %b
// CHECK:      [[X0:%.*]] = memref.load %a
// CHECK:      [[X1:%.*]] = memref.load %a
// CHECK-NEXT: [[P:%.*]] = packed.mul [[OLD]], [[X0]] {ftz} : f32
// CHECK-NEXT: packed.mul [[P]], [[X1]] {ftz} : f32

// Below sm_90 bf16 has fma alone: a * 1 + b.
// CHECK-LABEL: func.func @bf16
func.func @bf16(%a: memref<2xbf16, 5>, %b: memref<1xbf16, 5>) {
  tile.reduce <add> %a into %b : memref<2xbf16, 5>, memref<1xbf16, 5>
  func.return
}
// CHECK:      [[ONE:%.*]] = arith.constant 1.000000e+00 : bf16
// CHECK-NEXT: packed.fma %{{.*}}, [[ONE]], %{{.*}} : bf16

// PTX has no max.NaN.f64.
// CHECK-LABEL: func.func @f64
func.func @f64(%a: memref<2xf64, 5>, %b: memref<1xf64, 5>) {
  tile.reduce <maximumf> %a into %b : memref<2xf64, 5>, memref<1xf64, 5>
  func.return
}
// CHECK:      [[X0:%.*]] = memref.load %a
// CHECK:      [[X1:%.*]] = memref.load %a
// CHECK-NEXT: [[M:%.*]] = packed.max [[X0]], [[X1]] : f64
// CHECK-NEXT: [[U:%.*]] = arith.cmpf uno, [[X0]], [[X1]] : f64
// CHECK-NEXT: [[NAN:%.*]] = arith.constant 0x7ff8000000000000 : f64
// CHECK-NEXT: arith.select [[U]], [[NAN]], [[M]] : f64

// 8-bit elements are widened by the kind's signedness, and wrapped.
// CHECK-LABEL: func.func @i8
func.func @i8(%a: memref<2xi8, 5>, %b: memref<1xi8, 5>) {
  tile.reduce <maxui> %a into %b : memref<2xi8, 5>, memref<1xi8, 5>
  func.return
}
// CHECK:      [[X0:%.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK-NEXT: [[X1:%.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK-NEXT: [[M:%.*]] = arith.maxui [[X0]], [[X1]] : i32
// CHECK-NEXT: arith.trunci [[M]] : i32 to i8

// Two destination elements from a column each.
// CHECK-LABEL: func.func @columns
func.func @columns(%a: memref<2x2xi32, 5>, %b: memref<2xi32, 5>) {
  tile.reduce <xor> %a into %b axes [0] : memref<2x2xi32, 5>, memref<2xi32, 5>
  func.return
}
// CHECK:      [[X00:%.*]] = memref.load %a
// CHECK:      [[X01:%.*]] = memref.load %a
// CHECK:      [[X10:%.*]] = memref.load %a
// CHECK:      [[X11:%.*]] = memref.load %a
// CHECK:      [[C0:%.*]] = arith.xori [[X00]], [[X10]] : i32
// CHECK-NEXT: [[C1:%.*]] = arith.xori [[X01]], [[X11]] : i32
// CHECK:      memref.store [[C0]], %b
// CHECK:      memref.store [[C1]], %b

// No axis: a copy, or with accumulate a combination element by element.
// CHECK-LABEL: func.func @copy
func.func @copy(%a: memref<1xi16, 5>, %b: memref<1xi16, 5>) {
  tile.reduce <add> %a into %b axes [] : memref<1xi16, 5>, memref<1xi16, 5>
  tile.reduce <add> %a into %b axes [] accumulate : memref<1xi16, 5>, memref<1xi16, 5>
  func.return
}
// CHECK:      [[X:%.*]] = memref.load %a
// CHECK:      memref.store [[X]], %b
// CHECK:      [[OLD:%.*]] = memref.load %b
// CHECK:      [[Y:%.*]] = memref.load %a
// CHECK-NEXT: arith.addi [[OLD]], [[Y]] : i16

// The destination is an element of the source: every read comes before the write.
// CHECK-LABEL: func.func @alias
func.func @alias(%a: memref<2xf32, 5>) {
  %b = memref.subview %a[0] [1] [1] : memref<2xf32, 5> to memref<1xf32, strided<[1]>, 5>
  tile.reduce <maxnumf> %a into %b : memref<2xf32, 5>, memref<1xf32, strided<[1]>, 5>
  func.return
}
// CHECK:     memref.load
// CHECK:     memref.load
// CHECK-NOT: memref.load
// CHECK:     memref.store
// CHECK-NOT: memref.load
