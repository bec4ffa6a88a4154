"""The variants. A new one is a new file here and one line in the table."""

from xdsl_packed.selection.registry import Variant
from xdsl_packed.variants.chunked import CHUNKED
from xdsl_packed.variants.local import LOCAL
from xdsl_packed.variants.packed_16bit import PACKED_16BIT
from xdsl_packed.variants.packed_columns import PACKED_COLUMNS
from xdsl_packed.variants.packed_tree import PACKED_TREE
from xdsl_packed.variants.sm100_packed import SM100_PACKED

VARIANTS: tuple[Variant, ...] = (
    PACKED_COLUMNS,
    PACKED_16BIT,
    PACKED_TREE,
    SM100_PACKED,
    CHUNKED,
    LOCAL,
)
