// RUN: xdsl-opt "%s" --split-input-file --verify-diagnostics | filecheck "%s"

%a, %b = "test.op"() : () -> (memref<8xf32, 5>, memref<1xf32, 5>)
tile.reduce <and> %a into %b : memref<8xf32, 5>, memref<1xf32, 5>
// CHECK: 'tile.reduce' has kind <and> on f32: it combines integers; floats take add, mul, maxnumf, minnumf, maximumf, minimumf, absmax, sumsq

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
// CHECK: 'tile.reduce' has order(lanes8) on <add> of i32: only float sums and products take an order, the result of other kinds does not depend on it

// -----

%a, %b = "test.op"() : () -> (memref<8xf64>, memref<1xf64>)
tile.reduce <add> %a into %b ftz : memref<8xf64>, memref<1xf64>
// CHECK: 'tile.reduce' has ftz on f64: ftz flushes f32 subnormals and is for f32 only

// -----

%a, %b = "test.op"() : () -> (memref<8x!test.type<"x">>, memref<1x!test.type<"x">>)
tile.reduce <add> %a into %b : memref<8x!test.type<"x">>, memref<1x!test.type<"x">>
// CHECK: 'tile.reduce' has elements of type !test.type<"x">: a tile holds floats or integers

// -----

%a, %b = "test.op"() : () -> (memref<4xi32>, memref<1xi32>)
tile.reduce <absmax> %a into %b : memref<4xi32>, memref<1xi32>
// CHECK: 'tile.reduce' has kind <absmax> on i32: it combines floats; integers take add, mul, maxsi, minsi, maxui, minui, and, or, xor

// -----

%a, %b = "test.op"() : () -> (memref<8xf32>, memref<1xf32>)
tile.reduce <dot> %a into %b : memref<8xf32>, memref<1xf32>
// CHECK: 'tile.reduce' has kind <dot>, which takes two sources: use tile.dot

// -----

%a, %b = "test.op"() : () -> (memref<8xf32>, memref<1xf32>)
tile.reduce <absmax> %a into %b order(tree) : memref<8xf32>, memref<1xf32>
// CHECK: 'tile.reduce' has order(tree) on <absmax> of f32: only float sums and products take an order

// -----

// The accumulation type is wider, and of the same sort.
%a, %b = "test.op"() : () -> (memref<8xf32>, memref<1xf32>)
tile.reduce <add> %a into %b acc(bf16) : memref<8xf32>, memref<1xf32>
// CHECK: 'tile.reduce' has acc(bf16) on f32: the accumulation type is a wider type of the same sort

// -----

%a, %b = "test.op"() : () -> (memref<8xi8>, memref<1xi8>)
tile.reduce <add> %a into %b acc(f32) : memref<8xi8>, memref<1xi8>
// CHECK: 'tile.reduce' has acc(f32) on i8: the accumulation type is a wider type of the same sort

// -----

%a, %b = "test.op"() : () -> (memref<8xbf16>, memref<1xf64>)
tile.reduce <add> %a into %b acc(f32) : memref<8xbf16>, memref<1xf64>
// CHECK: 'tile.reduce' reduces bf16 in f32 into f64: the destination has the source's element type or the accumulation type

// -----

// ftz is about the type that values are combined in.
%a, %b = "test.op"() : () -> (memref<8xf32>, memref<1xf32>)
tile.reduce <add> %a into %b acc(f64) ftz : memref<8xf32>, memref<1xf32>
// CHECK: 'tile.reduce' has ftz on f64: ftz flushes f32 subnormals and is for f32 only

// -----

%a, %b, %c = "test.op"() : () -> (memref<8xf32>, memref<4xf32>, memref<1xf32>)
tile.dot %a, %b into %c : memref<8xf32>, memref<4xf32>, memref<1xf32>
// CHECK: 'tile.dot' has sources of shape [8] and [4]: they have one shape

// -----

%a, %b, %c = "test.op"() : () -> (memref<8xf32>, memref<8xf16>, memref<1xf32>)
tile.dot %a, %b into %c : memref<8xf32>, memref<8xf16>, memref<1xf32>
// CHECK: 'tile.dot' has sources of f32 and f16: they have one element type

// -----

%a, %b = "test.op"() : () -> (memref<8xi32>, memref<1xi32>)
tile.dot %a, %a into %b : memref<8xi32>, memref<8xi32>, memref<1xi32>
// CHECK: 'tile.dot' has kind <dot> on i32: it combines floats

// -----

%a, %b = "test.op"() : () -> (memref<2x4xf32>, memref<2xf32>)
tile.dot %a, %a into %b axes [0] : memref<2x4xf32>, memref<2x4xf32>, memref<2xf32>
// CHECK: 'tile.dot' has a destination of shape [2]: [2, 4] reduced along axes [0] is [4] (or the same with reduced axes kept as 1)
