"""Plots: figures without a display, which hold what they should, and can be saved."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import topicwright as tw
from topicwright.errors import InputError, MissingExtraError
from topicwright.views import relevant_words

from .conftest import KINDS, drawn

pytest.importorskip("matplotlib")


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


def test_the_likelihood_ends_where_training_did(lda):
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


def test_labels(models):
    figure = models("lda").plot_labels()
    check_saved(figure)
    assert {"sea", "kitchen", "court"} <= set(texts_of(figure))
    for kind in ("labelled", "stream"):
        check_saved(models(kind).plot_labels())
        assert [bar.get_width() for bar in models(kind).plot_labels().axes[0].patches] == [20, 20, 20]


@pytest.mark.parametrize(
    ("kind", "plot", "sentence"),
    [
        ("stream", lambda model: model.plot_likelihood(), "plot_likelihood needs a training curve"),
        ("lda", lambda model: model.plot_coefficients(), "is for classifiers and regressors, and LDA is neither"),
        ("classifier", lambda model: model.plot_coefficients(classes=["x"]), "has no class 'x': it has court"),
        ("classifier", lambda model: model.plot_labels(), "needs training documents with labels"),
        ("lda", lambda model: model.plot_topic(9), "topic must be a whole number from 0 to 4: got 9"),
    ],
)
def test_what_can_not_be_plotted(models, kind, plot, sentence):
    with pytest.raises(InputError, match=sentence):
        plot(models(kind))


def test_dollars_are_no_formulas():
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
