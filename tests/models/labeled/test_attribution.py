"""LabeledLDA: attribution of words to labels, colored documents, snippets, explanations."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from io import StringIO
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import topicwright as tw
from topicwright.corpus.tokenizer import token_spans
from topicwright.errors import InputError
from topicwright.models.labeled.attribution import spans_of_text

from ...assertions import raises_input
from .documents import LABELS, NAMES, TEXTS

TEXT = "The Captain & his crew: a storm, a wave!\nThen <bread>, flour and butter in the oven. The ship..."


@pytest.fixture(scope="module")
def model() -> tw.LabeledLDA:
    return tw.LabeledLDA(n_sweeps=30).fit(TEXTS, LABELS)


@pytest.fixture(scope="module")
def with_background() -> tw.LabeledLDA:
    return tw.LabeledLDA(n_sweeps=20, n_background_topics=1).fit(TEXTS, LABELS)


# ---------------------------------------------------------------------- attribution


def test_each_word_has_its_label(model: tw.LabeledLDA) -> None:
    found = {word.text: word.label for word in model.attribute(TEXT).words}
    assert {found[word] for word in ("Captain", "storm", "wave", "ship")} == {"sea"}
    assert {found[word] for word in ("bread", "flour", "butter", "oven")} == {"kitchen"}
    assert found["The"] is found["crew"] is None


def test_words_keep_their_positions(model: tw.LabeledLDA) -> None:
    attribution = model.attribute(TEXT)
    assert all(TEXT[word.start : word.end] == word.text for word in attribution.words)
    assert [word.text for word in attribution.words] == re.findall(r"[A-Za-z]+", TEXT)


@pytest.mark.parametrize("labels", [None, ["sea"], ["sea", "kitchen"], "court"])
def test_probabilities_sum_to_one(model: tw.LabeledLDA, with_background: tw.LabeledLDA, labels: Any) -> None:
    for one in (model, with_background):
        attribution = one.attribute(TEXT, labels)
        known = np.array([word.word is not None for word in attribution.words])
        np.testing.assert_allclose(attribution.probabilities[known].sum(axis=1), 1)
        assert (attribution.probabilities[~known] == 0).all()
        best = attribution.probabilities.max(axis=1)
        assert [word.probability for word in attribution.words] == best.tolist()
        assert sum(share for _, share in attribution.shares(attribution.labels)) == pytest.approx(1)


def test_probabilities_equal_those_of_the_model(model: tw.LabeledLDA) -> None:
    """p(z = k | w, d) ∝ θ_dk φ_kw."""
    attribution = model.attribute(["ship", "unheard", "oven"])
    weights = model.transform(["ship oven"])[0] * model.topic_word_[:, [list(model.vocabulary_).index("oven")]].T
    np.testing.assert_allclose(attribution.probabilities[2], weights[0] / weights.sum())
    seeded = tw.LabeledLDA(n_sweeps=5, knowledge=[tw.SeedWords({"sea": ["oven"]})]).fit(TEXTS, LABELS)
    weights = seeded.transform(["ship oven"])[0] * seeded.topic_word_[:, [list(seeded.vocabulary_).index("oven")]].T
    np.testing.assert_allclose(seeded.attribute("ship oven").probabilities[1], weights[0] / weights.sum())


def test_given_labels_restrict_attribution(with_background: tw.LabeledLDA) -> None:
    attribution = with_background.attribute(TEXT, ["sea", "court"])
    assert attribution.labels == ("court", "sea", "background 1")
    assert attribution.background() == ("background 1",)
    assert {word.label for word in attribution.words} <= {None, *attribution.labels}


def test_the_words_of_a_label(model: tw.LabeledLDA) -> None:
    attribution = model.attribute("Ship, ship and SHIP; a wave, the bread. Unheard!")
    first, second = attribution.words_of("sea", 2)
    assert (first.word, first.times, second.word, second.times) == ("ship", 3, "wave", 1)
    assert first.probability == attribution.words[0].probability
    assert len(attribution.words_of("court", 10)) == 3
    added = sum(word.times * word.probability for word in attribution.words_of("sea", 10)) / 5
    (share,) = attribution.shares(["sea"])
    assert share == ("sea", pytest.approx(added))
    assert attribution.shares(["court"])[0].share < 0.1
    with pytest.raises(InputError, match=r"one of 'court', 'kitchen'.*: got 'air'"):
        attribution.words_of("air", 1)


def test_document_may_be_text_words_or_counts(model: tw.LabeledLDA) -> None:
    words = ["ship", "bread", "bread"]
    counts = np.array([[words.count(word) for word in model.vocabulary_]])
    forms = [words, tuple(words), tw.Corpus.from_tokens([words]), counts, counts[0]]
    found = [model.attribute(form) for form in forms]
    for attribution in found:
        assert attribution.text is None
        assert sorted((word.text, word.label) for word in attribution.words) == [
            ("bread", "kitchen"),
            ("bread", "kitchen"),
            ("ship", "sea"),
        ]
    assert model.attribute("zzz").shares() == []
    assert str(model.attribute("")) == "no word that the model knows"


@pytest.mark.parametrize(
    ("document", "labels", "message"),
    [
        ("ship", ["moon"], "such as 'court', 'kitchen', 'sea': got 'moon'"),
        ("ship", [], "at least one label"),
        (np.ones((2, 24), int), None, "must be one document: got 2"),
    ],
)
def test_rejects_invalid_attribution_arguments(model: tw.LabeledLDA, document: Any, labels: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        model.attribute(document, labels)


def test_count_model_rejects_text() -> None:
    model = tw.LabeledLDA(n_sweeps=2).fit([[1, 0], [0, 2]], [["a"], ["b"]])
    with pytest.raises(InputError, match="not on texts"):
        model.attribute("ship")
    assert [word.label for word in model.attribute([0, 1]).words] == ["b"]


# ---------------------------------------------------------------------- places of words


@pytest.mark.parametrize(
    ("text", "tokenizer", "expected"),
    [
        ("Ein süßes Brötchen", tw.Tokenizer(), ["Ein", "süßes", "Brötchen"]),
        ("cafe\u0301 İstanbul x caffè", tw.Tokenizer(), ["cafe\u0301", "İstanbul", "caffè"]),
        ("ΟΔΟΣ ΣΟΦΟΣ at cat", tw.Tokenizer(), ["ΟΔΟΣ", "ΣΟΦΟΣ", "at", "cat"]),
        ("İİİİ a\u0301b\u0301c e2e abc123", tw.Tokenizer(), ["İİİİ", "a\u0301b\u0301c", "abc"]),
        ("हिन्दी भाषा", tw.Tokenizer(), ["हिन्दी", "भाषा"]),
        ("so #Happy about #topic_models", tw.Tokenizer(token_pattern=r"#(\w+)"), ["Happy", "topic_models"]),
        ("One, two; ONE", tw.Tokenizer(analyzer=str.split), ["One,", "two;", "ONE"]),
        ("New York City", tw.Tokenizer(ngram_range=(1, 2)), ["New", "New York", "York", "York City", "City"]),
        ("New in York", tw.Tokenizer(ngram_range=(2, 2), stop_words=["in"]), ["New in York"]),
        ("", tw.Tokenizer(), []),
        ("x" * 999 + " " + "İ" * 450, tw.Tokenizer(), ["x" * 999, "İ" * 450]),
    ],
)
def test_words_are_found_in_their_text(text: str, tokenizer: tw.Tokenizer, expected: list[str]) -> None:
    spans = token_spans(text, tokenizer)
    assert spans is not None
    assert [
        text[span.start : span.end] for span in spans if span.word is not None and span.end > span.start
    ] == expected
    assert [span.word for span in spans if span.word is not None] == tokenizer(text)


def test_words_missing_in_the_text_have_no_position() -> None:
    stems = tw.Tokenizer(analyzer=lambda text: [f"{word[:3]}~" for word in text.split()])
    assert token_spans("ships sailing", stems) is None
    spans = spans_of_text("ships sailing", stems)
    assert [(place.text, place.start) for place in spans] == [("shi~", None), ("sai~", None)]
    model = tw.LabeledLDA(n_sweeps=2).fit(tw.Corpus.from_texts(TEXTS, tokenizer=stems, labels=LABELS))
    attribution = model.attribute("wave ship")
    assert attribution.text is None
    assert [word.label for word in attribution.words] == ["sea", "sea"]


def test_stop_words_have_no_label() -> None:
    corpus = tw.Corpus.from_texts([f"the {text}" for text in TEXTS], stop_words=["the"], labels=LABELS)
    words = tw.LabeledLDA(n_sweeps=5).fit(corpus).attribute("The ship").words
    assert [(word.text, word.word) for word in words] == [("The", None), ("ship", "ship")]


def test_ngrams_can_be_shown() -> None:
    corpus = tw.Corpus.from_texts(TEXTS, ngram_range=(1, 2), labels=LABELS)
    attribution = tw.LabeledLDA(n_sweeps=5).fit(corpus).attribute(TEXTS[0])
    assert seen_text(attribution.to_html()) == TEXTS[0]


# ---------------------------------------------------------------------- display


class Reader(HTMLParser):
    """Checks that tags are closed, and collects text: the second paragraph is the document."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.paragraphs: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.open.append(tag)
        if tag == "p":
            self.paragraphs.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.paragraphs[-1] += data


