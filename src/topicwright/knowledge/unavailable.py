"""Knowledge that is no longer at hand."""

from __future__ import annotations

from collections.abc import Iterable

from ..corpus import Corpus
from ..errors import InputError
from .compiler import KnowledgePart, TopicName, TopicNumbers


class UnavailableKnowledge:
    """Stands for knowledge that a model was trained with and its file could not hold; training asks for it back."""

    def __init__(self, what: str) -> None:
        self.what = what

    def __repr__(self) -> str:
        return f"Missing({self.what!r})"

    def topics(self, corpus: Corpus) -> Iterable[TopicName]:
        """None that are known."""
        return ()

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        """An error that says what is missing."""
        raise InputError(
            f"this model was trained with {self.what} knowledge, which its file does not hold: "
            "give all knowledge again with model.knowledge = [...]"
        )
