"""Plain data, as JSON and YAML hold it, as kinds of knowledge; whatever it does not know is refused, with the place.

The format is told in :mod:`topicwright.knowledge.io.files`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..base import HEAVIEST
from ..document_links import DocumentLinks
from ..document_topics import DocumentTopics
from ..forbidden_words import ForbiddenWords
from ..known_topics import KnownTopics, TopicNames
from ..labels import DocumentLabels, SentenceLabels
from ..seeds import SeedWords
from ..word_links import CannotLinks, MustLinks
from .nodes import Node, looks_whole

_MOST_BACKGROUND = 1_000_000
_DIAL: dict[str, tuple[str, Callable[[float], bool]]] = {
    "strength": ("a positive number", lambda number: number > 0),
    "firmness": ("a number from 0 to 1, or null", lambda number: 0 <= number <= 1),
}
_A_LINK = "a list of words, such as [ship, boat]"
_A_SENTENCE = "a mapping of document, sentence and labels, or a list of the three"


def parse_knowledge(data: Any) -> list[Any]:
    """The kinds of knowledge that plain data stands for.

    >>> from topicwright.knowledge import parse_knowledge
    >>> parse_knowledge({"must-links": [["ship", "boat"]], "seeds": {"kitchen": ["bread"]}})
    [MustLinks(1 links), SeedWords(kitchen)]
    >>> parse_knowledge({"must-link": [["ship", "boat"]]})
    Traceback (most recent call last):
    topicwright.knowledge.io.nodes.KnowledgeFileError: knowledge: unknown key 'must-link': the keys here are \
