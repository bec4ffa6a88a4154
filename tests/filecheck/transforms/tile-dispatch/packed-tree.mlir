// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch' | filecheck "%s"
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=text enable="packed_tree","local"}' 2>&1 >/dev/null | filecheck "%s" --check-prefix=REPORT

// Neighbours are pairs; first onto last. The odd value goes to the high lane of the first pair.
// CHECK-LABEL: func.func @sum7
func.func @sum7(%a: memref<7xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <add> %a into %b order(tree) ftz : memref<7xf32, 5>, memref<1xf32, 5>
  func.return
}
// CHECK:      [[X0:%.*]] = memref.load %a
// CHECK:      [[X1:%.*]] = memref.load %a
// CHECK:      [[X2:%.*]] = memref.load %a
// CHECK:      [[X3:%.*]] = memref.load %a
// CHECK:      [[X4:%.*]] = memref.load %a
// CHECK:      [[X5:%.*]] = memref.load %a
// CHECK:      [[X6:%.*]] = memref.load %a
// CHECK:      [[ODD:%.*]] = packed.add [[X3]], [[X6]] {ftz} : f32
// CHECK:      [[P01:%.*]] = packed.pack [[X0]], [[X1]]
// CHECK:      [[P45:%.*]] = packed.pack [[X4]], [[X5]]
// CHECK:      [[Q:%.*]] = packed.add [[P01]], [[P45]] {ftz} : vector<2xf32>
// CHECK:      [[P23:%.*]] = packed.pack [[X2]], [[ODD]]
// CHECK:      [[R:%.*]] = packed.add [[Q]], [[P23]] {ftz} : vector<2xf32>
// CHECK:      [[LO:%.*]], [[HI:%.*]] = packed.unpack [[R]]
// CHECK:      [[SUM:%.*]] = packed.add [[LO]], [[HI]] {ftz} : f32
// CHECK-NOT:  packed
// CHECK:      memref.store [[SUM]], %b
// REPORT:      @sum7: tile.reduce <add> 7xf32 -> 1xf32 axes [0], order tree, ftz
// REPORT-NEXT:   packed_tree (priority 30): chosen

// With accumulate the old destination is the last value.
// CHECK-LABEL: func.func @accumulate
func.func @accumulate(%a: memref<3xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <mul> %a into %b order(any) accumulate : memref<3xf32, 5>, memref<1xf32, 5>
  func.return
}
// CHECK:      [[OLD:%.*]] = memref.load %b
// CHECK:      [[X0:%.*]] = memref.load %a
// CHECK:      [[X1:%.*]] = memref.load %a
// CHECK:      [[X2:%.*]] = memref.load %a
// CHECK-NEXT: [[P:%.*]] = packed.pack [[X2]], [[OLD]]
// CHECK-NEXT: [[Q:%.*]] = packed.pack [[X0]], [[X1]]
// CHECK-NEXT: [[R:%.*]] = packed.mul [[P]], [[Q]] : vector<2xf32>
// CHECK-NEXT: [[LO:%.*]], [[HI:%.*]] = packed.unpack [[R]]
// CHECK-NEXT: packed.mul [[LO]], [[HI]] : f32
// REPORT:      @accumulate: {{.*}} order tree, accumulate
// REPORT-NEXT:   packed_tree (priority 30): chosen

// Three inputs an instruction; of an even count the first two values combine alone.
// CHECK-LABEL: func.func @max6
func.func @max6(%a: memref<6xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <maximumf> %a into %b : memref<6xf32, 5>, memref<1xf32, 5>
  func.return
}
// CHECK:      [[X0:%.*]] = memref.load %a
// CHECK:      [[X1:%.*]] = memref.load %a
// CHECK:      [[X2:%.*]] = memref.load %a
// CHECK:      [[X3:%.*]] = memref.load %a
// CHECK:      [[X4:%.*]] = memref.load %a
// CHECK:      [[X5:%.*]] = memref.load %a
// CHECK-NEXT: [[T:%.*]] = packed.max [[X0]], [[X1]] {nan} : f32
// CHECK-NEXT: [[U:%.*]] = packed.max3 [[X2]], [[X3]], [[X5]] {nan} : f32
// CHECK-NEXT: packed.max3 [[U]], [[X4]], [[T]] {nan} : f32
// REPORT:      @max6
// REPORT-NEXT:   packed_tree (priority 30): chosen

// CHECK-LABEL: func.func @absmax3
func.func @absmax3(%a: memref<3xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <absmax> %a into %b : memref<3xf32, 5>, memref<1xf32, 5>
  func.return
}
// CHECK:      [[M0:%.*]] = math.absf
// CHECK-NEXT: [[M1:%.*]] = math.absf
// CHECK-NEXT: [[M2:%.*]] = math.absf
// CHECK-NEXT: packed.max3 [[M0]], [[M1]], [[M2]] : f32

// Every destination element has the tree of its own length.
// CHECK-LABEL: func.func @rows
func.func @rows(%a: memref<2x3xf32, 5>, %b: memref<2xf32, 5>) {
  tile.reduce <minnumf> %a into %b axes [1] : memref<2x3xf32, 5>, memref<2xf32, 5>
  func.return
}
// CHECK:      [[R0:%.*]] = packed.min3
// CHECK-NEXT: [[R1:%.*]] = packed.min3
// CHECK-NOT:  packed
// CHECK:      memref.store [[R0]], %b
// CHECK:      memref.store [[R1]], %b
// REPORT:      @rows
// REPORT-NEXT:   packed_tree (priority 30): chosen

// An ordered sum, two values alone, and another type are refused.
func.func @refused(%a: memref<2xf64, 5>, %b: memref<1xf64, 5>) {
  tile.reduce <add> %a into %b order(sequential) : memref<2xf64, 5>, memref<1xf64, 5>
  func.return
}
// REPORT:      @refused
// REPORT-NEXT:   packed_tree (priority 30): declines
// REPORT:          accumulation   values are combined in f64, expected f32
// REPORT-NEXT:     reduction_len  reduces 2 elements, expected 3 or more
// REPORT:          order          order is sequential, expected tree
// REPORT:          legal          there is no packed form of f64 here
