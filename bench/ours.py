"""Our own columns: one for what is chosen by default, one for each variant that can be forced."""

from importlib.metadata import version

from xdsl.utils.exceptions import DiagnosticException

from bench.ops import ALIGNMENT, OPS, OpName
from bench.peer import NotOffered
from xdsl_packed import compile_reduction

_ORDERED = ("add", "sumsq", "dot")
_BY_NAME = {op.name: op for op in OPS}


class Ours:
    """
    `compile_reduction`. A sum is asked for in the order that the variant keeps: `any` lets the best one be chosen,
    lanes8, the default, is what sm100_packed has.
    """

    def __init__(self, name: str, *, order: str | None, variant: str | None) -> None:
        self.name = name
        self._order = order
        self._variant = variant

    def version(self) -> str:
        return f"xdsl-packed {version('xdsl-packed')}"

    def ptx(self, op: OpName, n: int, chip: str) -> str:
        reduction = _BY_NAME[op]
        ordered = reduction.kind in _ORDERED and not reduction.dtype.startswith("i")
        try:
            return compile_reduction(
                reduction.kind,
                (n,),
                dtype=reduction.dtype,
                chip=chip,
                order=self._order if ordered else None,
                variant=self._variant,
                align=ALIGNMENT,
            ).ptx
        except DiagnosticException as error:
            if self._variant is None:
                raise
            # A variant that is forced says itself why it declines; the op before it names the length.
            raise NotOffered(str(error).rpartition(" declines: ")[2]) from None

    def lower(self, op: OpName, n: int, chip: str) -> object:
        return self.ptx(op, n, chip)


OURS = (
    Ours("ours", order="any", variant=None),
    Ours("ours, sm100_packed", order=None, variant="sm100_packed"),
    Ours("ours, local", order=None, variant="local"),
)
