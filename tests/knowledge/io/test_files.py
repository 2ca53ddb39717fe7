"""Knowledge files: reading, error messages and round trips."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import topicwright as tw
from topicwright.errors import InputError
from topicwright.knowledge import compile_knowledge, parse_knowledge, serialize_knowledge
from topicwright.knowledge.io.files import parse_yaml, section_of

DOCS = Path(__file__).parents[3] / "docs"


def read(tmp_path: Path, text: str, name: str = "k.yaml") -> list[Any]:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tw.read_knowledge(tmp_path / name)


def error_of(tmp_path: Path, text: str, name: str = "k.yaml") -> str:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text, name)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(tmp_path / name))
    return message.removeprefix(str(tmp_path / name))


# ---------------------------------------------------------------------- reading


def test_the_short_form(tmp_path):
    must, cannot, seeds, labels = read(
        tmp_path,
        """
must-links:
  - [ship, boat]
  - [bread, loaf, bun]          # a group: all belong together
  - [car, auto, 5.0]            # a link with a λ of its own
cannot-links:
  - [river, money]
seeds:
  football: [quarterback, fumble]
  7: [bank]
document-labels: true           # the corpus's own labels
""",
    )
    assert (type(must), must.links) == (
        tw.MustLinks,
        [("ship", "boat"), ("bread", "loaf", "bun"), ("car", "auto", 5.0)],
    )
    assert (type(cannot), cannot.links) == (tw.CannotLinks, [("river", "money")])
    assert seeds.seeds == {"football": ["quarterback", "fumble"], 7: ["bank"]}
    assert (type(labels), labels.labels, labels.background) == (tw.DocumentLabels, None, 0)
    default = tw.MustLinks([])
    assert (must.strength, must.firmness) == (default.strength, default.firmness)


def test_the_full_form(tmp_path):
    must, seeds, labels, sentences, links = read(
        tmp_path,
        """
must-links: {strength: 2, firmness: 1e-1, links: [[ship, boat]]}
seeds: {weight: 2, hard: true, topics: {football: [fumble]}}
document-labels: {labels: {d1: sea, 3: [sea, kitchen], "4": null}, background: 1}
sentence-labels:
  - {document: 0, sentence: The soup was hot., labels: food}
  - [d1, [0, 3], [food, service]]
document-links: {links: [[d1, 2]], strength: 3.5}
""",
    )
    assert (must.strength, must.firmness) == (2.0, 0.1)
    assert (seeds.weight, seeds.hard, seeds.seeds) == (2.0, True, {"football": ["fumble"]})
    assert labels.labels == {"d1": ["sea"], 3: ["sea", "kitchen"], "4": None}
    assert labels.background == 1
    assert sentences.sentences == [(0, "The soup was hot.", ["food"]), ("d1", (0, 3), ["food", "service"])]
    assert (links.edges, links.strength) == ([("d1", 2)], 3.5)


def test_words_that_yaml_parses_as_other_types(tmp_path):
    must, seeds = read(
        tmp_path,
        """
must-links:
  - [yes, no]
  - [on, off, null, ~]
  - [1984, orwell]
  - [orwell, 1984]
  - [2001-09-11, attack]
  - [new york, big apple, "5"]
  - [0x1F, 1_000, 12:30]
