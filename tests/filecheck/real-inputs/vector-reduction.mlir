// RUN: xdsl-opt "%s" --allow-unregistered-dialect -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=text enable="packed_tree","sm100_packed","local"}' 2>&1 | filecheck "%s"

// Reductions of the structure that public tests of others have, in our own words. Each
// stands under the address of the test that it follows.

// https://github.com/llvm/llvm-project/blob/main/mlir/test/Conversion/VectorToLLVM/vector-reduction-to-llvm.mlir
func.func @llvm_ordered_sum(%v: vector<16xf32>) -> f32 {
  %sum = vector.reduction <add>, %v : vector<16xf32> into f32
  func.return %sum : f32
}
func.func @llvm_reassociated_sum(%v: vector<16xf32>) -> f32 {
  %sum = vector.reduction <add>, %v fastmath<reassoc> : vector<16xf32> into f32
  func.return %sum : f32
}
func.func @llvm_product_of_finite(%v: vector<16xf32>) -> f32 {
  %product = vector.reduction <mul>, %v fastmath<nnan,ninf> : vector<16xf32> into f32
  func.return %product : f32
}
func.func @llvm_masked_sum(%v: vector<16xf32>, %mask: vector<16xi1>) -> f32 {
  %sum = "vector.mask"(%mask) ({
    %0 = vector.reduction <add>, %v : vector<16xf32> into f32
    "vector.yield"(%0) : (f32) -> ()
  }) : (vector<16xi1>) -> f32
  func.return %sum : f32
}
func.func @llvm_masked_minimum(%v: vector<32xi8>, %mask: vector<32xi1>) -> i8 {
  %min = "vector.mask"(%mask) ({
    %0 = vector.reduction <minui>, %v : vector<32xi8> into i8
    "vector.yield"(%0) : (i8) -> ()
  }) : (vector<32xi1>) -> i8
  func.return %min : i8
}

// https://github.com/llvm/llvm-project/blob/main/mlir/test/Dialect/Vector/break-down-vector-reduction.mlir
func.func @pair_of_floats(%v: vector<2xf32>) -> (f32, f32, f32, f32, f32, f32) {
  %a = vector.reduction <add>, %v : vector<2xf32> into f32
  %b = vector.reduction <mul>, %v : vector<2xf32> into f32
  %c = vector.reduction <minnumf>, %v : vector<2xf32> into f32
  %d = vector.reduction <maxnumf>, %v : vector<2xf32> into f32
  %e = vector.reduction <minimumf>, %v : vector<2xf32> into f32
  %f = vector.reduction <maximumf>, %v : vector<2xf32> into f32
  func.return %a, %b, %c, %d, %e, %f : f32, f32, f32, f32, f32, f32
}
func.func @pair_of_integers(%v: vector<2xi32>) -> (i32, i32, i32, i32, i32, i32, i32, i32, i32) {
  %a = vector.reduction <add>, %v : vector<2xi32> into i32
  %b = vector.reduction <mul>, %v : vector<2xi32> into i32
  %c = vector.reduction <minsi>, %v : vector<2xi32> into i32
  %d = vector.reduction <maxsi>, %v : vector<2xi32> into i32
  %e = vector.reduction <minui>, %v : vector<2xi32> into i32
  %f = vector.reduction <maxui>, %v : vector<2xi32> into i32
  %g = vector.reduction <and>, %v : vector<2xi32> into i32
  %h = vector.reduction <or>, %v : vector<2xi32> into i32
  %i = vector.reduction <xor>, %v : vector<2xi32> into i32
  func.return %a, %b, %c, %d, %e, %f, %g, %h, %i : i32, i32, i32, i32, i32, i32, i32, i32, i32
}
func.func @one_and_accumulator(%v: vector<1xf32>, %acc: f32) -> f32 {
  %sum = vector.reduction <add>, %v, %acc : vector<1xf32> into f32
  func.return %sum : f32
}
func.func @scalable(%v: vector<[1]xf32>) -> f32 {
  %sum = vector.reduction <add>, %v : vector<[1]xf32> into f32
  func.return %sum : f32
}

// https://github.com/llvm/llvm-project/blob/main/mlir/test/Dialect/Vector/chained-vector-reduction-folding.mlir
func.func @three_in_a_row(%v: vector<8xf32>, %w: vector<8xf32>, %x: vector<8xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %a = vector.reduction <add>, %v, %zero : vector<8xf32> into f32
  %b = vector.reduction <add>, %w, %a : vector<8xf32> into f32
  %c = vector.reduction <add>, %x, %b : vector<8xf32> into f32
  func.return %c : f32
}

