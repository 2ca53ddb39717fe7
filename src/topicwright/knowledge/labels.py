"""Labels of documents and sentences: the topics that their tokens may have (SC-LDA eq. 8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .._utils.signatures import suggest_keywords
from .._utils.validation import check_integer
from ..corpus import Corpus, encode
from ..corpus.corpus import replace_metadata
from ..corpus.metadata import as_labels
from ..errors import InputError
from .advice import label_advice
from .allowed_topics import TopicConstraint
from .base import Knowledge, KnowledgePart, TopicName, TopicNumbers, register_knowledge
from .evaluation import EvaluationContext, evaluate_labels
from .io.nodes import Node, parse_document, parse_labels, parse_pull, plain_number, plain_value
from .lookup import HEAVIEST, check_iterable, check_pull, find_document, materialize, rows_of_ids, size_of
from .predicted_labels import predicted_shares
from .report import ReportRow

_SENTENCE_PRIORITY, _DOCUMENT_PRIORITY = 1, 2  # the label of a sentence is more specific than that of its document
_MAX_BACKGROUND = 1_000_000
_LABELS_IN_FILE = "true, a list with one entry per document, or a mapping"
_SENTENCE_IN_FILE = "a mapping of document, sentence and labels, or a list of the three"
_TEXT_IN_FILE = "the sentence, or a pair of positions such as [0, 4]"


@register_knowledge("document-labels")
class DocumentLabels(Knowledge):
    """Labels of documents: a labeled document has only the topics of its labels, one without labels has any topic.

    Each label is a topic, with the label's name. There may be more topics than labels; documents without labels use all
    of them. If their words are like those of a label's documents, they prefer its topic.

    Parameters
    ----------
    labels : sequence or mapping, optional
        One entry per document: a label, a list of labels, or None. Or a mapping of documents, by id or row, to labels.
        By default the labels of the corpus.
    background : int
        Number of background topics, which every labeled document may use besides its labels, for words that all
        documents share.
    pull : float
        Strength of the labels in documents without any. The share of each label in such a document is predicted from
        the words of the labeled ones. Each token of the document adds up to ``pull`` to the prior of the label's topic,
        less if the words of the whole corpus fit as well. With 0, free topics take over documents of a label.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["ship sails", "bread bakes", "ship bakes bread"] * 10
    >>> labels = ["sea", "kitchen", None] * 10
    >>> lda = tw.LDA(n_topics=2, knowledge=[tw.DocumentLabels(labels)], n_sweeps=20).fit(texts)
    >>> lda.topic_names_
    ['kitchen', 'sea']
    >>> lda.doc_topic_counts_[[0], :].toarray()  # the first document has only the topic "sea"
    array([[0, 2]])
    """

    @suggest_keywords()
    def __init__(self, labels: Any = None, *, background: int = 0, pull: float = 5.0) -> None:
        self.labels = materialize(labels)
        self.background = background
        self.pull = pull

    def __repr__(self) -> str:
        return f"DocumentLabels({'of the corpus' if self.labels is None else size_of(self.labels)})"

    def topic_names(self, corpus: Corpus) -> Iterable[TopicName]:
        """All labels, sorted, and the background topics."""
        check_integer("background", self.background, 0)
        labels = {label for own in self.labels_of(corpus) for label in own}
        return [*sorted(labels), *self._background_topics()]

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """Constraint on the tokens of labeled documents, and priors of predicted labels in the others."""
        pull = check_pull(self.pull)
        background = [topics.number(name) for name in self._background_topics()]
        labels = self.labels_of(corpus)
        number = {own: n for n, own in enumerate(dict.fromkeys(own for own in labels if own))}
        if not number:
            return KnowledgePart()
        allowed = [np.array(sorted({*map(topics.number, own), *background}), dtype=np.int64) for own in number]
        set_of_doc = np.array([number.get(own, -1) for own in labels], dtype=np.int64)
        sets = np.repeat(set_of_doc, corpus.doc_lengths())
        constraint = TopicConstraint(sets, allowed, "document labels", _DOCUMENT_PRIORITY)
        if pull == 0.0 or (set_of_doc >= 0).all():
            return KnowledgePart(constraint=constraint)
        shares = predicted_shares(corpus, labels, topics.numbers, topics.n_topics)
        tokens = np.repeat(pull * corpus.doc_lengths(), np.diff(shares.indptr))
        shares.data *= tokens
        return KnowledgePart(constraint=constraint, document_priors=shares)

    def labels_of(self, corpus: Corpus) -> Sequence[tuple[str, ...]]:
        """Labels of each document of a corpus."""
        if self.labels is None:
            if corpus.labels is None:
                raise InputError(
                    "DocumentLabels() needs labels: list them, or use a corpus that has labels", parameter="labels"
                )
            return corpus.labels
        if not isinstance(self.labels, Mapping):
            return replace_metadata(corpus, labels=self.labels).labels or ()
        rows = rows_of_ids(corpus)
        labels: list[Any] = [None] * corpus.n_docs
        for document, own in self.labels.items():
            labels[find_document(corpus, document, rows)] = own
        return replace_metadata(corpus, labels=tuple(labels)).labels or ()

    def for_new_documents(self, corpus: Corpus) -> DocumentLabels | None:
        """The labels of the corpus, if the new one has labels too."""
        return self if self.labels is None and corpus.labels is not None else None

    def evaluate(self, context: EvaluationContext) -> Iterator[ReportRow]:
        """Share of each label's tokens in its topics and the background topics."""
        doc_of_token = np.repeat(np.arange(context.corpus.n_docs), context.corpus.doc_lengths())
        constraint = self.compile(context.corpus, context.knowledge.topics).constraint
        labels = self.labels_of(context.corpus)
        background = [context.knowledge.topics.number(name) for name in self._background_topics()]
        advice = label_advice(labels, background, context)
        return evaluate_labels("document", labels, doc_of_token, constraint, context, advice)

    def to_dict(self) -> dict[str, Any]:
        """Number of background topics, pull and labels."""
        return {
            "background": plain_value(self.background),
            "pull": plain_number(self.pull),
            "labels": _labels_to_dict(self.labels),
        }

    @classmethod
    def from_dict(cls, node: Node) -> DocumentLabels | None:
        """Labels from a boolean, a list with one entry per document, or a mapping with labels, background and pull."""
        if node.boolean_or_none() is not None:
            return cls() if node.boolean() else None
        if node.is_empty or not (node.is_list or node.is_mapping):
            node.fail_expected(f"{_LABELS_IN_FILE} with labels and background")
        fields = node.fields(("labels", "background", "pull")) if node.is_mapping else {"labels": node}
        background = fields["background"].integer_or_none() if "background" in fields else 0
        if background is None or not 0 <= background <= _MAX_BACKGROUND:
            fields["background"].fail_expected("a number of topics, 0 or more")
        labels = _labels_from_dict(fields["labels"]) if "labels" in fields else None
        pull = {"pull": parse_pull(fields["pull"], HEAVIEST)} if "pull" in fields else {}
        return cls(labels, background=background, **pull)

    def _background_topics(self) -> list[str]:
        return [f"background {n + 1}" for n in range(int(self.background))]


