// RUN: xdsl-opt --split-input-file --verify-diagnostics "%s" -p 'ptx-set-target{chip="sm_80"},tile-dispatch{variant="packed_16bit"}' | filecheck "%s"

func.func @integers(%a: memref<4xi16, 5>, %b: memref<1xi16, 5>) {
  tile.reduce <maxui> %a into %b : memref<4xi16, 5>, memref<1xi16, 5>
  func.return
}
// CHECK: max.u16x2 needs sm_90 or newer, the target is sm_80

// -----

func.func @sum8(%a: memref<8xbf16, 5>, %b: memref<1xbf16, 5>) {
  tile.reduce <add> %a into %b order(lanes8) : memref<8xbf16, 5>, memref<1xbf16, 5>
  func.return
}
// CHECK: there is no packed bf16 add below sm_90

// -----

func.func @short(%a: memref<7xf16, 5>, %b: memref<1xf16, 5>) {
  tile.reduce <add> %a into %b order(lanes8) : memref<7xf16, 5>, memref<1xf16, 5>
  func.return
}
// CHECK: lanes8 has no two lanes at 7 elements

// -----

func.func @wide(%a: memref<8xf16, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <add> %a into %b acc(f32) order(lanes8) : memref<8xf16, 5>, memref<1xf32, 5>
  func.return
}
// CHECK: values are combined in f32, expected f16 or bf16 or i16
