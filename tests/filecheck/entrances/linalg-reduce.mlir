// RUN: xdsl-opt "%s" --allow-unregistered-dialect -p 'ptx-set-target{chip="sm_100a"},tile-dispatch' | filecheck "%s"
// RUN: xdsl-opt "%s" --allow-unregistered-dialect -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=text enable="packed_tree","sm100_packed","local"}' 2>&1 | filecheck "%s" --check-prefix=REPORT

// The old destination comes first, and without reassoc the order is kept.
// CHECK-LABEL: func.func @sum
func.func @sum(%a: memref<2x2xf32, 5>, %b: memref<2xf32, 5>) {
  linalg.reduce ins(%a : memref<2x2xf32, 5>) outs(%b : memref<2xf32, 5>) dimensions = [0]
    (%in: f32, %out: f32) {
      %r = arith.addf %out, %in : f32
      linalg.yield %r : f32
    }
  func.return
}
// CHECK:      [[B0:%.*]] = memref.load %b
// CHECK:      [[B1:%.*]] = memref.load %b
// CHECK:      [[X00:%.*]] = memref.load %a
// CHECK:      [[X01:%.*]] = memref.load %a
// CHECK:      [[X10:%.*]] = memref.load %a
// CHECK:      [[X11:%.*]] = memref.load %a
// CHECK-NEXT: [[B:%.*]] = packed.pack [[B0]], [[B1]]
// CHECK-NEXT: [[X0:%.*]] = packed.pack [[X00]], [[X01]]
// CHECK-NEXT: [[S:%.*]] = packed.add [[B]], [[X0]] : vector<2xf32>
// CHECK-NEXT: [[X1:%.*]] = packed.pack [[X10]], [[X11]]
// CHECK-NEXT: [[T:%.*]] = packed.add [[S]], [[X1]] : vector<2xf32>
// CHECK-NEXT: [[R0:%.*]], [[R1:%.*]] = packed.unpack [[T]]
// CHECK:      memref.store [[R0]], %b
// CHECK:      memref.store [[R1]], %b
// CHECK-NOT:  linalg
// REPORT-LABEL: @sum: linalg.reduce <add> 2x2xf32 -> 2xf32 axes [0], order sequential, accumulate, thread, sm_100a

// CHECK-LABEL: func.func @fast_sum
func.func @fast_sum(%a: memref<32xf32, #gpu.address_space<private>>, %b: memref<f32, #nvvm.memory_space<local>>) {
  linalg.reduce ins(%a : memref<32xf32, #gpu.address_space<private>>) outs(%b : memref<f32, #nvvm.memory_space<local>>) dimensions = [0]
    (%in: f32, %out: f32) {
      %r = arith.addf %in, %out fastmath<reassoc> : f32
      linalg.yield %r : f32
    }
  func.return
}
// CHECK: packed.add {{.*}} : vector<2xf32>
// REPORT-LABEL: @fast_sum: linalg.reduce <add> 32xf32 -> f32 axes [0], order tree, accumulate
// REPORT-NEXT:    packed_tree (priority 30): chosen

// One combining op of arith is its kind.
// CHECK-LABEL: func.func @one_op
func.func @one_op(%a: memref<2xi32, 5>, %b: memref<i32, 5>, %x: memref<8xf32, 5>, %y: memref<f32, 5>) {
  linalg.reduce ins(%a : memref<2xi32, 5>) outs(%b : memref<i32, 5>) dimensions = [0]
    (%in: i32, %out: i32) {
      %r = arith.andi %in, %out : i32
      linalg.yield %r : i32
    }
  linalg.reduce ins(%x : memref<8xf32, 5>) outs(%y : memref<f32, 5>) dimensions = [0]
    (%in: f32, %out: f32) {
      %r = arith.minimumf %in, %out : f32
      linalg.yield %r : f32
    }
  func.return
}
// CHECK: arith.andi
// CHECK: packed.min3 {{.*}} {nan}
// REPORT-LABEL: @one_op: linalg.reduce <and> 2xi32 -> i32 axes [0], accumulate
// REPORT:       @one_op: linalg.reduce <minimumf> 8xf32 -> f32 axes [0], accumulate

// A combination element by element has no dimension.
// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%a: memref<2xf32, 5>, %b: memref<2xf32, 5>) {
  linalg.reduce ins(%a : memref<2xf32, 5>) outs(%b : memref<2xf32, 5>) dimensions = []
    (%in: f32, %out: f32) {
      %r = arith.mulf %in, %out : f32
      linalg.yield %r : f32
    }
  func.return
}
// CHECK: packed.mul {{.*}} : vector<2xf32>

// Generic form, as mlir-opt prints it.
// CHECK-LABEL: func.func @generic
func.func @generic(%a: memref<2xf32, 5>, %b: memref<f32, 5>) {
  "linalg.reduce"(%a, %b) <{dimensions = array<i64: 0>}> ({
  ^bb0(%in: f32, %out: f32):
    %r = "arith.maxnumf"(%in, %out) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    "linalg.yield"(%r) : (f32) -> ()
  }) : (memref<2xf32, 5>, memref<f32, 5>) -> ()
  func.return
}
// CHECK-COUNT-2: packed.max
