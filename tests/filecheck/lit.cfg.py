"""lit's configuration: plain `xdsl-opt` and `filecheck` of this environment."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lit.formats

if TYPE_CHECKING:
    config: Any = None

config.name = "xdsl_packed"
config.test_format = lit.formats.ShTest()
config.suffixes = [".mlir", ".test"]
config.test_source_root = str(Path(__file__).parent)
config.environment["PATH"] = os.pathsep.join(
    (str(Path(sys.executable).parent), os.environ["PATH"])
)
config.substitutions.append(
    (
        "XDSL_ROUNDTRIP",
        'xdsl-opt "%s" --print-op-generic --split-input-file '
        '| xdsl-opt --split-input-file | filecheck "%s"',
    )
)
config.substitutions.append(
    (
        "XDSL_GENERIC_ROUNDTRIP",
        'xdsl-opt "%s" --print-op-generic --split-input-file '
        '| filecheck "%s" --check-prefix=CHECK-GENERIC',
    )
)
