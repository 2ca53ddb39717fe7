"""Report page: complete, self-contained, bounded in size and escaped."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

import topicwright as tw
from topicwright.views import report_page, topic_sizes

from ..conftest import KINDS, without_documents

VOID = {"meta", "input", "br", "hr", "img", "link"}
HOSTILE = "</script><img src=x onerror=\"document.title='owned'\">'&\u202e\ud800"


class Reader(HTMLParser):
    """Checks that tags are closed, and collects the contents of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.data = ""

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID and not self.get_starttag_text().endswith("/>"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if self.get_starttag_text() and tag in VOID:
            return
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.open and self.open[-1] == "script" and not self.data:
            self.data = data
        self.texts.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    return reader


def data_of(page: str):
    return json.loads(read(page).data)


@pytest.mark.parametrize("with_documents", [True, False], ids=["documents", "bare"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_page_of_every_kind(models, kind, with_documents, tmp_path):
    model = models(kind) if with_documents else without_documents(models(kind), tmp_path)
    page = report_page(model, title="My model")
    topics = data_of(page)["topics"]
    assert {topic["topic"] for topic in topics} == set((topic_sizes(model) > 0).nonzero()[0].tolist())
    has_documents = with_documents and kind != "stream"
    assert all(("examples" in topic) == has_documents for topic in topics)
    assert ("contains no documents" in page) == (not has_documents)
    assert ("<th>class</th>" in page) == (kind == "classifier")
    assert ("Training" in page) == (kind != "stream")
    if kind in ("labeled", "stream"):
        assert [topic["documents"] for topic in topics[:3]] == [20, 20, 20]
        assert "sea" in [topic["name"] for topic in topics]


def test_page_loads_nothing_from_other_hosts(lda):
    page = report_page(lda)
    for tag, attributes in read(page).tags:
        assert "src" not in attributes
        assert tag not in ("link", "iframe", "object", "img", "base")
        assert (attributes.get("href") or "#").startswith("#")
    assert not re.search(r"https?:|//[a-z]|url\(|@import", page.replace("// ", ""))


def test_the_same_model_gives_the_same_page(lda):
    assert report_page(lda) == report_page(lda)


def test_the_words_of_a_topic_are_on_the_page(lda):
    topics = data_of(report_page(lda))["topics"]
    for topic, words in zip(topics, lda.top_words(8)):
        assert [word for word, *_ in topic["words"]][:8] == words


def test_passages_mark_the_words_of_the_topic(lda):
    [topic] = [topic for topic in data_of(report_page(lda))["topics"] if topic["topic"] == 0]
    example = topic["examples"][0]
    row = int(example["name"][1:])
    start, end = lda.corpus_.offsets[row : row + 2]
    marked = [word for piece in example["pieces"][1::2] for word in piece.split()]
    expected = [w for w, z in zip(lda.corpus_.words(row), lda.assignments_[start:end]) if z == 0]
    assert marked == expected
    assert " ".join(filter(None, example["pieces"])).split() == lda.corpus_.words(row)


@pytest.mark.parametrize("keep_texts", [True, False])
def test_passages_are_the_text_where_it_was_kept(keep_texts):
    corpus = tw.Corpus.from_texts(["The ship, at SEA!"] * 4, stop_words="english", keep_texts=keep_texts)
    page = report_page(tw.LDA(1, n_sweeps=2).fit(corpus))
    [topic] = data_of(page)["topics"]
    pieces = ["The ", "ship", ", at ", "SEA", "!"] if keep_texts else ["", "ship", " ", "sea", ""]
    assert topic["examples"][0]["pieces"] == pieces
    assert ("Passages contain only the words that the model was trained on" in page) != keep_texts


def test_documents_may_be_left_out(lda):
    assert all("examples" not in topic for topic in data_of(report_page(lda, documents=False))["topics"])


@pytest.fixture(scope="module")
def hostile():
    words = [HOSTILE, "<b>bold</b>", "$maps", "{braces}"]
    names, years = [f"{HOSTILE}{i}" for i in range(20)], [2000 + i for i in range(20)]
    corpus = tw.Corpus.from_tokens([words] * 20, labels=[[HOSTILE]] * 20, ids=names, dates=years)
    known = [tw.MustLinks([(HOSTILE, "$maps")]), tw.SeedWords({HOSTILE: ["{braces}"]})]
    return tw.LDA(n_topics=3, n_sweeps=10, knowledge=known).fit(corpus)


def hostile_page(model):
    return report_page(model, title=HOSTILE, knowledge=model.knowledge_report(before=False))


def test_document_text_is_escaped(hostile, lda):
    page = hostile_page(hostile)
    reader = read(page)
    assert {tag for tag, _ in reader.tags} <= {tag for tag, _ in read(report_page(lda)).tags} | {
        "b",
        "h3",
        "li",
        "th",
        "ul",
        "path",
    }
    assert [tag for tag, _ in reader.tags].count("script") == 2
    assert not any(name.startswith("on") for _, attributes in reader.tags for name in attributes)
    assert "\u202e" not in page
    page.encode()
    words = [word for topic in json.loads(reader.data)["topics"] for word, *_ in topic["words"]]
    assert any(word.startswith("</script><img") for word in words)


def test_other_models_with_hostile_labels():
    texts, labels = [["ship", HOSTILE]] * 10 + [["bread", "oven"]] * 10, [HOSTILE] * 10 + ["<i>x"] * 10
    for model in (tw.LabeledLDA(n_sweeps=5), tw.MedLDAClassifier(n_topics=3, n_sweeps=12), tw.OnlineLabeledLDA()):
        reader = read(report_page(model.fit(texts, labels)))
        assert not {"img", "i"} & {tag for tag, _ in reader.tags}


def test_size_is_bounded():
    """Long words, long labels and many topics; omissions are noted."""
    words = [[f"{'x' * 5000}{i}", f"y{i}"] for i in range(250)]
    model = tw.LabeledLDA(n_sweeps=2).fit(words, [["z" * 5000 + str(i)] for i in range(250)])
    page = report_page(model)
    assert len(page) < 600_000
    assert len(data_of(page)["topics"]) == 200
    assert "The 200 largest of 250 topics are shown." in page


def test_empty_topics_are_noted():
    model = tw.LDA(n_topics=3, n_sweeps=2, knowledge=[tw.DocumentLabels(["a"] * 9)]).fit(["red blue"] * 9)
    page = report_page(model)
    assert "2 of 3 topics are empty and not shown." in page
    assert [topic["topic"] for topic in data_of(page)["topics"]] == [0]


def test_knowledge_is_on_the_page(lda):
    known = [tw.MustLinks([("ship", "bread")]), tw.CannotLinks([("oven", "flour")])]
    model = tw.LDA(n_topics=3, n_sweeps=20, knowledge=known).fit(lda.corpus_)
    report = model.knowledge_report()
    page = report_page(model, knowledge=report)
    for kind in report.satisfied:
        assert report.summary_of(kind) in page
    assert "Knowledge report" not in report_page(lda, knowledge=lda.knowledge_report())


def test_long_list_of_links_is_truncated(lda):
    words = lda.vocabulary_.tolist()
    model = tw.LDA(n_topics=3, n_sweeps=5, knowledge=[tw.MustLinks([(a, b) for a in words for b in words if a < b])])
    page = report_page(model.fit(lda.corpus_), knowledge=model.knowledge_report(before=False))
    assert "… and 226 more" in page
    assert page.count("<tr class=") == 50


def test_report_is_written_atomically(lda, tmp_path):
    lda.write_report(tmp_path / "page.html", title="Ships")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == report_page(lda, title="Ships")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
