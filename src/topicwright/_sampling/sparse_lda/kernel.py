"""Kernel of the sparse Gibbs sampler: a sweep over documents that costs the non-zero counts, not K.

The weight of topic k for a token of word w in document d (SparseLDA; Yao, Mimno & McCallum 2009):

    (n_dk + a_k) / (n_k + B) · (n_kw + b_w)   =   weight_k · n_kw  +  weight_k · b_w

``weight_k`` is kept for all topics. The first part is summed over the word's own row; the second is b_w times
a running sum. Knowledge multiplies ``weight_k`` of a few topics during one draw, so that the conditional is written
once, with or without knowledge. Factors that only lower weights need not even that: the topic is drawn without them
and accepted with the probability of its ratio. After a few rejections all factors scale the weights.

The token is removed from its topic by arithmetic, not by changing counts: if it stays in its topic, as most do, nothing
is written.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._utils.count_rows import CountRows, move_in_row
from ..._utils.numba import jit_noalloc
from ...knowledge.allowed_topics import EVERY_TOPIC
from ...knowledge.factors import (
    FactorCounts,
    TokenContext,
    TopicMultipliers,
    apply_factors,
    apply_unbounded_factors,
    bounded_ratio,
    notify_factors,
)
from ..conditional import (
    TopicWorkspace,
    add_pseudo_counts,
    apply_ratios,
    draw_allowed,
    draw_topic,
    enter_document,
    enter_topic,
    leave_document,
    leave_topic,
    remove_pseudo_counts,
    undo_ratios,
)
from ..intrinsics import prefetch
from ..random import draw

_ONE = np.uint64(1)
_MAX_REJECTED = 2  # draws that factors reject before they scale the weights


@jit_noalloc
def sweep_documents(
    tokens: Any,
    starts: Any,
    positions: Any,
    assignments: Any,
    words: CountRows,
    docs: CountRows,
    topics: TopicWorkspace,
    beta: Any,
    beta_sum: Any,
    factors: Any,
    multipliers: TopicMultipliers,
    allowed: Any,
    pseudo: Any,
    random: Any,
    first: Any,
    last: Any,
) -> Any:
    """Draw the topics of the tokens of documents from ``first`` up to ``last``; returns the number of moved tokens.

    Those of document d are ``tokens[starts[d - first] : starts[d - first + 1]]``. An assignment of K means
    "none yet": the first sweep fills in what is missing. ``positions`` are the tokens' places in the corpus;
    ``allowed`` are the sets of allowed topics, or None; ``pseudo`` the pseudo-counts of documents, or None.
    """
    none = np.uint64(topics.size.shape[0]) - _ONE
    weight = topics.weight
    outside_sum = topics.block.sum()
    n_moved = 0
    end = starts[last - first]
    for d in range(first, last):
        i0, i1 = starts[d - first], starts[d - first + _ONE]
        if i0 == i1:
            continue
        n_listed, weight_sum = enter_document(topics, docs, d)
        weight_sum += outside_sum
        if pseudo is not None:
            n_listed, gained = add_pseudo_counts(topics, docs, pseudo, d, n_listed)
            weight_sum += gained
        for i in range(i0, i1):
            w = np.uint64(tokens[i])
            old = np.uint64(assignments[i])
            if i + _ONE < end:
                prefetch(words.entries, words.start[tokens[i + _ONE]])

            # Take the token out of its topic.
            kept = weight[old]
            reduced = (topics.in_doc[old] - 1.0 + topics.alpha[old]) * topics.inverse_less[old]
            weight[old] = reduced
            sum_without = weight_sum - kept + reduced

            # Draw from the conditional, with the knowledge that applies here.
            context = TokenContext(np.uint64(positions[i]), d, w, old)
            counts = FactorCounts(words, docs)
            sum_now = sum_without
            if len(factors) > 0:
                apply_unbounded_factors(factors, context, counts, multipliers)
                sum_now += apply_ratios(multipliers, weight)
            n_rejected = 0
            while True:
                if allowed is not None and allowed.sets[i] != EVERY_TOPIC:
                    new, at = draw_allowed(words, topics, allowed, np.uint64(allowed.sets[i]), beta, w, old, random)
                else:
                    new, at = draw_topic(
                        words, topics, multipliers, beta, w, old, n_listed, sum_now, outside_sum, random
                    )
                if n_rejected == _MAX_REJECTED:
                    break
                ratio = bounded_ratio(factors, context, counts, new)
                if ratio >= 1.0 or draw(random) < ratio:
                    break
                n_rejected += 1
                if n_rejected == _MAX_REJECTED:
                    undo_ratios(multipliers, weight)
                    apply_factors(factors, context, counts, multipliers)
                    sum_now = sum_without + apply_ratios(multipliers, weight)
            if len(factors) > 0:
                undo_ratios(multipliers, weight)

            if new == old:
                weight[old] = kept
                continue

            # Move it.
            n_moved += 1
            assignments[i] = new
            if old != none:
                n_listed, change = leave_topic(topics, n_listed, old, beta_sum)
                outside_sum += change
            before = weight[new]
            n_listed, change = enter_topic(topics, n_listed, new, beta_sum)
            outside_sum += change
            weight_sum = sum_without - before + weight[new]
            move_in_row(words, w, old, new, at, none)
            notify_factors(factors, context, new)
        if pseudo is not None:
            n_listed = remove_pseudo_counts(topics, pseudo, n_listed)
        leave_document(topics, docs, d, n_listed)
    return n_moved
