"""A tiny stream for ``python -m benchmarks online``."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

from benchmarks.online import OnlineOptions
from benchmarks.online.peers import TomotopyLLDA
from topicwright.corpus.corpus import Corpus

from .helpers import NAMES, WORDS

PEER = TomotopyLLDA.name
PEERS = [PEER] if find_spec("tomotopy") else []
STREAMS = ["stream", "stream, paper's settings", "stream, one particle"]
SHORT = OnlineOptions(every=40, held_out=20, sweeps=30, check_every=2, passes=3, rounds=2, warm_up=1, repeats=2)


def documents(n: int, seed: int = 1) -> Corpus:
    """Documents of one label or two, and their words; every thirtieth has no label, and one has no words."""
    random = np.random.default_rng(seed)
    labels = [[] if d % 30 == 29 else [NAMES[d % 3], NAMES[(d + 1) % 3]][: 1 + d % 2] for d in range(n)]
    words = [
        [str(random.choice(WORDS[str(random.choice(own))])) for _ in range(12)] if own else ["goal"] for own in labels
    ]
    words[7] = []
    return Corpus.from_tokens(words, labels=labels)