// https://github.com/llvm/llvm-project/blob/main/mlir/test/Integration/Dialect/Vector/CPU/reductions-f32-reassoc.mlir
func.func @mostly_ones() -> f32 {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %ones = vector.broadcast %one : f32 to vector<64xf32>
  %v = vector.insert %two, %ones[11] : f32 into vector<64xf32>
  %sum = vector.reduction <add>, %v fastmath<reassoc> : vector<64xf32> into f32
  func.return %sum : f32
}

// https://github.com/Xilinx/mlir-aie/blob/main/test/Conversion/VectorToAIEVec/test-reduce.mlir
func.func @aie_integers(%v: vector<16xi32>, %w: vector<32xi16>) -> (i32, i16) {
  %sum = vector.reduction <add>, %v : vector<16xi32> into i32
  %min = vector.reduction <minsi>, %w : vector<32xi16> into i16
  func.return %sum, %min : i32, i16
}

// https://github.com/llvm/llvm-project/issues/60193
func.func @rank_0(%v: vector<f32>) -> f32 {
  %sum = vector.reduction <add>, %v : vector<f32> into f32
  func.return %sum : f32
}

// CHECK: @llvm_ordered_sum: vector.reduction <add> 16xf32 -> f32 axes [0], order sequential
// CHECK: local (priority 10): chosen
// CHECK: @llvm_reassociated_sum: vector.reduction <add> 16xf32 -> f32 axes [0], order tree
// CHECK: packed_tree (priority 30): chosen
// CHECK: @llvm_product_of_finite: vector.reduction <mul> 16xf32 -> f32 axes [0], order sequential
// CHECK: local (priority 10): chosen
// CHECK: @llvm_masked_sum: vector.reduction: left alone: it is masked by vector.mask: missing is a variant that leaves out the lanes that are off
// CHECK: @llvm_masked_minimum: vector.reduction: left alone: it is masked by vector.mask
// CHECK: @pair_of_floats: vector.reduction <add> 2xf32
// CHECK: local (priority 10): chosen
// CHECK: @pair_of_floats: vector.reduction <mul> 2xf32
// CHECK: @pair_of_floats: vector.reduction <minnumf> 2xf32
// CHECK: @pair_of_floats: vector.reduction <maxnumf> 2xf32
// CHECK: @pair_of_floats: vector.reduction <minimumf> 2xf32
// CHECK: @pair_of_floats: vector.reduction <maximumf> 2xf32
// CHECK: local (priority 10): chosen
// CHECK: @pair_of_integers: vector.reduction <add> 2xi32
// CHECK: local (priority 10): chosen
// CHECK: @pair_of_integers: vector.reduction <mul> 2xi32
// CHECK: @pair_of_integers: vector.reduction <minsi> 2xi32
// CHECK: @pair_of_integers: vector.reduction <maxsi> 2xi32
// CHECK: @pair_of_integers: vector.reduction <minui> 2xi32
// CHECK: @pair_of_integers: vector.reduction <maxui> 2xi32
// CHECK: @pair_of_integers: vector.reduction <and> 2xi32
// CHECK: @pair_of_integers: vector.reduction <or> 2xi32
// CHECK: @pair_of_integers: vector.reduction <xor> 2xi32
// CHECK: local (priority 10): chosen
// CHECK: @one_and_accumulator: vector.reduction <add> 1xf32 -> f32 axes [0], order sequential, accumulate
// CHECK: local (priority 10): chosen
// CHECK: @scalable: vector.reduction: left alone: vector<[1]xf32> is scalable: a GPU's registers hold a fixed number of elements
// CHECK: @three_in_a_row: vector.reduction <add> 8xf32 -> f32 axes [0], order sequential, accumulate
// CHECK: @three_in_a_row: vector.reduction <add> 8xf32 -> f32 axes [0], order sequential, accumulate
// CHECK: @three_in_a_row: vector.reduction <add> 8xf32 -> f32 axes [0], order sequential, accumulate
// CHECK: local (priority 10): chosen
// CHECK: @mostly_ones: vector.reduction <add> 64xf32 -> f32 axes [0], order tree
// CHECK: packed_tree (priority 30): chosen
// CHECK: @aie_integers: vector.reduction <add> 16xi32
// CHECK: local (priority 10): chosen
// CHECK: @aie_integers: vector.reduction <minsi> 32xi16
// CHECK: local (priority 10): chosen
// CHECK: @rank_0: vector.reduction: left alone: vector<f32> has rank 0: there is no dimension to reduce
