"""Make the drawings of the architecture: ``python docs/make_drawings.py``.

One SVG serves light and dark: on the site it is part of the page and takes its colors; alone, it goes by the screen.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path

IMAGES = Path(__file__).parent / "images"
WIDTH = 420
STYLE = """<style>
:root {
  --ink: #1d2126; --muted: #59626b; --line: #dcd9d1; --card: #fffefc;
  --accent: #0b62a4; --accent-soft: #e3eef7; --hot: #b24500; --hot-soft: #fbeadd;
}
@media (prefers-color-scheme: dark) { :root {
  --ink: #e8e9ea; --muted: #a3abb3; --line: #343a41; --card: #1a1d20;
  --accent: #6cb6ee; --accent-soft: #1c3347; --hot: #f3a35c; --hot-soft: #3b2817;
} }
.drawn { font: 14px system-ui, "Segoe UI", Roboto, sans-serif; fill: var(--ink); }
.drawn .name { font: 600 13.5px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.drawn .small { font-size: 12.5px; fill: var(--muted); }
.drawn rect { fill: var(--card); stroke: var(--line); }
.drawn .main { fill: var(--accent-soft); stroke: var(--accent); }
.drawn .hot { fill: var(--hot-soft); stroke: var(--hot); }
.drawn .arrow { stroke: var(--muted); fill: none; stroke-width: 1.5; }
.drawn .tip { fill: var(--muted); }
</style>
"""

LAYERS = [  # kind of box, packages, contents
    ("", "errors  _utils", "error tree, atomic files, locks, Numba"),
    ("", "corpus  datasets", "documents as one stream of word ids"),
    ("", "io", "model files without pickle, atomic writes"),
    ("hot", "knowledge  losses", "links, seeds, labels; hinge, logistic"),
    ("main", "_sampling", "Gibbs kernels and engines, particle filter"),
    ("", "distributed", "shards from disk and on Ray"),
    ("", "evaluation  views", "coherence; topic map, search, plots, report"),
    ("main", "models", "scikit-learn estimators"),
    ("", "steering  streaming", "edits and undo, endless input"),
    ("", "records", "results shared by shell and HTTP"),
    ("", "server  explorer  cli", "HTTP API, web page, commands"),
]

SWEEP = [
    ("", "remove the token from its topic", "in registers; memory is not changed yet"),
    ("hot", "apply knowledge", "allowed topics, multipliers, priors, a loss"),
    ("main", "compute the weights of topics", "those of the word; all others are one sum"),
    ("main", "draw a topic", "random streams belong to cells, not threads"),
    ("", "update the counts if it changed", "two tokens in three keep their topic"),
]


def drawing(height: int, parts: Iterable[str]) -> str:
    """An SVG of these parts."""
    body = "\n".join(parts)
    frame = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}">'
    return f'{frame}\n{STYLE}<g class="drawn">\n{body}\n</g>\n</svg>\n'


def box(y: int, width: int, height: int, kind: str) -> str:
    """A rounded rectangle at the left edge."""
    return f'<rect class="{kind}" x="8" y="{y}" width="{width}" height="{height}" rx="8"/>'


def text(x: int, y: int, words: str, kind: str = "") -> str:
    """A line of text."""
    return f'<text class="{kind}" x="{x}" y="{y}" xml:space="preserve">{escape(words)}</text>'


def arrow(path: str, x: int, y: int, turn: int) -> str:
    """A line, and its tip at (x, y), rotated by ``turn`` degrees."""
    tip = f'<path class="tip" d="M0 -4.5L8 0L0 4.5z" transform="translate({x} {y}) rotate({turn})"/>'
    return f'<path class="arrow" d="{path}"/>{tip}'


def layers() -> str:
    """Packages as boxes, in the order of the table: each may import what lies above it."""
    step, height, top, edge = 56, 46, 6, WIDTH - 26
    parts = []
    for number, (kind, names, why) in enumerate(LAYERS):
        y = top + number * step
        parts += [box(y, WIDTH - 62, height, kind), text(22, y + 20, names, "name"), text(22, y + 37, why, "small")]
    end = top + len(LAYERS) * step - 10
    parts.append(arrow(f"M {edge} {end} V {top + 10}", edge, top + 10, -90))
    parts.append(upright("imports", (top + end) // 2))
    return drawing(end + 6, parts)


def sweep() -> str:
    """The steps for one token."""
    step, height, top, width = 76, 56, 6, WIDTH - 62
    parts = []
    for number, (kind, what, how) in enumerate(SWEEP):
        y = top + number * step
        parts += [box(y, width, height, kind), text(22, y + 24, what), text(22, y + 43, how, "small")]
        if number:
            middle, start = 8 + width // 2, y - step + height
            parts.append(arrow(f"M {middle} {start + 3} V {y - 10}", middle, y - 10, 90))
    first, last, edge = top + height // 2, top + (len(SWEEP) - 1) * step + height // 2, 8 + width
    back = f"M {edge + 3} {last} H {edge + 18} q 10 0 10 -10 V {first + 10} q 0 -10 -10 -10 H {edge + 12}"
    parts += [arrow(back, edge + 12, first, 180), upright("the next token", (first + last) // 2)]
    return drawing(top + len(SWEEP) * step - 12, parts)


def upright(words: str, y: int) -> str:
    """Text along the right edge, from below."""
    place = f"translate({WIDTH - 6} {y}) rotate(-90)"
    return f'<text class="small" transform="{place}" text-anchor="middle">{words}</text>'


if __name__ == "__main__":
    for name, picture in {"layers": layers(), "sweep": sweep()}.items():
        (IMAGES / f"{name}.svg").write_text(picture, encoding="utf-8")
