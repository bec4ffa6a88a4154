// RUN: xdsl-opt "%s" --split-input-file -p 'ptx-set-target{chip="sm_100a"},tile-dispatch,convert-to-ptx' -t ptx | filecheck "%s"
// RUN: xdsl-opt "%s" --split-input-file -p 'ptx-set-target{chip="sm_90"},tile-dispatch,convert-to-ptx' -t ptx | filecheck "%s" --check-prefix=HOPPER
// RUN: xdsl-opt "%s" --split-input-file -p 'ptx-set-target{chip="sm_100a" version="8.6"},tile-dispatch{report=text},convert-to-ptx' -t ptx 2>&1 | filecheck "%s" --check-prefix=OLD

// The lowest version that knows the forms which the chosen variant uses.

func.func @sum(%src: memref<4xf32, 1>, %dst: memref<1xf32, 1>) attributes {gpu.kernel} {
  %a = memref.alloca() : memref<4xf32, 5>
  %b = memref.alloca() : memref<1xf32, 5>
  "memref.copy"(%src, %a) : (memref<4xf32, 1>, memref<4xf32, 5>) -> ()
  tile.reduce <add> %a into %b order(tree) : memref<4xf32, 5>, memref<1xf32, 5>
  "memref.copy"(%b, %dst) : (memref<1xf32, 5>, memref<1xf32, 1>) -> ()
  func.return
}
// CHECK:      .version 8.6
// CHECK-NEXT: .target sm_100a
// CHECK:      add.rn.f32x2
// HOPPER:      .version 7.8
// HOPPER-NEXT: .target sm_90
// HOPPER-NOT:  f32x2

// -----

func.func @max(%src: memref<3xf32, 1>, %dst: memref<1xf32, 1>) attributes {gpu.kernel} {
  %a = memref.alloca() : memref<3xf32, 5>
  %b = memref.alloca() : memref<1xf32, 5>
  "memref.copy"(%src, %a) : (memref<3xf32, 1>, memref<3xf32, 5>) -> ()
  tile.reduce <maxnumf> %a into %b : memref<3xf32, 5>, memref<1xf32, 5>
  "memref.copy"(%b, %dst) : (memref<1xf32, 5>, memref<1xf32, 1>) -> ()
  func.return
}
// CHECK:      .version 8.8
// CHECK-NEXT: .target sm_100a
// CHECK:      max.f32 %r{{.*}}, %r{{.*}}, %r{{.*}}, %r{{.*}};
// HOPPER:       .version 7.8
// HOPPER-COUNT-2: max.f32 %r{{.*}}, %r{{.*}}, %r{{.*}};

// Under a version that does not know a form its variant declines.
// OLD: @max
// OLD:   packed_tree (priority 30): declines
// OLD:     legal             max.f32 3in needs PTX 8.8, the target says 8.6
// OLD:   local (priority 10): chosen
// OLD: .version 8.6
// OLD-COUNT-2: max.f32
