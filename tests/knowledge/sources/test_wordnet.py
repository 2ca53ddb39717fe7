"""Links from WordNet: its own files, and the package wn."""

import subprocess
import sys
from pathlib import Path

import pytest

from topicwright import InputError, MissingExtraError
from topicwright.knowledge.sources import links_from_wordnet
from topicwright.knowledge.sources import wordnet as wordnet_module

from ...assertions import raises_input

DEBIAN = Path("/usr/share/wordnet")

# synset: its nouns
SYNSETS = {
    "00000101": ["car", "auto", "motorcar"],
    "00000202": ["car", "coach"],
    "00000303": ["coach", "trainer"],
    "00000404": ["child", "kid"],
    "00000505": ["church", "big_house"],
    "00000606": ["lens", "glass"],
    "00000707": ["bus"],
}
LICENSE = "  1 Nouns that were made up for a test, in the format of the index.  \n"
VECTORS = {
    "auto": [1, 0, 0],
    "car": [1, 0.2, 0],
    "coach": [0.5, -1, 0],
    "trainer": [0.4, -1, 0],
    "motorcar": [0, 0, 0],
}


def index_of(synsets):
    nouns = {}
    for offset, words in synsets.items():
        for word in words:
            nouns.setdefault(word, []).append(offset)
    lines = [f"{w} n {len(o)} 2 @ ~ {len(o)} 1 {' '.join(o)}  \n" for w, o in sorted(nouns.items())]
    return LICENSE + "".join(lines)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "index.noun").write_text(index_of(SYNSETS))
    (tmp_path / "noun.exc").write_text("children child\nlenses lens\n")
    return tmp_path


@pytest.fixture
def no_wordnet(monkeypatch, tmp_path):
    """A machine without WordNet."""
    monkeypatch.setattr(wordnet_module, "_DIRECTORIES", (str(tmp_path / "none"),))
    monkeypatch.delenv("WNSEARCHDIR", raising=False)
    monkeypatch.delenv("WNHOME", raising=False)


class TestFiles:
    def test_synonyms(self, folder):
        links = links_from_wordnet(["trainer", "coach", "car", "auto", "bus", "unknown"], wordnet=folder)
        assert links == [("auto", "car"), ("car", "coach"), ("coach", "trainer")]

    def test_the_hybrid(self, folder):
        words = ["trainer", "coach", "car", "auto", "motorcar"]
        links = links_from_wordnet(words, wordnet=str(folder), vectors=VECTORS)
        assert links == [("coach", "trainer"), ("auto", "car"), ("car", "coach")]
        assert links_from_wordnet(words, wordnet=folder, vectors=VECTORS, threshold=0.9) == links[:2]
        assert links_from_wordnet(words, wordnet=folder, vectors=VECTORS, threshold=0.9, most=1) == links[:1]
        assert "motorcar" not in {word for link in links for word in link}

    def test_a_word_without_a_vector_is_not_linked(self, folder):
        assert links_from_wordnet(["child", "kid"], wordnet=folder, vectors={"kid": [1.0]}) == []

    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            (["Cars", "AUTO"], [("AUTO", "Cars")]),
            (["children", "kids"], [("children", "kids")]),
            (["churches", "big house"], [("big house", "churches")]),
            (["churches", "big_houses"], [("big_houses", "churches")]),
            (["lenses", "glasses"], [("glasses", "lenses")]),
            (["car", "cars"], [("car", "cars")]),
            (["buss", "bus"], []),
            (["car"], []),
            ([], []),
        ],
    )
    def test_forms_of_nouns(self, folder, words, expected):
        assert links_from_wordnet(words, wordnet=folder) == expected

    def test_the_folder_above(self, folder, tmp_path_factory):
        home = tmp_path_factory.mktemp("home")
        (home / "dict").mkdir()
        (home / "dict" / "index.noun").write_bytes((folder / "index.noun").read_bytes())
        assert links_from_wordnet(["car", "auto"], wordnet=home) == [("auto", "car")]

    def test_default_directories(self, folder, no_wordnet, monkeypatch):
        monkeypatch.setenv("WNSEARCHDIR", str(folder))
        assert links_from_wordnet(["car", "auto"]) == [("auto", "car")]
        monkeypatch.setenv("WNSEARCHDIR", str(folder / "absent"))
        monkeypatch.setattr(wordnet_module, "_DIRECTORIES", (str(folder),))
        assert links_from_wordnet(["car", "auto"]) == [("auto", "car")]

    @pytest.mark.parametrize(
        "line", ["car", "car n x 0 1 0 001", "car v 1 0 1 0 001", "car n 2 0 1 0 001", "car n 0 0 1 0", "\x00"]
    )
    def test_a_damaged_index(self, folder, line):
        (folder / "index.noun").write_text(f"{LICENSE}{line}\n")
        with pytest.raises(InputError, match="line 2: expected a noun of WordNet's index"):
            links_from_wordnet(["car"], wordnet=folder)

    def test_rejects_bytes_that_are_not_text(self, folder):
        (folder / "index.noun").write_bytes(b"\xff\xfe n\n")
        with pytest.raises(InputError, match="line 1: text must be UTF-8"):
            links_from_wordnet(["car"], wordnet=folder)

    def test_missing_folder(self, tmp_path):
        for place in (tmp_path, tmp_path / "absent", "nul\0"):
            with raises_input("wordnet", match="directory with the file index.noun"):
                links_from_wordnet(["car"], wordnet=place)
        with raises_input("wordnet", got=int):
            links_from_wordnet(["car"], wordnet=3)


