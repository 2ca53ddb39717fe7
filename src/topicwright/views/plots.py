"""Plots of a model with matplotlib: figures that need no display and suit light and dark backgrounds."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator, ConciseDateFormatter
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from matplotlib.ticker import MaxNLocator
from sklearn.utils.validation import check_is_fitted

from .._utils.formatting import percent, pluralize, truncate
from .._utils.validation import check_integer
from ..errors import InputError
from ..evaluation.reliability import reliability
from .format import check_share, check_topic, fixed, has_documents, is_labeled, topic_name
from .hierarchy import topic_hierarchy
from .over_time import TopicsOverTime, topics_over_time
from .topic_map import circle_layout, map_of_topics, place_labels
from .words import RankedWords, labels_of, topic_sizes, weights_of_topics

# Of medium lightness, and distinguishable by color-blind people (Okabe and Ito).
BLUE, ORANGE, GRAY = "#2c8ac4", "#d9731a", "#747b81"
FONT_SIZE, SMALL_FONT_SIZE = 9, 8
_MOST_CLASSES = 30  # in one figure

_not_shown: list[ModelFigure] = []  # figures of the notebook cell that is running


class ModelFigure(Figure):  # type: ignore[misc]
    """A figure that notebooks show, with or without ``%matplotlib inline``, on whichever line of a cell it is made.

    If it was neither shown nor saved at the end of its cell, it is shown there, like figures of pyplot.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.was_drawn = False
        _show_later(self)

    def draw(self, renderer: Any) -> None:
        """Draw the figure, and note that it was drawn."""
        self.was_drawn = True
        super().draw(renderer)

    def _repr_png_(self) -> bytes:
        page = io.BytesIO()
        self.savefig(page, format="png", dpi=110)
        return page.getvalue()

    def _repr_mimebundle_(self, **asked: Any) -> dict[str, Any]:
        _show_pending(until=self)  # so that figures appear in the order in which they were made
        return {}  # other formats follow


def new_figure(width: float, height: float) -> ModelFigure:
    """An empty figure of this size in inches."""
    return ModelFigure(figsize=(width, height), layout="constrained", facecolor="none")


def axes_for(ax: Any, width: float, height: float) -> Any:
    """Axes to draw on: ``ax``, or axes of a new figure of this size."""
    if ax is not None and not isinstance(ax, Axes):
        raise InputError(parameter="ax", expected="matplotlib axes, such as plt.subplots()[1]", got=type(ax))
    return style_axes(new_figure(width, height).add_subplot() if ax is None else ax)


def figure_or_axes(axes: Any, ax: Any) -> Any:
    """Return value of a plot: its new figure, or the axes that the user passed."""
    return axes.figure if ax is None else axes


def style_axes(axes: Any) -> Any:
    """The axes in the style of all plots."""
    axes.set_facecolor("none")
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GRAY)
    axes.tick_params(colors=GRAY, labelsize=FONT_SIZE, length=3)
    axes.xaxis.label.set(color=GRAY, fontsize=FONT_SIZE)
    return axes


def set_title(axes: Any, text: str) -> None:
    """Add a title at the left."""
    axes.set_title(escape_dollars(text), loc="left", fontsize=10, color=GRAY, weight="bold")


def label_rows(axes: Any, names: Sequence[str]) -> None:
    """Add names of rows, from top to bottom."""
    axes.set_yticks(range(len(names)), [escape_dollars(truncate(name, 32)) for name in names])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_ylim(len(names) - 0.4, -0.6)


def escape_dollars(text: str) -> str:
    """Text in which no dollar sign starts a formula."""
    return text.replace("$", r"\$")


def parse_color(color: str) -> tuple[float, ...]:
    """Red, green and blue from 0 to 1, of a color such as #2c8ac4."""
    return tuple(int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))


# ---------------------------------------------------------------------- notebooks


def _show_later(figure: ModelFigure) -> None:
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):  # a terminal shows no figures
        return
    if not _not_shown:
        shell.events.register("post_run_cell", _show_at_end_of_cell)
    _not_shown.append(figure)


def _show_at_end_of_cell(*_: Any) -> None:
    sys.modules["IPython"].get_ipython().events.unregister("post_run_cell", _show_at_end_of_cell)
    _show_pending()
    _not_shown.clear()


def _show_pending(until: ModelFigure | None = None) -> None:
    """Show the figures that were not drawn yet, or those of them before one figure."""
    end = _not_shown.index(until) if until in _not_shown else len(_not_shown)
    for figure in [figure for figure in _not_shown[:end] if not figure.was_drawn]:
        figure.was_drawn = True  # otherwise it would show the figures before it again
        sys.modules["IPython"].display.display(figure)


# ---------------------------------------------------------------------- plots


