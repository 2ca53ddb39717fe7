"""Labeled documents: about themes, and drawn from Labeled LDA."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import topicwright as tw

from ...conftest import THEMES

NAMES = ["court", "kitchen", "sea"]
LABELS = [["sea"], ["kitchen"], ["sea", "kitchen"], ["court"], ["court", "kitchen"]] * 12


def text_about(labels: list[str], rng: np.random.Generator) -> str:
    """Six words of the theme of each label."""
    return " ".join(word for label in labels for word in rng.choice(THEMES[label].split(), 6))


TEXTS = [text_about(labels, np.random.default_rng(n)) for n, labels in enumerate(LABELS)]


class Generated(NamedTuple):
    """Documents drawn from Labeled LDA, with the true parameters."""

    corpus: tw.Corpus
    phi: np.ndarray
    topics: np.ndarray


def generate(n_docs: int = 400, n_background: int = 0) -> Generated:
    rng = np.random.default_rng(0)
    n_labels, n_words, length = 8, 80, 60
    phi = rng.dirichlet(np.full(n_words, 0.1), n_labels + n_background)
    sets = [np.sort(rng.choice(n_labels, rng.integers(1, 4), replace=False)) for _ in range(n_docs)]
    labels = [[f"label {k}" for k in own] for own in sets]
    sets = [np.append(own, np.arange(n_background) + n_labels) for own in sets]
    topics = np.concatenate([rng.choice(own, length, p=rng.dirichlet(np.ones(len(own)))) for own in sets])
    tokens = np.array([rng.choice(n_words, p=phi[k]) for k in topics], np.int32)
    words = [f"w{n:02}" for n in range(n_words)]
    return Generated(tw.Corpus(tokens, np.arange(n_docs + 1) * length, words, labels=labels), phi, topics)
