"""Plots: contents of figures, without a display, and saving."""

from __future__ import annotations

import subprocess
import sys
import types

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import InputError, MissingExtraError
from topicwright.evaluation import reliability
from topicwright.views import relevant_words

from ..conftest import THEMES, themed_texts
from .conftest import KINDS, drawn

Figure = pytest.importorskip("matplotlib.figure").Figure


def texts_of(figure):
    axes = figure.axes[0]
    labels = [label.get_text() for label in (*axes.get_yticklabels(), *axes.get_xticklabels())]
    return [*(text.get_text() for text in axes.texts), *labels, axes.get_title(loc="left")]


def check_saved(figure):
    png, svg = drawn(figure)
    assert png.startswith(b"\x89PNG")
    assert "<svg" in svg
    assert figure._repr_png_().startswith(b"\x89PNG")


@pytest.mark.parametrize("kind", KINDS)
def test_maps_and_topics_of_every_kind(models, kind):
    model = models(kind)
    figure = model.plot_map()
    check_saved(figure)
    assert len(figure.axes[0].patches) == int((np.asarray(model.topic_word_counts_.sum(axis=1)) > 0).sum())
    figure = model.plot_topic(1, lam=0.2, n=5)
    check_saved(figure)
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == [
        word.word for word in relevant_words(model, 1, 0.2, 5)
    ]


@pytest.mark.parametrize("kind", ["labeled", "stream"])
def test_a_topic_is_plotted_by_its_name(models, kind):
    model = models(kind)
    number = model.topic_names_.index("kitchen")
    assert texts_of(model.plot_topic("kitchen")) == texts_of(model.plot_topic(number))


def test_rejects_plotting_too_many_classes():
    names = [f"c{n:02}" for n in range(31)]
    model = tw.MedLDAClassifier(n_topics=2, n_sweeps=15).fit(["ship sea", "bread oven"] * 31, names * 2)
    with pytest.raises(InputError, match=r"the model has 31: choose some with classes=\['c00', 'c01'\]"):
        model.plot_coefficients()


def test_likelihood_plot_ends_with_training(lda):
    figure = lda.plot_likelihood()
    check_saved(figure)
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_xydata(), lda.log_likelihood_)


def test_coefficients(models):
    model = models("classifier")
    figure = model.plot_coefficients(3)
    check_saved(figure)
    assert [axes.get_title(loc="left") for axes in figure.axes] == model.classes_.tolist()
    values = [bar.get_width() for bar in figure.axes[0].patches]
    assert values == sorted(values, reverse=True)
    assert set(values) <= set(model.coef_[0].tolist())
    assert len(model.plot_coefficients(classes=["sea"]).axes) == 1
    check_saved(models("regressor").plot_coefficients())


def test_reliability_of_classes(models):
    model = models("classifier")
    texts, themes = themed_texts(30, seed=2), [list(THEMES)[i % 3] for i in range(30)]
    figure = model.plot_reliability([*texts, "", "ship"], [*themes, "sea", None], n_bins=4)
    check_saved(figure)
    values = model.decide(texts).values.max(axis=1)
    bins = reliability(values, model.predict(texts) == themes, 4)
    np.testing.assert_array_equal(figure.axes[0].lines[1].get_xydata(), np.column_stack(bins[:2]))
    assert "of 30 predictions" in figure.axes[0].get_title(loc="left")
    corpus = tw.Corpus.from_texts(texts, labels=themes)
    np.testing.assert_array_equal(
        model.plot_reliability(corpus, n_bins=4).axes[0].lines[1].get_xydata(), np.column_stack(bins[:2])
    )


@pytest.mark.parametrize("form", ["lists", "matrix", "corpus"])
def test_reliability_of_labels(models, form):
    model = models("labeled")
    texts, themes = themed_texts(30, seed=2), [list(THEMES)[i % 3] for i in range(30)]
    has = np.array([[name == theme for name in model.classes_] for theme in themes])
    truth = {"lists": ([[theme] for theme in themes],), "matrix": (has.astype(int),), "corpus": ()}[form]
    documents = tw.Corpus.from_texts(texts, labels=[[theme] for theme in themes]) if form == "corpus" else texts
    axes = Figure().subplots()
    assert model.plot_reliability(documents, *truth, ax=axes) is axes
    bins = reliability(model.decide(texts).values, has)
    np.testing.assert_array_equal(axes.lines[1].get_xydata(), np.column_stack(bins[:2]))


def test_labels(models):
    figure = models("lda").plot_labels()
    check_saved(figure)
    assert {"sea", "kitchen", "court"} <= set(texts_of(figure))
    for kind in ("labeled", "stream"):
        check_saved(models(kind).plot_labels())
        assert [bar.get_width() for bar in models(kind).plot_labels().axes[0].patches] == [20, 20, 20]


