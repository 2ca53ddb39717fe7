import sys
import types

import pytest

from topicwright import InputError
from topicwright.datasets import fetch_20newsgroups, load_docstrings
from topicwright.datasets.docstrings import find_docstrings, prose_of


@pytest.fixture(scope="module")
def corpus():
    return load_docstrings()


def test_docstrings_give_a_usable_corpus(corpus):
    assert 3000 < corpus.n_docs < 6000
    assert 200_000 < corpus.n_tokens < 500_000
    assert {"numpy", "scipy", "sklearn", "scipy.stats", "numpy.linalg"} <= set(corpus.label_names())
    assert all(1 <= len(labels) <= 2 for labels in corpus.labels)
    assert not {"parameters", "returns", "the", "optional"} & set(corpus.vocabulary)


def test_docstrings_are_unique_and_use_public_names(corpus):
    assert len(set(corpus.ids)) == corpus.n_docs
    assert {"numpy.linalg.svd", "scipy.stats.norm", "sklearn.svm.SVC", "numpy.ma.MaskedArray.filled"} <= set(corpus.ids)
    row = corpus.ids.index("numpy.linalg.svd")
    assert corpus.labels[row] == ("numpy", "numpy.linalg")
    assert {"singular", "unitary"} <= set(corpus.words(row))


def test_docstrings_are_reproducible(corpus):
    assert find_docstrings("numpy") == find_docstrings("numpy")
    assert load_docstrings().ids == corpus.ids  # a walk through a package imports things, which must not show


def test_options_are_passed_to_from_texts():
    corpus = load_docstrings(["numpy"], min_words=100, max_words=50, stop_words=None)
    assert corpus.n_words == 50
    assert "the" in corpus.vocabulary


def test_any_package(monkeypatch):
    module = types.ModuleType("fruit", "All about fruit.")

    class Apple:
        """An apple."""

        __module__ = "fruit"

        def peel(self):
            """Take the peel off."""

        def _secret(self):
            """Hidden."""

        @property
        def colour(self):
            """Red or green."""

    module.Apple, module.borrowed = Apple, len
    monkeypatch.setitem(sys.modules, "fruit", module)
    assert [(doc.name, doc.text) for doc in find_docstrings("fruit")] == [
        ("fruit", "All about fruit."),
        ("fruit.Apple", "An apple."),
        ("fruit.Apple.colour", "Red or green."),
        ("fruit.Apple.peel", "Take the peel off."),
    ]


def test_rejects_invalid_packages():
    with pytest.raises(InputError, match="packages must be installed: cannot import 'no_such_package'"):
        load_docstrings(["no_such_package"])
    with pytest.raises(InputError, match="packages must be a list of names: got 'numpy'"):
        load_docstrings("numpy")
    with pytest.raises(InputError, match="packages must have docstrings: got none"):
        load_docstrings([])


def test_prose():
    docstring = """Fit a model.

    A paragraph with :class:`~fruit.Apple`.

    Parameters
    ----------
    X : array-like of shape (n, m)
        The fruit.
    *args, **kwargs
        More fruit.

    .. versionadded:: 1.2

    Examples
    --------
    An example:

    >>> fit(1)
    array([1])

    It works.

    References
    ----------
    .. [1] A. Author, A Book.
    """
    kept = "Fit a model. A paragraph with `~fruit.Apple`. The fruit. More fruit. 1.2 An example: It works."
    assert " ".join(prose_of(docstring).split()) == kept


def test_newsgroups_use_scikit_learn(monkeypatch):
    class Posts:
        data = ("red apple", "green pear") * 5
        target = (0, 1) * 5
        target_names = ("apples", "pears")

    asked = {}
    monkeypatch.setattr("sklearn.datasets.fetch_20newsgroups", lambda **options: asked.update(options) or Posts)
    corpus = fetch_20newsgroups("test")
    assert asked == {"subset": "test", "remove": ("headers", "footers", "quotes")}
    assert corpus.labels[:2] == (("apples",), ("pears",))
