// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch' | filecheck "%s" --check-prefix=DEFAULT
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{variant="local"}' | filecheck "%s" --check-prefix=VARIANT
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{enable="local"}' --verify-diagnostics | filecheck "%s" --check-prefix=ENABLE
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{enable=local,sm100_packed}' | filecheck "%s" --check-prefix=DEFAULT
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=text}' 2>&1 >/dev/null | filecheck "%s" --check-prefix=TEXT
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=json}' 2>&1 >/dev/null | filecheck "%s" --check-prefix=JSON
// RUN: xdsl-opt "%s" -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=json report-file="%t.json"}' >/dev/null && filecheck "%s" --check-prefix=JSON --input-file "%t.json"
// RUN: xdsl-opt "%s" -f mlir-with-locations -p 'ptx-set-target{chip="sm_100a"},tile-dispatch{report=text}' 2>&1 >/dev/null | filecheck "%s" --check-prefix=LOCATION

func.func @two(%a: memref<8xf32, 5>, %b: memref<1xf32, 5>) {
  tile.reduce <add> %a into %b : memref<8xf32, 5>, memref<1xf32, 5>
  tile.reduce <maxnumf> %a into %b variant("sm100_packed") : memref<8xf32, 5>, memref<1xf32, 5>
  func.return
}
// DEFAULT: packed.add %{{.*}} : vector<2xf32>
// DEFAULT: packed.max3

// What the op names beats the option of the pass.
// VARIANT-NOT: vector<2xf32>
// VARIANT: packed.max3
// ENABLE: asks for variant 'sm100_packed', which is unknown or not enabled: the enabled variants are local

// TEXT:      @two: tile.reduce <add> 8xf32 -> 1xf32 axes [0], order lanes8, thread, sm_100a
// TEXT:        packed_columns (priority 40): declines
// TEXT:          innermost_kept    the innermost axis is reduced, so no two results stand side by side
// TEXT:        packed_tree (priority 30): declines
// TEXT:          order             order is lanes8, expected tree
// TEXT:        sm100_packed (priority 20): chosen
// TEXT-NEXT:     exec_scope        yes
// TEXT-NEXT:     local_scope       yes
// TEXT-NEXT:     dst_len           yes
// TEXT-NEXT:     src_ndim          yes
// TEXT-NEXT:     dtype             yes
// TEXT-NEXT:     sm_version        yes
// TEXT-NEXT:     reduction_len     yes
// TEXT-NEXT:     kind              yes
// TEXT-NEXT:     order             yes
// TEXT-NEXT:     native            yes
// TEXT-NEXT:     legal             yes
// TEXT:        chunked (priority 10): declines
// TEXT:          in_memory         source is in local storage, expected global or shared memory
// TEXT:        local (priority 10): accepts, not chosen
// TEXT-NEXT:     exec_scope        yes
// TEXT-NEXT:     local_scope       yes
// TEXT-NEXT:     legal             yes
// TEXT-NEXT: @two: tile.reduce <maxnumf> 8xf32 -> 1xf32 axes [0], thread, sm_100a
// TEXT-NEXT:   variant sm100_packed is asked for by name
// TEXT:        packed_tree (priority 30): accepts, not chosen
// TEXT:        sm100_packed (priority 20): chosen

// JSON: "schema": 1,
// JSON: "where": "@two",
// JSON: "order": "lanes8",
// JSON: "chosen": "sm100_packed",
// JSON: "forced": "sm100_packed",

// LOCATION: options.mlir:11:3: tile.reduce <add>
// LOCATION: options.mlir:12:3: tile.reduce <maxnumf>