def _labels_to_dict(labels: Any) -> Any:
    if labels is None:
        return True
    if not isinstance(labels, Mapping):
        return [_own_labels_to_dict(own) for own in labels]
    pairs = [(plain_value(document), _own_labels_to_dict(own)) for document, own in labels.items()]
    if all(isinstance(document, str) for document, _ in pairs):
        return dict(pairs)
    return [{"document": document, "labels": own} for document, own in pairs]


def _own_labels_to_dict(own: Any) -> Any:
    labels = as_labels(own)
    return None if not labels else labels[0] if len(labels) == 1 else list(labels)


def _labels_from_dict(node: Node) -> Any:
    """List with one entry per document, mapping (or list of mappings) of documents, or None for those of the corpus."""
    if node.boolean_or_none():
        return None
    if node.is_list and not node.is_list_of_mappings:
        return [None if entry.is_empty else parse_labels(entry) for entry in node.entries()]
    if node.is_list_of_mappings:
        rows = [row.fields(("document", "labels"), ("document", "labels")) for row in node.entries()]
        pairs = [(row["document"], row["labels"]) for row in rows]
    else:
        pairs = node.items(f"{_LABELS_IN_FILE} of documents to labels")
    labels: dict[str | int, Any] = {}
    for document, own in pairs:
        key = parse_document(document)
        if key in labels:
            node.fail(f"document {key!r} occurs twice", document.line)
        labels[key] = None if own.is_empty else parse_labels(own)
    return labels


