"""``topicwright links``: pairs of words from documents, from vectors, from WordNet."""

import topicwright as tw

from ..conftest import THEMES


def test_link_file_is_read_by_fit(invoke, documents):
    done = invoke("links", documents, "-o", "known.yaml", "--most", 6, "--threshold", 0)
    assert (done.code, done.out) == (0, "")
    assert "6 pairs of words in known.yaml: edit it, then topicwright fit … --knowledge known.yaml" in done.err
    (item,) = tw.read_knowledge("known.yaml")
    themes = [set(words.split()) for words in THEMES.values()]
    assert all(any({*link} <= theme for theme in themes) for link in item.links)
    assert invoke("fit", documents, "-o", "m.tw", "-k", 3, "-n", 5, "--knowledge", "known.yaml").code == 0


def test_links_from_vectors_are_shown(invoke, documents, tmp_path):
    (tmp_path / "words.txt").write_text("ship 1 0\nsail 0.9 0.1\nbread 0 1\noven 0.1 1\nwave -1 0\n")
    done = invoke("links", documents, "--vectors", "words.txt")
    assert (done.code, done.out.splitlines()) == (0, ["bread oven", "sail ship"])
    assert invoke("links", documents, "--vectors", "words.txt", "--json").json["links"] == [
        ["bread", "oven"],
        ["sail", "ship"],
    ]


def test_error_messages(invoke, documents):
    assert "no such file" in invoke("links", "nowhere.jsonl").refused().lower()
    assert "no such file" in invoke("links", documents, "--vectors", "nowhere.txt").refused().lower()
    assert "--output must be a file name" in invoke("links", documents, "-o", "-").refused()


def test_vectors_are_not_overwritten(invoke, documents, tmp_path):
    (tmp_path / "words.txt").write_text("ship 1 0\nsail 0.9 0.1\n")
    refused = invoke("links", documents, "--vectors", "words.txt", "-o", "words.txt").refused()
    assert refused == "the output must not be an input: got words.txt for both"


def test_control_characters_are_escaped(invoke, counts_model, monkeypatch, tmp_path):
    words = tw.load(counts_model).vocabulary_
    (tmp_path / "words.txt").write_text("".join(f"{word} 1 0\n" for word in words), "utf-8")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    source = counts_model.with_name("counts.ldac")
    out = invoke("links", source, "--vectors", "words.txt", "--stop-words", "none", "-q").out
    assert r"esc\u001b[31mape" in out
    assert not set(out) & {"\x1b", "\x9b"}


def test_no_links_gives_a_message(invoke, tmp_path):
    (tmp_path / "t.jsonl").write_text('{"text": "red apple"}')
    done = invoke("links", "t.jsonl", "-o", "l.yaml")
    assert (
        "warning: no pair of words is similar enough in 1 document: use more documents or a lower --threshold"
        in done.err
    )
    assert "0 pairs of words in l.yaml" in done.err
