"""HTML representation of models in notebooks: topics, escaped, without scripts."""

from __future__ import annotations

import re

import pytest
import sklearn
from sklearn.pipeline import make_pipeline

import topicwright as tw

from .conftest import KINDS, without_documents


def rows_of(page: str) -> list[list[str]]:
    body = page[page.index("<tbody>") :]
    return [
        [re.sub("<[^>]+>", "", cell) for cell in re.findall("<td.*?</td>", row)]
        for row in re.findall("<tr.*?</tr>", body)
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_models_of_every_kind_show_their_topics(models, kind):
    model = models(kind)
    page = model._repr_mimebundle_()["text/html"]
    assert page == model._repr_html_()
    rows = rows_of(page)
    assert len(rows) == len(model.alpha_)
    tops = model.top_words(10)
    assert all(row[-1] == " ".join(tops[int(row[0])]) for row in rows)
    shares = [float(row[-3].removesuffix(" %")) for row in rows]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(100, abs=3)


def test_names_of_topics_have_a_column(models):
    assert {row[1] for row in rows_of(models("labeled")._repr_html_())} >= {"sea", "kitchen", "court"}


def test_long_list_of_topics_is_truncated():
    page = tw.LDA(n_topics=25, n_sweeps=2).fit(["ship sea bread oven"] * 20)._repr_html_()
    assert len(rows_of(page)) == 20
    assert "… and 5 smaller ones" in page


def test_text_is_escaped():
    texts, evil = [["<script>alert(1)</script>", "sea\u202e"]] * 3, "<img src=x onerror=alert(1)>"
    page = tw.LabeledLDA(n_sweeps=2).fit(texts, [evil] * 3)._repr_html_()
    assert "<script" not in page
    assert "<img" not in page
    assert "\u202e" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_models_without_topics_use_the_scikit_learn_repr():
    assert "sk-" in tw.LDA(3)._repr_html_()
    one_for_each = tw.MedLDAClassifier(2, strategy="one-vs-rest", n_sweeps=10).fit(
        ["ship", "bread"] * 5, ["a", "b"] * 5
    )
    assert "sk-" in one_for_each._repr_mimebundle_()["text/html"]
    with sklearn.config_context(display="text"):
        assert set(tw.LDA(3)._repr_mimebundle_()) == {"text/plain"}


@pytest.mark.parametrize("kind", ["lda", "stream"])
def test_attribute_lookup_computes_nothing(models, kind, tmp_path):
    model = without_documents(models(kind), tmp_path)
    assert "doc_topic_" in dir(model)  # as completion asks
    assert not {"components_", "topic_word_", "doc_topic_"} & set(vars(model))
    assert not hasattr(model, "doc_topic_")
    assert rows_of(model._repr_html_())


def test_pipelines_keep_their_diagram(models):
    for kind in KINDS:
        assert "sk-" in make_pipeline(models(kind))._repr_html_()
