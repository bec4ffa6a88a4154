// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_90"},tile-dispatch' | filecheck "%s"

// CHECK-LABEL: func.func @maximum9
func.func @maximum9(%a: memref<9xbf16, 5>, %b: memref<1xbf16, 5>) {
  tile.reduce <maximumf> %a into %b : memref<9xbf16, 5>, memref<1xbf16, 5>
  func.return
}
// Four pairs of neighbours: two, then three at a time; then their lanes and the odd value.
// CHECK:      [[P0:%.*]] = packed.pack %{{.*}}, %{{.*}} : bf16 to vector<2xbf16>
// CHECK-NEXT: [[P1:%.*]] = packed.pack %{{.*}}, %{{.*}} : bf16 to vector<2xbf16>
// CHECK-NEXT: [[Q:%.*]] = packed.max [[P0]], [[P1]] {nan} : vector<2xbf16>
// CHECK-NEXT: [[P2:%.*]] = packed.pack %{{.*}}, %{{.*}} : bf16 to vector<2xbf16>
// CHECK-NEXT: [[P3:%.*]] = packed.pack %{{.*}}, %{{.*}} : bf16 to vector<2xbf16>
// CHECK-NEXT: [[R:%.*]] = packed.max [[P2]], [[P3]] {nan} : vector<2xbf16>
// CHECK-NEXT: [[S:%.*]] = packed.max [[R]], [[Q]] {nan} : vector<2xbf16>
// CHECK-NEXT: [[LO:%.*]], [[HI:%.*]] = packed.unpack [[S]] : vector<2xbf16> to bf16
// CHECK-NEXT: [[T:%.*]] = packed.max [[LO]], [[HI]] {nan} : bf16
// CHECK-NEXT: packed.max [[T]], %{{.*}} {nan} : bf16
// CHECK-NOT:  tile.reduce

// CHECK-LABEL: func.func @sum8
func.func @sum8(%a: memref<8xf16, 5>, %b: memref<1xf16, 5>) {
  tile.reduce <add> %a into %b order(lanes8) : memref<8xf16, 5>, memref<1xf16, 5>
  func.return
}
// CHECK-COUNT-3: packed.add %{{.*}}, %{{.*}} : vector<2xf16>
// CHECK:         [[LO:%.*]], [[HI:%.*]] = packed.unpack
// CHECK-NEXT:    packed.add [[LO]], [[HI]] : f16

// CHECK-LABEL: func.func @integers
func.func @integers(%a: memref<4xi16, 5>, %b: memref<1xi16, 5>) {
  tile.reduce <maxui> %a into %b : memref<4xi16, 5>, memref<1xi16, 5>
  func.return
}
// CHECK:      [[P0:%.*]] = packed.pack %{{.*}}, %{{.*}} : i16 to vector<2xi16>
// CHECK-NEXT: [[P1:%.*]] = packed.pack %{{.*}}, %{{.*}} : i16 to vector<2xi16>
// CHECK-NEXT: [[Q:%.*]] = arith.maxui [[P0]], [[P1]] : vector<2xi16>
// CHECK-NEXT: [[LO:%.*]], [[HI:%.*]] = packed.unpack [[Q]] : vector<2xi16> to i16
// CHECK-NEXT: arith.maxui [[LO]], [[HI]] : i16
