"""``explain`` of models whose topics are labels: the label of each word, passages, and a page of both."""

import json
import re
import sys

import pytest

import topicwright as tw

from ..conftest import THEMES
from ..models.labeled.test_attribution import Reader
from .conftest import OF_LABELS, lines, on_terminal

TEXT = "The captain <b>& his</b> ship in a storm; then bread, flour and butter in the oven."


@pytest.fixture
def tagged_file(tmp_path):
    """A text with a tag, and one without."""
    records = [{"id": "t1", "text": TEXT, "tags": ["sea", "air"]}, {"id": "t2", "text": TEXT}]
    path = tmp_path / "tagged_file.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@OF_LABELS
def test_label_of_each_word(invoke, request, tagged_file, fixture):
    path = request.getfixturevalue(fixture)
    attribution = tw.load(path).attribute(TEXT)
    first, second = lines(invoke("explain", path, tagged_file, "--json").out)
    assert first == {**second, "id": "t1"}
    assert first["text"] == TEXT
    assert first["words"] == json.loads(json.dumps(attribution.to_dict()["words"]))
    assert {word["text"]: word["label"] for word in first["words"]}["storm"] == "sea"
    assert sorted(first["prediction"]) == ["kitchen", "sea"]
    for label, (name, share) in zip(first["labels"], attribution.shares()):
        assert (label["label"], label["share"]) == (name, pytest.approx(share))
        assert label["background"] is False
        expected = [word._asdict() for word in attribution.words_of(name, 6)]
        assert label["words"] == json.loads(json.dumps(expected))
        assert expected[0]["word"] in THEMES[name].split()


def test_labels_of_the_document(invoke, labeled, tagged_file):
    first, second = lines(invoke("explain", labeled, tagged_file, "--own-labels", "--json").out)
    assert (first["own_labels"], second["own_labels"]) == (["sea"], [])
    assert {word["label"] for word in first["words"]} == {None, "sea"}
    assert "kitchen" in {word["label"] for word in second["words"]}
    out = invoke("explain", labeled, tagged_file, "--label-field", "tags").out
    assert "; has sea\n" in out
    assert "; has no label that the model knows\n" in out


def test_requested_label(invoke, labeled, tagged_file):
    attribution = tw.load(labeled).attribute(TEXT)
    line = lines(invoke("explain", labeled, tagged_file, "-d", 1, "-l", "court", "--top", 2, "--json", "-q").out)[0]
    [court] = line["labels"]
    assert court["share"] == pytest.approx(attribution.shares(["court"])[0].share)
    assert [word["word"] for word in court["words"]] == [word.word for word in attribution.words_of("court", 2)]
    row = invoke("explain", labeled, tagged_file, "-d", 1, "--class", "court").out.splitlines()[2]
    assert row.split()[:2] == ["court", f"{court['share']:.0%}"]


def test_candidates_of_words(invoke, with_background, tagged_file):
    line = lines(invoke("explain", with_background, tagged_file, "--candidates", "court,sea", "--json").out)[0]
    assert {word["label"] for word in line["words"]} <= {None, "court", "sea", "background 1"}
    assert {label["label"] for label in line["labels"] if label["background"]} == {"background 1"}


@OF_LABELS
def test_passages(invoke, request, tagged_file, fixture):
    path = request.getfixturevalue(fixture)
    model = tw.load(path)
    given = ["--snippets", "--length", 3, "--json", "-q"]
    line = lines(invoke("explain", path, tagged_file, "-d", 1, *given).out)[0]
    assert [snippet["label"] for snippet in line["snippets"]] == line["prediction"]
    for snippet in line["snippets"]:
        [expected] = model.snippets(TEXT, snippet["label"], length=3)
        assert snippet == {"label": snippet["label"], **expected._asdict()}
    line = lines(invoke("explain", path, tagged_file, "-d", 1, *given, "-l", "kitchen", "--top", 2).out)[0]
    assert [snippet["text"] for snippet in line["snippets"]] == [
        snippet.text for snippet in model.snippets(TEXT, "kitchen", length=3, n=2)
    ]
    title, row, last = invoke("explain", path, tagged_file, "-d", 1, "--snippets", "-l", "kitchen", "-q").out.split(
        "\n"
    )[:3]
    assert title.startswith("t1  ")
    assert re.fullmatch(rf"  kitchen 0\.\d\d  {re.escape(TEXT.rstrip('.'))}", row)
    assert last == ""
    own = lines(invoke("explain", path, tagged_file, *given, "--own-labels").out)[0]
    assert [snippet["label"] for snippet in own["snippets"]] == ["sea"]


