"""Knowledge on the command line: ``fit --knowledge`` and ``report``."""

import json
from pathlib import Path

import pytest

import topicwright as tw

from .conftest import fitted

KNOWN = """
must-links:
  - [ship, wave]
  - [bread, oven, flour]
cannot-links:
  - [ship, bread]
seeds:
  kitchen: [bread]
"""


@pytest.fixture(scope="session")
def known(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli") / "known.yaml"
    path.write_text(KNOWN)
    return path


@pytest.fixture(scope="session")
def model_with_knowledge(documents, known, tmp_path_factory):
    return fitted(tmp_path_factory.mktemp("cli") / "known.tw", documents, "--knowledge", str(known))


def test_knowledge_file_is_used_in_training(invoke, documents, known):
    done = invoke("fit", documents, "-o", "m.tw", "-k", 3, "-n", 20, "--knowledge", known, "--stop-words", "none")
    assert (done.code, done.out) == (0, "")
    assert [line.split(", ")[0] for line in done.err.splitlines()[-3:]] == [
        "must-links: 4 of 4 hold",
        "cannot-links: 1 of 1 hold",
        "seeds: 1 of 1 hold",
    ]
    expected = tw.LDA(3, n_sweeps=20, knowledge=tw.read_knowledge(known)).fit(tw.Corpus.from_jsonl(documents))
    model = tw.load("m.tw")
    assert (model.assignments_ == expected.assignments_).all()
    assert model.topic_names_ == ["kitchen", "1", "2"]


def test_labels_of_the_corpus_and_several_files(invoke, documents, known, tmp_path):
    (tmp_path / "labels.json").write_text('{"document-labels": true}')
    done = invoke(
        "fit", documents, "-o", "m.tw", "-k", 3, "-n", 5, "--knowledge", known, "--knowledge", "labels.json", "--json"
    )
    assert done.json["knowledge"]["satisfied"]["document-labels"] == 3
    model = tw.load("m.tw")
    assert [type(item).__name__ for item in model.knowledge][-1] == "DocumentLabels"
    assert sorted(model.topic_names_) == ["court", "kitchen", "sea"]


def test_warnings_are_shown_once(invoke, documents, tmp_path):
    (tmp_path / "k.yaml").write_text(
        "must-links: [[ship, boat], [ship, wave], [wave, sail]]\ncannot-links: [[ship, sail]]\n"
    )
    err = invoke("fit", documents, "-o", "m.tw", "-k", 3, "-n", 5, "--knowledge", "k.yaml").err
    unknown = "warning: a word of the must-links is not in the vocabulary and left out: 'boat'\n"
    contradiction = "warning: sail and ship are kept apart by a cannot-link, and joined by a chain of must-links\n"
    assert (err.count(unknown), err.count(contradiction), err.count("warning")) == (1, 1, 2)
    assert "warning" not in invoke("resume", "m.tw", "-n", 1).err
    assert "warning" not in invoke("report", "m.tw").err


def test_standard_input(shell, documents, tmp_path):
    done = shell("fit", documents, "-o", "m.tw", "-k", "3", "-n", "2", "-q", "--knowledge", "-", stdin=KNOWN)
    assert (done.code, done.err) == (0, "")
    assert tw.load(tmp_path / "m.tw").topic_names_ is not None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "must-link: []",
            "k.yaml, line 1: knowledge: unknown key 'must-link': the keys here are ",
        ),
        ("must-links:\n  - [a, b\n", "k.yaml, line 3: this is not valid YAML"),
        ("seeds: {a: [ship], b: [wave], c: [bread], d: [oven]}", "--topics must be at least 4, one for each label"),
        ("seeds: {7: [ship]}", "a topic must be a name or a number from 0 to 2: got 7"),
        ("document-links: true", "DocumentLinks() needs links"),
        ("document-labels: {labels: {nobody: sea}}", "there is no document with the id 'nobody'"),
        ("must-links: [[ship, wave]]\ncannot-links: [[wave, ship]]", "can't be both a must-link and a cannot-link"),
    ],
)
def test_error_messages(invoke, documents, tmp_path, text, sentence):
    (tmp_path / "k.yaml").write_text(text)
    assert sentence in invoke("fit", documents, "-o", "m.tw", "-k", 3, "-q", "--knowledge", "k.yaml").refused()
    assert not (tmp_path / "m.tw").exists()


def test_wrong_files(invoke, documents, known):
    def refused(*arguments):
        return invoke("fit", *arguments).refused()

    assert "cannot read nothing.yaml: No such" in refused(documents, "-o", "m.tw", "--knowledge", "nothing.yaml")
    assert "the output must not be an input" in refused(documents, "-o", known, "--knowledge", known)
    assert "standard input can be read only once" in refused("-", "-f", "text", "-o", "m.tw", "--knowledge", "-")


