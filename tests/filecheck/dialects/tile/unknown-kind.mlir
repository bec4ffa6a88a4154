// RUN: xdsl-opt "%s" --split-input-file --parsing-diagnostics | filecheck "%s"

%a, %b = "test.op"() : () -> (memref<8xf32>, memref<1xf32>)
tile.reduce <sum> %a into %b : memref<8xf32>, memref<1xf32>
// CHECK: Expected `add`, `mul`, `maxnumf`, `minnumf`, `maximumf`, `minimumf`,

// -----

%a, %b = "test.op"() : () -> (memref<8xf32>, memref<1xf32>)
tile.reduce <add> %a into %b scope(block) : memref<8xf32>, memref<1xf32>
// CHECK: Expected `thread`, `warp`, `warpgroup`, or `cta`
