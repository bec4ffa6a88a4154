// RUN: xdsl-opt "%s" -t ptx --verify-diagnostics --split-input-file | filecheck "%s"

// CHECK: 'test.op' cannot be printed as PTX: run convert-to-ptx first
builtin.module attributes {ptx.chip = "sm_100a"} {
  ptx.entry @k [] {
    "test.op"() : () -> ()
    ptx.ret
  }
}

// -----

// CHECK: 'func.func' cannot be printed as PTX: run convert-to-ptx first
builtin.module attributes {ptx.chip = "sm_100a"} {
  func.func @k() {
    func.return
  }
}

// -----

// CHECK: 'ptx.add' is not legal here: add.rn.f32x2 needs sm_100 or newer, the target is sm_90
builtin.module attributes {ptx.chip = "sm_90"} {
  ptx.entry @k [#ptx<type b64>] {
    %a = ptx.ld_param 0 b64
    %b = ptx.add f32x2 %a, %a : !ptx.b64
    ptx.ret
  }
}

// -----

// CHECK: the module has no target: run ptx-set-target
ptx.entry @k [] {
  ptx.ret
}

// -----

// CHECK: cannot be called "a.b" in PTX: an identifier is letters, digits, _ and $
builtin.module attributes {ptx.chip = "sm_90"} {
  ptx.entry @"a.b" [] {
    ptx.ret
  }
}

// -----

// CHECK: @other is a kernel: only a ptx.func can be called
builtin.module attributes {ptx.chip = "sm_90"} {
  ptx.entry @k [] {
    ptx.call @other() : () -> ()
    ptx.ret
  }
  ptx.entry @other [] {
    ptx.ret
  }
}
