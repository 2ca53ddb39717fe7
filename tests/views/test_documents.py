"""Document view: the complete text, and topic probabilities proportional to φ θ."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import topicwright as tw
from topicwright import views
from topicwright.errors import InputError
from topicwright.views import TextPiece, read_document, read_text

from ..assertions import raises_input
from ..conftest import themed_texts
from .conftest import without_documents

TEXTS = [f"{text.capitalize()}! The <b>ÉTÉ</b> of\n\n{text.upper()}." for text in themed_texts(30)]


@pytest.fixture(scope="module")
def kept():
    corpus = tw.Corpus.from_texts(
        TEXTS, stop_words="english", keep_texts=True, ids=[f"d{i}" for i in range(30)], dates=[2019, *[None] * 29]
    )
    return tw.LDA(n_topics=4, n_sweeps=20).fit(corpus)


def test_spans_cover_the_text_and_its_tokens(kept):
    for row, text in enumerate(TEXTS):
        document = read_document(kept, row)
        words = [piece for piece in document.pieces if piece.word is not None]
        assert document.text == text
        assert document.is_whole
        assert [piece.word for piece in words] == kept.corpus_.words(row)
        assert all(piece.text.lower() == piece.word for piece in words)
        start, end = kept.corpus_.offsets[row : row + 2]
        assert [piece.topic for piece in words] == kept.assignments_[start:end].tolist()
    assert (document.row, document.name, document.date, document.labels) == (29, "d29", None, ())
    assert read_document(kept, 0).date == "2019-01-01T00:00:00"


def test_probabilities_are_phi_times_theta(kept):
    document = read_document(kept, 4, n_topics=4)
    words = kept.vocabulary_.tolist()
    for piece in document.pieces:
        if piece.word is not None:
            joint = kept.topic_word_[:, words.index(piece.word)] * kept.doc_topic_[4]
            expected = joint / joint.sum()
            assert piece.probability == pytest.approx(expected[piece.topic])
            order = np.argsort(-expected, kind="stable")
            assert [chance.topic for chance in piece.posterior] == order.tolist()
            assert [chance.probability for chance in piece.posterior] == pytest.approx(expected[order])
    theta = {one.topic: one.share for one in document.topics}
    assert theta == pytest.approx({topic: kept.doc_topic_[4, topic] for topic in theta})
    assert sum(one.n_words for one in document.topics) == len(kept.corpus_.words(4))
    assert list(theta.values()) == sorted(theta.values(), reverse=True)


def test_many_topics_are_computed_in_chunks(kept, monkeypatch):
    whole = read_document(kept, 2)
    monkeypatch.setattr("topicwright.views.documents._MOST_WEIGHTS", 9)
    assert read_document(kept, 2) == whole


def test_spans_without_texts_are_words(lda):
    document = read_document(lda, 7)
    assert not document.is_whole
    assert document.text == " ".join(lda.corpus_.words(7))
    assert document.labels == lda.corpus_.labels[7]
    assert [piece.word for piece in document.pieces[::2]] == lda.corpus_.words(7)
    assert set(document.pieces[1::2]) == {TextPiece(" ")}


@pytest.mark.parametrize("kind", ["lda", "classifier", "regressor", "labeled"])
def test_models_of_every_kind(models, kind, tmp_path):
    model = models(kind)
    document = read_document(model, 3)
    assert [piece.word for piece in document.pieces[::2]] == model.corpus_.words(3)
    model.save(tmp_path / "m.tw")
    assert read_document(tw.load(tmp_path / "m.tw"), 3) == document


def test_words_use_topics_allowed_by_labels(models):
    model = models("labeled")
    own = {model.topic_names_.index(name) for name in (*model.corpus_.labels[0], model.topic_names_[-1])}
    document = read_document(model, 0, n_topics=10)
    chances = {chance.topic for piece in document.pieces for chance in piece.posterior}
    assert chances == own
    assert sum(one.share for one in document.topics) <= 1 + 1e-9
    for piece in document.pieces[::2]:
        assert sum(chance.probability for chance in piece.posterior) == pytest.approx(1)


def test_a_hard_seed_leaves_one_topic():
    seeds = tw.SeedWords({"sea": ["ship"]}, hard=True)
    model = tw.LDA(n_topics=3, n_sweeps=10, knowledge=[seeds]).fit(["ship oven", "bread oven"] * 5)
    ship, _, oven = read_document(model, 0).pieces
    assert ship.posterior == ((model.topic_names_.index("sea"), 1.0),)
    assert len(oven.posterior) == 3


@pytest.mark.parametrize("kind", ["lda", "classifier", "regressor", "labeled", "stream"])
def test_a_new_text(models, kind):
    model = models(kind)
    text = "The CAPTAIN, a ship and\tunknownness… of flour!"
    document = read_text(model, text)
    assert document.text == text
    assert [piece.word for piece in document.pieces if piece.word] == ["captain", "ship", "flour"]
    theta = model.transform(["captain ship flour"])[0]
    for piece in document.pieces:
        if piece.word is not None:
            joint = model.topic_word_[:, model.vocabulary_.tolist().index(piece.word)] * theta
            assert piece.topic == joint.argmax()
            assert piece.probability == pytest.approx(joint.max() / joint.sum())
    assert (document.row, document.name, document.is_whole) == (None, None, True)


def test_a_text_without_a_known_word(lda):
    assert read_text(lda, "nothing known!").pieces == (TextPiece("nothing known!"),)
    assert read_text(lda, "").pieces == ()


@pytest.mark.parametrize(
    "options",
    [
        {"ngram_range": (1, 2)},
        {"ngram_range": (2, 2), "stop_words": "english"},
        {"token_pattern": r"[a-z]([a-z]+)"},
        {"tokenizer": lambda text: re.findall(r"\w+", text.lower())},
        {"lowercase": False},
        {"max_words": 5},
    ],
    ids=["pairs", "pairs alone", "pattern", "analyzer", "case", "pruned"],
)
def test_any_tokenizer(options):
    corpus = tw.Corpus.from_texts(TEXTS, keep_texts=True, **options)
    model = tw.LDA(n_topics=2, n_sweeps=3).fit(corpus)
    for row, text in enumerate(TEXTS[:5]):
        document = read_document(model, row)
        assert document.text == text
        words = [piece.word for piece in document.pieces if piece.word is not None]
        if "ngram_range" in options:  # runs that overlap are not shown twice
            assert 0 < len(words) < len(corpus.words(row))
        else:
            assert words == corpus.words(row)


def test_words_missing_in_the_text_are_shown_separately(tmp_path):
    corpus = tw.Corpus.from_texts(["Running ships"] * 3, tokenizer=lambda text: ["run", "ship"], keep_texts=True)
    model = tw.LDA(n_topics=2, n_sweeps=3).fit(corpus)
    assert read_document(model, 0).text == "run ship"
    assert not read_document(model, 0).is_whole


def test_missing_analyzer_is_not_needed(tmp_path):
    corpus = tw.Corpus.from_texts(["Red, ships!"] * 3, tokenizer=lambda text: ["red", "ships"], keep_texts=True)
    tw.LDA(n_topics=2, n_sweeps=3).fit(corpus).save(tmp_path / "m.tw")
    pieces = read_document(tw.load(tmp_path / "m.tw"), 0).pieces
    assert [piece.text for piece in pieces] == ["Red", ", ", "ships", "!"]


ALPHABET = st.sampled_from([*"aAbBéÉİß ,.-\n\u0301<&", "sea ", "Oven ", "the "])


@given(st.lists(ALPHABET, max_size=30).map("".join))
def test_no_text_is_changed(text):
    corpus = tw.Corpus.from_texts([text, "sea oven"], stop_words="english", keep_texts=True)
    model = tw.LDA(n_topics=2, n_sweeps=1).fit(corpus)
    document = read_document(model, 0)
    assert document.text == text
    assert read_text(model, text).text == text


def test_json_contents(kept):
    record = json.loads(json.dumps(read_document(kept, 0).to_dict()))
    assert "".join(piece["text"] for piece in record["pieces"]) == TEXTS[0]
    known = next(piece for piece in record["pieces"] if "word" in piece)
    assert set(known) == {"text", "word", "topic", "probability", "chances"}
    assert set(record["topics"][0]) == {"topic", "share", "n_words"}


@pytest.mark.parametrize("row", [60, -1, "d1"])
def test_invalid_rows(lda, row):
    with raises_input("row", got=row):
        read_document(lda, row)


def test_deprecated_names(lda):
    with pytest.warns(DeprecationWarning, match="n_topics="):
        document = read_document(lda, 0, told=2)
    with pytest.warns(DeprecationWarning, match="TextPiece.posterior"):
        assert document.pieces[0].chances == document.pieces[0].posterior
    with pytest.warns(DeprecationWarning, match="views.TextPiece"):
        assert views.Piece is TextPiece


def test_invalid_parameters(lda, models, tmp_path):
    with raises_input("n_topics", got=0):
        read_document(lda, 0, n_topics=0)
    with raises_input("text", got=list):
        read_text(lda, ["red"])
    for model in (without_documents(lda, tmp_path), models("stream")):
        with pytest.raises(InputError, match="read_document needs the training documents"):
            read_document(model, 0)
    counts = tw.LDA(n_topics=2, n_sweeps=2).fit([[1, 2], [2, 1]])
    with pytest.raises(InputError, match="trained on counts or lists of words"):
        read_text(counts, "x0")
    assert [piece.word for piece in read_document(counts, 0).pieces[::2]] == ["x0", "x1", "x1"]
