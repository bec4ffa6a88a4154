"""Instructions and dependency depth over the length, against the lower bound."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from bench.code import Cost, Results
from bench.ops import Bound, Op

# The colours of Okabe and Ito, which readers with any colour vision tell apart.
_COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C8C8C")
_MARKERS = "osD^vPX"


@dataclass(frozen=True)
class _Quantity:
    """A row of panels: what is drawn, of a kernel and of the bound."""

    title: str
    of_cost: Callable[[Cost, Bound], float]
    of_bound: Callable[[Bound], float]
    logarithmic: bool


_ROWS = (
    _Quantity(
        "computing instructions",
        lambda cost, _: cost.instructions,
        lambda bound: bound.instructions,
        logarithmic=True,
    ),
    _Quantity(
        "all instructions / lower bound",
        lambda cost, bound: (cost.instructions + cost.extra) / bound.instructions,
        lambda _: 1,
        logarithmic=False,
    ),
    _Quantity(
        "dependency depth",
        lambda cost, _: cost.depth,
        lambda bound: bound.depth,
        logarithmic=True,
    ),
)


def draw(
    ops: Sequence[Op], columns: Sequence[str], lengths: Sequence[int], results: Results
) -> str:
    """An SVG picture, the same for the same results: a column of panels an op. The first of `columns` stands out."""
    matplotlib: Any = import_module("matplotlib")
    matplotlib.use("svg")
    plt: Any = import_module("matplotlib.pyplot")
    # Fixed ids, and text as text.
    settings = {"svg.hashsalt": "xdsl-packed", "svg.fonttype": "none", "font.size": 10}
    with matplotlib.rc_context(settings):
        figure, panels = plt.subplots(
            len(_ROWS),
            len(ops),
            figsize=(6.2 * len(ops), 3.6 * len(_ROWS)),
            squeeze=False,
            sharex=True,
        )
        for at, op in enumerate(ops):
            panels[0][at].set_title(op.title)
            panels[-1][at].set_xlabel("N, values reduced")
            for row, quantity in enumerate(_ROWS):
                panels[row][0].set_ylabel(quantity.title)
                _draw_panel(panels[row][at], op, quantity, columns, lengths, results)
        handles, labels = panels[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="lower center", ncol=4, frameon=False)
        figure.tight_layout(rect=(0, 0.06, 1, 1))
        written = io.StringIO()
        # A white ground: the labels are black, whatever the reader's theme.
        figure.savefig(
            written, format="svg", metadata={"Date": None}, facecolor="white"
        )
        plt.close(figure)
    return written.getvalue()


def _draw_panel(
    panel: Any,
    op: Op,
    quantity: _Quantity,
    columns: Sequence[str],
    lengths: Sequence[int],
    results: Results,
) -> None:
    bound = [quantity.of_bound(op.bound(n)) for n in lengths]
    panel.plot(
        lengths, bound, color="black", linewidth=5, alpha=0.2, label="lower bound"
    )
    for at, name in enumerate(columns):
        points = [
            (n, quantity.of_cost(cost, op.bound(n)))
            for n in lengths
            if isinstance(cost := results.get((op.name, name, n)), Cost)
        ]
        first = at == 0
        panel.plot(
            [n for n, _ in points],
            [value for _, value in points],
            label=name,
            color=_COLOURS[at % len(_COLOURS)],
            marker=_MARKERS[at % len(_MARKERS)],
            markersize=6 if first else 4,
            linewidth=2 if first else 1,
            zorder=10 if first else 3,
            markeredgecolor="black" if first else "none",
        )
    panel.set_xscale("log", base=2)
    panel.xaxis.set_major_formatter("{x:.0f}")
    if quantity.logarithmic:
        panel.set_yscale("log", base=2)
        panel.yaxis.set_major_formatter("{x:.0f}")
    panel.grid(visible=True, color="#DDDDDD", linewidth=0.6)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
