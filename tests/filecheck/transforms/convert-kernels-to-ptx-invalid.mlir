// RUN: xdsl-opt -p 'ptx-set-target{chip="sm_90"},convert-kernels-to-ptx' --split-input-file --verify-diagnostics "%s" | filecheck "%s"

// CHECK: @k: `func.func {{.*}}error: 'func.func' cannot be lowered to PTX: memref<?xf32, 1 : i64> has a dynamic shape: give every extent
func.func @k(%a: memref<?xf32, 1>) attributes {gpu.kernel} {
  func.return
}

// -----

// CHECK: cannot be lowered to PTX: memref<4xf32, strided<[?]>, 1 : i64> has dynamic strides or a dynamic offset: give them as numbers
func.func @k(%a: memref<4xf32, strided<[?]>, 1>) attributes {gpu.kernel} {
  func.return
}

// -----

// CHECK: memory space 7 : i64 of memref<4xf32, 7 : i64> is not known; there are 1 (global), 3 (shared), 5 (local), and none
func.func @k(%a: memref<4xf32, 7>) attributes {gpu.kernel} {
  func.return
}

// -----

// CHECK: has argument 0 in local memory, memref<4xf32, 5 : i64>, which is the thread's own: a kernel takes global (1) or generic memory
func.func @k(%a: memref<4xf32, 5>) attributes {gpu.kernel} {
  func.return
}

// -----

// CHECK: no register holds i4; there are i1, i8, i16, i32, i64, index, f16, bf16, f32 and f64
func.func @k(%a: i4) attributes {gpu.kernel} {
  func.return
}

// -----

// CHECK: no register holds vector<4xf32>
func.func @k(%a: vector<4xf32>) attributes {gpu.kernel} {
  func.return
}

// -----

// CHECK: is a kernel and returns 1 values: kernels return nothing, write the results through a memref
func.func @k(%a: f32) -> f32 attributes {gpu.kernel} {
  func.return %a : f32
}

// -----

// CHECK: returns 2 values: a PTX function returns at most one, write the others through a memref
func.func @f(%a: f32) -> (f32, f32) {
  func.return %a, %a : f32, f32
}

// -----

// CHECK: error: 'func.func' cannot be lowered to PTX: it has 2 blocks; use scf.for and scf.if
func.func @k(%p: i1) attributes {gpu.kernel} {
  cf.br ^end
^end:
  func.return
}

// -----

// CHECK: error: 'gpu.func' has the name of another function, @k: all functions share one PTX text, rename one
func.func @k() attributes {gpu.kernel} {
  func.return
}
"gpu.module"() ({
  "gpu.func"() <{function_type = () -> (), kernel}> ({
    "gpu.return"() : () -> ()
  }) {sym_name = "k"} : () -> ()
}) {sym_name = "m"} : () -> ()

// -----

// CHECK: error: 'memref.global' cannot be lowered to PTX: a module holds func.func, gpu.func and gpu.module
"memref.global"() <{sym_name = "g", sym_visibility = "private", type = memref<4xf32>, initial_value}> : () -> ()

// -----

// CHECK: error: 'func.call' calls @f, which has no body in this module
func.func private @f(f32)
func.func @k(%x: f32) attributes {gpu.kernel} {
  func.call @f(%x) : (f32) -> ()
  func.return
}

// -----

// CHECK: error: 'func.call' calls @f, which is a kernel
func.func @f(%x: f32) attributes {gpu.kernel} {
  func.return
}
func.func @k(%x: f32) attributes {gpu.kernel} {
  func.call @f(%x) : (f32) -> ()
  func.return
}

// -----

// CHECK: @k: `%x = memref.load {{.*}}error: 'memref.load' has index 4 out of range for dimension 0 of shape [4]
func.func @k(%m: memref<4xf32, 1>) attributes {gpu.kernel} {
  %c4 = arith.constant 4 : index
  %x = memref.load %m[%c4] : memref<4xf32, 1>
  func.return
}

// -----

// CHECK: error: 'memref.subview' selects 4 to 11 of dimension 0, which has extent 8
func.func @k(%m: memref<8xf32, 1>) attributes {gpu.kernel} {
  %s = memref.subview %m[4] [8] [1] : memref<8xf32, 1> to memref<8xf32, strided<[1], offset: 4>, 1>
  func.return
}

// -----

// CHECK: error: 'memref.subview' has result type memref<4xf32, strided<[2], offset: 4>, 1 : i64>, but it selects shape [4], strides [1], offset 4
func.func @k(%m: memref<8xf32, 1>) attributes {gpu.kernel} {
  %s = memref.subview %m[4] [4] [1] : memref<8xf32, 1> to memref<4xf32, strided<[2], offset: 4>, 1>
  func.return
}

// -----

// CHECK: error: 'memref.subview' has dynamic sizes: give them as numbers
func.func @k(%m: memref<8xf32, 1>, %n: index) attributes {gpu.kernel} {
  %s = memref.subview %m[4] [%n] [1] : memref<8xf32, 1> to memref<?xf32, strided<[1], offset: 4>, 1>
  func.return
}

// -----

// CHECK: error: 'memref.copy' cannot be lowered to PTX: it copies 100000 elements, at most 65536; write a loop
func.func @k(%m: memref<100000xf32, 1>, %n: memref<100000xf32, 1>) attributes {gpu.kernel} {
  "memref.copy"(%m, %n) : (memref<100000xf32, 1>, memref<100000xf32, 1>) -> ()
  func.return
}

// -----

// CHECK: error: 'memref.alloc' cannot be lowered to PTX: use memref.alloca in space 5 (local) or 3 (shared)
func.func @k() attributes {gpu.kernel} {
  %m = memref.alloc() : memref<4xf32>
  func.return
}

// -----

// CHECK: @k: `%y = math.sin %x : f32`: error: 'math.sin' cannot be lowered to PTX
func.func @k(%x: f32) attributes {gpu.kernel} {
  %y = math.sin %x : f32
  func.return
}

// -----

// CHECK: error: 'tile.reduce' cannot be lowered to PTX: tile-dispatch lowers it, or reports why not
func.func @k(%m: memref<4xf32, 1>, %n: memref<1xf32, 1>) attributes {gpu.kernel} {
  tile.reduce <add> %m into %n : memref<4xf32, 1>, memref<1xf32, 1>
  func.return
}

// -----

// CHECK: error: 'packed.max3' cannot be lowered to PTX: max.f32 3in needs sm_100 or newer, the target is sm_90
func.func @k(%x: f32) attributes {gpu.kernel} {
  %y = packed.max3 %x, %x, %x : f32
  func.return
}

// -----

// CHECK: error: 'packed.add' cannot be lowered to PTX: add.rn.f32x2 needs sm_100 or newer, the target is sm_90
func.func @k(%x: f32) attributes {gpu.kernel} {
  %v = packed.pack %x, %x : f32 to vector<2xf32>
  %w = packed.add %v, %v : vector<2xf32>
  func.return
}

// -----

// CHECK: error: 'scf.for' has step 0: the step of a loop is 1 or more
func.func @k() attributes {gpu.kernel} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c0 {
  }
  func.return
}

// -----

// CHECK: error: 'vector.extract' cannot be lowered to PTX: the position is not constant, and lanes are registers
func.func @k(%n: index) attributes {gpu.kernel} {
  %v = arith.constant dense<1.0> : vector<4xf32>
  %x = vector.extract %v[%n] : f32 from vector<4xf32>
  func.return
}
