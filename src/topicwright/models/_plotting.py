"""Plots and HTML reports as methods of the models; their dependencies are imported on first use."""

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
    """Mixin with plots, as matplotlib figures, and an HTML report.

    Plots need no display: ``model.plot_map().savefig("map.svg")``. Their background is transparent, so that they suit
    light and dark pages. A notebook shows a plot wherever in a cell it is created, unless it is saved there. Plots on a
    single pair of axes accept ``ax`` and then return these axes.
    """

    @suggest_keywords()
    def plot_map(self, n: int = 100, *, ax: Any = None) -> Any:
        """Plot a map of the topics: topics with similar words are close to each other.

        The area of a topic grows with its number of words.

        Parameters
        ----------
        n : int
            Number of topics, the largest first.
        ax : matplotlib axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib figure, or ``ax`` if given
            Circles carry the numbers of the topics; next to them are their two most relevant words.

        Examples
        --------
        >>> import topicwright as tw
        >>> model = tw.LDA(n_topics=4, n_sweeps=20).fit(["ship sails sea", "bread oven flour"] * 10)
        >>> figure = model.plot_map()
        >>> figure.savefig("map.svg")  # doctest: +SKIP
        """
        return _plots().plot_map(self, n, ax)

    @suggest_keywords()
    def plot_hierarchy(self, *, ax: Any = None) -> Any:
        """Plot the hierarchy of topics: those with similar words are joined first.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib figure, or ``ax`` if given
            A tree; joins are at the mean Jensen–Shannon distance of the topics. Topics without words are left out. See
            :func:`topicwright.views.topic_hierarchy`.

        Examples
        --------
        >>> import topicwright as tw
        >>> model = tw.LDA(n_topics=4, n_sweeps=20).fit(["ship sails sea", "bread oven flour"] * 10)
        >>> len(model.plot_hierarchy().axes)
        1
        """
        return _plots().plot_hierarchy(self, ax)

    @suggest_keywords()
    def plot_topic(self, topic: int | str, *, lam: float = 0.6, n: int = 20, ax: Any = None) -> Any:
        """Plot the most relevant words of a topic, as in LDAvis: their frequency in the topic and overall.

        Parameters
        ----------
        topic : int or str
            Number of the topic, from 0, or its name if it has one.
        lam : float
            From 1, the most frequent words, to 0, the words that distinguish the topic from others.
        n : int
            Number of words.
        ax : matplotlib axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib figure, or ``ax`` if given

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
        """Plot the training curve, log p(w, z) per word. If it still rises, more sweeps help: see ``resume``.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib figure, or ``ax`` if given

        Examples
        --------
        >>> import topicwright as tw
        >>> model = tw.LDA(n_topics=2, n_sweeps=20, evaluate_every=5).fit(["ship sails", "bread oven"] * 10)
        >>> len(model.plot_likelihood().axes)
        1
        """
        return _plots().plot_likelihood(self, ax)

    @suggest_keywords()
    def plot_reliability(self, X: Any, y: Any = None, n_bins: int = 10, *, ax: Any = None) -> Any:
        """Plot how often predictions are right against their probability, on documents that were not in the training.

        A point is a bin of predictions with similar probabilities: the predicted classes if each document has one, or
        all pairs of a document and a label. The area of a point grows with its number of predictions. On the diagonal
        probabilities are right.

        Parameters
        ----------
        X : list of str, list of list of str, Corpus, or matrix of counts
            Documents.
        y : list, array or indicator matrix, optional
            Their classes or labels. By default those of a Corpus. Documents with None or NaN do not count.
        n_bins : int
            Number of bins of probabilities, of equal width.
        ax : matplotlib axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib figure, or ``ax`` if given

        Examples
        --------
        >>> import topicwright as tw
        >>> texts, y = ["ship sails sea", "bread oven flour"] * 10, ["sea", "kitchen"] * 10
        >>> model = tw.MedLDAClassifier(n_topics=2, n_sweeps=10).fit(texts, y)
        >>> len(model.plot_reliability(["sea ship", "oven bread"], ["sea", "kitchen"]).axes)
        1
        """
        from ._classification import outcomes

        return _plots().plot_reliability(*outcomes(self, X, y), n_bins, ax)

    @suggest_keywords()
    def plot_coefficients(self, n: int = 10, classes: Sequence[Any] | None = None) -> Any:
        """Plot the weights of topics in each class or target.

        Parameters
        ----------
        n : int
            Number of topics per class or target, those with the largest absolute weights.
        classes : list, optional
            Classes or targets; by default all, up to 30.

        Returns
        -------
        matplotlib figure
            Positive weights are blue, negative ones orange.

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
        """Plot the labels of the documents that the words of topics come from.

        For models whose topics are labels, plot the number of documents with each label.

        Parameters
        ----------
        n : int
            Number of topics and of labels, the largest first.
        ax : matplotlib axes, optional
            Axes to draw on; by default those of a new figure.

        Returns
        -------
        matplotlib figure, or ``ax`` if given

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
        """Plot the shares of topics in the words of each period; documents need dates.

        Parameters
        ----------
        topics : list of int or str, optional
            Topics by number or name; by default the ``n`` topics that change most.
        n : int
            Number of topics if ``topics`` is not given.
        period : {"day", "week", "month", "quarter", "year", "decade", "century"}, optional
            By default one that gives 8 to 60 periods, few of them with little text.
        smooth : bool
            Whether to smooth the lines over five periods.

        Returns
        -------
        matplotlib figure
            Dots are single periods. Lines are dashed where a period has few documents. Documents without a date are
            left out and counted below the plot.

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
        """Write an HTML report: a map, the words, documents and weights of each topic, and statistics.

        The report is a single file that loads nothing from elsewhere. It is replaced only once it is complete. See
        :func:`topicwright.views.report_page`.

        Parameters
        ----------
        path : str, path or text file
            Where to write the report.
        title : str, optional
            Title of the page.
        knowledge : KnowledgeReport, optional
            Report to include; see ``knowledge_report``.
        documents : bool
            Whether to include documents.
        """
        from ..io.export import open_text
        from ..views import report_page

        page = report_page(self, title=title, knowledge=knowledge, documents=documents)
        with open_text(path) as file:
            file.write(page)

    def _repr_html_inner(self) -> str:
        """Display in notebooks: the topics of a fitted model, otherwise the diagram of scikit-learn."""
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
        """All names; scikit-learn would compute every array to see whether it exists."""
        return object.__dir__(self)


def _has_topics(model: Any) -> bool:
    """Whether a model is fitted and has one set of topics, unlike one-vs-rest."""
    return is_fitted(model) and hasattr(model, "topic_word_counts_")


def _plots() -> Any:
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtraError("matplotlib", "plots", "a plot") from None
    from ..views import plots

    return plots