@register_knowledge("sentence-labels")
class SentenceLabels(Knowledge):
    """Labels of sentences: a labeled sentence has only the topics of its labels, the rest of its document any topic.

    Parameters
    ----------
    sentences : iterable of tuples
        Triples (document, sentence, labels). The document is an id or a row. The sentence is text that occurs in the
        document, or a pair of positions (first, last) in its words, without the last.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["The soup was hot. The waiter was slow."] * 10
    >>> aspects = tw.SentenceLabels([(0, "The soup was hot.", "food"), (0, "The waiter was slow.", "service")])
    >>> lda = tw.LDA(n_topics=2, knowledge=[aspects], n_sweeps=50).fit(texts)
    >>> lda.topic_names_
    ['food', 'service']
    """

    @suggest_keywords()
    def __init__(self, sentences: Iterable[tuple[Any, Any, Any]]) -> None:
        self.sentences = materialize(sentences)

    def __repr__(self) -> str:
        return f"SentenceLabels({size_of(self.sentences)} sentences)"

    def topic_names(self, corpus: Corpus) -> Iterable[TopicName]:
        """All labels, sorted."""
        return sorted({label for _, _, labels in self._parse_sentences() for label in labels})

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """Constraint on the tokens of each sentence; where sentences overlap, the later one holds."""
        spans = self.spans(corpus)
        if not spans:
            return KnowledgePart()
        sets = np.full(corpus.n_tokens, -1, np.int64)
        for n, (first, last, _) in enumerate(spans):
            sets[first:last] = n
        allowed = [np.array(sorted({*map(topics.number, labels)}), dtype=np.int64) for _, _, labels in spans]
        return KnowledgePart(constraint=TopicConstraint(sets, allowed, "sentence labels", _SENTENCE_PRIORITY))

    def spans(self, corpus: Corpus) -> list[tuple[int, int, tuple[str, ...]]]:
        """First token, last token (not included) and labels of each sentence."""
        rows = rows_of_ids(corpus)
        spans = []
        for document, sentence, labels in self._parse_sentences():
            row = find_document(corpus, document, rows)
            first, last = _find_sentence(corpus, row, sentence)
            start = int(corpus.offsets[row])
            spans.append((start + first, start + last, labels))
        return spans

    def evaluate(self, context: EvaluationContext) -> Iterator[ReportRow]:
        """Share of the tokens of each label's sentences in its topics."""
        constraint = self.compile(context.corpus, context.knowledge.topics).constraint
        if constraint is None:
            return iter(())
        labels = [labels for *_, labels in self.spans(context.corpus)]
        return evaluate_labels("sentence", labels, constraint.sets, constraint, context)

    def to_dict(self) -> list[dict[str, Any]]:
        """One mapping per sentence."""
        return [_sentence_to_dict(*entry) for entry in self.sentences]

    @classmethod
    def from_dict(cls, node: Node) -> SentenceLabels:
        """Sentences from a list of mappings or of triples."""
        rows = node.fields(("sentences",), ("sentences",))["sentences"] if node.is_mapping else node
        return cls([_sentence_from_dict(row) for row in rows.entries("a list of sentences")])

    def _parse_sentences(self) -> list[tuple[Any, Any, tuple[str, ...]]]:
        parsed = []
        for entry in check_iterable("sentences", self.sentences, "a list of triples (document, sentence, labels)"):
            if isinstance(entry, str) or not isinstance(entry, Sequence) or len(entry) != 3:
                raise InputError(
                    f"a sentence must be a triple (document, sentence, labels): got {entry!r}",
                    parameter="sentences",
                    got=entry,
                )
            document, sentence, labels = entry
            labels = tuple(labels) if isinstance(labels, Iterable) and not isinstance(labels, str) else (labels,)
            if not labels or not all(isinstance(label, str) for label in labels):
                raise InputError(
                    f"a sentence must have a label or a list of labels: got {entry!r}", parameter="sentences", got=entry
                )
            parsed.append((document, sentence, labels))
        return parsed


