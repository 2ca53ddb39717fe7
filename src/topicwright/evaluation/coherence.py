"""Topic coherence: do a topic's top words occur together in real text? UMass, UCI, NPMI and C_v.

The measures, and the names of their parts, are those of Röder, Both and Hinneburg, "Exploring the space of
topic coherence measures" (WSDM 2015); UMass is from Mimno et al. (EMNLP 2011), UCI from Newman et al.
(NAACL 2010), NPMI from Bouma (GSCL 2009).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from .._utils.warnings import warn
from ..corpus.corpus import Corpus
from ..errors import InputError, UnknownWordsWarning
from .cooccurrence import count_windows
from .diversity import Topics, TopicWords, validate_topics

Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True)
class _Recipe:
    """A measure: from (joint counts, number of windows, epsilon) to the values that are summed or averaged.

    ``joint[i, j]`` is how many windows hold both word i and word j of the topic, ``joint[i, i]`` word i.
    """

    confirm: Callable[[Floats, int, float], Floats]
    window: int
    epsilon: float
    aggregate: str
    needs_epsilon: bool = False  # without it a pair that is never together would count minus infinity
    epsilon_below: float = 1.0  # it is added to a probability


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
    """How well the top words of each topic go together in a corpus; larger is better.

    With F(a, b) the number of windows (or documents) that hold both words, F(a) those that hold one, and P
    the same as a share of all windows:

    ========  =============================================================  ========  =======  =========
    measure   what is aggregated over a topic's words v_1 … v_M              window    epsilon  aggregate
    ========  =============================================================  ========  =======  =========
    "umass"   log((F(v_m, v_l) + ε) / F(v_l)), l < m                         document  1        sum
    "uci"     PMI: log((P(a, b) + ε) / (P(a) P(b))), all pairs               10        1e-12    mean
    "npmi"    PMI / -log(P(a, b) + ε), all pairs; from -1 to 1               10        1e-12    mean
    "c_v"     cosine of each word's NPMI vector with the sum of all of them  110       1e-12    mean
    ========  =============================================================  ========  =======  =========

    Parameters
    ----------
    topics : fitted model, or lists of words or of word ids
        The words of each topic, the most probable first. Ids are those of ``corpus``.
    corpus : Corpus
        Where words are counted: the training corpus, or a reference corpus, whose vocabulary may differ.
    measure : {"umass", "uci", "npmi", "c_v"}
        See above.
    top : int
        How many words of each topic are looked at; a topic that lists fewer counts with those that it has. One of a
        model that holds fewer than two has no coherence: it is left out of the mean, and NaN among values by topic.
    window : int, optional
        Words in the window that slides over each document, which is one window if it is shorter; 0 takes
        whole documents. Use 0 where the order of words is lost, as in a corpus made from a count matrix.
    epsilon : float, optional
        Added to the joint count (UMass; 1e-12 in the SC-LDA paper) or the joint probability (the others).
        With 0, two words that are never together have an NPMI of exactly -1; UMass and UCI need more than 0.
    aggregate : {"sum", "mean"}, optional
        How the values of one topic become one.
    per_topic : bool
        Give an array with one value a topic, not their mean.

    Notes
    -----
    Words that never occur in ``corpus`` are named in an ``UnknownWordsWarning``. Where that leaves a value
    undefined, it is as bad as can be: an NPMI of -1, a UCI of log ε, a UMass (where v_l is unknown) of
    log(ε / number of windows); in C_v the word's cosine is 0.

    gensim's ``CoherenceModel`` gives the same values, but for four points. Its window forgets a word that
    it holds twice as soon as the first of the two has passed; here the count is exact. It drops unknown
    words. Its NPMI of two words that are both in every window is -1; here it is 1, the limit. And its
    ``u_mass`` adds 1e-12 to the probability and takes the mean: ``measure="umass", aggregate="mean",
    epsilon=1e-12 * corpus.n_docs``.

    Examples
    --------
    >>> from topicwright.corpus.corpus import Corpus
    >>> words = ["cat", "dog", "bond", "stock"]
    >>> corpus = Corpus(tokens=[0, 1, 2, 3, 0, 1, 3], offsets=[0, 2, 4, 6, 7], vocabulary=words)
    >>> round(coherence([["cat", "dog"], ["bond", "stock"]], corpus), 3)
    0.75
    >>> coherence([["cat", "dog"], ["cat", "stock"]], corpus, "umass", per_topic=True).round(3)
    array([ 0.405, -0.693])
    """
    recipe = _recipe(measure)
    window = _checked_window(recipe.window if window is None else window)
    epsilon = _checked_epsilon(measure, recipe, epsilon)
    reduce = _reduction(recipe.aggregate if aggregate is None else aggregate)
    _check_corpus(corpus)
    chosen: list[Any] = validate_topics(topics, top, at_least=2)
    values = np.full(len(chosen), np.nan)
    told = [number for number, words in enumerate(chosen) if len(words) > 1]
    chosen = [chosen[number] for number in told]
    joints, n_windows = _joint_counts(chosen, corpus, window)
    _warn_of_unknown(chosen, joints)
    with np.errstate(divide="ignore", invalid="ignore"):  # recipes replace what unknown words leave undefined
        values[told] = [reduce(recipe.confirm(joint, n_windows, epsilon)) for joint in joints]
    return values if per_topic else float(values[told].mean())


# ---------------------------------------------------------------------- the measures


def _umass(joint: Floats, n_windows: int, epsilon: float) -> Floats:
    before = np.triu_indices(len(joint), 1)  # (l, m) with l < m; the earlier word is the condition
    count = np.diag(joint)[before[0]]
    return np.log(np.where(count > 0, (joint[before] + epsilon) / count, epsilon / n_windows))


def _uci(joint: Floats, n_windows: int, epsilon: float) -> Floats:
    pairs = np.triu_indices(len(joint), 1)
    return np.where(_known_pairs(joint), _pmi(joint / n_windows, epsilon), np.log(epsilon))[pairs]


def _npmi(joint: Floats, n_windows: int, epsilon: float) -> Floats:
    pairs = np.triu_indices(len(joint), 1)
    return np.where(_known_pairs(joint), _normalised_pmi(joint / n_windows, epsilon), -1.0)[pairs]


def _c_v(joint: Floats, n_windows: int, epsilon: float) -> Floats:
    """One-set segmentation with the indirect cosine measure (Röder et al. 2015, section 3.2)."""
    vectors = np.where(_known_pairs(joint), _normalised_pmi(joint / n_windows, epsilon), 0.0)
    whole = vectors.sum(axis=0)
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(whole)
    cosines: Floats = np.divide(vectors @ whole, lengths, out=np.zeros(len(joint)), where=lengths > 0)
    return cosines


def _pmi(p: Floats, epsilon: float) -> Floats:
    alone = np.diag(p)
    return np.asarray(np.log((p + epsilon) / np.outer(alone, alone)), dtype=np.float64)


def _normalised_pmi(p: Floats, epsilon: float) -> Floats:
    value = _pmi(p, epsilon) / -np.log(p + epsilon)
    value = np.where(p + epsilon > 0, value, -1.0)  # the limit as P(a, b) falls to 0
    return np.where(p + epsilon < 1, value, 1.0)  # the limit as both words come to be everywhere


def _known_pairs(joint: Floats) -> NDArray[np.bool_]:
    known = np.diag(joint) > 0
    return np.logical_and.outer(known, known)


_RECIPES = {
    "umass": _Recipe(_umass, 0, 1.0, "sum", needs_epsilon=True, epsilon_below=np.inf),
    "uci": _Recipe(_uci, 10, 1e-12, "mean", needs_epsilon=True),
    "npmi": _Recipe(_npmi, 10, 1e-12, "mean"),
    "c_v": _Recipe(_c_v, 110, 1e-12, "mean"),
}


# ---------------------------------------------------------------------- counting


def _joint_counts(topics: TopicWords, corpus: Corpus, window: int) -> tuple[list[Floats], int]:
    """The matrix of joint counts of each topic's words, and the number of windows."""
    index = {word: number for number, word in enumerate(dict.fromkeys(chain.from_iterable(topics)))}
    word_of_id = _word_of_id(index, corpus)
    rows = [np.array([index[word] for word in topic], dtype=np.int64) for topic in topics]
    codes = np.concatenate([_pair_codes(row, len(index)) for row in rows])
    unique, where = np.unique(codes, return_inverse=True)
    pairs = np.stack(np.divmod(unique, len(index)), axis=1)
    counts = count_windows(corpus, word_of_id, pairs, window, n_words=len(index))
    ends = np.cumsum([len(row) * (len(row) - 1) // 2 for row in rows])
    together = np.split(counts.pairs[where.reshape(-1)], ends[:-1])
    return [_symmetric(counts.words[row], values) for row, values in zip(rows, together)], counts.n_windows


def _word_of_id(index: dict[Any, int], corpus: Corpus) -> NDArray[np.int32]:
    """The number of each word of the corpus among the topics' words, or -1."""
    first = next(iter(index))
    if isinstance(first, str):
        return np.array([index.get(word, -1) for word in corpus.vocabulary], dtype=np.int32)
    if min(index) < 0 or max(index) >= corpus.n_words:
        raise InputError(f"word ids must be from 0 to {corpus.n_words - 1}: got {min(index)} to {max(index)}")
    word_of_id = np.full(corpus.n_words, -1, dtype=np.int32)
    word_of_id[list(index)] = np.arange(len(index))
    return word_of_id


def _pair_codes(row: NDArray[np.int64], n_words: int) -> NDArray[np.int64]:
    """One number for each pair of a topic's words, the same whichever word is first."""
    a, b = (row[end] for end in np.triu_indices(len(row), 1))
    return np.asarray(np.minimum(a, b) * n_words + np.maximum(a, b), dtype=np.int64)


def _symmetric(diagonal: NDArray[np.int64], upper: NDArray[np.int64]) -> Floats:
    matrix = np.zeros((len(diagonal), len(diagonal)))
    matrix[np.triu_indices(len(diagonal), 1)] = upper
    return matrix + matrix.T + np.diag(diagonal)


# ---------------------------------------------------------------------- checks


def _recipe(measure: str) -> _Recipe:
    if measure not in _RECIPES:
        raise InputError(f"measure must be one of {', '.join(_RECIPES)}: got {measure!r}")
    return _RECIPES[measure]


def _checked_window(window: int) -> int:
    if not isinstance(window, Integral) or window < 0 or window == 1:
        raise InputError(f"window must be 0 (whole documents) or at least 2 words: got {window!r}")
    return int(window)


def _checked_epsilon(measure: str, recipe: _Recipe, epsilon: float | None) -> float:
    if epsilon is None:
        return recipe.epsilon
    below = recipe.epsilon_below
    usable = isinstance(epsilon, Real) and 0 <= epsilon < below and not (recipe.needs_epsilon and epsilon == 0)
    if not usable:
        bounds = ("more than 0" if recipe.needs_epsilon else "at least 0") + f" and less than {below:g}"
        raise InputError(f"epsilon must be a number {bounds} for {measure}: got {epsilon!r}")
    return float(epsilon)


def _reduction(aggregate: str) -> Callable[[Floats], Any]:
    reductions: dict[str, Callable[[Floats], Any]] = {"sum": np.sum, "mean": np.mean}
    if aggregate not in reductions:
        raise InputError(f"aggregate must be one of {', '.join(reductions)}: got {aggregate!r}")
    return reductions[aggregate]


def _check_corpus(corpus: Corpus) -> None:
    if not isinstance(corpus, Corpus):
        raise InputError(
            f"corpus must be a Corpus: got {type(corpus).__name__}; Corpus.from_texts(texts) makes one, and a fitted "
            "model has that of its training as corpus_"
        )
    if corpus.n_tokens == 0:
        raise InputError(f"corpus must have at least one word: got none in {corpus.n_docs} documents")


def _warn_of_unknown(topics: TopicWords, joints: list[Floats]) -> None:
    words = [word for topic in topics for word in topic]
    counts = np.concatenate([np.diag(joint) for joint in joints])
    unknown = list(dict.fromkeys(word for word, count in zip(words, counts) if count == 0))
    if unknown:
        some = ", ".join(map(repr, unknown[:5])) + (", …" if len(unknown) > 5 else "")
        message = f"{len(unknown)} of {len(set(words))} topic words never occur in the corpus: {some}"
        warn(message, UnknownWordsWarning)
