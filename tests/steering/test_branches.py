"""Branches of several people on one corpus: comparison and merging."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import topicwright as tw
from topicwright.steering import (
    Apart,
    Hide,
    InTopic,
    LabelDocument,
    MergeTopics,
    NeverIn,
    Rename,
    SplitTopic,
    Steering,
    Together,
    Update,
)

from ..assertions import raises_input


@pytest.fixture(params=["memory", "disk"])
def main(request: pytest.FixtureRequest, base: tw.LDA, path: Path) -> Iterator[Steering]:
    with Steering(base) if request.param == "memory" else Steering.open(path) as steering:
        yield steering


def test_branches_diverge_and_are_compared(main: Steering) -> None:
    main.add(Together(("ship", "wave")))
    main.update(2)
    eva = main.branch("eva")
    assert (eva.steps, eva.changes) == (main.steps, main.changes)
    main.add(Hide(1))
    eva.add(NeverIn(("ship", "wave", "sail", "storm"), 0))
    eva.add(NeverIn(("ship",), 1))
    eva.update(3)
    assert main.branches() == ["main", "eva"]
    told = main.compare("eva")
    assert told.common == (Together(("ship", "wave")), Update(2))
    assert (told.own, told.other) == ((Hide(1),), eva.steps[2:])
    assert told.contradictions == ()
    assert len(told.topics) == 5
    first = told.topics[0]
    assert first.distance == max(topic.distance for topic in told.topics) > 0
    assert first.words == tuple(main.model.top_words(12)[first.topic])
    assert first.other_words == tuple(eva.model.top_words(12)[first.topic])
    mirrored = eva.compare(main)
    assert {topic.topic: topic.distance for topic in mirrored.topics} == {t.topic: t.distance for t in told.topics}
    eva.close()


def test_a_branch_from_another(main: Steering) -> None:
    eva = main.branch("eva")
    eva.add(Hide(1))
    ada = main.branch("ada", from_="eva")
    assert ada.steps == (Hide(1),)
    assert main.branches() == ["main", "ada", "eva"]
    with raises_input("branch", got="eva", match="already"):
        main.branch("eva")
    with raises_input("branch", got="bob", match="there are main, ada, eva"):
        main.branch("carl", from_="bob")
    for steering in (eva, ada):
        steering.close()


def test_merge_takes_steps_and_reports_contradictions(main: Steering) -> None:
    main.add(Hide(4))
    eva = main.branch("eva")
    main.add(Apart(("ship", "law")))
    main.add(Rename(2, "kitchen"))
    for step in (Together(("ship", "law")), Rename(1, "kitchen"), Together(("bread", "oven")), LabelDocument(3, 2)):
        eva.add(step)
    eva.update(2)
    eva.add(Hide(0))
    problems = [
        "ship and law belong together: an earlier edit says that law and ship are kept apart: "
        "undo it, or remove the edits of one of the words, first",
        "topic 1 is renamed to kitchen: topic 2 is called 'kitchen' already",
    ]
    assert list(main.compare(eva).contradictions) == problems
    before = main.model
    assert main.merge(eva) == problems
    assert main.pending[3:] == (Together(("bread", "oven")), LabelDocument(3, 2), Hide(0))
    assert main.model is before  # updates are made by this branch only
    assert main.undo() == Hide(0)
    eva.close()


def test_merged_splits_get_new_indices(main: Steering) -> None:
    main.add(MergeTopics(0, (4,)))
    eva = main.branch("eva")
    main.add(SplitTopic(1))  # takes 4
    eva.add(SplitTopic(2))  # takes 4 as well
    eva.add(Rename(4, "second"))
    eva.add(InTopic(("ship",), 4))
    eva.add(MergeTopics(3, (4,)))
    assert main.merge(eva) == []
    assert main.steps[2:] == (
        SplitTopic(2, (), 5),
        Rename(5, "second"),
        InTopic(("ship",), 5),
        MergeTopics(3, (5,)),
    )
    eva.close()


def test_merge_reports_steps_on_missing_topics(main: Steering) -> None:
    eva = main.branch("eva")
    main.add(MergeTopics(0, (1,)))
    eva.add(SplitTopic(1))
    eva.add(Hide(5))
    assert main.merge(eva) == [
        "topic 1 is split in two: the second half is topic 5: topic 1 was merged into another one and is empty",
        "topic 5 is hidden: topic 5 of the other branch does not exist here",
    ]
    eva.close()


def test_merging_with_oneself_or_twice_changes_nothing(main: Steering) -> None:
    main.add(Hide(1))
    assert main.merge("main") == []
    eva = main.branch("eva")
    assert main.merge(eva) == []
    assert main.steps == (Hide(1),)
    eva.close()


def test_rejects_branches_of_other_models(steering: Steering, corpus: tw.Corpus) -> None:
    other = Steering(tw.LDA(5, n_sweeps=3).fit(corpus))
    with raises_input("other", match="another model"):
        steering.merge(other)


def test_opening_another_branch_does_not_reload_the_model(main: Steering) -> None:
    with main.branch("anna") as anna:
        anna.add(Rename(0, "ships"))
    with main.open_branch("anna") as again:
        assert again.steps == anna.steps
        assert again.names == {0: "ships"}
        assert again.model.corpus_ is main.model.corpus_
    with raises_input("branch", got="bert", match="there are main, anna"):
        main.open_branch("bert")
