import io

import pytest

from tests.assertions import raises_input
from topicwright import Corpus, InputError
from topicwright.corpus import FORMATS, Document, iter_documents, read_corpus, write_corpus
from topicwright.corpus.formats import registry
from topicwright.corpus.formats.files import read_lines, write_lines
from topicwright.corpus.formats.registry import Format, format_names, get_format, register


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", '{"text": "red"}'),
        ("a.NDJSON", '{"text": "red"}'),
        ("a.csv", "text\nred"),
        ("a.tsv", "text\tid\nred\t1"),
        ("a.txt", "red"),
        ("a.mallet", "d1 x red"),
    ],
)
def test_format_is_detected_by_suffix(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content)
    assert read_corpus(path).words(0) == ["red"]
    assert [d.text for d in iter_documents(str(path))] == ["red"]
    with path.open() as file:
        assert read_corpus(file).words(0) == ["red"]


@pytest.mark.parametrize("source", ["data.xyz", "-", "data", io.BytesIO()])
def test_unknown_format_error_lists_known_formats(source):
    expected = f"one of {', '.join(FORMATS)}"
    with raises_input("format", got=None, expected=expected, match="does not tell the format"):
        read_corpus(source)
    with raises_input("format", got="xml", expected=expected):
        read_corpus(source, "xml")


def test_rejects_options_of_other_formats():
    with pytest.raises(InputError, match="format 'text' has no named fields: got text, rating"):
        read_corpus(io.StringIO("red"), "text", target="rating")
    with pytest.raises(InputError, match="format 'uci' holds counts, not texts"):
        iter_documents("docword.txt")
    with pytest.raises(InputError, match="format 'ldac' holds counts, so it takes no option ngram_range"):
        read_corpus(io.StringIO("1 0:1"), "ldac", ngram_range=(1, 2))
    with pytest.raises(TypeError, match="unexpected keyword"):
        read_corpus(io.StringIO("red"), "text", unheard_of=1)


def test_every_suffix_leads_to_its_format():
    for name in FORMATS:
        for suffix in get_format(name).suffixes:
            assert registry.suffix_format(f"news{suffix}") == registry.suffix_format(f"news{suffix.upper()}.gz") == name


def test_names_of_some_formats():
    assert set(format_names(counts=True)) | set(format_names(counts=False)) == set(FORMATS)
    assert set(format_names(writable=True)) < set(FORMATS)


def test_one_call_adds_a_format(monkeypatch, tmp_path):
    def read(source, options):
        return (Document(line.decode()[::-1], line=number) for number, line in read_lines(source))

    def write(corpus, file):
        write_lines(file, (" ".join(corpus.words(row))[::-1] for row in range(corpus.n_docs)))

    monkeypatch.setattr(registry, "_FORMATS", dict(registry._FORMATS))
    register(Format("backwards", (".sdrawkcab",), read_documents=read, write=write, has_fields=False))
    path = tmp_path / "news.sdrawkcab.gz"
    write_corpus(Corpus.from_texts(["red apple"]), path)
    assert read_corpus(path).words(0) == ["red", "apple"]
    assert "backwards" in format_names()


@pytest.mark.parametrize(
    "wrong",
    [
        Format("new", (".new",)),
        Format("csv", (".new",), read_documents=lambda source, options: iter(())),
        Format("new", (".csv",), read_documents=lambda source, options: iter(())),
    ],
    ids=["no reader", "name taken", "suffix taken"],
)
def test_formats_are_registered_once(wrong):
    with pytest.raises(ValueError, match="a new name and new suffixes"):
        register(wrong)