def plot_map(model: Any, n: int = 100, ax: Any = None) -> Any:
    """Map of the largest topics, with the names that fit."""
    layout = map_of_topics(model, n)
    axes = axes_for(ax, 8.0, 6.0)
    room = (8.0 * 0.96, 6.0 * 0.96) if ax is None else axes.bbox.size / axes.figure.dpi
    width, height = 72 * room[0], 72 * room[1]  # in points, as font sizes are
    centers, radii = circle_layout(layout, width, height)
    words = RankedWords(model)
    names = [_short_name(model, words, topic) for topic in layout.topics.tolist()]
    for topic, center, radius in zip(layout.topics.tolist(), centers.tolist(), radii.tolist()):
        axes.add_patch(Circle(center, radius, facecolor=(*parse_color(BLUE), 0.16), edgecolor=BLUE, linewidth=0.9))
        if len(str(topic)) * SMALL_FONT_SIZE * 0.6 < 2 * radius - 2:
            axes.text(*center, str(topic), ha="center", va="center", fontsize=SMALL_FONT_SIZE, color=GRAY)
    for circle, x, y in place_labels(centers, radii, names, FONT_SIZE, width, height):
        axes.text(x, y, escape_dollars(names[circle]), ha="center", va="center", fontsize=FONT_SIZE, color=GRAY)
    axes.set(xlim=(0, width), ylim=(height, 0), aspect="equal")
    axes.set_axis_off()
    return figure_or_axes(axes, ax)


def plot_topic(model: Any, topic: int | str, *, lam: float = 0.6, n: int = 20, ax: Any = None) -> Any:
    """Most relevant words of a topic, with their counts in the topic and in the corpus."""
    number, lam = check_topic(model, topic), check_share("lam", lam)
    words = RankedWords(model).relevant(number, lam, check_integer("n", n, 1))
    name = topic_name(model, number)
    axes = axes_for(ax, 6.4, 1.2 + 0.25 * max(1, len(words)))
    rows = range(len(words))
    axes.barh(rows, [word.times_in_all for word in words], color=GRAY, alpha=0.3, height=0.72)
    axes.barh(rows, [word.times for word in words], color=BLUE, height=0.72)
    for row, word in zip(rows, words):
        share = percent(min(1.0, word.times / word.times_in_all))
        axes.annotate(
            share, (word.times_in_all, row), (4, 0), textcoords="offset points", va="center", color=GRAY, size=8
        )
    label_rows(axes, [word.word for word in words])
    full_name = f"topic {number}" + ("" if name is None else f", {name}")
    set_title(axes, f"{full_name}: {percent(float(topic_sizes(model)[number]))} of all words")
    axes.set_xlabel(f"times in the topic (blue) and in all (gray), λ = {lam:g}")
    return figure_or_axes(axes, ax)


def plot_likelihood(model: Any, ax: Any = None) -> Any:
    """Training curve: log-likelihood per word by sweep."""
    check_is_fitted(model)
    curve = list(getattr(model, "log_likelihood_", ()))
    if not curve:
        raise InputError(f"plot_likelihood needs a training curve, and this {type(model).__name__} has none")
    axes = axes_for(ax, 6.4, 3.4)
    sweeps, values = zip(*curve)
    axes.plot(sweeps, values, color=BLUE, linewidth=1.8, marker="o" if len(curve) < 3 else None)
    axes.plot(sweeps[-1:], values[-1:], color=BLUE, marker="o", markersize=5)
    axes.annotate(
        fixed(values[-1]),
        (sweeps[-1], values[-1]),
        (8, 0),
        textcoords="offset points",
        va="center",
        color=BLUE,
        weight="bold",
    )
    axes.set(xlabel="sweep")
    set_title(axes, "log-likelihood per word")
    return figure_or_axes(axes, ax)


def plot_hierarchy(model: Any, ax: Any = None) -> Any:
    """Topics as leaves of a tree; similar ones are joined further to the left."""
    from scipy.cluster.hierarchy import dendrogram

    hierarchy = topic_hierarchy(model)
    n, words = len(hierarchy.topics), RankedWords(model)
    axes = axes_for(ax, 7, 0.9 + 0.25 * n)
    if n > 1:
        tree = dendrogram(hierarchy.linkage, no_plot=True)
        order, joins = tree["leaves"], zip(tree["dcoord"], tree["icoord"])
    else:
        order, joins = [0], zip()
    for distances, positions in joins:
        rows = (np.array(positions) - 5) / 10  # SciPy puts leaves at 5, 15, 25, …
        axes.plot(distances, rows, color=BLUE, linewidth=1.2, solid_joinstyle="miter")
    topics = hierarchy.topics[order].tolist()
    label_rows(axes, [f"{k} {_short_name(model, words, k)}" for k in topics])
    axes.set(xlim=(0, 1.02), xlabel="mean distance of words")
    set_title(axes, f"hierarchy of {pluralize(n, 'topic')}")
    return figure_or_axes(axes, ax)