def seen_text(html: str) -> str:
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open
    return reader.paragraphs[1]


def test_html_keeps_the_text(model: tw.LabeledLDA) -> None:
    attribution = model.attribute(TEXT)
    html = attribution.to_html()
    assert seen_text(html) == TEXT
    assert "<bread>" not in html
    assert f'title="sea: {max(word.probability for word in attribution.words if word.label == "sea"):.2f}"' in html
    assert attribution._repr_html_() == html
    assert "color:" not in html.replace("background-color:", "")  # the page's own colour of text
    assert seen_text(model.attribute(["ship", "<b>", "bread"]).to_html()) == "ship <b> bread"


def test_labels_are_escaped() -> None:
    model = tw.LabeledLDA(n_sweeps=2).fit(["ship wave", "law jury"] * 5, ['<i "x">', "&amp;"] * 5)
    html = model.attribute("ship law").to_html()
    assert "<i" not in html
    assert "&lt;i &quot;x&quot;&gt;: " in html


def test_labels_beyond_the_palette_are_gray() -> None:
    words = [f"{a}{b}" for a in "abcd" for b in "efgh"]
    model = tw.LabeledLDA(n_sweeps=2).fit([[word] for word in words] * 3, words * 3)
    html = model.attribute(words).to_html()
    assert html.count("rgb(128,128,128)") >= 6
    assert seen_text(html) == " ".join(words)


