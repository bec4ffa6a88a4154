// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP

%a, %b = "test.op"() : () -> (i16, i16)

%pair = packed.pack %a, %b : i16 to vector<2xi16>
//         CHECK: %pair = packed.pack %a, %b : i16 to vector<2xi16>
// CHECK-GENERIC: %pair = "packed.pack"(%a, %b) : (i16, i16) -> vector<2xi16>

%low, %high = packed.unpack %pair : vector<2xi16> to i16
//         CHECK: %low, %high = packed.unpack %pair : vector<2xi16> to i16
// CHECK-GENERIC: %low, %high = "packed.unpack"(%pair) : (vector<2xi16>) -> (i16, i16)
