// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=text enable="chunked","local"}' 2>&1 >/dev/null | filecheck "%s"

func.func @refused(%a: memref<4x65x1xf32, 5>, %b: memref<65xf32, 5>) {
  tile.reduce <add> %a into %b axes [0, 2] order(tree) : memref<4x65x1xf32, 5>, memref<65xf32, 5>
  func.return
}
// CHECK:      @refused
// CHECK-NEXT:   chunked (priority 10): declines
// CHECK-NEXT:     exec_scope        yes
// CHECK-NEXT:     in_memory         source is in local storage, expected global or shared memory
// CHECK-NEXT:     one_axis          reduces 2 axes, expected one: the loop runs along it
// CHECK-NEXT:     few_destinations  destination has 65 elements, expected 64 or fewer
// CHECK-NEXT:     reduction_len     yes
// CHECK-NEXT:     no_long_tree      order is tree over 260 elements, which no loop keeps: expected 256 elements or fewer, or lanes8 or sequential
// CHECK-NEXT:     legal             yes
// CHECK-NEXT:   local (priority 10): chosen
