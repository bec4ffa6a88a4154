// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_120a"},tile-dispatch{report=text}' 2>"%t.report" | filecheck "%s"
// RUN: filecheck "%s" --check-prefix=REPORT --input-file "%t.report"
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=text}' 2>&1 >/dev/null | filecheck "%s" --check-prefix=NATIVE
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_110a"},tile-dispatch{report=text}' 2>&1 >/dev/null | filecheck "%s" --check-prefix=THOR

// Two scalar adds stand for a packed one there: the same order in scalar code.
// CHECK-LABEL: func.func @sum
func.func @sum(%a: memref<8xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <add> %a into %b order(tree) : memref<8xf32, 5>, memref<1xf32, 5>
  func.return
}
// CHECK-NOT: vector<2xf32>
// CHECK:     func.return
// REPORT:      @sum
// REPORT:        packed_tree (priority 30): declines
// REPORT:          native            add.rn.f32x2 is legal but not native on sm_120a
// REPORT-NEXT:     legal             yes
// REPORT:        local (priority 10): chosen
// NATIVE:      @sum
// NATIVE:        packed_tree (priority 30): chosen
// THOR:        @sum
// THOR:          packed_tree (priority 30): declines
// THOR:            native            add.rn.f32x2 is legal but not native on sm_110a

// Two-input operations, in a binary tree.
// CHECK-LABEL: func.func @max
func.func @max(%a: memref<4xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <maxnumf> %a into %b : memref<4xf32, 5>, memref<1xf32, 5>
  func.return
}
// CHECK:      [[X0:%.*]] = memref.load %a
// CHECK:      [[X1:%.*]] = memref.load %a
// CHECK:      [[X2:%.*]] = memref.load %a
// CHECK:      [[X3:%.*]] = memref.load %a
// CHECK-NEXT: [[E:%.*]] = packed.max [[X0]], [[X2]] : f32
// CHECK-NEXT: [[O:%.*]] = packed.max [[X1]], [[X3]] : f32
// CHECK-NEXT: packed.max [[E]], [[O]] : f32
// REPORT:      @max
// REPORT:        packed_tree (priority 30): declines
// REPORT:          native            max.f32 3in is legal but not native on sm_120a
// REPORT:        local (priority 10): chosen
// NATIVE:      @max
// NATIVE:        packed_tree (priority 30): chosen
// THOR:        @max
// THOR:          packed_tree (priority 30): chosen

// Asked for by name it is taken all the same, and the report says what it is.
// CHECK-LABEL: func.func @forced
func.func @forced(%a: memref<8xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <add> %a into %b order(tree) variant("packed_tree") : memref<8xf32, 5>, memref<1xf32, 5>
  func.return
}
// CHECK-COUNT-3: packed.add %{{.*}} : vector<2xf32>
// REPORT:      @forced
// REPORT-NEXT:   variant packed_tree is asked for by name
// REPORT:        packed_tree (priority 30): chosen
// REPORT:          native            waived: add.rn.f32x2 is legal but not native on sm_120a
// REPORT:          legal but not native: add.rn.f32x2 is emulated on this chip
// REPORT:        local (priority 10): accepts, not chosen
// NATIVE:      @forced
// NATIVE-NOT:      waived

// A predicate of what is right is never waived.
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_90"},tile-dispatch' --verify-diagnostics | filecheck "%s" --check-prefix=LEGAL
// LEGAL: variant 'packed_tree' declines: legal: add.rn.f32x2 needs sm_100 or newer, the target is sm_90
