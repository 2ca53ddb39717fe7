"""Plots and pages of a model, as its methods; what they need is imported when they are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sklearn import get_config
from sklearn.utils.validation import _is_fitted as is_fitted

from ..errors import MissingExtraError

if TYPE_CHECKING:
    from ..knowledge import KnowledgeReport


class CanBeShown:
    """Plots, each a figure of matplotlib's to look at or to save; and a page for a browser.

    They need no display: ``model.plot_map().savefig("map.svg")``. The ground is transparent, so that one figure goes
    with light and dark pages.
    """

    def plot_map(self, n: int = 100) -> Any:
        """A map of the ``n`` largest topics: those with like words lie near each other, larger ones hold more words."""
        return _plots().plot_map(self, n)

    def plot_topic(self, topic: int, *, lam: float = 0.6, n: int = 20) -> Any:
        """The ``n`` most relevant words of a topic, as in LDAvis: frequent ones with ``lam=1``, marking ones with 0."""
        return _plots().plot_topic(self, topic, lam=lam, n=n)

    def plot_likelihood(self) -> Any:
        """The training curve: log p(w, z) per word."""
        return _plots().plot_likelihood(self)

    def plot_coefficients(self, n: int = 10, classes: Sequence[Any] | None = None) -> Any:
        """What topics weigh in all classes or numbers that a model predicts, or in some: the ``n`` heaviest of each."""
        return _plots().plot_coefficients(self, n, classes)

    def plot_labels(self, n: int = 20) -> Any:
        """How the words of the ``n`` largest topics spread over labels; of labels that are topics, their documents."""
        return _plots().plot_labels(self, n)

    def plot_topics_over_time(
        self, topics: Sequence[int] | None = None, *, n: int = 12, period: str | None = None, smooth: bool = True
    ) -> Any:
        """Shares of topics in the words of each period, where documents have dates: these, or ``n`` that change most.

        Dots are single periods; a line is smoothed over five, and dashed where a period has few documents. ``period``
        is as in :func:`topicwright.views.topics_over_time`.
        """
        return _plots().plot_topics_over_time(self, topics, n=n, period=period, smooth=smooth)

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
        from ..io.export.targets import text_target
        from ..views import report_page

        page = report_page(self, title=title, knowledge=knowledge, documents=documents)
        with text_target(path) as file:
            file.write(page)

    def _repr_html_inner(self) -> str:
        """What notebooks show: topics where there are some, or else scikit-learn's diagram."""
        if not _has_topics(self):
            return str(super()._repr_html_inner())  # type: ignore[misc]
        from ..views.glance import topics_html

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
