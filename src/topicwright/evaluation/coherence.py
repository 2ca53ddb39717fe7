"""Topic coherence: whether the top words of a topic occur together in a corpus.

The measures, and the names of their parts, are those of Röder, Both and Hinneburg, "Exploring the space of topic
coherence measures" (WSDM 2015); UMass is from Mimno et al. (EMNLP 2011), UCI from Newman et al. (NAACL 2010), NPMI from
Bouma (GSCL 2009). "umass" and "c_v" are as in gensim. To add a measure, write its confirmation function and register
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from .._utils.numba import jit
from .._utils.validation import check_choice
from .._utils.warnings import warn
from ..corpus.corpus import Corpus
from ..errors import InputError, UnknownWordsWarning
from .diversity import Topics, TopicWords, validate_topics

Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True)
class CoherenceMeasure:
    """One coherence measure.

    Parameters
    ----------
    name : str
        Name by which ``coherence`` knows the measure.
    confirm : callable
        ``(joint, n_windows, epsilon) -> values`` that are summed or averaged. ``joint[i, j]`` is the number of windows
        that hold both word i and word j of the topic, and ``joint[i, i]`` those that hold word i.
    window : int
        Default number of words in a window; 0 for whole documents.
    epsilon : float
        Default number that is added to the joint count or the joint probability.
    aggregate : {"sum", "mean"}
        Default aggregation of the values of one topic.
    needs_epsilon : bool
        Whether epsilon must be positive: without it a pair that never occurs together would have the value -inf.
    epsilon_below : float
        Upper bound of epsilon, which is 1 if it is added to a probability.
    drops_unknown : bool
        Whether words that never occur are left out of their topics, instead of having the worst value.
    forgets_repeats : bool
        Whether a window forgets a word that it holds twice as soon as the first of the two has passed.
    """

    name: str
    confirm: Callable[[Floats, int, float], Floats]
    window: int
    epsilon: float
    aggregate: str
    needs_epsilon: bool = False
    epsilon_below: float = 1.0
    drops_unknown: bool = False
    forgets_repeats: bool = False


MEASURES: dict[str, CoherenceMeasure] = {}
"""Registered measures by name."""


def register_measure(measure: CoherenceMeasure) -> None:
    """Add a coherence measure to the registry."""
    if measure.name in MEASURES:
        raise ValueError(f"a coherence measure must have a new name: {measure.name}")
    MEASURES[measure.name] = measure


def _umass(joint: Floats, n_windows: int, epsilon: float) -> Floats:
    return _mimno(joint, n_windows, epsilon * n_windows)


def _mimno(joint: Floats, n_windows: int, epsilon: float) -> Floats:
    before = np.triu_indices(len(joint), 1)  # (l, m) with l < m; the earlier word is the condition
    count = np.diag(joint)[before[0]]
    return np.log(np.where(count > 0, (joint[before] + epsilon) / count, epsilon / n_windows))


def _uci(joint: Floats, n_windows: int, epsilon: float) -> Floats:
    pairs = np.triu_indices(len(joint), 1)
    return np.where(_known_pairs(joint), _pmi(joint / n_windows, epsilon), np.log(epsilon))[pairs]


def _npmi(joint: Floats, n_windows: int, epsilon: float) -> Floats:
    pairs = np.triu_indices(len(joint), 1)
    return np.where(_known_pairs(joint), _normalized_pmi(joint / n_windows, epsilon), -1.0)[pairs]


def _c_v(joint: Floats, n_windows: int, epsilon: float) -> Floats:
    """One-set segmentation with the indirect cosine measure (Röder et al. 2015, section 3.2)."""
    vectors = np.where(_known_pairs(joint), _normalized_pmi(joint / n_windows, epsilon), 0.0)
    whole = vectors.sum(axis=0)
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(whole)
    cosines: Floats = np.divide(vectors @ whole, lengths, out=np.zeros(len(joint)), where=lengths > 0)
    return cosines


def _pmi(p: Floats, epsilon: float) -> Floats:
    alone = np.diag(p)
    return np.asarray(np.log((p + epsilon) / np.outer(alone, alone)), dtype=np.float64)


def _normalized_pmi(p: Floats, epsilon: float) -> Floats:
    value = _pmi(p, epsilon) / -np.log(p + epsilon)
    value = np.where(p + epsilon > 0, value, -1.0)  # the limit as P(a, b) falls to 0
    return np.where(p + epsilon < 1, value, 1.0)  # the limit as both words come to be everywhere


def _known_pairs(joint: Floats) -> NDArray[np.bool_]:
    known = np.diag(joint) > 0
    return np.logical_and.outer(known, known)


register_measure(CoherenceMeasure("umass", _umass, 0, 1e-12, "mean", needs_epsilon=True, drops_unknown=True))
register_measure(CoherenceMeasure("mimno", _mimno, 0, 1.0, "sum", needs_epsilon=True, epsilon_below=np.inf))
register_measure(CoherenceMeasure("uci", _uci, 10, 1e-12, "mean", needs_epsilon=True))
register_measure(CoherenceMeasure("npmi", _npmi, 10, 1e-12, "mean"))
register_measure(CoherenceMeasure("c_v", _c_v, 110, 1e-12, "mean", drops_unknown=True, forgets_repeats=True))
register_measure(CoherenceMeasure("c_v_exact", _c_v, 110, 1e-12, "mean"))


BLOCK_TOKENS = 1 << 18  # the runs of one block stay in the processor's cache while all pairs are counted


class WindowCounts(NamedTuple):
    """Numbers of all windows, of those that hold each word, and of those that hold both words of each pair."""

    n_windows: int
    words: NDArray[np.int64]
    pairs: NDArray[np.int64]


class Runs(NamedTuple):
    """Windows that hold each word w: begin[r] <= window < end[r] for all first[w] <= r < last[w]."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]