def _find_sentence(corpus: Corpus, row: int, sentence: Any) -> tuple[int, int]:
    """First and last position (not included) of a sentence in its document."""
    words = corpus.doc(row)
    if isinstance(sentence, str):
        return _find_text(corpus, row, sentence)
    try:
        first, last = (int(position) for position in sentence)
    except (TypeError, ValueError):
        raise InputError(
            f"a sentence must be text or a pair of positions: got {sentence!r}", parameter="sentences", got=sentence
        ) from None
    if not 0 <= first <= last <= len(words):
        raise InputError(
            f"positions in document {row} must be from 0 to {len(words)}, in ascending order: got {sentence!r}",
            parameter="sentences",
            got=sentence,
        )
    return first, last


def _find_text(corpus: Corpus, row: int, sentence: str) -> tuple[int, int]:
    if corpus.tokenizer is None:
        raise InputError(
            "a sentence can be given as text only if the corpus was made from texts: pass positions instead",
            parameter="sentences",
            got=sentence,
        )
    wanted, words = encode([sentence], corpus.tokenizer, corpus.vocabulary).corpus.tokens, corpus.doc(row)
    if not len(wanted):  # no word of the vocabulary
        return 0, 0
    for first in np.flatnonzero(words == wanted[0]).tolist():
        if np.array_equal(words[first : first + len(wanted)], wanted):
            return first, first + len(wanted)
    raise InputError(f"document {row} has no sentence {sentence!r}", parameter="sentences", got=sentence)


def _sentence_to_dict(document: Any, sentence: Any, labels: Any) -> dict[str, Any]:
    words = str(sentence) if isinstance(sentence, str) else [int(position) for position in sentence]
    own = [str(labels)] if isinstance(labels, str) else list(map(str, labels))
    return {"document": plain_value(document), "sentence": words, "labels": own[0] if len(own) == 1 else own}


def _sentence_from_dict(node: Node) -> tuple[Any, Any, list[str]]:
    names = ("document", "sentence", "labels")
    fields = node.fields(names, names) if node.is_mapping else {}
    parts = [fields[name] for name in names] if fields else node.entries(_SENTENCE_IN_FILE)
    if len(parts) != len(names):
        node.fail_expected(_SENTENCE_IN_FILE)
    document, sentence, labels = parts
    own = parse_labels(labels)
    if not own:
        labels.fail_expected("a label or a list of labels")
    return parse_document(document), _text_or_positions(sentence), own


def _text_or_positions(node: Node) -> str | tuple[int, ...]:
    if not node.is_list:
        return node.text(_TEXT_IN_FILE)
    positions = [position.integer_or_none() for position in node.entries()]
    found = tuple(position for position in positions if position is not None)
    if len(positions) != 2 or len(found) != 2:
        node.fail_expected(_TEXT_IN_FILE)
    return found