must-links, cannot-links, seeds, forbidden-words, known-topics, topic-names, document-labels, document-topics, \
sentence-labels, document-links, steps
    """
    top = Node(data)
    sections = top.entries("a mapping") if top.is_list else [top]
    return [
        item
        for section in sections
        for kind, spot in section.fields(tuple(_READERS)).items()
        for item in _READERS[kind](spot)
    ]


def _read_links(kind: type[MustLinks | CannotLinks]) -> Callable[[Node], list[Any]]:
    def read(spot: Node) -> list[Any]:
        fields = spot.fields(("links", "strength", "firmness"), ("links",)) if spot.is_mapping else {"links": spot}
        links = fields.pop("links").entries("a list of links")
        return [kind(list(map(_link, links)), **_dial(fields))]

    return read


def _link(spot: Node) -> tuple[Any, ...]:
    if not spot.is_list:
        spot.fail(_A_LINK)
    parts = spot.entries(_A_LINK)
    strength = parts[-1].number_or_none() if len(parts) > 2 else None
    words = [part.text("a word") for part in parts[: None if strength is None else -1]]
    if len(words) < 2:
        spot.fail(f"{_A_LINK}, of two words or more")
    if len(set(words)) < len(words):
        spot.fail("a link between different words")
    if strength is not None and strength <= 0:
        parts[-1].fail("a positive strength")
    return tuple(words) if strength is None else (*words, strength)


def _dial(fields: Mapping[str, Node]) -> dict[str, Any]:
    return {
        name: None if name == "firmness" and spot.is_nothing else spot.number(*_DIAL[name])
        for name, spot in fields.items()
    }


def _read_seeds(spot: Node) -> list[Any]:
    topics = Node(spot.value.get("topics"), f"{spot.place}, topics", spot.line) if spot.is_mapping else spot
    if not spot.is_mapping or not (topics.is_mapping or topics.has_mappings):
        return [SeedWords(_seeded_topics(spot))]
    fields = spot.fields(("topics", "weight", "hard"))
    options: dict[str, Any] = {}
    if "weight" in fields:
        options["weight"] = _weight(fields["weight"])
    if "hard" in fields:
        options["hard"] = fields["hard"].flag()
    return [SeedWords(_seeded_topics(fields["topics"]), **options)]


def _weight(spot: Node) -> float:
    return spot.number(f"a positive number below {HEAVIEST:,.0f}", lambda number: 0 < number < HEAVIEST)


def _seeded_topics(spot: Node) -> dict[str | int, list[str]]:
    return {topic: _some_words(words) for topic, words in _by_topic(spot, "lists of words").items()}


def _some_words(spot: Node) -> list[str]:
    if not spot.is_list:
        spot.fail("a list of words, such as [bread, oven]")
    return [word.text("a word") for word in spot.entries("")]


def _by_topic(spot: Node, what: str) -> dict[str | int, Node]:
    """A mapping from topics; a list of mappings will do."""
    pairs = spot.items(f"a mapping of topics to {what}") if not spot.has_mappings else _topic_pairs(spot)
    topics: dict[str | int, Node] = {}
    for key, words in pairs:
        if key.value in ("weight", "hard") and not words.is_list:
            words.refuse(f"{key.value} has its place beside topics: {{{key.value}: …, topics: {{…}}}}")
        topic = _topic(key, is_key=not spot.has_mappings)
        if topic in topics:
            spot.refuse(f"topic {topic!r} occurs twice", key.line)
        topics[topic] = words
    return topics


def _topic_pairs(spot: Node) -> list[tuple[Node, Node]]:
    rows = [row.fields(("topic", "words"), ("topic", "words")) for row in spot.entries("")]
    return [(row["topic"], row["words"]) for row in rows]


def _topic(spot: Node, *, is_key: bool) -> str | int:
    """A key that looks like a number is one, even in JSON, where every key has quotes."""
    number = int(spot.value) if is_key and looks_whole(spot.value) else spot.whole_or_none()
    if number is not None and number < 0:
        spot.fail("a topic's number, 0 or more")
    return spot.text("the name or number of a topic") if number is None else number


def _read_document_labels(spot: Node) -> list[Any]:
    if spot.flag_or_none() is not None:
        return [DocumentLabels()] if spot.flag() else []
    if spot.is_nothing or not (spot.is_list or spot.is_mapping):
        spot.fail("true, a list with one entry per document, or a mapping with labels and background")
    fields = spot.fields(("labels", "background")) if spot.is_mapping else {"labels": spot}
    background = fields["background"].whole_or_none() if "background" in fields else 0
    if background is None or not 0 <= background <= _MOST_BACKGROUND:
        fields["background"].fail("a number of topics, 0 or more")
    return [DocumentLabels(_documents(fields["labels"]) if "labels" in fields else None, background=background)]


def _documents(spot: Node) -> Any:
    """One entry per document, or a mapping from some (a list of mappings will do); None for the corpus's own."""
    if spot.flag_or_none():
        return None
    if spot.is_list and not spot.has_mappings:
        return [None if entry.is_nothing else _labels(entry) for entry in spot.entries("")]
    if spot.has_mappings:
        rows = [row.fields(("document", "labels"), ("document", "labels")) for row in spot.entries("")]
        pairs = [(row["document"], row["labels"]) for row in rows]
    else:
        pairs = spot.items("true, a list with one entry per document, or a mapping of documents to labels")
    labels: dict[str | int, Any] = {}
    for document, own in pairs:
        key = _document(document)
        if key in labels:
            spot.refuse(f"document {key!r} occurs twice", document.line)
        labels[key] = None if own.is_nothing else _labels(own)
    return labels


def _labels(spot: Node) -> list[str]:
    return [one.text("a label") for one in (spot.entries("") if spot.is_list else [spot])]


def _document(spot: Node) -> str | int:
    row = spot.whole_or_none()
    if row is not None and row < 0:
        spot.fail("a document's id, or its row, counted from 0")
    return spot.text("a document's id or row") if row is None else row


def _read_sentence_labels(spot: Node) -> list[Any]:
    rows = spot.fields(("sentences",), ("sentences",))["sentences"] if spot.is_mapping else spot
    return [SentenceLabels([_sentence(row) for row in rows.entries("a list of sentences")])]


def _sentence(spot: Node) -> tuple[Any, Any, list[str]]:
    names = ("document", "sentence", "labels")
    parts = list(map(spot.fields(names, names).get, names)) if spot.is_mapping else spot.entries(_A_SENTENCE)
    if len(parts) != 3 or any(part is None for part in parts):
        spot.fail(_A_SENTENCE)
    document, sentence, labels = (part for part in parts if part is not None)
    own = _labels(labels)
    if not own:
        labels.fail("a label or a list of them")
    return _document(document), _words_or_positions(sentence), own