LMF = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.0.dtd">
<LexicalResource xmlns:dc="http://purl.org/dc/elements/1.1/">
  <Lexicon id="toy" label="A toy" language="en" email="a@example.org" license="none" version="1">
    {entries}
    {synsets}
  </Lexicon>
</LexicalResource>
"""


def lmf():
    nouns = {}
    for offset, words in SYNSETS.items():
        for word in words:
            nouns.setdefault(word, []).append(offset)
    entries = "".join(
        f'<LexicalEntry id="toy-{word}"><Lemma writtenForm="{word.replace("_", " ")}" partOfSpeech="n"/>'
        + "".join(f'<Sense id="toy-{word}-{offset}" synset="toy-{offset}"/>' for offset in offsets)
        + "</LexicalEntry>"
        for word, offsets in nouns.items()
    )
    synsets = "".join(f'<Synset id="toy-{offset}" ili="" partOfSpeech="n"/>' for offset in SYNSETS)
    return LMF.format(entries=entries, synsets=synsets)


class TestPackage:
    @pytest.fixture
    def wn(self, tmp_path, monkeypatch):
        wn = pytest.importorskip("wn", reason="the package wn is not installed")
        (tmp_path / "wn").mkdir()
        monkeypatch.setattr(wn.config, "data_directory", tmp_path / "wn")
        (tmp_path / "toy.xml").write_text(lmf())
        return wn

    def test_a_lexicon(self, wn, no_wordnet, tmp_path):
        wn.add(tmp_path / "toy.xml", progress_handler=None)
        words = ["trainers", "coach", "Car", "auto", "bus", "big house", "church"]
        expected = [("Car", "auto"), ("Car", "coach"), ("big house", "church"), ("coach", "trainers")]
        assert links_from_wordnet(words, wordnet=wn.Wordnet("toy")) == expected
        assert links_from_wordnet(words) == expected

    def test_no_lexicon(self, wn, no_wordnet):
        with pytest.raises(InputError, match=r"WordNet was not found: install .*apt install wordnet-base"):
            links_from_wordnet(["car"])
        assert not Path(wn.config.database_path).exists()

    def test_no_package(self, no_wordnet, monkeypatch):
        monkeypatch.setitem(sys.modules, "wn", None)
        with pytest.raises(
            MissingExtraError, match=r"Debian's wordnet-base needs .*pip install 'topicwright\[wordnet\]'"
        ):
            links_from_wordnet(["car"])


@pytest.mark.skipif(not (DEBIAN / "index.noun").exists(), reason="Debian's wordnet-base is not installed")
def test_the_real_wordnet():
    words = ["car", "automobile", "children", "kids", "images", "pictures", "mice", "the", "keyboard"]
    links = links_from_wordnet(words, wordnet=DEBIAN)
    assert {("automobile", "car"), ("children", "kids"), ("images", "pictures")} <= set(links)
    assert not {"the", "keyboard"} & {word for link in links for word in link}


def test_nothing_optional_is_imported_before_it_is_needed():
    code = "import sys, topicwright.knowledge.sources; print({'wn', 'gensim', 'sklearn'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"
