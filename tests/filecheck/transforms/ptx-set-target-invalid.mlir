// RUN: xdsl-opt -p 'ptx-set-target{chip="sm_99"}' --verify-diagnostics "%s" | filecheck "%s" --check-prefix=CHIP
// RUN: xdsl-opt -p 'ptx-set-target{chip="sm_100a" version="9.9"}' --verify-diagnostics "%s" | filecheck "%s" --check-prefix=VERSION
// RUN: xdsl-opt -p 'ptx-set-target{chip="sm_103a" version="8.6"}' --verify-diagnostics "%s" | filecheck "%s" --check-prefix=PAIR

builtin.module {}
// CHIP: "sm_99" is not a known chip, known are sm_75, sm_80,
// CHIP-SAME: sm_121f

// VERSION: "9.9" is not a PTX version, known are 6.3,
// VERSION-SAME: 9.5

// PAIR: PTX 8.6 does not know sm_103a: the lowest version that does is 8.8, possible are 8.8, 9.0,
// PAIR-SAME: 9.5