def _words_or_positions(spot: Node) -> str | tuple[int, ...]:
    if not spot.is_list:
        return spot.text("the sentence, or a pair of positions such as [0, 4]")
    positions = [position.whole_or_none() for position in spot.entries("")]
    found = tuple(position for position in positions if position is not None)
    if len(positions) != 2 or len(found) != 2:
        spot.fail("the sentence, or a pair of positions such as [0, 4]")
    return found


def _read_document_links(spot: Node) -> list[Any]:
    if spot.flag_or_none() is not None:
        return [DocumentLinks()] if spot.flag() else []
    if spot.is_nothing:
        spot.fail("true, a list of pairs of documents, or a mapping with links, strength and firmness")
    fields = spot.fields(("links", "strength", "firmness")) if spot.is_mapping else {"links": spot}
    links = fields.pop("links", None)
    return [DocumentLinks(None if links is None or links.flag_or_none() else _edges(links), **_dial(fields))]


def _edges(spot: Node) -> list[tuple[str | int, ...]]:
    edges = []
    for edge in spot.entries("true, or a list of pairs of documents"):
        ends = edge.entries("") if edge.is_list else []
        if len(ends) != 2:
            edge.fail("a pair of documents, such as [d1, d2]")
        edges.append(tuple(map(_document, ends)))
    return edges


def _read_forbidden(spot: Node) -> list[Any]:
    return [ForbiddenWords(_seeded_topics(spot))]


def _read_known_topics(spot: Node) -> list[Any]:
    fields = spot.fields(("topics", "weight"), ("topics",))
    options = {"weight": _weight(fields["weight"])} if "weight" in fields else {}
    topics = _by_topic(fields["topics"], "counts of words")
    return [KnownTopics({topic: _word_counts(words) for topic, words in topics.items()}, **options)]


def _word_counts(spot: Node) -> dict[str, float]:
    counts = spot.items("a mapping of words to counts, such as {puck: 120}")
    return {word.text("a word"): _whole_if_it_is(_weight(count)) for word, count in counts}


def _whole_if_it_is(number: float) -> float:
    return int(number) if number.is_integer() else number


def _read_topic_names(spot: Node) -> list[Any]:
    names: dict[int, str] = {}
    for key, name in spot.items("a mapping of numbers to names"):
        topic = _topic(key, is_key=True)
        if not isinstance(topic, int):
            key.fail("a topic's number, 0 or more")
        names[topic] = name.text("a name")
    if len(set(names.values())) < len(names):
        spot.refuse("two topics have one name")
    return [TopicNames(names)]


def _read_document_topics(spot: Node) -> list[Any]:
    fields = spot.fields(("topics", "weight"), ("topics",))
    options = {"weight": _weight(fields["weight"])} if "weight" in fields else {}
    about: dict[str | int, list[str | int]] = {}
    for document, topic in _document_pairs(fields["topics"]):
        about.setdefault(_document(document), []).append(_topic(topic, is_key=False))
    return [DocumentTopics({document: own[0] if len(own) == 1 else own for document, own in about.items()}, **options)]


def _document_pairs(spot: Node) -> list[tuple[Node, Node]]:
    if not spot.is_list:
        return spot.items("a mapping of documents to topics")
    rows = [row.fields(("document", "topic"), ("document", "topic")) for row in spot.entries("")]
    return [(row["document"], row["topic"]) for row in rows]


def _read_steps(spot: Node) -> list[Any]:
    """How what is known came about: :mod:`topicwright.steering` reads it; what holds now stands beside it."""
    spot.fields(("base", "log"), ("base", "log"))
    return []


_READERS: dict[str, Callable[[Node], list[Any]]] = {
    "must-links": _read_links(MustLinks),
    "cannot-links": _read_links(CannotLinks),
    "seeds": _read_seeds,
    "forbidden-words": _read_forbidden,
    "known-topics": _read_known_topics,
    "topic-names": _read_topic_names,
    "document-labels": _read_document_labels,
    "document-topics": _read_document_topics,
    "sentence-labels": _read_sentence_labels,
    "document-links": _read_document_links,
    "steps": _read_steps,
}
