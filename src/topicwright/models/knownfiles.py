"""What a model knows, in its file: all of it beside a corpus; without one, what is known of words and topics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..corpus import Corpus
from ..errors import InputError
from ..io import Fields, pack_strings
from ..io.plainjson import to_json
from ..knowledge import Compiled, TopicNumbers, from_data, to_data
from ..knowledge.compiling import Part, TopicName
from ..knowledge.judging import OF_WORDS
from ..knowledge.missing import Missing
from ..knowledge.priors import Seeds
from .knowing import compile_quietly

if TYPE_CHECKING:
    from .lda import LDA

_LARGEST_EXTRA = 1e30
_LONGEST_NAME = 60


def knowledge_to_arrays(model: LDA, has_corpus: bool) -> dict[str, NDArray[Any]]:
    """The knowledge that the model was trained with, as arrays for ``write_model``."""
    compiled = model._compiled
    if not model._known:
        return {}
    said = {
        "kinds": [_kind_to_data(item, has_corpus) for item in model._known],
        "topics": compiled.topics.numbers,
        "contradictions": list(compiled.contradictions),
    }
    arrays = pack_strings([to_json(said, "knowledge")], "knowledge")  # an array, since it may be long
    if not has_corpus and compiled.seeds is not None:
        start = compiled.seeds.start.astype(np.int64)
        counts = start[1:] - start[:-1]
        arrays |= {
            "seeds.words": np.repeat(np.arange(len(counts), dtype=np.int32), counts),
            "seeds.topics": compiled.seeds.topics,
            "seeds.extra": compiled.seeds.extra,
        }
    return arrays


def knowledge_from_fields(model: LDA, fields: Fields, n_topics: int) -> None:
    """Give the model the knowledge that its file holds, without a word about what was said before."""
    model._known, model._told, model._without = [], {}, None
    if "knowledge" not in fields:
        model._know(Compiled(TopicNumbers(n_topics)))
        return
    said = fields.json("knowledge")
    if not isinstance(said, dict) or said.keys() != {"kinds", "topics", "contradictions"}:
        fields.fail("knowledge", "must have kinds, topics and contradictions")
    model.knowledge = model._known = _kinds(fields, said["kinds"])
    numbers = _numbers(fields, said["topics"], n_topics)
    if "assignments" in fields:
        at_hand = [item for item in model._known if not isinstance(item, Missing)]
        compiled, model._told = compile_quietly([_Names(numbers), *at_hand], model.corpus_, n_topics, numbers)
    else:
        compiled = Compiled(
            topics=TopicNumbers(n_topics, numbers, numbers),
            seeds=_seeds(fields, n_topics, model.corpus_.n_words),
            contradictions=_sentences(fields, said["contradictions"]),
        )
    model._know(compiled)


def _kind_to_data(item: Any, has_corpus: bool) -> Any:
    if has_corpus or isinstance(item, OF_WORDS):
        try:
            return to_data([item])
        except InputError:  # it holds code, or something odd; a trained model is not lost for that
            pass
    return {"missing": item.what if isinstance(item, Missing) else type(item).__name__}


def _kinds(fields: Fields, data: Any) -> list[Any]:
    if not isinstance(data, list):
        fields.fail("knowledge", "must have a list of kinds")
    return [item for entry in data for item in _kind(fields, entry)]


def _kind(fields: Fields, entry: Any) -> list[Any]:
    if isinstance(entry, dict) and isinstance(entry.get("missing"), str):
        return [Missing(entry["missing"][:_LONGEST_NAME])]
    try:
        return from_data(entry)
    except InputError as error:
        fields.fail("knowledge", f"can't be read: {error}")


def _numbers(fields: Fields, numbers: Any, n_topics: int) -> dict[str, int]:
    if not isinstance(numbers, dict) or not all(type(k) is int and 0 <= k < n_topics for k in numbers.values()):
        fields.fail("knowledge", f"must give topics numbers from 0 to {n_topics - 1}")
    if len(set(numbers.values())) != len(numbers):
        fields.fail("knowledge", "must give each topic a number of its own")
    return numbers


def _sentences(fields: Fields, sentences: Any) -> tuple[str, ...]:
    if not isinstance(sentences, list) or not all(isinstance(sentence, str) for sentence in sentences):
        fields.fail("knowledge", "must have a list of contradictions")
    return tuple(sentences)


def _seeds(fields: Fields, n_topics: int, n_words: int) -> Seeds | None:
    if "seeds.words" not in fields:
        return None
    words = fields.array("seeds.words", np.int32, ndim=1, minimum=0, maximum=n_words - 1)
    topics = fields.array("seeds.topics", np.uint32, shape=words.shape, maximum=n_topics - 1)
    extra = fields.array("seeds.extra", np.float64, shape=words.shape, above=0, maximum=_LARGEST_EXTRA)
    if len(words) == 0 or np.any(np.diff(words.astype(np.int64) * n_topics + topics) <= 0):
        fields.fail("seeds.words", "must rise, and with each word its topics")
    return Seeds(np.searchsorted(words, np.arange(n_words + 1)).astype(np.uint64), topics, extra)


class _Names:
    """Speaks of all topics that have a name, whoever gave it."""

    def __init__(self, numbers: dict[str, int]) -> None:
        self.numbers = numbers

    def topics(self, corpus: Corpus) -> Iterable[TopicName]:
        return self.numbers

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> Part:
        return Part()