# ---------------------------------------------------------------------- report


def test_a_report(invoke, model_with_knowledge):
    done = invoke("report", model_with_knowledge)
    why = "training once more without knowledge for comparison (skip it with --no-before)\n"
    assert (done.code, done.err) == (0, why)
    lines = done.out.splitlines()
    assert lines[0].startswith("must-links: 4 of 4 hold, 1.00 on average (")
    assert lines[1].split() == ["holds", "what", "before", "now", "topics"]
    assert lines[2].split()[:4] == ["yes", "ship", "–", "wave"]
    assert "bread → kitchen" in done.out


def test_a_report_without_comparison(invoke, model_with_knowledge):
    done = invoke("report", model_with_knowledge, "--no-before")
    assert "before" not in done.out
    assert "training" not in done.err


def test_report_as_json(invoke, model_with_knowledge):
    answer = invoke("report", model_with_knowledge, "--json").json
    expected = tw.load(model_with_knowledge).knowledge_report()
    assert answer == json.loads(json.dumps({"model": str(model_with_knowledge), **expected.to_dict()}))
    assert answer["rows"][0]["before"] is not None


def test_long_report_is_truncated(invoke, documents, tmp_path):
    words = tw.Corpus.from_jsonl(documents).vocabulary.tolist()
    links = [[a, b] for n, a in enumerate(words) for b in words[:n]]
    (tmp_path / "k.json").write_text(json.dumps({"cannot-links": links}))
    invoke("fit", documents, "-o", "m.tw", "-k", 3, "-n", 2, "--knowledge", "k.json")
    short, whole = (invoke("report", "m.tw", "--no-before", *option).out for option in ((), ("--all",)))
    assert f"… and {len(links) - 20} more, " in short
    assert "see them with --all" in short
    assert "advice:" in short
    assert len(short.splitlines()) < 40 < len(links) < len(whole.splitlines())


def test_a_model_without_knowledge(invoke, model):
    done = invoke("report", model)
    assert (done.code, done.out) == (0, "")
    assert "was trained without knowledge" in done.err
    assert invoke("report", model, "--json").json["rows"] == []


def test_a_model_without_its_documents(invoke, documents, known, tmp_path):
    (tmp_path / "labels.yaml").write_text("document-labels: true\n")
    fitted(tmp_path / "m.tw", documents, "--no-corpus", "--knowledge", str(known), "--knowledge", "labels.yaml")
    assert "use --no-before" in invoke("report", "m.tw").refused()
    out = invoke("report", "m.tw", "--no-before").out
    assert "must-links: 4 of 4 hold" in out
    assert "DocumentLabels knowledge is not in this report" in out


# ---------------------------------------------------------------------- a page


def test_html_page(invoke, model_with_knowledge):
    done = invoke("report", model_with_knowledge, "--html", "page.html", "--title", "My <model>")
    assert (done.code, done.out) == (0, "")
    assert "page.html: open it in a browser" in done.err
    page = Path("page.html").read_text(encoding="utf-8")
    assert "My &lt;model&gt;" in page
    assert all(sentence in page for sentence in tw.load(model_with_knowledge).knowledge_report().summary())


def test_html_page_to_standard_output(invoke, model):
    page = invoke("report", model, "--html", "-")
    assert page.err == ""
    assert page.out.startswith("<!doctype html>")
    assert not Path("-").exists()


def test_html_page_without_documents(invoke, model):
    assert invoke("report", model, "--html", "page.html", "--no-documents", "-q") == (0, "", "")
    assert '"examples":' not in Path("page.html").read_text(encoding="utf-8")


def test_html_page_of_a_compact_model(invoke, model_with_knowledge):
    tw.load(model_with_knowledge).save("m.tw", include_corpus=False)
    assert invoke("report", "m.tw", "--html", "page.html").code == 0
    assert "contains no documents" in Path("page.html").read_text(encoding="utf-8")


def test_html_page_of_a_stream(invoke, texts):
    tw.OnlineLabeledLDA().fit(texts, [["sea"], ["kitchen"], ["court"]] * 20).save("m.tw")
    assert invoke("report", "m.tw", "--html", "page.html").code == 0
    assert "kitchen" in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--title", "x"], "--title and --no-documents need --html FILE"),
        (["--html", "page.html", "--json"], "--html and --json are two output formats"),
        (["--html", "none/page.html"], "cannot write none/page.html"),
        (["--html", "MODEL"], "the output must not be an input"),
    ],
)
def test_rejects_invalid_page_requests(invoke, model, options, sentence):
    options = [str(model) if option == "MODEL" else option for option in options]
    assert sentence in invoke("report", model, *options).refused()
