// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_90"},tile-dispatch' --split-input-file --verify-diagnostics | filecheck "%s"

func.func @warp(%a: memref<32xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <add> %a into %b scope(warp) : memref<32xf32, 5>, memref<1xf32, 5>
  func.return
}
// CHECK:      @warp: `tile.reduce <add> %a into %b scope(warp) {{.*}}: error: 'tile.reduce' <add> 32xf32 -> 1xf32 axes [0], order lanes8, warp, sm_90: no variant takes it
// CHECK:        packed_columns (priority 40): declines
// CHECK-NEXT:     exec_scope        scope is warp, expected thread
// CHECK:        packed_tree (priority 30): declines
// CHECK-NEXT:     exec_scope        scope is warp, expected thread
// CHECK:        sm100_packed (priority 20): declines
// CHECK-NEXT:     exec_scope        scope is warp, expected thread
// CHECK:          sm_version        chip is sm_90, expected sm_100 or newer
// CHECK:          legal             add.rn.f32x2 needs sm_100 or newer, the target is sm_90
// CHECK:        chunked (priority 10): declines
// CHECK-NEXT:     exec_scope        scope is warp, expected thread
// CHECK-NEXT:     in_memory         source is in local storage, expected global or shared memory
// CHECK:        local (priority 10): declines
// CHECK-NEXT:     exec_scope        scope is warp, expected thread
// CHECK-NEXT:     local_scope       yes
// CHECK-NEXT:     legal             yes

// -----

// Memory is read in a loop along one axis, by one variant alone.
func.func @shared(%a: memref<40x8xf32, 3>, %b: memref<1xf32, 5>) {
  tile.reduce <add> %a into %b : memref<40x8xf32, 3>, memref<1xf32, 5>
  func.return
}
// CHECK: no variant takes it
// CHECK: sm100_packed (priority 20): declines
// CHECK: local_scope       source is in shared memory, expected local
// CHECK: chunked (priority 10): declines
// CHECK: one_axis          reduces 2 axes, expected one: the loop runs along it
// CHECK: local (priority 10): declines
// CHECK: local_scope       source is in shared memory, expected local

// -----

func.func @forced(%a: memref<7xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <add> %a into %b variant("sm100_packed") : memref<7xf32, 5>, memref<1xf32, 5>
  func.return
}
// CHECK: variant 'sm100_packed' declines: sm_version: chip is sm_90, expected sm_100 or newer; reduction_len: reduces 7 elements, expected 8 or more; legal: add.rn.f32x2 needs sm_100 or newer, the target is sm_90

// -----

func.func @unknown(%a: memref<7xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <add> %a into %b variant("fastest") : memref<7xf32, 5>, memref<1xf32, 5>
  func.return
}
// CHECK: asks for variant 'fastest', which is unknown or not enabled: the enabled variants are chunked, local, {{.*}}packed_columns, packed_tree, sm100_packed

// -----

func.func @i1(%a: memref<8xi1, 5>, %b: memref<1xi1, 5>) {
  tile.reduce <add> %a into %b : memref<8xi1, 5>, memref<1xi1, 5>
  func.return
}
// CHECK: local (priority 10): declines
// CHECK: legal             there is no code for i1, whose add is xor: widen the elements first

// -----

func.func @index(%a: memref<2xindex, 5>, %b: memref<1xindex, 5>) {
  tile.reduce <add> %a into %b : memref<2xindex, 5>, memref<1xindex, 5>
  func.return
}
// CHECK: local (priority 10): declines
// CHECK: legal             index has no fixed width: cast the elements to i32 or i64 first

// -----

func.func @lie(%a: memref<8xf32, 5>, %b: memref<1xf32, 5>) {
  %part = memref.subview %a[2] [4] [1] : memref<8xf32, 5> to memref<4xf32, strided<[1]>, 5>
  tile.reduce <add> %part into %b : memref<4xf32, strided<[1]>, 5>, memref<1xf32, 5>
  func.return
}
// CHECK: 'memref.subview' has result type memref<4xf32, strided<[1]>, 5 : i64>, but it selects shape [4], strides [1], offset 2

// -----

func.func @space(%a: memref<8xf32, 7>, %b: memref<1xf32, 5>) {
  tile.reduce <add> %a into %b : memref<8xf32, 7>, memref<1xf32, 5>
  func.return
}
// CHECK: cannot be read as a reduction: memref<8xf32, 7 : i64> is in memory space 7 : i64: expected 1 (global), 3 (shared), 5 (local) or none
