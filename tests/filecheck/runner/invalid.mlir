// RUN: not xdsl-packed-run "%s" --symbol unwritten 2>&1 | filecheck "%s"
// RUN: not xdsl-packed-run "%s" --symbol nothing 2>&1 | filecheck "%s" --check-prefix=NAME
// RUN: not xdsl-packed-run "%s" --symbol unwritten --args "1 : i32" 2>&1 | filecheck "%s" --check-prefix=COUNT

// COUNT: invalid.mlir:6:1: error: 'func.func' @unwritten takes 0 arguments, got 1
func.func @unwritten() {
  %a = memref.alloca() : memref<8xf32, 5 : i32>
  %b = memref.alloca() : memref<1xf32, 5 : i32>
  // CHECK: invalid.mlir:10:3: error: 'tile.reduce' reads an element that was never written
  tile.reduce <add> %a into %b : memref<8xf32, 5 : i32>, memref<1xf32, 5 : i32>
  func.return
}
// NAME: error: there is no function @nothing: the module has @unwritten
