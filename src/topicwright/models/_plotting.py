"""Plots and pages of a model, as its methods; what they need is imported when they are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sklearn import get_config
from sklearn.utils.validation import _is_fitted as is_fitted

from .._utils.signatures import suggest_keywords
from ..errors import MissingExtraError

if TYPE_CHECKING:
    from ..knowledge import KnowledgeReport


class PlottingMixin:
    """Plots, each a figure of matplotlib's to look at or to save; and a page for a browser.

    They need no display: ``model.plot_map().savefig("map.svg")``. The ground is transparent, so that one figure goes
    with light and dark pages. A notebook shows a plot on whichever line of a cell it is made, unless it is saved there.

    Those that draw on one pair of axes take ``ax=``: then they give these axes back, and the figure is yours to show.
    """

    @suggest_keywords()
    def plot_map(self, n: int = 100, *, ax: Any = None) -> Any:
        """A map of topics: those with like words lie near each other, larger ones hold more words.

        Parameters
        ----------
        n : int
            How many topics, the largest first.
        ax : matplotlib axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        matplotlib figure, or ``ax`` where it was given
            Numbers in circles are those of topics; names beside them are their two most relevant words.

        Examples
        --------
        >>> import topicwright as tw
        >>> model = tw.LDA(n_topics=4, n_sweeps=20).fit(["ship sails sea", "bread oven flour"] * 10)
        >>> figure = model.plot_map()
        >>> figure.savefig("map.svg")  # doctest: +SKIP
        """
        return _plots().plot_map(self, n, ax)

    @suggest_keywords()
    def plot_topic(self, topic: int | str, *, lam: float = 0.6, n: int = 20, ax: Any = None) -> Any:
        """The most relevant words of a topic, as in LDAvis: how often each occurs in it, and in all.

        Parameters
        ----------
        topic : int or str
            The number of the topic, from 0, or its name, where it has one.
        lam : float
            From 1, the most frequent words, to 0, those that mark the topic: words that other topics do not have.
        n : int
            How many words.
        ax : matplotlib axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        matplotlib figure, or ``ax`` where it was given

        Examples
        --------
        >>> import matplotlib.pyplot as plt
        >>> import topicwright as tw
        >>> model = tw.LDA(n_topics=2, n_sweeps=20).fit(["ship sails sea", "bread oven flour"] * 10)
        >>> figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3), layout="constrained")
        >>> drawn = model.plot_topic(0, n=5, ax=left), model.plot_topic(1, n=5, ax=right)
        >>> plt.close(figure)
        """
        return _plots().plot_topic(self, topic, lam=lam, n=n, ax=ax)

    @suggest_keywords()
    def plot_likelihood(self, *, ax: Any = None) -> Any:
        """The training curve: log p(w, z) per word. Where it still climbs, more sweeps would help: ``resume``.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        matplotlib figure, or ``ax`` where it was given

        Examples
        --------
        >>> import topicwright as tw
        >>> model = tw.LDA(n_topics=2, n_sweeps=20, evaluate_every=5).fit(["ship sails", "bread oven"] * 10)
        >>> len(model.plot_likelihood().axes)
        1
        """
        return _plots().plot_likelihood(self, ax)

    @suggest_keywords()
    def plot_coefficients(self, n: int = 10, classes: Sequence[Any] | None = None) -> Any:
        """What topics weigh in the classes or numbers that a model predicts, side by side.

        Parameters
        ----------
        n : int
            How many topics of each, the heaviest for or against.
        classes : list, optional
            Which classes or numbers; by default all, up to 30.

        Returns
        -------
        matplotlib figure
            Blue topics speak for a class, or add to a number; orange ones do the reverse.

        Examples
        --------
        >>> import topicwright as tw
        >>> texts, classes = ["ship sails sea", "bread oven flour"] * 10, ["sea", "kitchen"] * 10
        >>> model = tw.MedLDAClassifier(n_topics=4, n_sweeps=20).fit(texts, classes)
        >>> len(model.plot_coefficients(n=3, classes=["sea"]).axes)
        1
        """
        return _plots().plot_coefficients(self, n, classes)

    @suggest_keywords()
    def plot_labels(self, n: int = 20, *, ax: Any = None) -> Any:
        """Which labels the words of topics come from; where topics are labels, how many documents have each.

        Parameters
        ----------
        n : int
            How many topics, and how many labels: the largest.
        ax : matplotlib axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        matplotlib figure, or ``ax`` where it was given

        Examples
        --------
        >>> import topicwright as tw
        >>> corpus = tw.Corpus.from_texts(["ship sails sea", "bread oven flour"] * 10, labels=["sea", "kitchen"] * 10)
        >>> model = tw.LDA(n_topics=2, n_sweeps=20).fit(corpus)
        >>> [label.get_text() for label in model.plot_labels().axes[0].get_xticklabels()]
        ['kitchen', 'sea']
        """
        return _plots().plot_labels(self, n, ax)

    @suggest_keywords()
    def plot_topics_over_time(
        self, topics: Sequence[int | str] | None = None, *, n: int = 12, period: str | None = None, smooth: bool = True
    ) -> Any:
        """Shares of topics in the words of each period, side by side, where documents have dates.

        Parameters
        ----------
        topics : list of int or str, optional
            Which, by number or name; by default the ``n`` that change most.
        n : int
            How many, where ``topics`` are not given.
        period : {"day", "week", "month", "quarter", "year", "decade", "century"}, optional
            By default the one that gives from 8 to 60 periods and leaves few of them thin.
        smooth : bool
            Whether lines are smoothed over five periods.

        Returns
        -------
        matplotlib figure
            Dots are single periods; a line is dashed where a period has few documents. Documents without a date are
            left out, and counted below.

        Examples
        --------
        >>> import topicwright as tw
        >>> texts, dates = ["ship sails sea", "bread oven flour"] * 10, [f"20{n:02}" for n in range(20)]
        >>> model = tw.LDA(n_topics=2, n_sweeps=20).fit(tw.Corpus.from_texts(texts, dates=dates))
        >>> len(model.plot_topics_over_time(period="year").axes)
        2
        """
        return _plots().plot_topics_over_time(self, topics, n=n, period=period, smooth=smooth)

    @suggest_keywords()
    def write_report(
        self,
        path: Any,
        *,
        title: str | None = None,
        knowledge: KnowledgeReport | None = None,
        documents: bool = True,
    ) -> None:
        """Write a page for a browser, all or nothing: a map, each topic's words, documents and weights, and figures.

        It is one file that loads nothing from elsewhere. See :func:`topicwright.views.report_page` for the options.
        """
        from ..io.export.base import open_text
        from ..views import report_page

        page = report_page(self, title=title, knowledge=knowledge, documents=documents)
        with open_text(path) as file:
            file.write(page)

    def _repr_html_inner(self) -> str:
        """What notebooks show: topics where there are some, or else scikit-learn's diagram."""
        if not _has_topics(self):
            return str(super()._repr_html_inner())  # type: ignore[misc]
        from ..views.summary import topics_html

        return topics_html(self)

    def _repr_mimebundle_(self, **asked: Any) -> dict[str, str]:
        if not _has_topics(self):
            return dict(super()._repr_mimebundle_(**asked))  # type: ignore[misc]
        shown = {"text/plain": repr(self)}
        return shown | {"text/html": self._repr_html_inner()} if get_config()["display"] == "diagram" else shown

    def __dir__(self) -> Iterable[str]:
        """All names; scikit-learn would work out every array to see whether it is there."""
        return object.__dir__(self)


def _has_topics(model: Any) -> bool:
    """Whether it is fitted, with topics that are all of one kind: a model for each class has several."""
    return is_fitted(model) and hasattr(model, "topic_word_counts_")


def _plots() -> Any:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtraError("matplotlib", "plots", "a plot") from None
    from ..views import plots

    return plots
