// RUN: xdsl-opt -p convert-to-ptx --verify-diagnostics "%s" | filecheck "%s"

// CHECK: the module has no target: run ptx-set-target{chip=...} before convert-to-ptx
func.func @k() attributes {gpu.kernel} {
  func.return
}
