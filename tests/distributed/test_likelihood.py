"""Training on many shards reaches the likelihood of plain training."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

import topicwright as tw


@pytest.mark.slow
@pytest.mark.data
def test_likelihood_of_20_newsgroups_on_shards(data_directory: Path) -> None:
    """Within 0.2 % of plain training once both have settled."""
    with lzma.open(data_directory / "20newsgroups.jsonl.xz", "rt", encoding="utf8") as lines:
        texts = [doc["text"] for doc in map(json.loads, lines) if doc["split"] == "train"]
    corpus = tw.Corpus.from_texts(texts, stop_words="english", min_df=5)
    ends = []
    for backend in (None, tw.DiskBackend(4), tw.DiskBackend(16)):
        model = tw.LDA(50, n_sweeps=250, evaluate_every=0, n_jobs=2).fit(corpus, backend=backend)
        ends.append(model.log_likelihood_[-1][1])
    assert min(ends[1:]) > 1.002 * ends[0]
