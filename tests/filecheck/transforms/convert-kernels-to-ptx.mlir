// RUN: xdsl-opt -p 'ptx-set-target{chip="sm_100a"},convert-kernels-to-ptx' -t ptx "%s" | filecheck "%s"

// Neighbours become one access at the place of the first load and of the last store, as wide
// as the alignment allows, in whatever order they are written.
func.func @neighbours(%a: memref<8xf32, 1> {llvm.align = 32 : i64}, %b: memref<8xf32, 1> {llvm.align = 16 : i64}, %c: memref<8xf32, 1>) attributes {gpu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %v = vector.load %a[%c0] : memref<8xf32, 1>, vector<8xf32>
  %x3 = memref.load %b[%c3] : memref<8xf32, 1>
  %x0 = memref.load %b[%c0] : memref<8xf32, 1>
  %x1 = memref.load %b[%c1] : memref<8xf32, 1>
  %x2 = memref.load %b[%c2] : memref<8xf32, 1>
  %y0 = memref.load %c[%c0] : memref<8xf32, 1>
  %y1 = memref.load %c[%c1] : memref<8xf32, 1>
  memref.store %x0, %b[%c1] : memref<8xf32, 1>
  memref.store %x3, %b[%c0] : memref<8xf32, 1>
  func.return
}
//      CHECK: .visible .entry neighbours(
// CHECK-NEXT: .param .u64 .ptr .align 32 neighbours_param_0,
// CHECK-NEXT: .param .u64 .ptr .align 16 neighbours_param_1,
// CHECK-NEXT: .param .u64 .ptr .align 4 neighbours_param_2
//      CHECK: ld.param.b64 [[A:%rd\d+]], [neighbours_param_0];
// CHECK-NEXT: ld.param.b64 [[B:%rd\d+]], [neighbours_param_1];
// CHECK-NEXT: ld.param.b64 [[C:%rd\d+]], [neighbours_param_2];
// CHECK-NEXT: ld.global.v8.b32 {{.*}}, {{\[}}[[A]]];
// CHECK-NEXT: ld.global.v4.b32 {[[X0:%r\d+]], {{%r\d+, %r\d+}}, [[X3:%r\d+]]}, {{\[}}[[B]]];
// CHECK-NEXT: ld.global.b32 {{%r\d+}}, {{\[}}[[C]]];
// CHECK-NEXT: ld.global.b32 {{%r\d+}}, {{\[}}[[C]]+4];
// CHECK-NEXT: st.global.v2.b32 {{\[}}[[B]]], {[[X3]], [[X0]]};
// CHECK-NEXT: ret;

// A store that may be to the same memory parts them: generic memory may be any, shared is not global.
func.func @aliases(%a: memref<2xf32, 1> {llvm.align = 8 : i64}, %g: memref<1xf32>, %s: memref<1xf32, 3>) attributes {gpu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x0 = memref.load %a[%c0] : memref<2xf32, 1>
  memref.store %x0, %g[%c0] : memref<1xf32>
  %x1 = memref.load %a[%c1] : memref<2xf32, 1>
  %y0 = memref.load %a[%c0] : memref<2xf32, 1>
  memref.store %x1, %s[%c0] : memref<1xf32, 3>
  %y1 = memref.load %a[%c1] : memref<2xf32, 1>
  func.return
}
//      CHECK: .entry aliases(
//      CHECK: ld.global.b32
// CHECK-NEXT: st.b32
// CHECK-NEXT: ld.global.v2.b32
// CHECK-NEXT: st.shared.b32
// CHECK-NEXT: ret;

// What is constant goes to the offset; what is not is computed once for the neighbours.
func.func @indices(%a: memref<16x8xf32, 1> {llvm.align = 16 : i64}) attributes {gpu.kernel} {
  %t = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
  %unused = arith.index_cast %t : index to i64
  %again = arith.index_cast %unused : i64 to index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %u = arith.addi %t, %c2 : index
  %x = memref.load %a[%u, %c4] : memref<16x8xf32, 1>
  %y = memref.load %a[%u, %c5] : memref<16x8xf32, 1>
  %row = memref.subview %a[%t, 0] [1, 4] [1, 2] : memref<16x8xf32, 1> to memref<4xf32, strided<[2], offset: ?>, 1>
  memref.store %x, %row[%c2] : memref<4xf32, strided<[2], offset: ?>, 1>
  func.return
}
//      CHECK: .entry indices(
//      CHECK: mov.b32 [[ROW:%r\d+]], 32;
//      CHECK: ld.param.b64 [[A:%rd\d+]], [indices_param_0];
//      CHECK: mov.u32 [[T:%r\d+]], %tid.x;
// CHECK-NEXT: mul.wide.u32 [[M:%rd\d+]], [[T]], [[ROW]];
// CHECK-NEXT: add.s64 [[P:%rd\d+]], [[A]], [[M]];
// CHECK-NEXT: ld.global.v2.b32 {[[X:%r\d+]], {{%r\d+}}}, {{\[}}[[P]]+80];
// CHECK-NEXT: st.global.b32 {{\[}}[[P]]+16], [[X]];
// CHECK-NEXT: ret;

