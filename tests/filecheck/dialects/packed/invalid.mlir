// RUN: xdsl-opt "%s" --split-input-file --verify-diagnostics | filecheck "%s"

%a = "test.op"() : () -> f64
%b = packed.add %a, %a {ftz} : f64
// CHECK: 'packed.add' has ftz on f64: ftz is for f32 and vector<2xf32>

// -----

%a = "test.op"() : () -> vector<2xf32>
%b = packed.max %a, %a : vector<2xf32>
// CHECK: 'packed.max' has no vector<2xf32> form: use the op on each f32 lane

// -----

%a = "test.op"() : () -> f64
%b = packed.min %a, %a {nan} : f64
// CHECK: 'packed.min' has no nan form on f64 (PTX has no max.NaN.f64): compare and select

// -----

%a = "test.op"() : () -> f32
%b = packed.pack %a, %a : f32 to vector<2xf16>
// CHECK: 'packed.pack' packs two f32 into vector<2xf16>: the result is vector<2xf32>

// -----

%a = "test.op"() : () -> vector<2xf16>
%b, %c = packed.unpack %a : vector<2xf16> to f32
// CHECK: 'packed.unpack' unpacks vector<2xf16> into two f32: the lanes have the pair's element type

// -----

%a = "test.op"() : () -> vector<4xf32>
%b = packed.add %a, %a : vector<4xf32>
// CHECK: Expected attribute [#builtin.int<2>] but got [#builtin.int<4>]

// -----

%a = "test.op"() : () -> f16
%b = packed.max3 %a, %a, %a : f16
// CHECK: Expected attribute f32 but got f16
