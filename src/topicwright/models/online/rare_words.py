"""Removal of rare words and labels, so that the memory of a stream stays bounded."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._sampling.particle_filter import StreamEngine
from ..._sampling.particle_filter.state import INCREMENT, N_WORDS
from ...errors import InputError
from .state import StreamState, WindowEntry

State = dict[str, NDArray[Any]]


class Pruned(NamedTuple):
    """Number of words and labels that were removed."""

    words: int
    labels: int


def prune(stream: StreamState, min_count: float) -> Pruned:
    """Remove words and labels that count less than ``min_count`` in every particle and are not in the reservoir."""
    state = stream.engine.state()
    labels, words = _kept(state, min_count, len(stream.label_ids), len(stream.vocabulary.ids))
    if stream.vocabulary.is_fixed:
        words[:] = True
    if not labels.any() or not words[state["words"]].any():
        raise InputError(parameter="min_count", expected="low enough to leave a label and a word", got=min_count)
    new_label, new_word = np.cumsum(labels) - 1, np.cumsum(words) - 1
    state = _renumbered(state, labels, words, new_label, new_word)
    stream.vocabulary.ids = _names(stream.vocabulary.ids, words)
    stream.links.rebind(stream.vocabulary.ids)
    stream.engine = StreamEngine.from_state(state, **stream.engine_options())
    stream.label_ids = _names(stream.label_ids, labels)
    stream.label_texts = {str(label): label for label in stream.label_ids}
    stream.label_counts = [n for n, is_kept in zip(stream.label_counts, labels.tolist()) if is_kept]
    if stream.regression is not None:
        stream.regression.renumber(words, labels)
    recent = [_recent(document, labels, words, new_label, new_word) for document in stream.window]
    stream.window.clear()
    stream.window.extend(document for document in recent if document.labels)
    return Pruned(int((~words).sum()), int((~labels).sum()))


def _kept(state: State, min_count: float, n_labels: int, n_words: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    counts, unit = state["pairs.counts"], state["numbers"][INCREMENT]
    labels = state["totals"].max(axis=1) / unit >= min_count
    labels[state["reservoir.labels"]] = True
    in_kept = labels[state["pairs.labels"]]
    sums = np.zeros((n_words, counts.shape[1]))
    np.add.at(sums, state["pairs.words"][in_kept], counts[in_kept])
    words = sums.max(axis=1) / unit >= min_count
    words[state["reservoir.words"]] = True
    return labels, words


def _renumbered(state: State, labels: Any, words: Any, new_label: Any, new_word: Any) -> State:
    """The state without removed pairs and without pairs whose counts are zero."""
    of_label, of_word, counts = state["pairs.labels"], state["pairs.words"], state["pairs.counts"]
    keep = labels[of_label] & words[of_word] & (counts != 0).any(axis=1)
    totals = state["totals"].copy()
    np.subtract.at(totals, of_label[~keep], counts[~keep])
    seen = state["words"][words[state["words"]]]
    numbers = state["numbers"].copy()
    numbers[N_WORDS] = len(seen)
    sizes = {"sizes": state["sizes"][words[state["words"]]]} if "sizes" in state else {}
    return {
        **state,
        **sizes,
        "pairs.labels": new_label[of_label[keep]].astype(np.uint32),
        "pairs.words": new_word[of_word[keep]].astype(np.uint32),
        "pairs.counts": counts[keep],
        "totals": totals[labels],
        "alpha": state["alpha"][labels],
        "words": new_word[seen].astype(np.uint32),
        "numbers": numbers,
        "reservoir.words": new_word[state["reservoir.words"]].astype(np.uint32),
        "reservoir.labels": new_label[state["reservoir.labels"]].astype(np.uint32),
    }


def _names(numbers: dict[Any, int], kept: NDArray[np.bool_]) -> dict[Any, int]:
    return {name: n for n, name in enumerate(name for name, old in numbers.items() if kept[old])}


def _recent(document: WindowEntry, labels: Any, words: Any, new_label: Any, new_word: Any) -> WindowEntry:
    tokens = document.tokens[words[document.tokens]]
    own = tuple(int(new_label[k]) for k in document.labels if labels[k])
    return WindowEntry(document.log_p, new_word[tokens].astype(np.int32), own)
