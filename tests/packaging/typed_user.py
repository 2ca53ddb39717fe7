"""A user's program, for mypy: ``scripts/packages`` checks it with ``--strict`` against what was installed.

Without ``py.typed`` everything of ours would be Any; then the wrong lines would be right, and mypy would tell of a
``type: ignore`` that is not needed.
"""

from __future__ import annotations

import topicwright as tw


def right(texts: list[str]) -> list[list[str]]:
    lda = tw.LDA(n_topics=2, alpha="learn").fit(tw.Corpus.from_texts(texts))
    return lda.top_words(3)


def wrong(lda: tw.LDA) -> None:
    lda.top_words("three")  # type: ignore[arg-type]
    tw.LDA(topics=2)  # type: ignore[call-arg]
    tw.Corpus.from_texts(1)  # type: ignore[arg-type]
    version: int = tw.__version__  # type: ignore[assignment]
    del version
