// RUN: xdsl-opt --split-input-file --verify-diagnostics "%s" | filecheck "%s"

%a = "test.op"() : () -> i32
%b = packed.pack %a, %a : i32 to vector<2xi32>
// CHECK: Expected attribute i16 but got i32

// -----

%a = "test.op"() : () -> vector<2xi16>
%b = packed.add %a, %a : vector<2xi16>
// CHECK: Unexpected attribute i16
