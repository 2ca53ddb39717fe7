"""Registry of knowledge kinds: each registers itself once and is complete."""

from __future__ import annotations

import pytest

import topicwright as tw
from topicwright.knowledge import Knowledge, KnowledgePart, TopicNumbers, compile_knowledge, register_knowledge
from topicwright.knowledge.base import knowledge_kinds

KINDS = knowledge_kinds()


def test_the_keys_of_knowledge_files() -> None:
    assert list(KINDS) == [
        "background-words",
        "cannot-links",
        "document-labels",
        "document-links",
        "document-topics",
        "forbidden-words",
        "known-topics",
        "must-links",
        "seeds",
        "sentence-labels",
        "topic-names",
    ]


@pytest.mark.parametrize("key", KINDS)
def test_a_kind_is_complete(key: str) -> None:
    kind = KINDS[key]
    assert kind.key == key
    assert getattr(tw, kind.__name__) is kind
    for method in ("compile", "evaluate", "to_dict", "from_dict"):
        assert any(method in vars(base) for base in kind.__mro__[: kind.__mro__.index(Knowledge)]), method


def test_a_key_belongs_to_one_kind() -> None:
    with pytest.raises(ValueError, match="'seeds' belongs to SeedWords"):
        register_knowledge("seeds")(tw.MustLinks)


class Unregistered(Knowledge):
    """Knowledge of a user, with the required method only."""

    def compile(self, corpus: tw.Corpus, topics: TopicNumbers) -> KnowledgePart:
        return KnowledgePart()


def test_a_kind_that_is_not_registered_trains_and_cannot_be_stored(corpus: tw.Corpus) -> None:
    model = tw.LDA(2, n_sweeps=1, knowledge=[Unregistered()]).fit(corpus)
    assert model.knowledge_report(before=False).notes == (
        "Unregistered knowledge is not in this report: no rule says when it holds",
    )
    with pytest.raises(tw.InputError, match="Unregistered knowledge can't be written to a file"):
        tw.write_knowledge([Unregistered()], "nowhere.yaml")


def test_the_method_topics_is_deprecated(corpus: tw.Corpus) -> None:
    class Old:
        def topics(self, corpus: tw.Corpus) -> list[str]:
            return ["sea"]

        def compile(self, corpus: tw.Corpus, topics: TopicNumbers) -> KnowledgePart:
            assert topics.number("sea") == 0
            return KnowledgePart()

    with pytest.warns(DeprecationWarning, match="use topic_names"):
        assert compile_knowledge([Old()], corpus, 2).topics.names() == ["sea", "1"]  # type: ignore[list-item]