def count_windows(
    corpus: Corpus,
    word_of_id: NDArray[np.int32],
    pairs: NDArray[np.int64],
    window: int,
    *,
    n_words: int,
    forgets_repeats: bool = False,
) -> WindowCounts:
    """Count the windows that hold the chosen words, and those that hold both words of the chosen pairs.

    Parameters
    ----------
    corpus : Corpus
        Corpus to count in. A document of at most ``window`` words, even an empty one, is one window.
    word_of_id : int32 array of shape (corpus.n_words,)
        Number of each chosen word, from 0 to ``n_words - 1``; -1 for words that are not counted.
    pairs : int64 array of shape (n_pairs, 2)
        Pairs of such numbers.
    window : int
        Number of words in a window that slides over each document; 0 for whole documents.
    n_words : int
        Number of chosen words; some of them may not be in the corpus.
    forgets_repeats : bool
        Whether a window forgets a word that it holds twice as soon as the first of the two has passed, until the word
        enters again. gensim counts windows in this way.

    Examples
    --------
    >>> import numpy as np
    >>> from topicwright.corpus.corpus import Corpus
    >>> corpus = Corpus(tokens=[0, 1, 2, 0, 1], offsets=[0, 4, 5], vocabulary=["a", "b", "c"])
    >>> word_of_id = np.array([0, 1, -1], dtype=np.int32)
    >>> counts = count_windows(corpus, word_of_id, np.array([[0, 1]]), window=2, n_words=2)
    >>> counts.n_windows, counts.words.tolist(), counts.pairs.tolist()
    (4, [2, 3], [1])
    """
    lengths = corpus.doc_lengths()
    size = window or max(int(lengths.max(initial=1)), 1)
    word_counts = np.zeros(n_words, dtype=np.int64)
    pair_counts = np.zeros(len(pairs), dtype=np.int64)
    pairs = np.ascontiguousarray(pairs, dtype=np.int64).reshape(-1, 2)
    for offsets in _blocks(corpus.offsets):
        runs = find_runs(corpus.tokens, offsets, word_of_id, size, n_words, forgets_repeats)
        add_run_lengths(runs, word_counts)
        add_overlaps(runs, pairs, pair_counts)
    return WindowCounts(int(np.maximum(lengths - size + 1, 1).sum()), word_counts, pair_counts)


