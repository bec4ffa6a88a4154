// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP

%a, %b, %c = "test.op"() : () -> (f32, f32, f32)
%d, %e, %f, %g = "test.op"() : () -> (f64, bf16, vector<2xf16>, vector<2xbf16>)

%pair = packed.pack %a, %b : f32 to vector<2xf32>
//         CHECK: %pair = packed.pack %a, %b : f32 to vector<2xf32>
// CHECK-GENERIC: %pair = "packed.pack"(%a, %b) : (f32, f32) -> vector<2xf32>

%sum = packed.add %pair, %pair {ftz} : vector<2xf32>
//         CHECK: %sum = packed.add %pair, %pair {ftz} : vector<2xf32>
// CHECK-GENERIC: %sum = "packed.add"(%pair, %pair) <{ftz}> : (vector<2xf32>, vector<2xf32>) -> vector<2xf32>

%product = packed.mul %d, %d : f64
//         CHECK: %product = packed.mul %d, %d : f64

%fused = packed.fma %f, %f, %f : vector<2xf16>
//         CHECK: %fused = packed.fma %f, %f, %f : vector<2xf16>
// CHECK-GENERIC: %fused = "packed.fma"(%f, %f, %f) :

%low, %high = packed.unpack %sum : vector<2xf32> to f32
//         CHECK: %low, %high = packed.unpack %sum : vector<2xf32> to f32

%max = packed.max %e, %e {nan} : bf16
//         CHECK: %max = packed.max %e, %e {nan} : bf16

%min = packed.min %g, %g : vector<2xbf16>
//         CHECK: %min = packed.min %g, %g : vector<2xbf16>

%max3 = packed.max3 %a, %b, %c {nan} : f32
//         CHECK: %max3 = packed.max3 %a, %b, %c {nan} : f32
// CHECK-GENERIC: %max3 = "packed.max3"(%a, %b, %c) <{nan}> : (f32, f32, f32) -> f32

%min3 = packed.min3 %a, %b, %c {ftz} : f32
//         CHECK: %min3 = packed.min3 %a, %b, %c {ftz} : f32
