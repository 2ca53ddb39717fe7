import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from topicwright import Corpus, InputError, Tokenizer
from topicwright.corpus import WordIndex, align, encode
from topicwright.corpus import corpus as corpus_module
from topicwright.corpus.corpus import replace_metadata
from topicwright.corpus.metadata import Strings

WORDS = ["red", "green", "blue", "apple", "pear", "the"]
DOCUMENTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=8), min_size=1, max_size=8)
TEXTS = ["red apples and green apples", "", "Green grass"]


def test_order_of_words_and_empty_documents_are_kept():
    corpus = Corpus.from_texts(TEXTS)
    assert corpus.vocabulary.tolist() == ["and", "apples", "grass", "green", "red"]
    assert [corpus.words(d) for d in range(3)] == [
        ["red", "apples", "and", "green", "apples"],
        [],
        ["green", "grass"],
    ]
    assert corpus.tokenizer == Tokenizer()


@pytest.mark.parametrize(
    "kind",
    [list, tuple, iter, np.array, lambda t: np.array(t, dtype=object), pd.Series, pl.Series],
    ids=["list", "tuple", "iterator", "str array", "object array", "pandas", "polars"],
)
def test_any_iterable_of_texts(kind):
    corpus = Corpus.from_texts(kind(TEXTS))
    assert corpus.words(2) == ["green", "grass"]
    assert type(corpus.vocabulary[0]) is str


def test_metadata_is_kept():
    corpus = Corpus.from_texts(
        TEXTS, labels=["a", None, ["b", "c"]], targets=[1, np.nan, 3], links=[("x", "z")], ids=["x", "y", "z"]
    )
    assert corpus.labels == (("a",), (), ("b", "c"))
    assert corpus.ids == ("x", "y", "z")
    assert corpus.links.tolist() == [[0, 2]]
    np.testing.assert_array_equal(corpus.targets, [1, np.nan, 3])


@pytest.mark.parametrize(
    ("entry", "got"),
    [
        (None, "None"),
        (float("nan"), "nan"),
        (3, "3"),
        (b"caf\xe9", r"bytes at position 1 \(decode it first"),
        (["a"], "list"),
        (pd.NA, "NAType"),
    ],
)
def test_rejects_entry_that_is_not_text(entry, got):
    with pytest.raises(InputError, match=f"texts must be strings: got {got}") as caught:
        Corpus.from_texts(["fine", entry])
    assert "at position 1" in str(caught.value)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("a single text", "texts must be a list of strings: got a single str"),
        (b"bytes", "texts must be a list of strings: got bytes"),
        (None, "texts must be a list of strings: got None"),
        (7, "texts must be a list of strings: got 7"),
        ({"a": "b"}, "got dict; pass one of its columns"),
        (pd.DataFrame({"text": ["a"]}), "got DataFrame; pass one of its columns"),
        ([], "a corpus must have at least one document: got none"),
        (["", "a 1 2"], "no words were found in 2 documents"),
    ],
)
def test_rejects_invalid_texts(texts, message):
    with pytest.raises(InputError, match=message):
        Corpus.from_texts(texts)


def test_only_stop_words():
    with pytest.raises(InputError, match=r"no words were found in 1 document: .* stop words"):
        Corpus.from_texts(["the of and"], stop_words="english")


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"labels": ["a"]}, "labels must have one entry per document: got 1, expected 3"),
        ({"labels": "abc"}, "labels must be a list with one entry per document: got a single str"),
        ({"ids": range(4)}, "ids must have one entry per document: got 4, expected 3"),
        ({"targets": [1, 2]}, r"targets must have one row per document: got shape \(2,\), expected 3"),
        ({"targets": ["a", "b", "c"]}, "targets must be numbers"),
        ({"targets": [[1, 2], [3], [4, 5]]}, "targets must have as many numbers for each document: got 2 and 1"),
        ({"targets": [1, np.ones(2), 3]}, "targets must have as many numbers for each document: got 2 and 1"),
        ({"targets": [[1, [2]], [3, 4], [5, 6]]}, "targets must be numbers: got lists in lists"),
        ({"targets": [1, 2, np.inf]}, "targets must be finite"),
        ({"labels": 3}, "labels must be a list with one entry per document: got a single int"),
        ({"links": 3}, "links must be pairs of documents"),
        ({"links": [3]}, "links must be pairs of documents"),
        ({"links": [(0, 3)]}, "links must name rows from 0 to 2: got 0 to 3"),
        ({"links": [(0, 1, 2)]}, "links must be pairs"),
        ({"links": [(0, 1.5)]}, "links must name documents by row number or id: got 1.5"),
        ({"links": [("a", "b")]}, "links name a document id that does not exist: 'a'"),
    ],
)
def test_rejects_metadata_of_wrong_length(known, message):
    with pytest.raises(InputError, match=message):
        Corpus.from_texts(TEXTS, **known)


