// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_90"},tile-dispatch' | filecheck "%s"

// Too short for a loop, and still lanes8: the rest into lane 0, then 8 -> 4 -> 2 -> 1.
// CHECK-LABEL: func.func @sum9
func.func @sum9(%a: memref<9xf32, 1>, %b: memref<1xf32, 1>) {
  tile.reduce <add> %a into %b variant("chunked") : memref<9xf32, 1>, memref<1xf32, 1>
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
// CHECK:      [[X8:%.*]] = memref.load %a
// CHECK-NOT:  scf.for
// CHECK:      [[L0:%.*]] = packed.add [[X0]], [[X8]] : f32
// CHECK-NEXT: [[A:%.*]] = packed.add [[L0]], [[X2]] : f32
// CHECK-NEXT: [[B:%.*]] = packed.add [[X1]], [[X3]] : f32
// CHECK-NEXT: [[C:%.*]] = packed.add [[X4]], [[X6]] : f32
// CHECK-NEXT: [[D:%.*]] = packed.add [[X5]], [[X7]] : f32
// CHECK-NEXT: [[E:%.*]] = packed.add [[A]], [[C]] : f32
// CHECK-NEXT: [[F:%.*]] = packed.add [[B]], [[D]] : f32
// CHECK-NEXT: packed.add [[E]], [[F]] : f32

// The products that are fused are those of the whole fold.
// CHECK-LABEL: func.func @sumsq8
func.func @sumsq8(%a: memref<8xf32, 1>, %b: memref<1xf32, 1>) {
  tile.reduce <sumsq> %a into %b variant("chunked") : memref<8xf32, 1>, memref<1xf32, 1>
  func.return
}
// CHECK:      [[X0:%.*]] = memref.load %a
// CHECK:      [[X1:%.*]] = memref.load %a
// CHECK:      [[X2:%.*]] = memref.load %a
// CHECK:      [[P0:%.*]] = packed.mul [[X0]], [[X0]] : f32
// CHECK-NEXT: packed.fma [[X2]], [[X2]], [[P0]] : f32
