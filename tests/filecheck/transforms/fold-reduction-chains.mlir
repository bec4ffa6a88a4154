// RUN: xdsl-opt "%s" -p fold-reduction-chains | filecheck "%s"

// A sum may be written in any shape where every op allows it.
// CHECK-LABEL: func.func @tree
func.func @tree(%v: vector<4xf32>) -> f32 {
  %0 = vector.extract %v[0] : f32 from vector<4xf32>
  %1 = vector.extract %v[1] : f32 from vector<4xf32>
  %2 = vector.extract %v[2] : f32 from vector<4xf32>
  %3 = vector.extract %v[3] : f32 from vector<4xf32>
  %a = arith.addf %0, %2 fastmath<reassoc,contract> : f32
  %b = arith.addf %3, %1 fastmath<reassoc> : f32
  %c = arith.addf %a, %b fastmath<reassoc> : f32
  func.return %c : f32
}
// CHECK-NEXT: [[R:%.*]] = vector.reduction <add>, %v fastmath<reassoc> : vector<4xf32> into f32
// CHECK-NEXT: func.return [[R]]

// Without reassoc only the order of vector.reduction itself is folded.
// CHECK-LABEL: func.func @in_order
func.func @in_order(%v: vector<3xf32>, %acc: f32) -> f32 {
  %0 = vector.extract %v[0] : f32 from vector<3xf32>
  %1 = vector.extract %v[1] : f32 from vector<3xf32>
  %2 = vector.extract %v[2] : f32 from vector<3xf32>
  %a = arith.addf %0, %acc : f32
  %b = arith.addf %a, %1 : f32
  %c = arith.addf %b, %2 : f32
  func.return %c : f32
}
// CHECK-NEXT: [[R:%.*]] = vector.reduction <add>, %v, %acc : vector<3xf32> into f32
// CHECK-NEXT: func.return [[R]]

// CHECK-LABEL: func.func @product_in_order
func.func @product_in_order(%v: vector<3xf32>) -> f32 {
  %0 = vector.extract %v[0] : f32 from vector<3xf32>
  %1 = vector.extract %v[1] : f32 from vector<3xf32>
  %2 = vector.extract %v[2] : f32 from vector<3xf32>
  %a = arith.mulf %0, %1 : f32
  %b = arith.mulf %2, %a : f32
  func.return %b : f32
}
// CHECK-NEXT: [[R:%.*]] = vector.reduction <mul>, %v : vector<3xf32> into f32
// CHECK-NEXT: func.return [[R]]

// The accumulator comes last, so the sum of the elements alone is folded.
// CHECK-LABEL: func.func @accumulator_last
func.func @accumulator_last(%v: vector<2xf32>, %acc: f32) -> f32 {
  %0 = vector.extract %v[0] : f32 from vector<2xf32>
  %1 = vector.extract %v[1] : f32 from vector<2xf32>
  %a = arith.addf %0, %1 : f32
  %b = arith.addf %acc, %a : f32
  func.return %b : f32
}
// CHECK-NEXT: [[R:%.*]] = vector.reduction <add>, %v : vector<2xf32> into f32
// CHECK-NEXT: arith.addf %acc, [[R]] : f32

// One op without reassoc: its order counts.
// CHECK-LABEL: func.func @one_strict_op
func.func @one_strict_op(%v: vector<3xf32>) -> f32 {
  %0 = vector.extract %v[0] : f32 from vector<3xf32>
  %1 = vector.extract %v[1] : f32 from vector<3xf32>
  %2 = vector.extract %v[2] : f32 from vector<3xf32>
  %a = arith.addf %1, %2 : f32
  %b = arith.addf %0, %a fastmath<reassoc> : f32
  func.return %b : f32
}
// CHECK-NOT: vector.reduction

// max and min give the same in any order. An element that is used again stays.
// CHECK-LABEL: func.func @max
func.func @max(%v: vector<3xf32>, %acc: f32) -> (f32, f32) {
  %0 = vector.extract %v[0] : f32 from vector<3xf32>
  %1 = vector.extract %v[1] : f32 from vector<3xf32>
  %2 = vector.extract %v[2] : f32 from vector<3xf32>
  %a = arith.maximumf %2, %acc : f32
  %b = arith.maximumf %0, %1 : f32
  %c = arith.maximumf %a, %b : f32
  %d = arith.subf %1, %c : f32
  func.return %c, %d : f32, f32
}
// CHECK-NEXT: [[X:%.*]] = vector.extract %v[1]
// CHECK-NEXT: [[R:%.*]] = vector.reduction <maximumf>, %v, %acc : vector<3xf32> into f32
// CHECK-NEXT: arith.subf [[X]], [[R]]

// A value in the middle that is used elsewhere blocks it; so does another kind.
// CHECK-LABEL: func.func @middle_is_used
func.func @middle_is_used(%v: vector<3xf32>) -> (f32, f32, f32) {
  %0 = vector.extract %v[0] : f32 from vector<3xf32>
  %1 = vector.extract %v[1] : f32 from vector<3xf32>
  %2 = vector.extract %v[2] : f32 from vector<3xf32>
  %a = arith.maxnumf %0, %1 : f32
  %b = arith.maxnumf %a, %2 : f32
  %c = arith.maxnumf %0, %1 : f32
  %d = arith.maximumf %c, %2 : f32
  func.return %a, %b, %d : f32, f32, f32
}
// CHECK-NOT: vector.reduction

// All elements, each of them once, of one vector.
// CHECK-LABEL: func.func @not_whole
func.func @not_whole(%v: vector<3xi32>, %w: vector<2xi32>, %i: index) -> (i32, i32, i32) {
  %0 = vector.extract %v[0] : i32 from vector<3xi32>
  %1 = vector.extract %v[1] : i32 from vector<3xi32>
  %x = vector.extract %v[%i] : i32 from vector<3xi32>
  %y = vector.extract %w[1] : i32 from vector<2xi32>
  %a = arith.addi %0, %1 : i32
  %b = arith.addi %a, %1 : i32
  %c = arith.muli %0, %1 : i32
  %d = arith.muli %c, %x : i32
  %e = arith.xori %0, %1 : i32
  %f = arith.xori %e, %y : i32
  func.return %b, %d, %f : i32, i32, i32
}
// CHECK-NOT: vector.reduction

// The accumulator may be another vector's element.
// CHECK-LABEL: func.func @integers
func.func @integers(%v: vector<2xi32>, %w: vector<2xi32>) -> i32 {
  %0 = vector.extract %v[0] : i32 from vector<2xi32>
  %1 = vector.extract %v[1] : i32 from vector<2xi32>
  %y = vector.extract %w[1] : i32 from vector<2xi32>
  %a = arith.maxsi %0, %y : i32
  %b = arith.maxsi %a, %1 : i32
  func.return %b : i32
}
// CHECK-NEXT: [[Y:%.*]] = vector.extract %w[1]
// CHECK-NEXT: vector.reduction <maxsi>, %v, [[Y]] : vector<2xi32> into i32
