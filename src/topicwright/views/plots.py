"""Pictures of a model, made with matplotlib: figures that need no display, and read well on light and dark ground."""

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

from .._utils.formatting import truncate
from .._utils.validation import check_integer
from ..errors import InputError
from ..models.labeled.prediction import LabelPredictionMixin
from .format import fixed, name_of, percent
from .over_time import TopicsOverTime, topics_over_time
from .topic_map import circles, map_of_topics, place_names
from .topic_metrics import labels_of, topic_sizes, weights_of_topics
from .validation import checked_share, checked_topic, has_documents
from .words import RankedWords

# Of middling lightness, told apart by people who see few colours (Okabe and Ito), on a ground that lets others through.
BLUE, ORANGE, GREY = "#2c8ac4", "#d9731a", "#747b81"
POINTS, MARKS = 9, 8  # heights of letters

_unseen: list[ModelFigure] = []  # that were made in the cell of a notebook that is running


class ModelFigure(Figure):  # type: ignore[misc]
    """A figure that notebooks show, whether or not they were told of matplotlib, and on whichever line it is made.

    One that was neither shown nor saved at the end of its cell is shown there, as pyplot's figures are.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.was_drawn = False
        _show_later(self)

    def draw(self, renderer: Any) -> None:
        """Draw it, and note that somebody looked."""
        self.was_drawn = True
        super().draw(renderer)

    def _repr_png_(self) -> bytes:
        page = io.BytesIO()
        self.savefig(page, format="png", dpi=110)
        return page.getvalue()

    def _repr_mimebundle_(self, **asked: Any) -> dict[str, Any]:
        _show_unseen(until=self)  # so that pictures come in the order in which they were made
        return {}  # the rest is for other formats to say


def new_figure(width: float, height: float) -> ModelFigure:
    """A figure without anything in it, in inches."""
    return ModelFigure(figsize=(width, height), layout="constrained", facecolor="none")


def axes_for(ax: Any, width: float, height: float) -> Any:
    """Axes to draw on: those that were given, or some of a new figure of this size."""
    if ax is not None and not isinstance(ax, Axes):
        raise InputError(f"ax must be axes of matplotlib, such as plt.subplots()[1]: got {type(ax).__name__}")
    return styled(new_figure(width, height).add_subplot() if ax is None else ax)


def drawn_on(axes: Any, ax: Any) -> Any:
    """What a plot gives back: its figure, or the axes where they were given, whose figure is the user's to show."""
    return axes.figure if ax is None else axes


def styled(axes: Any) -> Any:
    """The axes, in our look."""
    axes.set_facecolor("none")
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.tick_params(colors=GREY, labelsize=POINTS, length=3)
    axes.xaxis.label.set(color=GREY, fontsize=POINTS)
    return axes


def title(axes: Any, text: str) -> None:
    """A title at the left."""
    axes.set_title(plain(text), loc="left", fontsize=10, color=GREY, weight="bold")


def names_beside(axes: Any, names: Sequence[str]) -> None:
    """Names of rows, from the top down."""
    axes.set_yticks(range(len(names)), [plain(truncate(name, 32)) for name in names])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_ylim(len(names) - 0.4, -0.6)


def plain(text: str) -> str:
    """Text in which no dollar begins a formula."""
    return text.replace("$", r"\$")


def rgb(colour: str) -> tuple[float, ...]:
    """Red, green and blue from 0 to 1."""
    return tuple(int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))


# ---------------------------------------------------------------------- in notebooks


def _show_later(picture: ModelFigure) -> None:
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):  # a terminal shows no pictures
        return
    if not _unseen:
        shell.events.register("post_run_cell", _show_at_the_end)
    _unseen.append(picture)


def _show_at_the_end(*_: Any) -> None:
    sys.modules["IPython"].get_ipython().events.unregister("post_run_cell", _show_at_the_end)
    _show_unseen()
    _unseen.clear()


def _show_unseen(until: ModelFigure | None = None) -> None:
    """Show the pictures that nobody has looked at, or those before one of them."""
    end = _unseen.index(until) if until in _unseen else len(_unseen)
    before = [picture for picture in _unseen[:end] if not picture.was_drawn]
    for picture in before:
        picture.was_drawn = True  # or else it would show those before it once more
        sys.modules["IPython"].display.display(picture)


_CLASSES = 30  # in one picture


