// A device function in the LLVM dialect with one packed addition and one maximum of three:
// xdsl-opt examples/packed_in_llvm.mlir -p convert-packed-to-llvm -t llvm
builtin.module attributes {llvm.target_triple = "nvptx64-nvidia-cuda"} {
  llvm.func @largest_of_sums(%a: vector<2xf32>, %b: vector<2xf32>, %c: f32) -> f32 {
    %sums = packed.add %a, %b {ftz} : vector<2xf32>
    %low, %high = packed.unpack %sums : vector<2xf32> to f32
    %largest = packed.max3 %low, %high, %c {ftz} : f32
    llvm.return %largest : f32
  }
}
