// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch' | filecheck "%s"
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=text enable="packed_tree","sm100_packed","local"}' 2>&1 | filecheck "%s" --check-prefix=REPORT

// Without reassoc a sum is sequential, the accumulator first; no packed variant takes it.
// CHECK-LABEL: func.func @ordered
func.func @ordered(%v: vector<8xf32>, %acc: f32) -> f32 {
  %r = vector.reduction <add>, %v, %acc : vector<8xf32> into f32
  func.return %r : f32
}
// CHECK:      [[X0:%.*]] = vector.extract %v[0]
// CHECK:      [[X1:%.*]] = vector.extract %v[1]
// CHECK:      [[X7:%.*]] = vector.extract %v[7]
// CHECK-NEXT: [[A:%.*]] = packed.add %acc, [[X0]] : f32
// CHECK-NEXT: [[B:%.*]] = packed.add [[A]], [[X1]] : f32
// CHECK:      [[R:%.*]] = packed.add {{%.*}}, [[X7]] : f32
// CHECK-NEXT: func.return [[R]]
// REPORT-LABEL: @ordered: vector.reduction <add> 8xf32 -> f32 axes [0], order sequential, accumulate, thread, sm_100a
// REPORT:         sm100_packed (priority 20): declines
// REPORT:           order          order is sequential, expected lanes8
// REPORT:         local (priority 10): chosen

// Flags other than reassoc do not change the order.
// CHECK-LABEL: func.func @other_flags
func.func @other_flags(%v: vector<8xf32>) -> f32 {
  %r = vector.reduction <add>, %v fastmath<nnan,contract> : vector<8xf32> into f32
  func.return %r : f32
}
// CHECK-NOT: packed.pack
// REPORT-LABEL: @other_flags: vector.reduction
// REPORT-SAME:  order sequential

// CHECK-LABEL: func.func @any_order
func.func @any_order(%v: vector<8xf32>) -> f32 {
  %r = vector.reduction <add>, %v fastmath<reassoc> : vector<8xf32> into f32
  func.return %r : f32
}
// CHECK:      [[X0:%.*]] = vector.extract %v[0]
// CHECK:      [[P:%.*]] = packed.pack [[X0]]
// CHECK:      packed.add {{%.*}}, {{%.*}} : vector<2xf32>
// REPORT-LABEL: @any_order: vector.reduction
// REPORT-SAME:  order tree
// REPORT-NEXT:  packed_tree (priority 30): chosen

// CHECK-LABEL: func.func @fast
func.func @fast(%v: vector<8xf32>) -> f32 {
  %r = vector.reduction <mul>, %v fastmath<fast> : vector<8xf32> into f32
  func.return %r : f32
}
// REPORT-LABEL: @fast: vector.reduction <mul>
// REPORT-SAME:  order tree

// max and min need no flag; the accumulator of the second is the first's result.
// CHECK-LABEL: func.func @max_then_min
func.func @max_then_min(%v: vector<8xf32>, %w: vector<8xf32>) -> f32 {
  %r = vector.reduction <maximumf>, %v : vector<8xf32> into f32
  %s = vector.reduction <minnumf>, %w, %r : vector<8xf32> into f32
  func.return %s : f32
}
// CHECK:      %r = packed.max3 {{.*}} {nan} : f32
// CHECK:      [[S:%.*]] = packed.min3 {{%.*}}, {{%.*}}, %r : f32
// CHECK:      %s = packed.min3 {{.*}}[[S]] : f32
// REPORT-LABEL: @max_then_min: vector.reduction <maximumf> 8xf32 -> f32 axes [0], thread
// REPORT-NEXT:  packed_tree (priority 30): chosen
// REPORT:       @max_then_min: vector.reduction <minnumf> 8xf32 -> f32 axes [0], accumulate, thread
// REPORT-NEXT:  packed_tree (priority 30): chosen

// Integers combine in any order; their flags say nothing.
// CHECK-LABEL: func.func @integers
func.func @integers(%v: vector<2xi32>, %w: vector<2xi8>) -> (i32, i32, i8) {
  %a = vector.reduction <maxui>, %v : vector<2xi32> into i32
  %b = vector.reduction <xor>, %v, %a fastmath<reassoc> : vector<2xi32> into i32
  %c = vector.reduction <minsi>, %w : vector<2xi8> into i8
  func.return %a, %b, %c : i32, i32, i8
}
// CHECK: [[A:%.*]] = arith.maxui {{.*}} : i32
// CHECK: [[X:%.*]] = arith.xori {{%.*}}, {{%.*}} : i32
// CHECK: arith.xori [[X]], [[A]] : i32
// CHECK: arith.minsi {{.*}} : i32
// CHECK: arith.trunci

// The values stay where they come from and may be used again.
// CHECK-LABEL: func.func @used_again
func.func @used_again(%v: vector<2xf32>) -> vector<2xf32> {
  %e = math.exp2 %v : vector<2xf32>
  %max = vector.reduction <maxnumf>, %e : vector<2xf32> into f32
  %all = vector.broadcast %max : f32 to vector<2xf32>
  %r = arith.subf %e, %all : vector<2xf32>
  func.return %r : vector<2xf32>
}
// CHECK:      [[E:%.*]] = math.exp2 %v
// CHECK:      [[M:%.*]] = packed.max {{.*}} : f32
// CHECK-NEXT: [[ALL:%.*]] = vector.broadcast [[M]]
// CHECK-NEXT: arith.subf [[E]], [[ALL]]

// One element is itself, or one combination.
// CHECK-LABEL: func.func @one
func.func @one(%v: vector<1xf32>, %acc: f32) -> (f32, f32) {
  %a = vector.reduction <add>, %v : vector<1xf32> into f32
  %b = vector.reduction <add>, %v, %acc : vector<1xf32> into f32
  func.return %a, %b : f32, f32
}
// CHECK-NEXT: [[X:%.*]] = vector.extract %v[0]
// CHECK-NEXT: [[Y:%.*]] = vector.extract %v[0]
// CHECK-NEXT: [[B:%.*]] = packed.add %acc, [[Y]] : f32
// CHECK-NEXT: func.return [[X]], [[B]]