def _blocks(offsets: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Offsets of blocks of documents: about BLOCK_TOKENS tokens, or one document."""
    breaks = np.searchsorted(offsets, np.arange(BLOCK_TOKENS, offsets[-1], BLOCK_TOKENS), side="right") - 1
    edges = np.unique(np.concatenate([[0], breaks, [len(offsets) - 1]]))
    for first, last in pairwise(edges):
        yield offsets[first : last + 1]


@jit
def find_runs(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    word_of_id: NDArray[np.int32],
    size: int,
    n_words: int,
    forgets_repeats: bool,
) -> Runs:
    """Runs of windows that hold each word, in the documents between the given offsets."""
    first = np.zeros(n_words + 1, dtype=np.int64)
    for t in range(offsets[0], offsets[-1]):
        word = word_of_id[tokens[t]]
        if word >= 0:
            first[word + 1] += 1  # a word has at most as many runs as occurrences
    first = np.cumsum(first)
    last = first[:-1].copy()
    oldest = first[:-1].copy()  # of the occurrences of each word in the window that the last of them enters
    newest = first[:-1].copy()
    occurrences = np.empty(first[-1] if forgets_repeats else 0, dtype=np.int64)
    begin = np.empty(first[-1], dtype=np.int64)
    end = np.empty(first[-1], dtype=np.int64)
    window = 0  # the number of the document's first window
    for d in range(len(offsets) - 1):
        start = offsets[d]
        length = offsets[d + 1] - start
        n_windows = max(length - size + 1, 1)
        for p in range(length):
            word = word_of_id[tokens[start + p]]
            if word < 0:
                continue
            leaves = p
            if forgets_repeats:
                occurrences[newest[word]] = start + p
                newest[word] += 1
                while occurrences[oldest[word]] < start + max(p - size + 1, 0):
                    oldest[word] += 1
                leaves = occurrences[oldest[word]] - start
            low = window + max(p - size + 1, 0)
            high = window + min(leaves + 1, n_windows)
            r = last[word]
            if r > first[word] and end[r - 1] >= low:
                end[r - 1] = high
            else:
                begin[r] = low
                end[r] = high
                last[word] = r + 1
        window += n_windows
    return Runs(first, last, begin, end)


@jit
def add_run_lengths(runs: Runs, counts: NDArray[np.int64]) -> None:
    """Add the windows of the runs of each word to its count."""
    for word in range(len(counts)):
        for r in range(runs.first[word], runs.last[word]):
            counts[word] += runs.end[r] - runs.begin[r]


@jit
def add_overlaps(runs: Runs, pairs: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
    """Add the windows that are in the runs of both words of each pair to its count."""
    begin, end = runs.begin, runs.end
    one = np.uint64(1)  # unsigned indices: Numba tests signed ones for wrap-around at each access
    for k in range(len(pairs)):
        i, i_last = np.uint64(runs.first[pairs[k, 0]]), np.uint64(runs.last[pairs[k, 0]])
        j, j_last = np.uint64(runs.first[pairs[k, 1]]), np.uint64(runs.last[pairs[k, 1]])
        while i < i_last and j < j_last:
            if end[i] <= begin[j]:
                i += one
            elif end[j] <= begin[i]:
                j += one
            else:
                counts[k] += min(end[i], end[j]) - max(begin[i], begin[j])
                if end[i] <= end[j]:
                    i += one
                else:
                    j += one


_REDUCTIONS: dict[str, Callable[[Floats], Any]] = {"sum": np.sum, "mean": np.mean}


@overload
def coherence(
    topics: Topics,
    corpus: Corpus,
    measure: str = ...,
    *,
    top: int = ...,
    window: int | None = ...,
    epsilon: float | None = ...,
    aggregate: str | None = ...,
    per_topic: Literal[False] = ...,
) -> float: ...
@overload
def coherence(
    topics: Topics,
    corpus: Corpus,
    measure: str = ...,
    *,
    top: int = ...,
    window: int | None = ...,
    epsilon: float | None = ...,
    aggregate: str | None = ...,
    per_topic: Literal[True],
) -> Floats: ...
def coherence(
    topics: Topics,
    corpus: Corpus,
    measure: str = "npmi",
    *,
    top: int = 10,
    window: int | None = None,
    epsilon: float | None = None,
    aggregate: str | None = None,
    per_topic: bool = False,
) -> float | Floats:
    """Coherence of the top words of topics in a corpus; larger is better.

    With F(a, b) the number of windows (or documents) that hold both words, F(a) those that hold word a, and P
    the same as a share of all windows:

    ===========  =============================================================  ========  =======  =========
    measure      what is aggregated over a topic's words v_1 … v_M              window    epsilon  aggregate
    ===========  =============================================================  ========  =======  =========
    "umass"      log((P(v_m, v_l) + ε) / P(v_l)), l < m, as in gensim           document  1e-12    mean
    "mimno"      log((F(v_m, v_l) + ε) / F(v_l)), l < m (Mimno et al. 2011)     document  1        sum
    "uci"        PMI: log((P(a, b) + ε) / (P(a) P(b))), all pairs               10        1e-12    mean
    "npmi"       PMI / -log(P(a, b) + ε), all pairs; from -1 to 1               10        1e-12    mean
    "c_v"        cosine of each word's NPMI vector with the sum of all of       110       1e-12    mean
                 them, in windows as gensim counts them
    "c_v_exact"  the same in exact windows (Röder et al. 2015)                  110       1e-12    mean
    ===========  =============================================================  ========  =======  =========

    Parameters
    ----------
    topics : fitted model, or lists of words or of word ids
        The words of each topic, the most probable first. Ids are those of ``corpus``.
    corpus : Corpus
        Corpus in which words are counted: the training corpus, or a reference corpus, whose vocabulary may differ.
    measure : {"umass", "mimno", "uci", "npmi", "c_v", "c_v_exact"}
        See above.
    top : int
        Number of words of each topic to use; a topic that lists fewer counts with those that it has. A topic of a
        model that has fewer than two has no coherence: it is left out of the mean, and NaN among values by topic.
    window : int, optional
        Number of words in the window that slides over each document, which is one window if it is shorter; 0 for
        whole documents. Use 0 if the order of words is lost, as in a corpus of a count matrix.
    epsilon : float, optional
        Added to the joint count ("mimno"; 1e-12 in the SC-LDA paper) or the joint probability (the others).
        With 0, two words that never occur together have an NPMI of exactly -1; "umass", "mimno" and "uci" need more.
    aggregate : {"sum", "mean"}, optional
        How the values of one topic are aggregated.
    per_topic : bool
        Whether to return an array with one value per topic instead of their mean.

    Returns
    -------
    float or array of shape (n_topics,)
        Mean coherence, or the coherence of each topic.

    Notes
    -----
    Words that never occur in ``corpus`` are named in an ``UnknownWordsWarning``. "umass" and "c_v" leave them out, as
    gensim does; a topic with fewer than two known words then has no coherence. In the other measures such a word has
    the worst value: an NPMI of -1, a UCI of log ε, in "mimno" (where v_l is unknown) log(ε / number of windows), in
    "c_v_exact" a cosine of 0.

    "umass" and "c_v" give the values of gensim's ``CoherenceModel`` for the same topics and corpus. Its window
    forgets a word that it holds twice as soon as the first of the two has passed, so its C_v is lower than that of
    exact windows where words repeat. "uci" and "npmi" count exactly; gensim's ``c_uci`` and ``c_npmi`` forget. Of two
    words that are both in every window gensim's NPMI is -1; here it is 1, the limit.

    Examples
    --------
    >>> from topicwright.corpus.corpus import Corpus
    >>> words = ["cat", "dog", "bond", "stock"]
    >>> corpus = Corpus(tokens=[0, 1, 2, 3, 0, 1, 3], offsets=[0, 2, 4, 6, 7], vocabulary=words)
    >>> round(coherence([["cat", "dog"], ["bond", "stock"]], corpus), 3)
    0.75
    >>> coherence([["cat", "dog"], ["cat", "stock"]], corpus, "mimno", per_topic=True).round(3)
    array([ 0.405, -0.693])
    """
    chosen = MEASURES[check_choice("measure", measure, MEASURES)]
    window = _check_window(chosen.window if window is None else window)
    epsilon = _check_epsilon(chosen, epsilon)
    reduce = _REDUCTIONS[check_choice("aggregate", chosen.aggregate if aggregate is None else aggregate, _REDUCTIONS)]
    _check_corpus(corpus)
    lists: list[Any] = validate_topics(topics, top, at_least=2)
    n_topics = len(lists)
    numbers = [number for number, words in enumerate(lists) if len(words) > 1]
    lists = [lists[number] for number in numbers]
    joints, n_windows = _joint_counts(lists, corpus, window, chosen.forgets_repeats)
    _warn_of_unknown(lists, joints)
    values = np.full(n_topics, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):  # measures replace what unknown words leave undefined
        for number, joint in zip(numbers, joints):
            if chosen.drops_unknown:
                known = np.diag(joint) > 0
                joint = joint[np.ix_(known, known)]
            if len(joint) > 1:
                values[number] = reduce(chosen.confirm(joint, n_windows, epsilon))
    return values if per_topic else _mean(values)


def _mean(values: Floats) -> float:
    """Mean of the values that are defined; NaN if none is."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


# ---------------------------------------------------------------------- counting


def _joint_counts(topics: TopicWords, corpus: Corpus, window: int, forgets_repeats: bool) -> tuple[list[Floats], int]:
    """Matrix of joint counts of the words of each topic, and the number of windows."""
    index = {word: number for number, word in enumerate(dict.fromkeys(chain.from_iterable(topics)))}
    word_of_id = _word_of_id(index, corpus)
    rows = [np.array([index[word] for word in topic], dtype=np.int64) for topic in topics]
    codes = np.concatenate([_pair_codes(row, len(index)) for row in rows])
    unique, inverse = np.unique(codes, return_inverse=True)
    pairs = np.stack(np.divmod(unique, len(index)), axis=1)
    counts = count_windows(corpus, word_of_id, pairs, window, n_words=len(index), forgets_repeats=forgets_repeats)
    ends = np.cumsum([len(row) * (len(row) - 1) // 2 for row in rows])
    together = np.split(counts.pairs[inverse.reshape(-1)], ends[:-1])
    return [_symmetric(counts.words[row], values) for row, values in zip(rows, together)], counts.n_windows


def _word_of_id(index: dict[Any, int], corpus: Corpus) -> NDArray[np.int32]:
    """Number of each word of the corpus among the words of the topics, or -1."""
    first = next(iter(index))
    if isinstance(first, str):
        return np.array([index.get(word, -1) for word in corpus.vocabulary], dtype=np.int32)
    if min(index) < 0 or max(index) >= corpus.n_words:
        message = f"word ids must be from 0 to {corpus.n_words - 1}: got {min(index)} to {max(index)}"
        raise InputError(message, parameter="topics", got=(min(index), max(index)))
    word_of_id = np.full(corpus.n_words, -1, dtype=np.int32)
    word_of_id[list(index)] = np.arange(len(index))
    return word_of_id


def _pair_codes(row: NDArray[np.int64], n_words: int) -> NDArray[np.int64]:
    """One number for each pair of words of a topic, which does not depend on their order."""
    a, b = (row[end] for end in np.triu_indices(len(row), 1))
    return np.asarray(np.minimum(a, b) * n_words + np.maximum(a, b), dtype=np.int64)


def _symmetric(diagonal: NDArray[np.int64], upper: NDArray[np.int64]) -> Floats:
    matrix = np.zeros((len(diagonal), len(diagonal)))
    matrix[np.triu_indices(len(diagonal), 1)] = upper
    return matrix + matrix.T + np.diag(diagonal)


# ---------------------------------------------------------------------- validation


def _check_window(window: int) -> int:
    if not isinstance(window, Integral) or window < 0 or window == 1:
        raise InputError(parameter="window", expected="0 (whole documents) or at least 2 words", got=window)
    return int(window)


def _check_epsilon(measure: CoherenceMeasure, epsilon: float | None) -> float:
    if epsilon is None:
        return measure.epsilon
    below = measure.epsilon_below
    in_range = isinstance(epsilon, Real) and 0 <= epsilon < below and not (measure.needs_epsilon and epsilon == 0)
    if not in_range:
        bounds = ("more than 0" if measure.needs_epsilon else "at least 0") + f" and less than {below:g}"
        raise InputError(parameter="epsilon", expected=f"a number {bounds} for {measure.name}", got=epsilon)
    return float(epsilon)


def _check_corpus(corpus: Corpus) -> None:
    if not isinstance(corpus, Corpus):
        hint = "Corpus.from_texts(texts) makes one, and a fitted model has that of its training as corpus_"
        raise InputError(parameter="corpus", expected="a Corpus", got=type(corpus), hint=hint)
    if corpus.n_tokens == 0:
        message = f"`corpus` must have at least one word: got none in {corpus.n_docs} documents"
        raise InputError(message, parameter="corpus", got=corpus)


def _warn_of_unknown(topics: TopicWords, joints: list[Floats]) -> None:
    words = [word for topic in topics for word in topic]
    counts = np.concatenate([np.diag(joint) for joint in joints])
    unknown = list(dict.fromkeys(word for word, count in zip(words, counts) if count == 0))
    if unknown:
        some = ", ".join(map(repr, unknown[:5])) + (", …" if len(unknown) > 5 else "")
        message = f"{len(unknown)} of {len(set(words))} topic words never occur in the corpus: {some}"
        warn(message, UnknownWordsWarning)