// A loop has its condition at the end; a swap goes through registers of its own.
func.func @swap(%a: memref<2xf32>, %n: index) attributes {gpu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.load %a[%c0] : memref<2xf32>
  %y = memref.load %a[%c1] : memref<2xf32>
  %r, %s = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (f32, f32) {
    scf.yield %q, %p : f32, f32
  }
  memref.store %r, %a[%c0] : memref<2xf32>
  func.return
}
//      CHECK: .entry swap(
//      CHECK: setp.lt.s64 [[P:%p\d+]]
// CHECK-NEXT: @![[P]] bra [[AFTER:\$L_swap_\d+]];
// CHECK-NEXT: [[BODY:\$L_swap_\d+]]:
//      CHECK: mov.b32 [[A:%r\d+]], [[FIRST:%r\d+]];
// CHECK-NEXT: mov.b32 [[B:%r\d+]], [[SECOND:%r\d+]];
//      CHECK: mov.b32 [[FIRST]], [[B]];
// CHECK-NEXT: mov.b32 [[SECOND]], [[A]];
//      CHECK: setp.lt.s64 [[Q:%p\d+]]
// CHECK-NEXT: @[[Q]] bra [[BODY]];
// CHECK-NEXT: [[AFTER]]:
// CHECK-NEXT: mov.b32 [[R:%r\d+]], [[FIRST]];
//      CHECK: st.b32 [{{%rd\d+}}], [[R]];

// Kernels of a gpu.module and device functions share the text; small integers are passed as C does.
"gpu.module"() ({
  "gpu.func"() <{function_type = (memref<1xf32, 1>) -> (), kernel}> ({
  ^bb0(%a: memref<1xf32, 1>):
    %x = arith.constant -0.5 : f32
    %i = arith.constant 3 : i8
    %y = func.call @device(%x, %i) : (f32, i8) -> f32
    %c0 = arith.constant 0 : index
    memref.store %y, %a[%c0] : memref<1xf32, 1>
    "gpu.barrier"() : () -> ()
    "gpu.return"() : () -> ()
  }) {sym_name = "inner", gpu.known_block_size = array<i32: 32, 1, 1>} : () -> ()
  func.func @device(%x: f32, %i: i8) -> f32 {
    %f = arith.sitofp %i : i8 to f32
    %r = arith.addf %x, %f : f32
    func.return %r : f32
  }
}) {sym_name = "kernels"} : () -> ()
//      CHECK: .entry inner(
//      CHECK: .reqntid 32, 1, 1
//      CHECK: mov.b32 [[X:%r\d+]], 0fBF000000;
//      CHECK: cvt.s32.s8 [[I:%r\d+]],
//      CHECK: st.param.b32 [{{\w+}}], [[X]];
//      CHECK: st.param.b32 [{{\w+}}], [[I]];
//      CHECK: call.uni
//      CHECK: bar.sync 0;
// CHECK-NEXT: ret;
//      CHECK: .visible .func (.param .b32 device_retval0) device(.param .b32 device_param_0, .param .b32 device_param_1)
//      CHECK: st.param.b32 [device_retval0]
// CHECK-NEXT: ret;

// Vectors are lanes, pairs one register, made once however often they are used.
func.func @pairs(%a: memref<4xf32, 1> {llvm.align = 16 : i64}) attributes {gpu.kernel} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %v = vector.load %a[%c0] : memref<4xf32, 1>, vector<2xf32>
  %w = packed.add %v, %v {ftz} : vector<2xf32>
  %u = packed.fma %v, %w, %w : vector<2xf32>
  %x, %y = packed.unpack %u : vector<2xf32> to f32
  %m = packed.max3 %x, %y, %x {nan} : f32
  vector.store %u, %a[%c0] : memref<4xf32, 1>, vector<2xf32>
  memref.store %m, %a[%c2] : memref<4xf32, 1>
  func.return
}
//      CHECK: .entry pairs(
//      CHECK: ld.global.v2.b32 {[[L:%r\d+]], [[H:%r\d+]]}, [{{%rd\d+}}];
// CHECK-NEXT: mov.b64 [[V:%rd\d+]], {[[L]], [[H]]};
// CHECK-NEXT: add.rn.ftz.f32x2 [[W:%rd\d+]], [[V]], [[V]];
// CHECK-NEXT: fma.rn.f32x2 [[U:%rd\d+]], [[V]], [[W]], [[W]];
// CHECK-NEXT: mov.b64 {[[X:%r\d+]], [[Y:%r\d+]]}, [[U]];
// CHECK-NEXT: max.NaN.f32 [[M:%r\d+]], [[X]], [[Y]], [[X]];
// CHECK-NEXT: st.global.v2.b32 [{{%rd\d+}}], {[[X]], [[Y]]};
// CHECK-NEXT: st.global.b32 [{{%rd\d+}}+8], [[M]];
