"""
The benchmark: our reductions beside those of every compiler that PyPI has, in NVIDIA's machine code.

`python -m bench` (from the root of the repository, with the extra `bench` installed) prints its tables and writes
docs/benchmarks.md and docs/benchmarks.svg. No GPU is needed: all columns are PTX, assembled by one ptxas and read by one
reader, `xdsl_packed.backend.machine_code`.

    ops.py           the reductions, the lengths, the lower bounds
    ours.py          our own columns
    peers/           the other compilers, one file each; one that is not installed is named as missing
    code.py          the kernels, measured
    compile_time.py  CPU and wall time from source to PTX
    report.py        both as Markdown
    picture.py       instructions and depth over the length, as SVG

To compare with one more compiler, write a class that has what `peers.Peer` asks for and add it to the table there.
"""
