// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch' 2>&1 | filecheck "%s"
// RUN: xdsl-opt "%s" --allow-unregistered-dialect -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=text enable="sm100_packed","local"}' 2>&1 | filecheck "%s" --check-prefix=REPORT

// xDSL's verifier accepts all of these. Each is left as it is, and says why.

func.func @rank_0(%v: vector<f32>) -> f32 {
  %r = vector.reduction <add>, %v : vector<f32> into f32
  func.return %r : f32
}
// CHECK:  @rank_0: {{.*}} remark: 'vector.reduction' is left alone: cannot be read as a reduction: vector<f32> has rank 0: there is no dimension to reduce
// REPORT: @rank_0: vector.reduction: left alone: vector<f32> has rank 0: there is no dimension to reduce

func.func @rank_2(%v: vector<4x8xf32>) -> f32 {
  %r = vector.reduction <add>, %v : vector<4x8xf32> into f32
  func.return %r : f32
}
// CHECK: @rank_2: {{.*}} remark: {{.*}} it reduces vector<4x8xf32> of rank 2, expected rank 1: vector.multi_reduction reduces higher ranks

func.func @empty(%v: vector<0xf32>) -> f32 {
  %r = vector.reduction <add>, %v : vector<0xf32> into f32
  func.return %r : f32
}
// CHECK: @empty: {{.*}} remark: {{.*}} vector<0xf32> has no elements: a fold starts from its first element

func.func @scalable(%v: vector<[4]xf32>) -> f32 {
  %r = vector.reduction <add>, %v : vector<[4]xf32> into f32
  func.return %r : f32
}
// CHECK: @scalable: {{.*}} remark: {{.*}} vector<[4]xf32> is scalable: a GPU's registers hold a fixed number of elements

func.func @float_kind(%v: vector<4xi32>) -> i32 {
  %r = vector.reduction <maximumf>, %v : vector<4xi32> into i32
  func.return %r : i32
}
// CHECK: @float_kind: {{.*}} remark: {{.*}} has kind <maximumf> on i32: it combines floats; integers take add, mul, maxsi, minsi, maxui, minui, and, or, xor

func.func @integer_kind(%v: vector<4xf32>) -> f32 {
  %r = vector.reduction <and>, %v : vector<4xf32> into f32
  func.return %r : f32
}
// CHECK: @integer_kind: {{.*}} remark: {{.*}} has kind <and> on f32: it combines integers; floats take add, mul, maxnumf, minnumf, maximumf, minimumf

func.func @index(%v: vector<4xindex>) -> index {
  %r = vector.reduction <add>, %v : vector<4xindex> into index
  func.return %r : index
}
// CHECK:      @index: {{.*}} remark: 'vector.reduction' is left alone: <add> 4xindex -> index axes [0], thread, sm_100a: no variant takes it
// CHECK:      legal          index has no fixed width: cast the elements to i32 or i64 first

func.func @i1(%v: vector<4xi1>) -> i1 {
  %r = vector.reduction <or>, %v : vector<4xi1> into i1
  func.return %r : i1
}
// CHECK: @i1: {{.*}} remark: {{.*}} no variant takes it
// CHECK: legal          there is no code for i1

// They are all still there.
// CHECK-LABEL: func.func @rank_0
// CHECK-NEXT:    vector.reduction
// CHECK-LABEL: func.func @rank_2
// CHECK-NEXT:    vector.reduction
// CHECK-LABEL: func.func @empty
// CHECK-NEXT:    vector.reduction
// CHECK-LABEL: func.func @scalable
// CHECK-NEXT:    vector.reduction
// CHECK-LABEL: func.func @float_kind
// CHECK-NEXT:    vector.reduction
// CHECK-LABEL: func.func @integer_kind
// CHECK-NEXT:    vector.reduction
// CHECK-LABEL: func.func @index
// CHECK-NEXT:    vector.reduction
// CHECK-LABEL: func.func @i1
// CHECK-NEXT:    vector.reduction
