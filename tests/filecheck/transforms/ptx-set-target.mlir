// RUN: xdsl-opt -p 'ptx-set-target{chip="sm_100a" version="9.0"}' "%s" | filecheck "%s"
// RUN: xdsl-opt -p 'ptx-set-target{chip=sm_100a version=9.0}' "%s" | filecheck "%s"
// RUN: xdsl-opt -p 'ptx-set-target{chip="sm_100a" version="9.0"},ptx-set-target{chip="sm_90"}' "%s" | filecheck "%s" --check-prefix=LAST

builtin.module {}
// CHECK: builtin.module attributes {ptx.chip = "sm_100a", ptx.version = "9.0"} {

// The last target replaces the first whole, its version too.
// LAST: builtin.module attributes {ptx.chip = "sm_90"} {
