"""Speed of tokenizing 20 Newsgroups, beside scikit-learn's CountVectorizer: medians of CPU seconds, in turns.

python -m benchmarks.scripts.tokenizer [REPEATS]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import median

from sklearn.feature_extraction.text import CountVectorizer

import topicwright as tw

from .reference_corpora import read_texts

LETTERS = r"[^\W\d_]{2,}"


def seconds(function: Callable[[], object]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def main(repeats: int) -> None:
    texts = read_texts("20newsgroups", None)
    settings: dict[str, dict[str, object]] = {
        "all words": {},
        "min_df 5, stop words": {"min_df": 5, "stop_words": "english"},
    }
    for name, options in settings.items():
        ours, theirs = [], []
        for _ in range(repeats):
            ours.append(seconds(lambda: tw.Corpus.from_texts(texts, **options)))  # noqa: B023
            theirs.append(seconds(lambda: CountVectorizer(token_pattern=LETTERS, **options).fit_transform(texts)))  # noqa: B023
        ratio = median(b / a for a, b in zip(ours, theirs))
        print(
            f"{name:22s} ours {median(ours):.2f} s   CountVectorizer {median(theirs):.2f} s   {ratio:.2f} times as fast"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
