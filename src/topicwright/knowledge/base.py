"""Base class and registry of the kinds of knowledge.

A kind of knowledge is a subclass of :class:`Knowledge` in one file. It registers itself under the key that it has in
knowledge files::

    @register_knowledge("must-links")
    class MustLinks(Knowledge):
        ...

and is imported in ``knowledge/__init__.py``. Training, knowledge files, model files and reports find it there.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..corpus import Corpus
from ..errors import InputError
from .allowed_topics import TopicConstraint
from .priors import SeedTopic, SharedCount, WordPrior

if TYPE_CHECKING:
    from .evaluation import EvaluationContext
    from .io.nodes import Node
    from .report import ReportRow

TopicName = str | int
_NO_PAIRS = np.empty((0, 2), np.int64)


class TopicNumbers:
    """Numbers of the topics that knowledge refers to by name.

    Parameters
    ----------
    n_topics : int
        Number of topics of the model.
    mentioned : iterable of str or int
        Topics that knowledge refers to. Each name gets the next number that is not mentioned itself.
    numbered : mapping, optional
        Names that have a number already, which they keep.
    """

    def __init__(
        self, n_topics: int, mentioned: Iterable[TopicName] = (), numbered: Mapping[str, int] | None = None
    ) -> None:
        self.n_topics = n_topics
        mentioned = dict.fromkeys(mentioned)
        taken = {self._check_number(number) for number in mentioned if not isinstance(number, str)}
        kept = {name: number for name, number in (numbered or {}).items() if name in mentioned}
        taken.update(kept.values())
        names = [name for name in mentioned if isinstance(name, str) and name not in kept]
        free = [k for k in range(min(n_topics, len(names) + len(taken))) if k not in taken]
        if len(names) > len(free):
            raise InputError(
                parameter="n_topics",
                expected=f"at least {len(names) + len(taken):,}, one for each label and seeded topic",
                got=n_topics,
            )
        self.numbers = {**kept, **dict(zip(names, free))}

    def number(self, topic: TopicName) -> int:
        """Number of a topic that is given by its name or number."""
        if not isinstance(topic, str):
            return self._check_number(topic)
        if topic not in self.numbers:
            raise InputError(
                f"no topic is called {topic!r}: a CustomFactor must list the topics that it uses in `topics`",
                parameter="topics",
                got=topic,
            )
        return self.numbers[topic]

    def names(self) -> list[str]:
        """Names of all topics; a topic without a name is called by its number."""
        names = [str(k) for k in range(self.n_topics)]
        for name, number in self.numbers.items():
            names[number] = name
        return names

    def _check_number(self, number: Any) -> int:
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or not 0 <= number < self.n_topics:
            raise InputError(
                f"a topic must be a name or a number from 0 to {self.n_topics - 1}: got {number!r}", got=number
            )
        return int(number)


class KnowledgePart(NamedTuple):
    """One knowledge item, compiled for a corpus.

    Attributes
    ----------
    factor : NamedTuple or None
        Factor of the conditional (see :mod:`topicwright.knowledge.factors`).
    constraint : TopicConstraint or None
        Topics that tokens may be assigned to.
    seeds : sequence of SeedTopic
        Topics that words are seeds of.
    word_priors : sequence of WordPrior
        Additions to the prior of words in topics.
    document_priors : scipy CSR array or None
        Additions to the prior of topics in documents, of shape (n_docs, n_topics).
    shared_word_counts, shared_document_counts : sequence of SharedCount
        Pseudo-counts that linked words or documents share.
    must_links, cannot_links : arrays of shape (n, 2)
        Word ids of linked pairs.
    reads : {"own", "words", "documents", "any"}
        Counts that the factor reads: those of the token's own word and its links, of any words, of linked documents, or
        any.
    """

    factor: Any = None
    constraint: TopicConstraint | None = None
    seeds: Sequence[SeedTopic] = ()
    word_priors: Sequence[WordPrior] = ()
    document_priors: Any = None
    shared_word_counts: Sequence[SharedCount] = ()
    shared_document_counts: Sequence[SharedCount] = ()
    must_links: NDArray[np.int64] = _NO_PAIRS
    cannot_links: NDArray[np.int64] = _NO_PAIRS
    reads: str = "own"

    @property
    def linked(self) -> NDArray[np.int64]:
        """Pairs of words of which the factor reads one's counts when the other is drawn."""
        return _NO_PAIRS if self.factor is None else np.concatenate([self.must_links, self.cannot_links])


class Knowledge(ABC):
    """Base class of the kinds of knowledge.

    Only :meth:`compile` is required. A kind that overrides :meth:`evaluate` appears in the report, and one that is
    registered and overrides :meth:`to_dict` and :meth:`from_dict` can be stored in knowledge and model files.

    Attributes
    ----------
    key : str or None
        Key of the kind in knowledge files, set by :func:`register_knowledge`.
    needs_documents : bool
        Whether the knowledge refers to documents or tokens, so that a model without its corpus cannot store or
        evaluate it.
    """

    key: ClassVar[str | None] = None
    needs_documents: ClassVar[bool] = True

    @property
    def topic_numbers(self) -> Mapping[str, int]:
        """Names of topics whose number is part of the knowledge."""
        return {}

    def topic_names(self, corpus: Corpus) -> Iterable[TopicName]:
        """Topics that the knowledge refers to, by name or number."""
        return ()

    @abstractmethod
    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """Knowledge about a corpus, in the form that the sampler reads.

        Parameters
        ----------
        corpus : Corpus
            Training corpus.
        topics : TopicNumbers
            Numbers of the topics that :meth:`topic_names` returned.
        """

    def for_new_documents(self, corpus: Corpus) -> Knowledge | None:
        """What remains true when a model is updated with other documents; by default all that is not about documents.

        Parameters
        ----------
        corpus : Corpus
            The new documents.
        """
        return None if self.needs_documents else self

    def evaluate(self, context: EvaluationContext) -> Iterator[ReportRow] | None:
        """Rows of the report, or None if there is no rule that says when the knowledge holds."""
        return None

    def to_dict(self) -> Any:
        """Plain data for knowledge files: what stands below :attr:`key`."""
        raise NotImplementedError

    @classmethod
    def from_dict(cls, node: Node) -> Knowledge | None:
        """Knowledge from the data that stands below :attr:`key`, or None if the data switches the kind off.

        Parameters
        ----------
        node : Node
            Plain data with its position in the file, for error messages.
        """
        raise NotImplementedError


class UnavailableKnowledge(Knowledge):
    """Placeholder for knowledge that a model was trained with and its file could not store.

    Parameters
    ----------
    name : str
        Class of the knowledge.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"UnavailableKnowledge({self.name!r})"

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """Raise an error: training needs the knowledge itself."""
        raise InputError(
            f"this model was trained with {self.name} knowledge, which its file does not store: "
            "set model.knowledge = [...] to all knowledge again",
            parameter="knowledge",
        )


_KINDS: dict[str, type[Knowledge]] = {}
Kind = TypeVar("Kind", bound=type[Knowledge])


def register_knowledge(key: str) -> Callable[[Kind], Kind]:
    """Class decorator that registers a kind of knowledge under its key in knowledge files."""

    def register(kind: Kind) -> Kind:
        if key in _KINDS:
            raise ValueError(f"the key {key!r} belongs to {_KINDS[key].__name__}")
        kind.key = key
        _KINDS[key] = kind
        return kind

    return register


def knowledge_kinds() -> dict[str, type[Knowledge]]:
    """Registered kinds of knowledge by key, in alphabetical order."""
    return dict(sorted(_KINDS.items()))