def plot_map(model: Any, n: int = 100, ax: Any = None) -> Any:
    """The map of the largest topics, with names for which there is room."""
    places = map_of_topics(model, n)
    axes = axes_for(ax, 8.0, 6.0)
    room = (8.0 * 0.96, 6.0 * 0.96) if ax is None else axes.bbox.size / axes.figure.dpi
    width, height = 72 * room[0], 72 * room[1]  # in points, so that letters have the room that they need
    centres, radii = circles(places, width, height)
    words = RankedWords(model)
    names = [_short_name(model, words, topic) for topic in places.topics.tolist()]
    for topic, centre, radius in zip(places.topics.tolist(), centres.tolist(), radii.tolist()):
        axes.add_patch(Circle(centre, radius, facecolor=(*rgb(BLUE), 0.16), edgecolor=BLUE, linewidth=0.9))
        if len(str(topic)) * MARKS * 0.6 < 2 * radius - 2:
            axes.text(*centre, str(topic), ha="center", va="center", fontsize=MARKS, color=GREY)
    for circle, x, y in place_names(centres, radii, names, POINTS, width, height):
        axes.text(x, y, plain(names[circle]), ha="center", va="center", fontsize=POINTS, color=GREY)
    axes.set(xlim=(0, width), ylim=(height, 0), aspect="equal")
    axes.set_axis_off()
    return drawn_on(axes, ax)


def plot_topic(model: Any, topic: int | str, *, lam: float = 0.6, n: int = 20, ax: Any = None) -> Any:
    """The most relevant words of a topic: how often each occurs in it, and in all."""
    number, lam = checked_topic(model, topic), checked_share("lam", lam)
    words = RankedWords(model).relevant(number, lam, check_integer("n", n, 1))
    name = name_of(model, number)
    axes = axes_for(ax, 6.4, 1.2 + 0.25 * max(1, len(words)))
    rows = range(len(words))
    axes.barh(rows, [word.times_in_all for word in words], color=GREY, alpha=0.3, height=0.72)
    axes.barh(rows, [word.times for word in words], color=BLUE, height=0.72)
    for row, word in zip(rows, words):
        share = percent(min(1.0, word.times / word.times_in_all))
        axes.annotate(
            share, (word.times_in_all, row), (4, 0), textcoords="offset points", va="center", color=GREY, size=8
        )
    names_beside(axes, [word.word for word in words])
    called = f"topic {number}" + ("" if name is None else f", {name}")
    title(axes, f"{called}: {percent(float(topic_sizes(model)[number]))} of all words")
    axes.set_xlabel(f"times in the topic (blue) and in all (grey), λ = {lam:g}")
    return drawn_on(axes, ax)


def plot_likelihood(model: Any, ax: Any = None) -> Any:
    """The training curve."""
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
    title(axes, "log-likelihood per word")
    return drawn_on(axes, ax)


