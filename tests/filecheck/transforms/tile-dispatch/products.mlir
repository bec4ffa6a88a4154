// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch' | filecheck "%s"
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_90"},tile-dispatch' | filecheck "%s" --check-prefix=SCALAR

// A product is fused into the sum; the first of a running value is rounded alone.
// CHECK-LABEL: func.func @sumsq
func.func @sumsq(%a: memref<3xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <sumsq> %a into %b order(sequential) : memref<3xf32, 5>, memref<1xf32, 5>
  func.return
}
// CHECK:      [[X0:%.*]] = memref.load %a
// CHECK:      [[X1:%.*]] = memref.load %a
// CHECK:      [[X2:%.*]] = memref.load %a
// CHECK-NEXT: [[P:%.*]] = packed.mul [[X0]], [[X0]] : f32
// CHECK-NEXT: [[Q:%.*]] = packed.fma [[X1]], [[X1]], [[P]] : f32
// CHECK-NEXT: packed.fma [[X2]], [[X2]], [[Q]] : f32

// With accumulate every product is fused: the old destination is no product.
// CHECK-LABEL: func.func @accumulate
func.func @accumulate(%a: memref<2xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <sumsq> %a into %b order(sequential) accumulate : memref<2xf32, 5>, memref<1xf32, 5>
  func.return
}
// CHECK:      [[OLD:%.*]] = memref.load %b
// CHECK:      [[X0:%.*]] = memref.load %a
// CHECK:      [[X1:%.*]] = memref.load %a
// CHECK-NEXT: [[P:%.*]] = packed.fma [[X0]], [[X0]], [[OLD]] : f32
// CHECK-NEXT: packed.fma [[X1]], [[X1]], [[P]] : f32

// The same products are fused in packed and in scalar code.
// CHECK-LABEL: func.func @dot
// SCALAR-LABEL: func.func @dot
func.func @dot(%a: memref<4xf32, 5>, %c: memref<4xf32, 5>, %b: memref<1xf32, 5>) {
  tile.dot %a, %c into %b order(tree) ftz : memref<4xf32, 5>, memref<4xf32, 5>, memref<1xf32, 5>
  func.return
}
// CHECK:      [[A0:%.*]] = memref.load %a
// CHECK:      [[A1:%.*]] = memref.load %a
// CHECK:      [[A2:%.*]] = memref.load %a
// CHECK:      [[A3:%.*]] = memref.load %a
// CHECK:      [[C0:%.*]] = memref.load %c
// CHECK:      [[C1:%.*]] = memref.load %c
// CHECK:      [[C2:%.*]] = memref.load %c
// CHECK:      [[C3:%.*]] = memref.load %c
// CHECK-NEXT: [[A01:%.*]] = packed.pack [[A0]], [[A1]]
// CHECK-NEXT: [[C01:%.*]] = packed.pack [[C0]], [[C1]]
// CHECK-NEXT: [[P:%.*]] = packed.mul [[A01]], [[C01]] {ftz} : vector<2xf32>
// CHECK-NEXT: [[A23:%.*]] = packed.pack [[A2]], [[A3]]
// CHECK-NEXT: [[C23:%.*]] = packed.pack [[C2]], [[C3]]
// CHECK-NEXT: [[Q:%.*]] = packed.fma [[A23]], [[C23]], [[P]] {ftz} : vector<2xf32>
// CHECK-NEXT: [[LO:%.*]], [[HI:%.*]] = packed.unpack [[Q]]
// CHECK-NEXT: packed.add [[LO]], [[HI]] {ftz} : f32
// SCALAR:      [[P0:%.*]] = packed.mul {{.*}} {ftz} : f32
// SCALAR-NEXT: [[Q0:%.*]] = packed.fma {{.*}}, [[P0]] {ftz} : f32
// SCALAR-NEXT: [[P1:%.*]] = packed.mul {{.*}} {ftz} : f32
// SCALAR-NEXT: [[Q1:%.*]] = packed.fma {{.*}}, [[P1]] {ftz} : f32
// SCALAR-NEXT: packed.add [[Q0]], [[Q1]] {ftz} : f32

// Each element is widened once, and the result is rounded once, at the end.
// CHECK-LABEL: func.func @widened
func.func @widened(%a: memref<2xbf16, 5>, %b: memref<1xbf16, 5>) {
  tile.reduce <add> %a into %b acc(f32) accumulate : memref<2xbf16, 5>, memref<1xbf16, 5>
  func.return
}
// CHECK-COUNT-3: arith.extf %{{.*}} : bf16 to f32
// CHECK-NOT:     arith.extf
// CHECK:         [[R:%.*]] = packed.add %{{.*}} : f32
// CHECK-NEXT:    [[N:%.*]] = arith.truncf [[R]] : f32 to bf16
// CHECK:         memref.store [[N]], %b

// A destination of the accumulation type is not rounded again.
// CHECK-LABEL: func.func @wide
func.func @wide(%a: memref<2xi8, 5>, %b: memref<1xi32, 5>) {
  tile.reduce <maxui> %a into %b acc(i32) : memref<2xi8, 5>, memref<1xi32, 5>
  func.return
}
// CHECK-COUNT-2: arith.extui %{{.*}} : i8 to i32
// CHECK:         [[M:%.*]] = arith.maxui
// CHECK-NOT:     arith.trunci
// CHECK:         memref.store [[M]], %b