def test_terminal_output_is_colored_and_escaped(model: tw.LabeledLDA) -> None:
    def printed(**options: Any) -> str:
        console = Console(file=StringIO(), width=200, **options)
        console.print(model.attribute("The ship \x1b[2J has [bold]bread[/bold]"))
        return str(console.file.getvalue())  # type: ignore[attr-defined]

    assert "The ship \ufffd[2J has [bold]bread[/bold]" in printed()
    assert "\x1b[2J" not in printed(force_terminal=True)
    assert re.search(r"\x1b\[1;[^m]*mship", printed(force_terminal=True, color_system="truecolor"))


def test_attribution_can_be_printed_and_serialized(model: tw.LabeledLDA) -> None:
    attribution = model.attribute(TEXT)
    lines = str(attribution).splitlines()
    first, second = attribution.shares()
    told = f"{first.label} {first.share:.0%}, {second.label} {second.share:.0%}"
    assert repr(attribution) == f"<Attribution: {len(attribution.words)} words, {told}>"
    assert [line.split()[0] for line in lines] == [label for label, _ in attribution.shares()]
    stored = json.loads(json.dumps(attribution.to_dict()))
    assert stored["text"] == TEXT
    assert stored["words"][1] == {**attribution.words[1]._asdict()}
    assert {entry["label"] for entry in stored["labels"]} == {"sea", "kitchen"}
    numbers = tw.LabeledLDA(n_sweeps=2).fit(["ship", "law"] * 5, np.array([1, 2] * 5)).attribute("ship")
    assert json.loads(json.dumps(numbers.to_dict()))["words"][0]["label"] == 1


