// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch' | filecheck "%s"
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=text enable="packed_columns","local"}' 2>&1 >/dev/null | filecheck "%s" --check-prefix=REPORT

// Destinations 0 and 1 are the lanes of one pair, each in its own order; an odd last one is alone.
// CHECK-LABEL: func.func @ordered
func.func @ordered(%a: memref<2x3xf32, 5>, %b: memref<3xf32, 5>) {
  tile.reduce <add> %a into %b axes [0] order(sequential) accumulate : memref<2x3xf32, 5>, memref<3xf32, 5>
  func.return
}
// CHECK:      [[B0:%.*]] = memref.load %b
// CHECK:      [[B1:%.*]] = memref.load %b
// CHECK:      [[B2:%.*]] = memref.load %b
// CHECK:      [[X00:%.*]] = memref.load %a
// CHECK:      [[X01:%.*]] = memref.load %a
// CHECK:      [[X02:%.*]] = memref.load %a
// CHECK:      [[X10:%.*]] = memref.load %a
// CHECK:      [[X11:%.*]] = memref.load %a
// CHECK:      [[X12:%.*]] = memref.load %a
// CHECK-NEXT: [[B:%.*]] = packed.pack [[B0]], [[B1]]
// CHECK-NEXT: [[X0:%.*]] = packed.pack [[X00]], [[X01]]
// CHECK-NEXT: [[S:%.*]] = packed.add [[B]], [[X0]] : vector<2xf32>
// CHECK-NEXT: [[X1:%.*]] = packed.pack [[X10]], [[X11]]
// CHECK-NEXT: [[T:%.*]] = packed.add [[S]], [[X1]] : vector<2xf32>
// CHECK-NEXT: [[U:%.*]] = packed.add [[B2]], [[X02]] : f32
// CHECK-NEXT: [[R2:%.*]] = packed.add [[U]], [[X12]] : f32
// CHECK-NEXT: [[R0:%.*]], [[R1:%.*]] = packed.unpack [[T]]
// CHECK:      memref.store [[R0]], %b
// CHECK:      memref.store [[R1]], %b
// CHECK:      memref.store [[R2]], %b
// REPORT:      @ordered
// REPORT-NEXT:   packed_columns (priority 40): chosen

// f16 has a packed maximum, f32 has none.
// CHECK-LABEL: func.func @halves
func.func @halves(%a: memref<2x2xf16, 5>, %b: memref<2xf16, 5>) {
  tile.reduce <maximumf> %a into %b axes [0] : memref<2x2xf16, 5>, memref<2xf16, 5>
  func.return
}
// CHECK: packed.max {{%.*}}, {{%.*}} {nan} : vector<2xf16>
// REPORT:      @halves
// REPORT-NEXT:   packed_columns (priority 40): chosen

func.func @floats(%a: memref<2x2xf32, 5>, %b: memref<2xf32, 5>) {
  tile.reduce <maximumf> %a into %b axes [0] : memref<2x2xf32, 5>, memref<2xf32, 5>
  func.return
}
// REPORT:      @floats
// REPORT-NEXT:   packed_columns (priority 40): declines
// REPORT:          legal           there is no packed form of maximumf on f32

func.func @innermost(%a: memref<2x2xf32, 5>, %b: memref<2xf32, 5>) {
  tile.reduce <add> %a into %b axes [1] : memref<2x2xf32, 5>, memref<2xf32, 5>
  func.return
}
// REPORT:      @innermost
// REPORT-NEXT:   packed_columns (priority 40): declines
// REPORT:          innermost_kept  the innermost axis is reduced, so no two results stand side by side

func.func @narrow(%a: memref<2x2x1xf32, 5>, %b: memref<2x1xf32, 5>) {
  tile.reduce <add> %a into %b axes [0] : memref<2x2x1xf32, 5>, memref<2x1xf32, 5>
  func.return
}
// REPORT:      @narrow
// REPORT-NEXT:   packed_columns (priority 40): declines
// REPORT:          innermost_kept  the innermost axis has extent 1, expected 2 or more