@pytest.mark.parametrize(
    ("kind", "plot", "sentence"),
    [
        ("stream", lambda model: model.plot_likelihood(), "plot_likelihood needs a training curve"),
        ("lda", lambda model: model.plot_coefficients(), "needs a classifier or regressor: got LDA"),
        ("classifier", lambda model: model.plot_coefficients(classes=["x"]), "has no class 'x': it has court"),
        (
            "classifier",
            lambda model: model.plot_labels(),
            r"those of this MedLDAClassifier have none: .*labels=…\); plot_coefficients shows classes$",
        ),
        (
            "lda",
            lambda model: model.plot_reliability(["ship"], ["sea"]),
            "a classifier with probabilities, .*: got LDA",
        ),
        ("classifier", lambda model: model.plot_reliability(["ship"]), "plot_reliability needs y, the classes"),
        ("classifier", lambda model: model.plot_reliability([""], ["sea"]), "a document with a known word"),
        ("labeled", lambda model: model.plot_reliability(["ship"], np.array([[1, 0]])), "y must be 3 columns: got 2"),
        ("lda", lambda model: model.plot_topic(0, ax=3), "ax must be matplotlib axes, .* got int"),
        ("lda", lambda model: model.plot_topic(9), "an integer from 0 to 4: got 9"),
        ("lda", lambda model: model.plot_topic("sea"), "an integer from 0 to 4: got 'sea'"),
        ("labeled", lambda model: model.plot_topic("seas"), "did you mean 'sea'?"),
        ("stream", lambda model: model.plot_topic("x"), "the names are sea, "),
    ],
)
def test_rejects_unsupported_plots(models, kind, plot, sentence):
    with pytest.raises(InputError, match=sentence):
        plot(models(kind))


def test_dollar_signs_are_not_parsed_as_math():
    model = tw.LabeledLDA(n_sweeps=2).fit([["$x_{", "a$b$"]] * 5, [["$\\frac{$"]] * 5)
    for figure in (model.plot_map(), model.plot_topic(0), model.plot_labels()):
        check_saved(figure)


def test_without_matplotlib(lda, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"a plot needs the package 'matplotlib': .*topicwright\[plots\]"):
        lda.plot_map()


def test_a_page_needs_no_matplotlib():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import topicwright as tw\n"
        "tw.LDA(n_topics=2, n_sweeps=2).fit([['a', 'b']] * 4).write_report('/dev/null')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


ONE_AXES = {
    "map": lambda model, ax: model.plot_map(ax=ax),
    "topic": lambda model, ax: model.plot_topic(0, ax=ax),
    "likelihood": lambda model, ax: model.plot_likelihood(ax=ax),
    "labels": lambda model, ax: model.plot_labels(ax=ax),
}


@pytest.mark.parametrize("plot", ONE_AXES.values(), ids=list(ONE_AXES))
def test_plots_accept_given_axes(lda, plot):
    figure = Figure(figsize=(4, 3))
    left, right = figure.subplots(1, 2)
    assert plot(lda, left) is left
    assert left.texts or left.lines or left.images
    assert not right.texts
    assert figure.axes == [left, right]
    assert figure.get_size_inches().tolist() == [4, 3]
    drawn(figure)


def test_label_plots_accept_given_axes(models):
    axes = Figure().subplots()
    assert models("labeled").plot_labels(ax=axes) is axes
    assert len(axes.patches) == 3


def test_small_axes_have_smaller_circles(lda):
    def radius(size):
        return max(patch.radius for patch in lda.plot_map(ax=Figure(figsize=(size, size)).subplots()).patches)

    assert radius(2) < radius(8)


class Notebook:
    """IPython's events and display functions."""

    kernel = "some"

    def __init__(self):
        self.waiting, self.seen = [], []
        self.events = self.display = self

    def get_ipython(self):
        return self

    def register(self, event, function):
        assert event == "post_run_cell"
        self.waiting.append(function)

    def unregister(self, event, function):
        self.waiting.remove(function)

    def show(self, picture):
        assert picture._repr_mimebundle_() == {}
        assert picture._repr_png_()
        self.seen.append(picture)

    def end_cell(self, result=None):
        """The value of the last line is shown first, then callbacks run."""
        if result is not None:
            self.show(result)
        for function in [*self.waiting]:
            function(result)
        seen, self.seen = self.seen, []
        return seen


@pytest.fixture
def notebook(monkeypatch):
    notebook = Notebook()
    notebook.display = types.SimpleNamespace(display=notebook.show)
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    return notebook


def test_a_notebook_shows_plots_of_any_line_once_and_in_order(lda, notebook):
    plots = [lda.plot_topic(k) for k in range(3)]
    assert notebook.end_cell(plots[2]) == plots
    assert notebook.end_cell() == []
    plots = [lda.plot_topic(k) for k in range(2)]
    assert notebook.end_cell() == plots
    assert notebook.waiting == []


def test_a_notebook_does_not_show_what_was_saved_or_drawn_elsewhere(lda, notebook):
    drawn(lda.plot_map())
    lda.plot_topic(0, ax=Figure().subplots())
    assert notebook.end_cell() == []


def test_undated_documents_are_counted_in_a_note():
    dates = [2010, 2011, 2012, None] * 10
    corpus = tw.Corpus.from_texts(["ship sea", "bread oven"] * 20, dates=dates)
    figure = tw.LDA(n_topics=2, n_sweeps=5).fit(corpus).plot_topics_over_time()
    assert figure.get_supxlabel() == "10 of 40 documents have no date, and are left out"
    check_saved(figure)