def plot_reliability(probabilities: Any, outcomes: Any, n_bins: int = 10, ax: Any = None) -> Any:
    """Frequency against probability, in bins of predictions."""
    bins = reliability(probabilities, outcomes, n_bins)
    axes = axes_for(ax, 4.4, 4.4)
    axes.plot([0, 1], [0, 1], color=GRAY, linewidth=1, linestyle=(0, (3, 3)))
    axes.plot(bins.probability, bins.frequency, color=BLUE, linewidth=1.8)
    sizes = 16 + 200 * bins.counts / bins.counts.max()
    axes.scatter(bins.probability, bins.frequency, s=sizes, color=BLUE, alpha=0.6, linewidths=0, clip_on=False)
    axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="probability")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda share, _: percent(share))
        axis.set_major_locator(MaxNLocator(4))
    error, n = percent(bins.expected_error), int(bins.counts.sum())
    set_title(axes, f"share that is true of {pluralize(n, 'prediction')}, {error} off")
    return figure_or_axes(axes, ax)


def plot_coefficients(model: Any, n: int = 10, classes: Sequence[Any] | None = None) -> ModelFigure:
    """Weights of topics in each class or target: the ``n`` largest of each, side by side."""
    check_is_fitted(model)
    check_integer("n", n, 1)
    weights = _chosen_weights(model, classes)
    words, has_words = RankedWords(model), topic_sizes(model) > 0
    n_shown = min(n, int(has_words.sum()))
    columns = min(3, len(weights))
    lines = -(-len(weights) // columns)
    figure = new_figure(4.2 * columns, lines * (0.9 + 0.25 * n_shown))
    for number, (name, row) in enumerate(weights.items(), 1):
        axes = style_axes(figure.add_subplot(lines, columns, number))
        values = np.where(has_words, np.array(row), 0.0)
        order = np.argsort(-np.abs(values), kind="stable")[:n_shown]
        order = order[np.argsort(-values[order], kind="stable")]
        colors = [BLUE if value >= 0 else ORANGE for value in values[order]]
        axes.barh(range(len(order)), values[order], color=colors, height=0.72)
        axes.axvline(0, color=GRAY, linewidth=0.8)
        label_rows(axes, [f"{k} {_short_name(model, words, k)}" for k in order.tolist()])
        set_title(axes, truncate(name, 40))
    return figure


def _chosen_weights(model: Any, classes: Sequence[Any] | None) -> dict[str, list[float]]:
    weights = weights_of_topics(model)
    if not weights:
        raise InputError(f"plot_coefficients needs a classifier or regressor: got {type(model).__name__}")
    if classes is None and len(weights) > _MOST_CLASSES:
        some = ", ".join(map(repr, list(weights)[:2]))
        raise InputError(
            f"plot_coefficients shows at most {_MOST_CLASSES} classes, and the model has {len(weights):,}: "
            f"choose some with `classes=[{some}]`",
            parameter="classes",
        )
    names = list(weights) if classes is None else [str(name) for name in classes]
    for name in names:
        if name not in weights:
            has = truncate(", ".join(weights), 100)
            raise InputError(f"the model has no class {name!r}: it has {has}", parameter="classes", got=name)
    return {name: weights[name] for name in names}


def plot_labels(model: Any, n: int = 20, ax: Any = None) -> Any:
    """Labels of the documents that the words of each topic are in; if topics are labels, documents of each label."""
    check_is_fitted(model)
    check_integer("n", n, 1)
    if is_labeled(model):
        return _plot_label_counts(model, n, ax)
    _check_labels(model)
    names, shares = labels_of(model)
    sizes = topic_sizes(model)
    topics = np.sort(np.argsort(-sizes, kind="stable")[:n])
    label_sizes = np.asarray(shares.T @ sizes).ravel()
    labels = np.sort(np.argsort(-label_sizes, kind="stable")[:n])
    table = shares[topics, :].toarray()[:, labels]
    axes = axes_for(ax, 2.2 + 0.34 * len(labels), 1.8 + 0.25 * len(topics))
    axes.imshow(_tinted(table / max(table.max(), 1e-12)), aspect="auto", interpolation="nearest")
    words = RankedWords(model)
    label_rows(axes, [f"{k} {_short_name(model, words, k)}" for k in topics.tolist()])
    axes.set_xticks(
        range(len(labels)), [escape_dollars(truncate(names[i], 30)) for i in labels], rotation=45, ha="right"
    )
    axes.spines[:].set_visible(False)
    set_title(axes, f"labels that topics' words come from; full color is {percent(float(table.max()))}")
    return figure_or_axes(axes, ax)


def _check_labels(model: Any) -> None:
    kind = type(model).__name__
    if not has_documents(model):
        raise InputError(f"plot_labels needs training documents with labels, and this {kind} was saved without them")
    if model.corpus_.labels is None:
        alternative = "; plot_coefficients shows classes" if weights_of_topics(model) else ""
        raise InputError(
            f"plot_labels needs training documents with labels, and those of this {kind} have none: "
            f"train it on Corpus.from_texts(texts, labels=…){alternative}"
        )


def _plot_label_counts(model: Any, n: int, ax: Any) -> Any:
    counts = np.asarray(model.label_counts_)
    order = np.argsort(-counts, kind="stable")[:n]
    axes = axes_for(ax, 6.4, 1.1 + 0.25 * len(order))
    axes.barh(range(len(order)), counts[order], color=BLUE, height=0.72)
    for row, count in enumerate(counts[order].tolist()):
        axes.annotate(f"{count:,}", (count, row), (4, 0), textcoords="offset points", va="center", color=GRAY, size=8)
    label_rows(axes, [truncate(model.topic_names_[k], 40) for k in order.tolist()])
    more = "" if len(order) == len(counts) else f", the {len(order)} most frequent of {len(counts):,}"
    set_title(axes, f"documents of labels{more}")
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    return figure_or_axes(axes, ax)


def plot_topics_over_time(
    model: Any,
    topics: Sequence[int | str] | None = None,
    *,
    n: int = 12,
    period: str | None = None,
    smooth: bool = True,
) -> ModelFigure:
    """Shares of topics by period, side by side: of these topics, or of the ``n`` that change most."""
    check_integer("n", n, 1)
    found = topics_over_time(model, topics, period=period, smooth=smooth)
    chosen = list(range(len(found.topics)))
    if topics is None:
        chosen = np.argsort(-found.changes(), kind="stable")[:n].tolist()
    if not chosen:
        raise InputError(parameter="topics", expected="a list of one or more topics", got=topics)
    not_smoothed = topics_over_time(model, found.topics[chosen].tolist(), period=found.unit)
    words, n_columns = RankedWords(model), min(3, len(chosen))
    n_lines = -(-len(chosen) // n_columns)
    figure = new_figure(3.2 * n_columns, 0.6 + 1.6 * n_lines)
    for number, column in enumerate(chosen):
        axes = style_axes(figure.add_subplot(n_lines, n_columns, number + 1))
        _draw_over_time(axes, found, found.shares[:, column], not_smoothed.shares[:, number])
        topic = int(found.topics[column])
        set_title(axes, f"{topic} {_short_name(model, words, topic)}")
    if found.n_undated:
        left_out = f"{found.n_undated:,} of {model.corpus_.n_docs:,} documents have no date, and are left out"
        figure.supxlabel(left_out, x=0.01, ha="left", fontsize=SMALL_FONT_SIZE, color=GRAY)
    return figure


def _draw_over_time(axes: Any, found: TopicsOverTime, line: Any, dots: Any) -> None:
    starts = np.array([period.start for period in found.periods], dtype="datetime64[D]")
    x = np.maximum(starts, np.datetime64("0001-01-01"))  # the earliest date of matplotlib
    is_thin = np.array([period.is_thin for period in found.periods])
    axes.plot(x, line, color=BLUE, linewidth=1, linestyle=(0, (3, 3)))
    axes.plot(x, np.where(is_thin, np.nan, line), color=BLUE, linewidth=1.8)
    axes.scatter(x, dots, s=6, color=GRAY, alpha=0.5, linewidths=0, clip_on=False)
    axes.set_ylim(bottom=0)
    if len(x) > 1:
        axes.set_xlim(x[0], x[-1])
    axes.yaxis.set_major_formatter(lambda share, _: percent(max(0.0, share)))
    axes.yaxis.set_major_locator(MaxNLocator(3))
    axes.xaxis.set_major_locator(AutoDateLocator(minticks=2, maxticks=5))
    axes.xaxis.set_major_formatter(ConciseDateFormatter(axes.xaxis.get_major_locator()))


def _short_name(model: Any, words: RankedWords, topic: int) -> str:
    name = topic_name(model, topic)
    return truncate(" ".join(word.word for word in words.relevant(topic, 0.6, 2)) if name is None else name, 24)


def _tinted(shares: Any) -> Any:
    """Shares as blue of more or less opacity."""
    return np.concatenate([np.broadcast_to(parse_color(BLUE), (*shares.shape, 3)), shares[:, :, None]], axis=2)