def test_counts_have_no_text(invoke, counts_model, tmp_path):
    corpus = tw.load(counts_model).corpus_
    tw.LabeledLDA(n_sweeps=3).fit(corpus, [["\x1b[31mred"], ["[bold]"]]).save(tmp_path / "m.tw")
    source = counts_model.with_name("counts.ldac")
    line = lines(invoke("explain", "m.tw", source, "--json").out)[0]
    assert line["text"] is None
    assert [word["text"] for word in line["words"]] == corpus.words(0)
    for options in ([], ["--snippets"]):
        out = invoke("explain", "m.tw", source, *options).out
        assert "\x1b" not in out
        assert r"esc\u001b[31mape" in out


def test_document_of_unknown_words(invoke, labeled, tmp_path):
    (tmp_path / "t.txt").write_text("\nrobot\n")
    for options in ([], ["--snippets"]):
        assert invoke("explain", labeled, "t.txt", *options).out.count("  no word that the model knows\n") == 2
    assert invoke("explain", labeled, "t.txt", "--html", "t.html").code == 0


def test_long_list_of_labels_is_truncated(invoke, tmp_path):
    words = [f"{a}{b}" for a in "abcd" for b in "efgh"]
    model = tw.LabeledLDA(n_sweeps=2, threshold=0.01)
    model.fit([f"{word} {word}" for word in words] * 3, [[word] for word in words] * 3).save("m.tw")
    (tmp_path / "t.txt").write_text(" ".join(words))
    out = invoke("explain", "m.tw", "t.txt").out.splitlines()
    assert out[0].endswith(", …")
    assert len(out) == 14
    assert out[12:] == ["  and 6 more labels: see them with --json", ""]


@pytest.mark.skipif(sys.platform == "win32", reason="a terminal of Unix")
def test_colors_on_a_terminal_only(labeled, tagged_file):
    arguments = ["explain", labeled, tagged_file, "-d", "1", "-q"]
    seen = on_terminal(*arguments, COLUMNS="100")
    storm, bread = (re.search(rf"\x1b\[([\d;]+)m{word}", seen)[1] for word in ("storm", "bread"))
    assert storm != bread
    assert f"\x1b[{storm}mship" in seen
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        plain = on_terminal(*arguments, COLUMNS="100", **environment)
        assert "38;5" not in plain
        assert "The captain" not in plain  # without colours the text would tell nothing
        assert re.search(r"sea +(\x1b\[0m)? +\d+%", plain)


# ---------------------------------------------------------------------- a page


class Page(Reader):
    """Like the documents' own reader, of a page with a head and several documents."""

    def handle_starttag(self, tag, attrs):
        assert tag not in ("script", "link", "img")
        if tag == "meta":
            return
        super().handle_starttag(tag, attrs)

    def handle_data(self, data):
        if self.paragraphs:
            super().handle_data(data)


@pytest.mark.parametrize("options", [[], ["--snippets", "--length", "9"]])
def test_html_page(invoke, labeled, tagged_file, tmp_path, options):
    done = invoke("explain", labeled, tagged_file, "--html", "page.html", "--own-labels", *options)
    assert (done.out, done.err) == ("", "wrote page.html\n")
    text = (tmp_path / "page.html").read_text()
    page = Page()
    page.feed(text)
    page.close()
    assert not page.open
    assert "<h2>t1</h2>" in text
    assert "<b>& his" not in text
    if not options:
        assert [part.count(TEXT) for part in page.paragraphs] == [0, 0, 1] * 2  # prediction, labels, document
    assert "; has sea</p>" in text


def test_html_page_of_a_classifier(invoke, classifier, documents, tmp_path):
    invoke("explain", classifier, documents, "-d", 2, "--html", "page.html")
    text = (tmp_path / "page.html").read_text()
    assert text.count("<section>") == 2
    assert "predicted: sea" in text
    assert "<th>topic</th>" in text


def test_html_page_is_written_atomically(invoke, labeled, bad_lines, tmp_path):
    assert invoke("explain", labeled, bad_lines, "--html", "page.html").code == 2
    assert list(tmp_path.iterdir()) == []
