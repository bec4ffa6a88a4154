// RUN: xdsl-opt -p 'ptx-set-target{chip="sm_100a"},convert-to-ptx' "%s" | filecheck "%s"
// RUN: xdsl-opt -p 'ptx-set-target{chip="sm_80"},convert-to-ptx' "%s" | filecheck "%s" --check-prefix OLDER

func.func @pairs(%a: memref<4xi16, 1> {llvm.align = 8 : i64}, %b: memref<2xi16, 1>) attributes {gpu.kernel} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %x = vector.load %a[%c0] : memref<4xi16, 1>, vector<2xi16>
  %y = vector.load %a[%c2] : memref<4xi16, 1>, vector<2xi16>
  %sum = arith.addi %x, %y : vector<2xi16>
  %max = arith.maxui %sum, %y : vector<2xi16>
  %min = arith.minsi %max, %x : vector<2xi16>
  %bits = arith.xori %min, %y : vector<2xi16>
  vector.store %bits, %b[%c0] : memref<2xi16, 1>, vector<2xi16>
  func.return
}
// CHECK-LABEL: ptx.entry @pairs
//      CHECK: [[SUM:%\w+]] = ptx.add s16x2 [[X:%\w+]], [[Y:%\w+]] : !ptx.b32
// CHECK-NEXT: [[MAX:%\w+]] = ptx.max u16x2 [[SUM]], [[Y]] : !ptx.b32
// CHECK-NEXT: [[MIN:%\w+]] = ptx.min s16x2 [[MAX]], [[X]] : !ptx.b32
// CHECK-NEXT: ptx.xor b32 [[MIN]], [[Y]] : !ptx.b32

// Lane by lane where there is no such instruction; the bits of both lanes at once everywhere.
// OLDER-LABEL: ptx.entry @pairs
// OLDER-COUNT-2: ptx.add s16
// OLDER-COUNT-2: ptx.max u16
// OLDER-COUNT-2: ptx.min s16
//         OLDER: ptx.xor b32

func.func @mixed(%a: memref<2xf16, 1>, %b: memref<1xf32, 1>) attributes {gpu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.load %a[%c0] : memref<2xf16, 1>
  %y = memref.load %a[%c1] : memref<2xf16, 1>
  %wide_x = arith.extf %x : f16 to f32
  %wide_y = arith.extf %y : f16 to f32
  %sum = packed.add %wide_x, %wide_y : f32
  %flushed = packed.add %sum, %wide_x {ftz} : f32
  memref.store %flushed, %b[%c0] : memref<1xf32, 1>
  func.return
}
// The second is widened and added at once; the first is wanted twice.
// CHECK-LABEL: ptx.entry @mixed
//       CHECK: [[WIDE:%\w+]] = ptx.cvt
//  CHECK-NEXT: [[SUM:%\w+]] = ptx.add_mixed f16 %{{\w+}}, [[WIDE]]
//  CHECK-NEXT: ptx.add f32 [[SUM]], [[WIDE]] {ftz}

// OLDER-LABEL: ptx.entry @mixed
// OLDER-COUNT-2: ptx.cvt
//    OLDER-NEXT: ptx.add f32
//    OLDER-NEXT: ptx.add f32
