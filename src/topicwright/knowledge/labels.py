"""Labels of documents and of sentences: which topics their words may have (SC-LDA eq. 8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from .._utils.signatures import suggest_keywords
from ..corpus import Corpus, encode
from ..errors import InputError
from .base import find_document, materialize, require_iterable, rows_of_ids, size_of
from .compiler import KnowledgePart, TopicConstraint, TopicName, TopicNumbers
from .evaluation import EvaluationContext, evaluate_labels
from .report import Row

_SENTENCES, _DOCUMENTS = 1, 2  # ranks: the sentence is nearer to the word than the document


class DocumentLabels:
    """A labelled document uses the topics of its labels and no other; a document without labels is free.

    Each label is a topic of its own, with the label's name. There may be more topics than labels: documents without
    labels use all of them.

    Parameters
    ----------
    labels
        One entry per document: a label, a list of labels, or None. Or a mapping from some documents, by id or row,
        to their labels. None: the corpus's own labels.
    background
        So many further topics that every labelled document may use beside its labels, for words that all share.

    Examples
    --------
    >>> import topicwright as tw
    >>> texts = ["ship sails", "bread bakes", "ship bakes bread"] * 10
    >>> labels = ["sea", "kitchen", None] * 10
    >>> lda = tw.LDA(n_topics=2, knowledge=[tw.DocumentLabels(labels)], n_sweeps=20).fit(texts)
    >>> lda.topic_names_
    ['kitchen', 'sea']
    >>> lda.doc_topic_counts_[[0], :].toarray()  # the first document is about the sea alone
    array([[0, 2]])
    """

    @suggest_keywords()
    def __init__(self, labels: Any = None, *, background: int = 0) -> None:
        self.labels = materialize(labels)
        self.background = background

    def __repr__(self) -> str:
        return f"DocumentLabels({'of the corpus' if self.labels is None else size_of(self.labels)})"

    def topics(self, corpus: Corpus) -> Iterable[TopicName]:
        """All labels, sorted, and the background."""
        if isinstance(self.background, bool) or not isinstance(self.background, Integral) or self.background < 0:
            raise InputError(f"background must be a number of topics, 0 or more: got {self.background!r}")
        return [*sorted({label for doc in self.of(corpus) for label in doc}), *self._background()]

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """A limit for the tokens of each labelled document."""
        shared = [topics.number(name) for name in self._background()]
        labels = self.of(corpus)
        numbers = {doc: n for n, doc in enumerate(dict.fromkeys(doc for doc in labels if doc))}
        if not numbers:
            return KnowledgePart()
        sets = [np.array(sorted({*map(topics.number, doc), *shared}), dtype=np.int64) for doc in numbers]
        set_of_doc = np.array([numbers.get(doc, -1) for doc in labels], dtype=np.int64)
        return KnowledgePart(
            constraint=TopicConstraint(np.repeat(set_of_doc, corpus.doc_lengths()), sets, "document labels", _DOCUMENTS)
        )

    def judge(self, case: EvaluationContext) -> Iterator[Row]:
        """Of each label the share of its tokens in its topics and the background."""
        owner = np.repeat(np.arange(case.corpus.n_docs), case.corpus.doc_lengths())
        limit = self.compile(case.corpus, case.known.topics).constraint
        return evaluate_labels("document", self.of(case.corpus), owner, limit, case)

    def of(self, corpus: Corpus) -> Sequence[tuple[str, ...]]:
        """The labels of each document."""
        if self.labels is None:
            if corpus.labels is None:
                raise InputError("DocumentLabels() needs labels: give them here, or with the corpus")
            return corpus.labels
        if not isinstance(self.labels, Mapping):
            return replace(corpus, labels=self.labels).labels or ()
        rows = rows_of_ids(corpus)
        labels: list[Any] = [None] * corpus.n_docs
        for document, own in self.labels.items():
            labels[find_document(corpus, document, rows)] = own
        return replace(corpus, labels=tuple(labels)).labels or ()

    def _background(self) -> list[str]:
        return [f"background {n + 1}" for n in range(int(self.background))]


class SentenceLabels:
    """A labelled sentence uses the topics of its labels and no other; the rest of its document is free.

    Parameters
    ----------
    sentences
        Triples (document, sentence, labels). The document is an id or a row. The sentence is text that stands in the
        document, or a pair of positions (first, last) in its words, last not included.

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

    def topics(self, corpus: Corpus) -> Iterable[TopicName]:
        """All labels, sorted."""
        return sorted({label for _, _, labels in self._read() for label in labels})

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """A limit for the tokens of each sentence; where sentences overlap, the later one holds."""
        spans = self.spans(corpus)
        if not spans:
            return KnowledgePart()
        sets = np.full(corpus.n_tokens, -1, np.int64)
        for n, (first, last, _) in enumerate(spans):
            sets[first:last] = n
        allowed = [np.array(sorted({*map(topics.number, labels)}), dtype=np.int64) for _, _, labels in spans]
        return KnowledgePart(constraint=TopicConstraint(sets, allowed, "sentence labels", _SENTENCES))

    def judge(self, case: EvaluationContext) -> Iterator[Row]:
        """Of each label the share of its sentences' tokens in its topics."""
        limit = self.compile(case.corpus, case.known.topics).constraint
        if limit is None:
            return iter(())
        labels = [labels for *_, labels in self.spans(case.corpus)]
        return evaluate_labels("sentence", labels, limit.sets, limit, case)

    def spans(self, corpus: Corpus) -> list[tuple[int, int, tuple[str, ...]]]:
        """First token, last token and labels of each sentence."""
        rows = rows_of_ids(corpus)
        spans = []
        for document, sentence, labels in self._read():
            row = find_document(corpus, document, rows)
            first, last = _find(corpus, row, sentence)
            start = int(corpus.offsets[row])
            spans.append((start + first, start + last, labels))
        return spans

    def _read(self) -> list[tuple[Any, Any, tuple[str, ...]]]:
        read = []
        for entry in require_iterable(
            self.sentences, "sentences must be a list of triples (document, sentence, labels)"
        ):
            if isinstance(entry, str) or not isinstance(entry, Sequence) or len(entry) != 3:
                raise InputError(f"a sentence must be a triple (document, sentence, labels): got {entry!r}")
            document, sentence, labels = entry
            labels = tuple(labels) if isinstance(labels, Iterable) and not isinstance(labels, str) else (labels,)
            if not labels or not all(isinstance(label, str) for label in labels):
                raise InputError(f"a sentence must have a label or a list of them: got {entry!r}")
            read.append((document, sentence, labels))
        return read


def _find(corpus: Corpus, row: int, sentence: Any) -> tuple[int, int]:
    """Where a sentence starts and ends among the words of its document."""
    words = corpus.doc(row)
    if isinstance(sentence, str):
        return _find_text(corpus, row, sentence)
    try:
        first, last = (int(position) for position in sentence)
    except (TypeError, ValueError):
        raise InputError(f"a sentence must be text or a pair of positions: got {sentence!r}") from None
    if not 0 <= first <= last <= len(words):
        raise InputError(f"positions in document {row} must be from 0 to {len(words)}, and rise: got {sentence!r}")
    return first, last


def _find_text(corpus: Corpus, row: int, sentence: str) -> tuple[int, int]:
    if corpus.tokenizer is None:
        raise InputError("a sentence can be given as text only where the corpus was made from texts; give positions")
    wanted, words = encode([sentence], corpus.tokenizer, corpus.vocabulary).corpus.tokens, corpus.doc(row)
    if len(wanted):
        for first in np.flatnonzero(words == wanted[0]).tolist():
            if np.array_equal(words[first : first + len(wanted)], wanted):
                return first, first + len(wanted)
        raise InputError(f"document {row} has no sentence {sentence!r}")
    return 0, 0  # it holds no word that the vocabulary knows