# ---------------------------------------------------------------------- snippets


def test_a_snippet_is_the_passage_about_a_label(model: tw.LabeledLDA) -> None:
    (snippet,) = model.snippets(TEXT, "kitchen", length=7)
    assert snippet.text == "Then <bread>, flour and butter in the oven"[6:]
    assert TEXT[snippet.start : snippet.end] == snippet.text
    assert snippet.last - snippet.first == 7
    (snippet,) = model.snippets(TEXT, "sea", length=8)
    assert snippet.text == "The Captain & his crew: a storm, a wave"


def test_snippets_are_disjoint_and_sorted_by_score(model: tw.LabeledLDA) -> None:
    found = model.snippets(TEXT, "sea", length=2, n=50)
    assert (
        np.diff([snippet.score for snippet in found]).max() < 1e-12
    )  # of equal ones up to this, the first comes first
    positions = [position for snippet in found for position in range(snippet.first, snippet.last)]
    assert len(set(positions)) == len(positions)
    chances = model.attribute(TEXT).probabilities[:, NAMES.index("sea")]
    windows = (chances[1:] + chances[:-1]) / 2
    assert found[0].score == pytest.approx(windows.max())


def test_snippets_of_words(model: tw.LabeledLDA) -> None:
    (snippet,) = model.snippets(["law", "ship", "wave", "bread"], "sea", length=2)
    assert (snippet.text, snippet.start) == ("ship wave", None)
    (whole,) = model.snippets("ship wave", "sea")
    assert whole.text == "ship wave"
    assert model.snippets("", "sea") == model.snippets("zzz", "sea") == []


def test_rejects_invalid_snippet_arguments(model: tw.LabeledLDA) -> None:
    with pytest.raises(InputError, match="got 'moon'"):
        model.snippets(TEXT, "moon")
    with raises_input("label", got="sea"):
        model.snippets(TEXT, "sea", labels=["court"])
    with raises_input("length", got=0):
        model.snippets(TEXT, "sea", length=0)


# ---------------------------------------------------------------------- explanations


def test_explanation_sums_to_the_score(with_background: tw.LabeledLDA) -> None:
    document = "ship bread oven ship flour"
    theta = with_background.transform([document])[0]
    explanation = with_background.explain(document, n_labels=2)
    best = [NAMES[k] for k in np.argsort(-theta[:3])[:2]]
    assert [reasons.what for reasons in explanation.reasons] == best
    for reasons in explanation.reasons:
        k = NAMES.index(reasons.what)
        assert reasons.score == pytest.approx(theta[k])
        (share,) = reasons.topics
        assert (share.topic, share.name) == (k, reasons.what)
        assert share.contribution == pytest.approx(share.share * share.weight)
        assert reasons.intercept + reasons.from_words + share.contribution == pytest.approx(reasons.score)
        assert sum(word.by_itself for word in reasons.words) == pytest.approx(reasons.from_words)
        added = share.contribution + reasons.from_words
        assert sum(word.contribution for word in reasons.words) == pytest.approx(added)
    of_the_sea = explanation.reasons[best.index("sea")]
    assert [(word.word, word.times) for word in of_the_sea.words[:1]] == [("ship", 2)]
    assert "kitchen" in str(explanation)
    json.dumps(explanation.to_dict())


def test_explanations_of_candidates(model: tw.LabeledLDA) -> None:
    explanation = model.explain("ship bread oven", candidates=["sea", "court"])
    assert [reasons.what for reasons in explanation.reasons] == ["sea", "court"]
    with pytest.raises(InputError, match="one document: got 2"):
        model.explain(np.ones((2, 24), int))
    with raises_input("n_labels", got=0):
        model.explain("ship", n_labels=0)
