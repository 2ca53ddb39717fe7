"""20 Newsgroups, through scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..corpus import Corpus


def fetch_20newsgroups(
    subset: str = "train", *, remove: tuple[str, ...] = ("headers", "footers", "quotes"), **options: Any
) -> Corpus:
    """Corpus of the 20 Newsgroups posts, labeled by their group. The first call downloads them (14 MB).

    Parameters
    ----------
    subset : {"train", "test", "all"}
        Posts to load.
    remove : tuple of str
        Parts of the posts that scikit-learn removes; headers name the group, and so reveal the label.
    **options
        Options of ``Corpus.from_texts``; by default English stop words are removed and words must occur in five posts.

    Returns
    -------
    Corpus

    Examples
    --------
    >>> from topicwright.datasets import fetch_20newsgroups
    >>> corpus = fetch_20newsgroups("test")  # doctest: +SKIP
    """
    from sklearn.datasets import fetch_20newsgroups as fetch

    from ..corpus import Corpus

    posts = fetch(subset=subset, remove=remove)
    settings: dict[str, Any] = {"stop_words": "english", "min_df": 5}
    return Corpus.from_texts(
        posts.data, labels=[posts.target_names[group] for group in posts.target], **(settings | options)
    )
