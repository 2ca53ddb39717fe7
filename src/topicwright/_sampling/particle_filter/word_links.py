"""Must-links and cannot-links of words in the particle filter.

A linked word w is drawn by

    p(z = k)  ∝  (n_dk + a_k) (n_kw + b + Σ_u s_wu n_ku) / (n_k + V b)  ·  Π_u g_u(k),    k in L_d

with the shared counts s and the potentials g of the batch sampler (knowledge/word_links.py, SC-LDA eq. 7). Where these
depend on the frequency of words, it is the number of tokens so far, those of the current document included. Counts are
the current, decayed ones.

The weights of particles use the sum over labels without links, that is, the sum with links divided by the mean of the
factors of links. Then words are generated as in the model without links, links decide the label of a word given the
word, and both together are a joint distribution that particles follow. The sum with links is not a probability of the
word: it would reward particles that collect linked words, whether or not they predict words.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._utils.numba import jit_inline
from .count_table import find_entry, hash_slot, reorder_entry, row_at
from .state import INCREMENT, N_WORDS, FilterScratch, FilterSettings, ParticleState, grow

_ZERO, _ONE = np.uint64(0), np.uint64(1)
SHARE_COUNTS, MUST_LINK, CANNOT_LINK = (np.uint8(n) for n in range(3))
_LEAST, _MOST = 1e-250, 1e250  # of a product of potentials


class LinkList(NamedTuple):
    """Links between pairs of words: shared counts, must-links and cannot-links."""

    words: NDArray[np.int64]  # of shape (links, 2)
    kinds: NDArray[np.uint8]  # SHARE_COUNTS, MUST_LINK or CANNOT_LINK
    amounts: NDArray[np.float64]  # shared counts, in units of the tokens of the word itself; or λ
    firmness: NDArray[np.float64]  # 1 for λ as given, 0 for the frequency of the partner


class CompiledLinks(NamedTuple):
    """Links by word, in both directions; word w has the links of group ``group[w]``."""

    group: NDArray[np.uint32]  # 0 for words without links
    start: NDArray[np.uint64]  # of groups
    partners: NDArray[np.uint32]
    kinds: NDArray[np.uint8]
    amounts: NDArray[np.float64]
    firmness: NDArray[np.float64]
    sizes: NDArray[np.float64]  # number of tokens of each word, in the unit of counts
    shared: NDArray[np.float64]  # by lane
    multiplier: NDArray[np.float64]


def compile_links(given: LinkList, sizes: NDArray[np.float64], width: int) -> CompiledLinks:
    """Links by word, for rows of ``width`` lanes; ``sizes`` are the numbers of tokens of words so far."""
    sizes = grow(sizes, int(given.words.max(initial=0)) + 1)
    owners, partners = given.words.ravel(order="F"), given.words[:, ::-1].ravel(order="F")
    order = np.argsort(owners, kind="stable")
    linked, first = np.unique(owners[order], return_index=True)
    group = np.zeros(len(sizes), np.uint32)
    group[linked] = np.arange(1, len(linked) + 1)
    link = order % max(1, len(given.words))  # of each entry
    return CompiledLinks(
        group=group,
        start=np.concatenate([[0], first, [len(owners)]]).astype(np.uint64),
        partners=partners[order].astype(np.uint32),
        kinds=given.kinds[link],
        amounts=given.amounts[link],
        firmness=given.firmness[link],
        sizes=sizes,
        shared=np.zeros(width),
        multiplier=np.zeros(width),
    )


def grow_words(links: CompiledLinks | None, n: int) -> CompiledLinks | None:
    """Links with room for n words."""
    return links and links._replace(group=grow(links.group, n), sizes=grow(links.sizes, n))


@jit_inline
def count_word(links: Any, w: Any, increment: Any) -> None:
    """Count a token of a word."""
    if links is not None:
        links.sizes[w] += increment


@jit_inline
def apply_links(
    links: Any, particles: ParticleState, settings: FilterSettings, scratch: FilterScratch, t: Any, n_labels: Any
) -> None:
    """Replace the label weights of a linked word, which :func:`~.token_updates.compute_label_weights` has set."""
    if links is None:
        return
    reservoir, sums = particles.reservoir, scratch.sums
    group = np.uint64(links.group[reservoir.words[t]])
    if group == _ZERO or n_labels == _ONE:
        return
    doc = np.uint64(reservoir.doc_of[t])
    beta = settings.beta * particles.numbers[INCREMENT]
    beta_sum = beta * (settings.n_words if settings.n_words > 0.0 else particles.numbers[N_WORDS])
    own = reservoir.increments[doc]
    for j in range(n_labels):
        label = reservoir.first_label[doc] + j
        k, row = np.uint64(reservoir.labels[label]), scratch.rows[j]
        read_partner_counts(links, particles, scratch, group, reservoir.words[t], reservoir.labels[label])
        for p in range(np.uint64(sums.shape[1])):
            here = np.float64(np.uint64(reservoir.choices[t, p]) == j)
            count = np.float64(particles.count_table.lanes[row, p]) - here * own + beta + links.shared[p]
            in_label = count / (particles.totals[k, p] - here * own + beta_sum)
            in_doc = np.float64(reservoir.in_doc[label, p]) - here + particles.alpha[k]
            sums[j + _ONE, p] = sums[j, p] + in_doc * in_label * links.multiplier[p]


@jit_inline
def read_partner_counts(
    links: Any, particles: ParticleState, scratch: FilterScratch, group: Any, w: Any, label: Any
) -> None:
    """Set the shared counts of a word in a label and the factor of its links, in each lane."""
    count_table, shared, multiplier = particles.count_table, links.shared, links.multiplier
    width, unit = np.uint64(multiplier.shape[0]), particles.numbers[INCREMENT]
    for p in range(width):
        shared[p], multiplier[p] = 0.0, 1.0
    for link in range(links.start[group], links.start[group + _ONE]):
        partner, amount = links.partners[link], links.amounts[link]
        at = find_entry(count_table, hash_slot(count_table, label, partner), label, partner)
        row = row_at(count_table, at)
        if row == _ZERO:
            continue
        reorder_entry(count_table, at, particles.ancestry, scratch.spare_counts)
        size = links.sizes[partner]
        if links.kinds[link] == SHARE_COUNTS:
            share = amount * max(links.sizes[w], unit) / max(size, unit)
            for p in range(width):
                shared[p] += share * max(np.float64(count_table.lanes[row, p]), 0.0)
            continue
        floor = links.firmness[link] * amount * unit + (1.0 - links.firmness[link]) * max(size, amount * unit)
        if links.kinds[link] == MUST_LINK:
            for p in range(width):
                multiplier[p] *= max(np.float64(count_table.lanes[row, p]) / floor, 1.0)
        else:
            for p in range(width):
                multiplier[p] /= max(np.float64(count_table.lanes[row, p]) / floor, 1.0)
    for p in range(width):
        multiplier[p] = min(max(multiplier[p], _LEAST), _MOST)
