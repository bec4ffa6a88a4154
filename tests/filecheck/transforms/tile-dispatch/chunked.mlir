// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch' | filecheck "%s"
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_90"},tile-dispatch' | filecheck "%s" --check-prefix=SCALAR
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=text enable="chunked"}' 2>&1 >/dev/null | filecheck "%s" --check-prefix=REPORT

// Elements 0 .. 7 are the eight lanes, 32 elements are a trip, the last three go to lane 0.
// CHECK-LABEL: func.func @sum
// SCALAR-LABEL: func.func @sum
func.func @sum(%a: memref<4107xf32, 1>, %b: memref<1xf32, 1>) {
  tile.reduce <add> %a into %b : memref<4107xf32, 1>, memref<1xf32, 1>
  func.return
}
// CHECK-COUNT-8:  memref.load %a
// CHECK-NOT:      memref.load
// CHECK:          [[FROM:%.*]] = arith.constant 8 : index
// CHECK-NEXT:     [[TO:%.*]] = arith.constant 4104 : index
// CHECK-NEXT:     [[STEP:%.*]] = arith.constant 32 : index
// CHECK-NEXT:     scf.for %{{.*}} = [[FROM]] to [[TO]] step [[STEP]] iter_args({{.*}}) -> (f32, f32, f32, f32, f32, f32, f32, f32)
// CHECK-COUNT-32: memref.load %a
// CHECK-COUNT-16: packed.add %{{.*}} : vector<2xf32>
// CHECK-NOT:      packed.add
// CHECK:          scf.yield
// CHECK-COUNT-3:  memref.load %a
// CHECK-COUNT-3:  packed.add %{{.*}} : f32
// CHECK-COUNT-3:  packed.add %{{.*}} : vector<2xf32>
// CHECK:          [[SUM:%.*]] = packed.add %{{.*}} : f32
// CHECK-NOT:      packed
// CHECK:          memref.store [[SUM]], %b
// SCALAR:          scf.for {{.*}} -> (f32, f32, f32, f32, f32, f32, f32, f32)
// SCALAR-NOT:      vector<2xf32>
// SCALAR-COUNT-32: packed.add %{{.*}} : f32
// SCALAR-NOT:      packed.add
// SCALAR:          scf.yield
// REPORT:      @sum
// REPORT-NEXT:   chunked (priority 10): chosen

// The order is the op's: one running value, the old destination first.
// CHECK-LABEL: func.func @sequential
func.func @sequential(%a: memref<320xf32, 3>, %b: memref<1xf32, 1>) {
  tile.reduce <add> %a into %b order(sequential) accumulate : memref<320xf32, 3>, memref<1xf32, 1>
  func.return
}
// CHECK:          [[OLD:%.*]] = memref.load %b
// CHECK:          [[R:%.*]] = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args([[ACC:%.*]] = [[OLD]]) -> (f32)
// CHECK-COUNT-32: packed.add %{{.*}} : f32
// CHECK:          scf.yield
// CHECK:          memref.store [[R]], %b

// Four running values that each take a pair.
// CHECK-LABEL: func.func @max
func.func @max(%a: memref<328xf32, 1>, %b: memref<1xf32, 1>) {
  tile.reduce <maxnumf> %a into %b : memref<328xf32, 1>, memref<1xf32, 1>
  func.return
}
// CHECK:          scf.for {{.*}} -> (f32, f32, f32, f32)
// CHECK-COUNT-16: packed.max3
// CHECK-NOT:      packed.max
// CHECK:          scf.yield


// A tile that fits the registers is read at once, and then any order will do.
// CHECK-LABEL: func.func @tree
func.func @tree(%a: memref<4x8xf32, 1>, %b: memref<1xf32, 1>) {
  tile.reduce <add> %a into %b order(any) : memref<4x8xf32, 1>, memref<1xf32, 1>
  func.return
}
// CHECK-NOT:      scf.for
// CHECK-COUNT-32: memref.load %a
// CHECK-COUNT-15: packed.add %{{.*}} : vector<2xf32>
// CHECK-NOT:      packed.add %{{.*}} : vector<2xf32>
// CHECK:          packed.add %{{.*}} : f32
