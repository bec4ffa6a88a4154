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