def test_links_index_the_ids_once():
    class Counted(Strings):
        looks = 0

        def __iter__(self):
            Counted.looks += 1
            return super().__iter__()

    ids = Counted(*vars(Strings.of(["x", "y", "z"])).values())
    corpus = Corpus.from_texts(TEXTS, ids=ids, links=[("x", "z"), ("z", "y"), (0, "y")])
    assert corpus.links.tolist() == [[0, 2], [2, 1], [0, 1]]
    assert Counted.looks == 1


# ---------------------------------------------------------------------- pruning


@given(
    DOCUMENTS,
    st.one_of(st.integers(1, 3), st.floats(0.0, 0.5)),
    st.one_of(st.integers(3, 8), st.floats(0.5, 1.0)),
    st.one_of(st.none(), st.integers(1, 6)),
)
def test_pruning_equals_scikit_learn(documents, min_df, max_df, max_words):
    texts = [" ".join(words) for words in documents]
    vectorizer = CountVectorizer(min_df=min_df, max_df=max_df, stop_words=["the"])
    try:
        counts = vectorizer.fit_transform(texts)
    except ValueError:
        with pytest.raises(InputError):
            Corpus.from_texts(texts, min_df=min_df, max_df=max_df, stop_words=["the"])
        return
    corpus = Corpus.from_texts(texts, min_df=min_df, max_df=max_df, stop_words=["the"])
    names = vectorizer.get_feature_names_out().tolist()
    assert corpus.vocabulary.tolist() == names
    np.testing.assert_array_equal(corpus.to_matrix().toarray(), counts.toarray())
    fewer = Corpus.from_texts(texts, min_df=min_df, max_df=max_df, stop_words=["the"], max_words=max_words)
    frequency = dict(zip(names, counts.sum(axis=0).A1.tolist()))
    ranked = sorted(names, key=lambda word: (-frequency[word], word))
    assert fewer.vocabulary.tolist() == sorted(ranked[:max_words])


@given(DOCUMENTS, st.integers(1, 3))
def test_pruning_later_equals_pruning_at_once(documents, min_df):
    try:
        at_once = Corpus.from_tokens(documents, min_df=min_df, labels=[["x"]] * len(documents))
    except InputError:
        return
    later = Corpus.from_tokens(documents, labels=[["x"]] * len(documents)).prune(min_df=min_df)
    assert [later.words(d) for d in range(len(documents))] == [at_once.words(d) for d in range(len(documents))]
    assert later.vocabulary.tolist() == at_once.vocabulary.tolist()
    assert later.labels == at_once.labels


def test_stop_words_do_not_count_among_the_most_frequent():
    corpus = Corpus.from_tokens([["the", "the", "pear", "fig"]]).prune(max_words=1, stop_words=["the"])
    assert corpus.vocabulary.tolist() == ["fig"]


def test_empty_vocabulary_error_names_the_cause():
    with pytest.raises(InputError, match=r"of 5 words, min_df=3 removes 5 and max_df=1.0 removes 0"):
        Corpus.from_texts(TEXTS, min_df=3)
    with pytest.raises(InputError, match=r"of 1 words, min_df=1 removes 0 and max_df=0.5 removes 1"):
        Corpus.from_texts(["red", "red"], max_df=0.5)
    with pytest.raises(InputError, match=r"max_df must not be below min_df: got max_df=1 .* min_df=0.9 \(2.7 doc"):
        Corpus.from_texts(TEXTS, min_df=0.9, max_df=1)
    with pytest.raises(InputError, match="all 2 words are stop words"):
        Corpus.from_tokens([["the", "of"]]).prune(stop_words="english")


@pytest.mark.parametrize(
    ("pruning", "message"),
    [
        ({"min_df": 0}, "min_df must be a number of documents .* got 0"),
        ({"min_df": 1.5}, "min_df must be .* got 1.5"),
        ({"max_df": -1}, "max_df must be .* got -1"),
        ({"max_df": True}, "max_df must be .* got True"),
        ({"min_df": "2"}, "min_df must be .* got '2'"),
        ({"max_df": float("nan")}, "max_df must be .* got nan"),
        ({"max_words": 0}, "max_words must be None or a whole number from 1: got 0"),
        ({"max_words": 2.0}, "max_words must be .* got 2.0"),
    ],
)
def test_rejects_invalid_pruning(pruning, message):
    with pytest.raises(InputError, match=message):
        Corpus.from_texts(TEXTS, **pruning)


# ---------------------------------------------------------------------- tokenizers and vocabularies given


def test_custom_tokenizers():
    assert Corpus.from_texts(["a-b"], tokenizer=lambda text: text.split("-")).words(0) == ["a", "b"]
    assert Corpus.from_texts(["Big red"], tokenizer=CountVectorizer(ngram_range=(2, 2))).words(0) == ["big red"]
    tokenizer = Tokenizer(lowercase=False)
    assert Corpus.from_texts(["Big red"], tokenizer=tokenizer).tokenizer is tokenizer
    with pytest.raises(InputError, match="lowercase, stop_words must be set in the Tokenizer itself"):
        Corpus.from_texts(["a"], tokenizer=tokenizer, lowercase=False, stop_words="english")


