// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP

%a, %b, %c, %d = "test.op"() : () -> (memref<32xf32, 5>, memref<1xf32, 5>, memref<3x4x5xi8>, memref<4xi8>)

tile.reduce <add> %a into %b : memref<32xf32, 5>, memref<1xf32, 5>
//         CHECK: tile.reduce <add> %a into %b : memref<32xf32, 5 : i64>, memref<1xf32, 5 : i64>
// CHECK-GENERIC: "tile.reduce"(%a, %b) <{kind = #tile<kind add>, scope = #tile<scope thread>}> : (memref<32xf32, 5 : i64>, memref<1xf32, 5 : i64>) -> ()

tile.reduce <add> %a into %b axes [-1] order(lanes8) scope(warp) variant("local") accumulate ftz : memref<32xf32, 5>, memref<1xf32, 5>
//         CHECK: tile.reduce <add> %a into %b axes [-1] order(lanes8) scope(warp) variant("local") accumulate ftz :
// CHECK-GENERIC: "tile.reduce"(%a, %b) <{kind = #tile<kind add>, axes = array<i64: -1>, order = #tile<order lanes8>, scope = #tile<scope warp>, variant = "local", accumulate, ftz}> :

// Every part between the operands and the types is optional, and the defaults are not printed.
tile.reduce <maxnumf> %a into %b scope(thread) {tag = "kept"} : memref<32xf32, 5>, memref<1xf32, 5>
//         CHECK: tile.reduce <maxnumf> %a into %b {tag = "kept"} :

tile.reduce <xor> %c into %d axes [0, 2] : memref<3x4x5xi8>, memref<4xi8>
//         CHECK: tile.reduce <xor> %c into %d axes [0, 2] : memref<3x4x5xi8>, memref<4xi8>

// No axis at all: a copy.
tile.reduce <add> %d into %d axes [] : memref<4xi8>, memref<4xi8>
//         CHECK: tile.reduce <add> %d into %d axes [] : memref<4xi8>, memref<4xi8>
// CHECK-GENERIC: axes = array<i64>

// The axes may be left out where one set fits; the destination may keep the reduced axes.
%e = "test.op"() : () -> memref<1x4x1xi8>
tile.reduce <minui> %c into %e : memref<3x4x5xi8>, memref<1x4x1xi8>
//         CHECK: tile.reduce <minui> %c into %e :

// The type that values are widened to and combined in; the destination has it, or the source's.
%f, %g = "test.op"() : () -> (memref<8xbf16>, memref<1xf32>)
tile.reduce <add> %f into %g acc(f32) order(tree) : memref<8xbf16>, memref<1xf32>
//         CHECK: tile.reduce <add> %f into %g acc(f32) order(tree) : memref<8xbf16>, memref<1xf32>
// CHECK-GENERIC: "tile.reduce"(%f, %g) <{kind = #tile<kind add>, acc = f32, order = #tile<order tree>,

tile.reduce <add> %d into %d axes [] acc(i32) : memref<4xi8>, memref<4xi8>
//         CHECK: tile.reduce <add> %d into %d axes [] acc(i32) : memref<4xi8>, memref<4xi8>

tile.reduce <absmax> %a into %b : memref<32xf32, 5>, memref<1xf32, 5>
//         CHECK: tile.reduce <absmax> %a into %b :
// CHECK-GENERIC: kind = #tile<kind absmax>

tile.reduce <sumsq> %a into %b order(sequential) : memref<32xf32, 5>, memref<1xf32, 5>
//         CHECK: tile.reduce <sumsq> %a into %b order(sequential) :

// Two sources.
tile.dot %f, %f into %g axes [0] acc(f32) order(any) scope(thread) variant("local") accumulate ftz : memref<8xbf16>, memref<8xbf16>, memref<1xf32>
//         CHECK: tile.dot %f, %f into %g axes [0] acc(f32) order(any) variant("local") accumulate ftz : memref<8xbf16>, memref<8xbf16>, memref<1xf32>
// CHECK-GENERIC: "tile.dot"(%f, %f, %g) <{axes = array<i64: 0>, acc = f32, order = #tile<order any>,
// CHECK-GENERIC-SAME: variant = "local", accumulate, ftz