seeds: {no: [true, null], "on": [1.50]}
""",
    )
    assert must.links == [
        ("yes", "no"),
        ("on", "off", "null", "~"),
        ("1984", "orwell"),
        ("orwell", "1984"),
        ("2001-09-11", "attack"),
        ("new york", "big apple", "5"),
        ("0x1F", "1_000", "12:30"),
    ]
    assert seeds.seeds == {"no": ["true", "null"], "on": ["1.50"]}
    assert all(type(word) is str for link in must.links for word in link)


def test_topic_name_may_equal_a_parameter_name(tmp_path):
    (seeds,) = read(tmp_path, "seeds:\n  weight: [kilo, gram]\n  topics: [topic, theme]\n")
    assert seeds.seeds == {"weight": ["kilo", "gram"], "topics": ["topic", "theme"]}


def test_several_of_one_kind(tmp_path):
    first, second = read(tmp_path, "- must-links: {firmness: 1, links: [[a, b]]}\n- must-links: [[c, d]]\n")
    assert (first.firmness, first.links, second.links) == (1.0, [("a", "b")], [("c", "d")])


def test_one_entry_per_document(tmp_path):
    (labels,) = read(tmp_path, "document-labels: [sea, null, [sea, no], 7]\n")
    assert labels.labels == [["sea"], None, ["sea", "no"], ["7"]]


def test_flags_and_empty_lists(tmp_path):
    assert read(tmp_path, "document-labels: false\ndocument-links: no\n") == []
    labels, links, must = read(tmp_path, "document-labels: {background: 2}\ndocument-links: yes\nmust-links:\n")
    assert (labels.labels, labels.background, links.edges, must.links) == (None, 2, None, [])


def test_json(tmp_path):
    data = {"must-links": [["yes", "1984"], ["car", "auto", 5]], "seeds": {"7": ["bank"]}, "document-labels": True}
    must, seeds, labels = read(tmp_path, json.dumps(data), "k.json")
    assert must.links == [("yes", "1984"), ("car", "auto", 5.0)]
    assert seeds.seeds == {7: ["bank"]}
    assert labels.labels is None
    assert read(tmp_path, json.dumps(data))[0].links == must.links  # JSON is YAML too


def test_compressed_and_with_a_byte_order_mark(tmp_path):
    import gzip

    (tmp_path / "k.yaml.gz").write_bytes(gzip.compress(b"\xef\xbb\xbfmust-links: [[ship, boat]]\n"))
    assert tw.read_knowledge(tmp_path / "k.yaml.gz")[0].links == [("ship", "boat")]


@pytest.mark.parametrize("name", ["k.yaml.gz", "k.json.xz", "k.yaml.bz2", "k.json.zst", "k.json.gz"])
def test_suffix_selects_compression(tmp_path, name):
    tw.write_knowledge([tw.MustLinks([("ship", "boat")])], tmp_path / name)
    assert b"ship" not in (tmp_path / name).read_bytes()[:8]
    assert tw.read_knowledge(tmp_path / name)[0].links == [("ship", "boat")]


def test_the_example_of_the_documentation(tmp_path):
    import re

    page = (DOCS / "how-to" / "knowledge-files.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```yaml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len(examples) >= 2
    for example in examples:
        assert read(tmp_path, example)


# ---------------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "must-link:\n  - [a, b]\n",
            ", line 1: knowledge: unknown key 'must-link': the keys here are ",
        ),
        (
            "must-links:\n  - ship, boat\n",
            ", line 2: must-links, entry 1 must be a list of words, such as [ship, boat]",
        ),
        ("must-links:\n  - [a, b]\n  - [ship]\n", ", line 3: must-links, entry 2 must be a list of words"),
        (
            "must-links:\n  - [a, b, c, -1]\n",
            ", line 2: must-links, entry 1, entry 4 must be a positive strength: got -1",
        ),
        ("must-links:\n  - [a, a]\n", ", line 2: must-links, entry 1 must be a link between different words"),
        (
            "must-links: {strenght: 1, links: []}",
            ", line 1: must-links: unknown key 'strenght': the keys here are links, ",
        ),
        (
            "must-links: {strength: much, links: []}",
            ", line 1: must-links, strength must be a positive number: got much",
        ),
        (
            "must-links: {firmness: 2, links: []}",
            ", line 1: must-links, firmness must be a number from 0 to 1, or null: got 2",
        ),
        ("must-links: {strength: 1}", ", line 1: must-links: the key 'links' is missing"),
        ("must-links:\n - [a, b\n - [c, d]\n", ", line 3: this is not valid YAML: while parsing a flow sequence"),
        ("must-links:\n\t- [a, b]\n", "not with tabs"),
        ("must-links: [[a, *star]]", ", line 1: anchors (&), aliases (*) and tags (!)"),
        ("must-links: !!python/object:os.system [[a, b]]", ", line 1: anchors (&), aliases (*) and tags (!)"),
        ("must-links: [[a, b]]\n---\nseeds: {}\n", ", line 2: a file must contain one YAML document"),
        ("seeds: {a: [b]}\nseeds: {c: [d]}\n", ", line 2: the key 'seeds' occurs twice"),
        ("seeds: {? [a, b] : c}", "a key must be text"),
        (
            "seeds: {kitchen: bread}",
            ", line 1: seeds, kitchen must be a list of words, such as [bread, oven]: got bread",
        ),
        ("seeds: {weight: 2, kitchen: [bread]}", "weight must stand beside topics"),
        ("seeds: {weight: 0, topics: {a: [b]}}", "weight must be a positive number"),
        ("document-labels: {pull: -1, labels: {a: b}}", "pull must be a number from 0 to"),
        ("seeds: {pull: -1, topics: {a: [b]}}", "pull must be a number from 0 to"),
        ("seeds: {hard: perhaps, topics: {a: [b]}}", "hard must be true or false: got perhaps"),
        ("seeds: {-1: [b]}", "must be a topic's number, 0 or more: got -1"),
        ("seeds: {7: [a], 07: [b]}", "topic 7 occurs twice"),
        ("document-labels: perhaps", "must be true, a list with one entry per document, or a mapping with labels"),
        (
            "document-labels:\n",
            "must be true, a list with one entry per document, or a mapping with labels and background: got nothing",
        ),
        ("document-labels: {background: -1}", "background must be a number of topics, 0 or more: got -1"),
        ("document-labels: {background: 9999999999}", "background must be a number of topics"),
        ("document-labels: {labels: {1: a, 01: b}}", "document 1 occurs twice"),
        ("sentence-labels: [[d1, text]]", "entry 1 must be a mapping of document, sentence and labels"),
        ("sentence-labels: [{document: d1, sentence: a}]", "the key 'labels' is missing"),
        ("sentence-labels: [[d1, [0, x], a]]", "must be the sentence, or a pair of positions"),
        ("sentence-labels: [[d1, text, []]]", "must be a label or a list"),
        ("document-links: [[d1]]", "entry 1 must be a pair of documents, such as [d1, d2]"),
        ("document-links: [[d1, -1]]", "must be a document's id, or its row, counted from 0: got -1"),
        ("just words", "knowledge must be a mapping with some of the keys"),
        ("", ": the file is empty"),
        ("# nothing but a comment\n", ": the file is empty"),
        ("must-links: [[a, \x07]]", "this is not valid YAML"),
        ("[" * 100_000, "lists must not be nested more than 20 deep"),
    ],
)
def test_errors_name_the_problem(tmp_path, text, message):
    assert message in error_of(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"must-links": [["a", "b"]', ", line 1: this is not valid JSON"),
        (
            '{"must-links": [["a", 5]]}',
            ": must-links, entry 1, entry 2 must be a word: got 5, which needs quotes to be text",
        ),
        ('{"must-links": [["a", "b", true]]}', "must be a word: got True"),
        ('{"must-links": [["a", "b", NaN]]}', "this is not valid JSON"),
        ('{"seeds": {"a": ["b"], "a": ["c"]}}', "a key occurs twice"),
        ('{"must-links": [[null, "b"]]}', "must be a word: got nothing"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_errors_in_json_name_the_problem(tmp_path, text, message):
    assert message in error_of(tmp_path, text, "k.json")


def test_missing_file():
    with pytest.raises(InputError, match=r"cannot read nothing\.yaml: No such file"):
        tw.read_knowledge("nothing.yaml")


def test_rejects_custom_code_in_files(tmp_path):
    with pytest.raises(InputError, match="CustomFactor knowledge can't be written to a file"):
        tw.write_knowledge([tw.CustomFactor(None)], tmp_path / "k.yaml")
    assert list(tmp_path.iterdir()) == []


def test_a_hundred_thousand_links_are_read():
    text = "must-links:\n" + "".join(f"  - [word{i}, other{i}]\n" for i in range(100_000))
    (links,) = parse_knowledge(parse_yaml(text))
    assert links.links == [(f"word{i}", f"other{i}") for i in range(100_000)]


# ---------------------------------------------------------------------- there and back

WORDS = st.text(st.characters(blacklist_categories=["Cs"]), max_size=8) | st.sampled_from(
    [
        "yes",
        "no",
        "null",
        "~",
        "",
        "1984",
        "5.0",
        "1e5",
        "-1",
        "on",
        "true",
        "# x",
        "a: b",
        "- a",
        "'",
        '"',
        "\n",
        " ",
        "*a",
    ]
)
POSITIVE = st.floats(1e-3, 1e6)
DIAL: dict[str, Any] = {"strength": POSITIVE, "firmness": st.none() | st.floats(0, 1)}
LINKS = st.lists(
    st.tuples(st.lists(WORDS, min_size=2, max_size=4, unique=True), st.none() | POSITIVE).map(
        lambda pair: (*pair[0], *([] if pair[1] is None else [pair[1]]))
    ),
    max_size=4,
)
LABELS = st.none() | WORDS | st.lists(WORDS, max_size=3)
DOCUMENTS = WORDS | st.integers(0, 99)
TOPICS = st.dictionaries(WORDS | st.integers(0, 99), st.lists(WORDS, max_size=3), max_size=3)
KINDS = st.one_of(
    st.builds(tw.MustLinks, LINKS, **DIAL),
    st.builds(tw.CannotLinks, LINKS, **DIAL),
    st.builds(tw.SeedWords, TOPICS, weight=POSITIVE, hard=st.booleans(), pull=st.none() | POSITIVE),
    st.builds(
        tw.DocumentLabels,
        st.none() | st.lists(LABELS, max_size=4) | st.dictionaries(DOCUMENTS, LABELS, max_size=4),
        background=st.integers(0, 3),
    ),
    st.builds(
        tw.SentenceLabels,
        st.lists(
            st.tuples(
                DOCUMENTS,
                WORDS | st.tuples(st.integers(0, 9), st.integers(0, 9)),
                WORDS | st.lists(WORDS, min_size=1, max_size=3),
            ),
            max_size=3,
        ),
    ),
    st.builds(tw.DocumentLinks, st.none() | st.lists(st.tuples(DOCUMENTS, DOCUMENTS), max_size=3), **DIAL),
)


@pytest.mark.parametrize("suffix", ["yaml", "json"])
@given(items=st.lists(KINDS, max_size=4))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_round_trip(tmp_path, suffix, items):
    expected = list(map(section_of, items))
    data = serialize_knowledge(items)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert list(map(section_of, parse_knowledge(data))) == expected
    tw.write_knowledge(items, tmp_path / f"k.{suffix}")
    again = tw.read_knowledge(tmp_path / f"k.{suffix}")
    assert list(map(type, again)) == list(map(type, items))
    assert list(map(section_of, again)) == expected


def test_the_same_effect(corpus, tmp_path):
    items = [
        tw.MustLinks([("ship", "wave", np.float64(3)), ("bread", "oven", "flour")], np.float32(2), firmness=0.7),
        tw.CannotLinks(np.array([["ship", "oven"], ["wave", "flour"]])),
        tw.SeedWords({"kitchen": {"bread"}, np.int64(4): ("law",)}, weight=3, pull=np.float32(0.5)),
        tw.DocumentLabels(np.array(["sea", "kitchen", None] * 20, dtype=object), background=1),
        tw.DocumentLinks(np.array([[0, 3], [1, 4]]), firmness=1),
    ]
    tw.write_knowledge(items, tmp_path / "k.yaml")
    one = compile_knowledge(items, corpus, 6)
    other = compile_knowledge(tw.read_knowledge(tmp_path / "k.yaml"), corpus, 6)
    assert one.topics.numbers == other.topics.numbers
    parts = ("allowed_topics", "seeds", "document_priors", "shared_word_counts")
    for mine, yours in zip(
        *([*found.factors, *(getattr(found, name) for name in parts)] for found in (one, other)), strict=True
    ):
        for array, its in zip(mine, yours):
            np.testing.assert_array_equal(array, its)


def test_an_iterator_of_links_is_stored_as_a_list():
    links = tw.MustLinks(zip(["ship"], ["boat"]))
    assert serialize_knowledge([links]) == serialize_knowledge([links])
    assert list(links.links) == [("ship", "boat")]
