// RUN: xdsl-opt "%s" -p tile-dispatch --verify-diagnostics | filecheck "%s"
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_90"},tile-dispatch{variant="best"}' --verify-diagnostics | filecheck "%s" --check-prefix=VARIANT
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_90"},tile-dispatch{report=xml}' --verify-diagnostics | filecheck "%s" --check-prefix=REPORT
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_90"},tile-dispatch{report-file="%t/no/such/folder"}' --verify-diagnostics | filecheck "%s" --check-prefix=FILE

func.func @nothing() {
  func.return
}
// CHECK: ptx-set-target
// VARIANT: there is no variant 'best': the variants are chunked, local, {{.*}}packed_columns, packed_tree, sm100_packed
// REPORT: tile-dispatch has report=xml: expected text or json
// FILE: cannot write {{.*}}: No such file or directory