def test_ngrams_go_through_the_vocabulary():
    corpus = Corpus.from_texts(["new york city", "new york"], ngram_range=(1, 2), min_df=2)
    assert corpus.words(0) == ["new", "new york", "york"]


def test_fixed_vocabulary_keeps_its_order_and_drops_the_rest():
    corpus = Corpus.from_texts(TEXTS, vocabulary=["green", "apples", "sky"], labels=["a", "b", "c"])
    assert corpus.vocabulary.tolist() == ["green", "apples", "sky"]
    assert corpus.tokens.tolist() == [1, 0, 1, 0]
    assert corpus.doc_lengths().tolist() == [3, 0, 1]
    assert corpus.labels == (("a",), ("b",), ("c",))


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [
        ("green", "vocabulary must be a list of words: got str"),
        (3, "vocabulary must be a list of words: got int"),
        (["a", 3], "must be a list of words: got 3"),
        (["a", "b", "a"], "vocabulary must not repeat words: got 'a' twice"),
        ({"a": 1, "b": 2}, "vocabulary must number its 2 words from 0 to 1"),
    ],
)
def test_rejects_invalid_vocabulary(vocabulary, message):
    with pytest.raises(InputError, match=message):
        Corpus.from_texts(TEXTS, vocabulary=vocabulary)


def test_rejects_pruning_a_fixed_vocabulary():
    with pytest.raises(InputError, match="must not be given with a fixed vocabulary"):
        Corpus.from_texts(TEXTS, vocabulary=["green"], min_df=2)


@pytest.mark.parametrize("vocabulary", [["green", "red"], {"red": 1, "green": 0}, WordIndex(["green", "red"])])
def test_encode_counts_unknown_words(vocabulary):
    encoded = encode(TEXTS, Tokenizer(stop_words=["and"]), vocabulary)
    assert encoded.corpus.tokens.tolist() == [1, 0, 0]
    assert encoded.corpus.n_docs == 3
    assert encoded.n_unknown == 3
    assert encoded.unknown.most_common() == [("apples", 2), ("grass", 1)]


def test_encode_reuses_an_index():
    index = WordIndex(["green"])
    assert encode(["green"], Tokenizer(), index).corpus.vocabulary is index.words
    assert encode([], Tokenizer(), index).corpus.n_docs == 0
    assert encode([["green", "sky"]], None, index).n_unknown == 1


@given(DOCUMENTS, st.lists(st.sampled_from(WORDS), unique=True))
def test_aligning_equals_encoding_again(documents, vocabulary):
    labels = [[str(i)] for i in range(len(documents))]
    corpus = Corpus.from_tokens([*documents, ["red"]], labels=[*labels, []])
    aligned, encoded = align(corpus, vocabulary), encode([*documents, ["red"]], None, vocabulary)
    np.testing.assert_array_equal(aligned.corpus.tokens, encoded.corpus.tokens)
    np.testing.assert_array_equal(aligned.corpus.offsets, encoded.corpus.offsets)
    assert (aligned.n_unknown, aligned.unknown) == (encoded.n_unknown, encoded.unknown)
    assert aligned.corpus.labels == corpus.labels


# ---------------------------------------------------------------------- lists of words


@given(DOCUMENTS)
def test_words_round_trip(documents):
    corpus = Corpus.from_tokens([*documents, ["red"]])
    assert [corpus.words(d) for d in range(len(documents))] == documents
    assert corpus.tokenizer is None


def test_words_with_stop_words_and_vocabulary():
    documents = iter([("the", "red", "Pear"), ()])
    assert Corpus.from_tokens(documents, stop_words=["the"]).vocabulary.tolist() == ["Pear", "red"]
    corpus = Corpus.from_tokens([["the", "red", "sky"]], stop_words=["the"], vocabulary=["the", "red"])
    assert corpus.tokens.tolist() == [1]


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("red", "documents must be lists of words: got a single str"),
        (["red apple"], "documents must be lists of words: got a single str at position 0"),
        ([["red"], None], "documents must be lists of words: got None at position 1"),
        ([["red"], ["a", 2]], "words must be strings: got 2 in document 1"),
        ([], "at least one document"),
        ([[], []], "no words were found in 2 documents"),
    ],
)
def test_rejects_invalid_word_lists(documents, message):
    with pytest.raises(InputError, match=message):
        Corpus.from_tokens(documents)


@pytest.mark.parametrize("options", [{}, {"min_df": 1, "max_words": 3}, {"vocabulary": ["red"]}, {"keep_texts": True}])
def test_tokens_are_validated_once(monkeypatch, options):
    calls = []
    monkeypatch.setattr(corpus_module, "_check_tokens", lambda *arguments: calls.append(arguments))
    corpus = Corpus.from_texts(["red apple", "a pear"], labels=["x", "y"], ids=["a", "b"], **options)
    assert len(calls) == 1
    assert replace_metadata(corpus, labels=["z", None]).labels == (("z",), ())
    assert len(calls) == 1
