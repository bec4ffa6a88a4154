// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{variant="sm100_packed"}' | filecheck "%s"

// CHECK-LABEL: func.func @sum9
func.func @sum9(%a: memref<9xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <add> %a into %b ftz : memref<9xf32, 5>, memref<1xf32, 5>
  func.return
}
// Every element is read once, then the remainder goes to lane 0, then 8 -> 4 -> 2 -> 1.
// CHECK:      [[X0:%.*]] = memref.load %a
// CHECK:      [[X1:%.*]] = memref.load %a
// CHECK:      [[X2:%.*]] = memref.load %a
// CHECK:      [[X3:%.*]] = memref.load %a
// CHECK:      [[X4:%.*]] = memref.load %a
// CHECK:      [[X5:%.*]] = memref.load %a
// CHECK:      [[X6:%.*]] = memref.load %a
// CHECK:      [[X7:%.*]] = memref.load %a
// CHECK:      [[X8:%.*]] = memref.load %a
// CHECK-NOT:  memref.load
// CHECK:      [[L0:%.*]] = packed.add [[X0]], [[X8]] {ftz} : f32
// CHECK-NEXT: [[P01:%.*]] = packed.pack [[L0]], [[X1]] : f32 to vector<2xf32>
// CHECK-NEXT: [[P23:%.*]] = packed.pack [[X2]], [[X3]] : f32 to vector<2xf32>
// CHECK-NEXT: [[Q:%.*]] = packed.add [[P01]], [[P23]] {ftz} : vector<2xf32>
// CHECK-NEXT: [[P45:%.*]] = packed.pack [[X4]], [[X5]] : f32 to vector<2xf32>
// CHECK-NEXT: [[P67:%.*]] = packed.pack [[X6]], [[X7]] : f32 to vector<2xf32>
// CHECK-NEXT: [[R:%.*]] = packed.add [[P45]], [[P67]] {ftz} : vector<2xf32>
// CHECK-NEXT: [[S:%.*]] = packed.add [[Q]], [[R]] {ftz} : vector<2xf32>
// CHECK-NEXT: [[LO:%.*]], [[HI:%.*]] = packed.unpack [[S]] : vector<2xf32> to f32
// CHECK-NEXT: [[SUM:%.*]] = packed.add [[LO]], [[HI]] {ftz} : f32
// CHECK:      memref.store [[SUM]], %b
// CHECK-NOT:  tile.reduce

// CHECK-LABEL: func.func @maximum16
func.func @maximum16(%a: memref<16xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <maximumf> %a into %b accumulate : memref<16xf32, 5>, memref<1xf32, 5>
  func.return
}
// The NaN rule is in every instruction, the merge with the old destination included.
// CHECK:      [[OLD:%.*]] = memref.load %b
// CHECK:      [[T0:%.*]] = packed.max3 %{{.*}}, %{{.*}}, [[OLD]] {nan} : f32
// CHECK-NEXT: [[T1:%.*]] = packed.max %{{.*}}, %{{.*}} {nan} : f32
// CHECK-NEXT: [[T2:%.*]] = packed.max %{{.*}}, %{{.*}} {nan} : f32
// CHECK-NEXT: [[T3:%.*]] = packed.max %{{.*}}, %{{.*}} {nan} : f32
// CHECK-NEXT: [[U0:%.*]] = packed.max3 [[T0]], %{{.*}}, %{{.*}} {nan} : f32
// CHECK-NEXT: [[U1:%.*]] = packed.max3 [[T1]], %{{.*}}, %{{.*}} {nan} : f32
// CHECK-NEXT: [[U2:%.*]] = packed.max3 [[T2]], %{{.*}}, %{{.*}} {nan} : f32
// CHECK-NEXT: [[U3:%.*]] = packed.max3 [[T3]], %{{.*}}, %{{.*}} {nan} : f32
// CHECK-NEXT: [[V:%.*]] = packed.max [[U0]], [[U1]] {nan} : f32
// CHECK-NEXT: packed.max3 [[V]], [[U2]], [[U3]] {nan} : f32

// CHECK-LABEL: func.func @minimum8
func.func @minimum8(%a: memref<8xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <minnumf> %a into %b : memref<8xf32, 5>, memref<1xf32, 5>
  func.return
}
// CHECK-COUNT-4: packed.min %{{.*}}, %{{.*}} : f32
// CHECK:         [[V:%.*]] = packed.min %{{.*}}, %{{.*}} : f32
// CHECK-NEXT:    packed.min3 [[V]], %{{.*}}, %{{.*}} : f32