def plot_coefficients(model: Any, n: int = 10, classes: Sequence[Any] | None = None) -> ModelFigure:
    """What topics weigh in each class or number: the ``n`` heaviest of each, side by side."""
    check_is_fitted(model)
    check_integer("n", n, 1)
    weights = _chosen_weights(model, classes)
    words, held = RankedWords(model), topic_sizes(model) > 0
    columns = min(3, len(weights))
    lines = -(-len(weights) // columns)
    figure = new_figure(4.2 * columns, lines * (0.9 + 0.25 * min(n, int(held.sum()))))
    for place, (what, row) in enumerate(weights.items()):
        axes = styled(figure.add_subplot(lines, columns, place + 1))
        values = np.where(held, np.array(row), 0.0)
        order = np.argsort(-np.abs(values), kind="stable")[: min(n, int(held.sum()))]
        order = order[np.argsort(-values[order], kind="stable")]
        colours = [BLUE if value >= 0 else ORANGE for value in values[order]]
        axes.barh(range(len(order)), values[order], color=colours, height=0.72)
        axes.axvline(0, color=GREY, linewidth=0.8)
        names_beside(axes, [f"{k} {_short_name(model, words, k)}" for k in order.tolist()])
        title(axes, truncate(what, 40))
    return figure


def _chosen_weights(model: Any, classes: Sequence[Any] | None) -> dict[str, list[float]]:
    weights = weights_of_topics(model)
    if not weights:
        raise InputError(f"plot_coefficients is for classifiers and regressors, and {type(model).__name__} is neither")
    if classes is None and len(weights) > _CLASSES:
        some = ", ".join(map(repr, list(weights)[:2]))
        raise InputError(
            f"plot_coefficients has room for {_CLASSES} classes, and there are {len(weights):,}: name some, "
            f"as in classes=[{some}]"
        )
    names = list(weights) if classes is None else [str(name) for name in classes]
    for name in names:
        if name not in weights:
            raise InputError(f"the model has no class {name!r}: it has {truncate(', '.join(weights), 100)}")
    return {name: weights[name] for name in names}


def plot_labels(model: Any, n: int = 20, ax: Any = None) -> Any:
    """Where topics are labels, how many documents have each; else how the words of each topic spread over labels."""
    check_is_fitted(model)
    check_integer("n", n, 1)
    if isinstance(model, LabelPredictionMixin):
        return _label_counts(model, n, ax)
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
    names_beside(axes, [f"{k} {_short_name(model, words, k)}" for k in topics.tolist()])
    axes.set_xticks(range(len(labels)), [plain(truncate(names[i], 30)) for i in labels], rotation=45, ha="right")
    axes.spines[:].set_visible(False)
    title(axes, f"labels that topics' words come from; full colour is {percent(float(table.max()))}")
    return drawn_on(axes, ax)


def _check_labels(model: Any) -> None:
    kind = type(model).__name__
    if not has_documents(model):
        raise InputError(f"plot_labels needs training documents with labels, and this {kind} was saved without them")
    if model.corpus_.labels is None:
        instead = "; classes are told of by plot_coefficients" if weights_of_topics(model) else ""
        raise InputError(
            f"plot_labels needs training documents with labels, and those of this {kind} have none: "
            f"train it on Corpus.from_texts(texts, labels=…){instead}"
        )


def _label_counts(model: Any, n: int, ax: Any) -> Any:
    counts = np.asarray(model.label_counts_)
    order = np.argsort(-counts, kind="stable")[:n]
    axes = axes_for(ax, 6.4, 1.1 + 0.25 * len(order))
    axes.barh(range(len(order)), counts[order], color=BLUE, height=0.72)
    for row, count in enumerate(counts[order].tolist()):
        axes.annotate(f"{count:,}", (count, row), (4, 0), textcoords="offset points", va="center", color=GREY, size=8)
    names_beside(axes, [truncate(model.topic_names_[k], 40) for k in order.tolist()])
    more = "" if len(order) == len(counts) else f", the {len(order)} most frequent of {len(counts):,}"
    title(axes, f"documents of labels{more}")
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    return drawn_on(axes, ax)


def plot_topics_over_time(
    model: Any,
    topics: Sequence[int | str] | None = None,
    *,
    n: int = 12,
    period: str | None = None,
    smooth: bool = True,
) -> ModelFigure:
    """Shares of topics by period, side by side: these, or the ``n`` that change most."""
    check_integer("n", n, 1)
    found = topics_over_time(model, topics, period=period, smooth=smooth)
    places = list(range(len(found.topics)))
    if topics is None:
        places = np.argsort(-found.changes(), kind="stable")[:n].tolist()
    if not places:
        raise InputError("topics must name one topic or more: got none")
    single = topics_over_time(model, found.topics[places].tolist(), period=found.unit)
    words, columns = RankedWords(model), min(3, len(places))
    lines = -(-len(places) // columns)
    figure = new_figure(3.2 * columns, 0.6 + 1.6 * lines)
    for place, column in enumerate(places):
        axes = styled(figure.add_subplot(lines, columns, place + 1))
        _draw_over_time(axes, found, found.shares[:, column], single.shares[:, place])
        topic = int(found.topics[column])
        title(axes, f"{topic} {_short_name(model, words, topic)}")
    if found.n_undated:
        left_out = f"{found.n_undated:,} of {model.corpus_.n_docs:,} documents have no date, and are left out"
        figure.supxlabel(left_out, x=0.01, ha="left", fontsize=MARKS, color=GREY)
    return figure


def _draw_over_time(axes: Any, found: TopicsOverTime, line: Any, dots: Any) -> None:
    starts = np.array([period.start for period in found.periods], dtype="datetime64[D]")
    x = np.maximum(starts, np.datetime64("0001-01-01"))  # matplotlib knows no earlier day
    is_thin = np.array([period.is_thin for period in found.periods])
    axes.plot(x, line, color=BLUE, linewidth=1, linestyle=(0, (3, 3)))
    axes.plot(x, np.where(is_thin, np.nan, line), color=BLUE, linewidth=1.8)
    axes.scatter(x, dots, s=6, color=GREY, alpha=0.5, linewidths=0, clip_on=False)
    axes.set_ylim(bottom=0)
    if len(x) > 1:
        axes.set_xlim(x[0], x[-1])
    axes.yaxis.set_major_formatter(lambda share, _: percent(max(0.0, share)))
    axes.yaxis.set_major_locator(MaxNLocator(3))
    axes.xaxis.set_major_locator(AutoDateLocator(minticks=2, maxticks=5))
    axes.xaxis.set_major_formatter(ConciseDateFormatter(axes.xaxis.get_major_locator()))


def _short_name(model: Any, words: RankedWords, topic: int) -> str:
    name = name_of(model, topic)
    return truncate(" ".join(word.word for word in words.relevant(topic, 0.6, 2)) if name is None else name, 24)


def _tinted(shares: Any) -> Any:
    """Shares as blue that lets more or less of the ground through."""
    return np.concatenate([np.broadcast_to(rgb(BLUE), (*shares.shape, 3)), shares[:, :, None]], axis=2)
