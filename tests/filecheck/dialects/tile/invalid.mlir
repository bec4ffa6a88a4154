// RUN: xdsl-opt %s --split-input-file --verify-diagnostics | filecheck %s

%a, %b = "test.op"() : () -> (memref<8xf32, 5>, memref<1xf32, 5>)
tile.reduce <and> %a into %b : memref<8xf32, 5>, memref<1xf32, 5>
// CHECK: 'tile.reduce' has kind <and> on f32: it combines integers; floats take add, mul, maxnumf, minnumf, maximumf, minimumf

// -----

%a, %b = "test.op"() : () -> (memref<4xi32, 5>, memref<1xi32, 5>)
tile.reduce <maximumf> %a into %b : memref<4xi32, 5>, memref<1xi32, 5>
// CHECK: 'tile.reduce' has kind <maximumf> on i32: it combines floats; integers take add, mul, maxsi, minsi, maxui, minui, and, or, xor

// -----

%a, %b = "test.op"() : () -> (memref<8xbf16, 5>, memref<1xf32, 5>)
tile.reduce <add> %a into %b : memref<8xbf16, 5>, memref<1xf32, 5>
// CHECK: 'tile.reduce' reduces bf16 into f32: source and destination have one element type

// -----

%a, %b = "test.op"() : () -> (memref<8x2xf32>, memref<8xf32>)
tile.reduce <add> %a into %b axes [2] : memref<8x2xf32>, memref<8xf32>
// CHECK: 'tile.reduce' has axis 2, out of range for rank 2: axes go from -2 to 1

// -----

%a, %b = "test.op"() : () -> (memref<8x2xf32>, memref<8xf32>)
tile.reduce <add> %a into %b axes [1, -1] : memref<8x2xf32>, memref<8xf32>
// CHECK: 'tile.reduce' has axis 1 twice: name each axis once

// -----

%a, %b = "test.op"() : () -> (memref<8x2xf32>, memref<8xf32>)
tile.reduce <add> %a into %b axes [0] : memref<8x2xf32>, memref<8xf32>
// CHECK: 'tile.reduce' has a destination of shape [8]: [8, 2] reduced along axes [0] is [2] (or the same with reduced axes kept as 1)

// -----

%a, %b = "test.op"() : () -> (memref<4x4xf32>, memref<4xf32>)
tile.reduce <add> %a into %b : memref<4x4xf32>, memref<4xf32>
// CHECK: 'tile.reduce' has no axes and several fit from [4, 4] to [4]: write axes [0] or axes [1]

// -----

%a, %b = "test.op"() : () -> (memref<4x4xf32>, memref<3xf32>)
tile.reduce <add> %a into %b : memref<4x4xf32>, memref<3xf32>
// CHECK: 'tile.reduce' has a destination of shape [3]: no axes reduce [4, 4] to it

// -----

%a, %b = "test.op"() : () -> (memref<0xf32>, memref<1xf32>)
tile.reduce <maxnumf> %a into %b : memref<0xf32>, memref<1xf32>
// CHECK: 'tile.reduce' reduces axis 0 of extent 0: the result of nothing is not defined, a fold starts from its first element

// -----

%a, %b = "test.op"() : () -> (memref<?xf32>, memref<1xf32>)
tile.reduce <add> %a into %b : memref<?xf32>, memref<1xf32>
// CHECK: 'tile.reduce' has a dynamic shape (memref<?xf32> into memref<1xf32>): tiles have static shapes

// -----

%a, %b = "test.op"() : () -> (memref<8xi32>, memref<1xi32>)
tile.reduce <add> %a into %b order(lanes8) : memref<8xi32>, memref<1xi32>
// CHECK: 'tile.reduce' has order(lanes8) on <add> of i32: only float add and mul take an order, the result of other kinds does not depend on it

// -----

%a, %b = "test.op"() : () -> (memref<8xf64>, memref<1xf64>)
tile.reduce <add> %a into %b ftz : memref<8xf64>, memref<1xf64>
// CHECK: 'tile.reduce' has ftz on f64: ftz flushes f32 subnormals and is for f32 only

// -----

%a, %b = "test.op"() : () -> (memref<8x!test.type<"x">>, memref<1x!test.type<"x">>)
tile.reduce <add> %a into %b : memref<8x!test.type<"x">>, memref<1x!test.type<"x">>
// CHECK: 'tile.reduce' has elements of type !test.type<"x">: a tile holds floats or integers
