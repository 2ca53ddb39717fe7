"""Word vectors, and links between words with similar vectors."""

from collections import Counter

import numpy as np
import pytest

from topicwright.knowledge.sources import Vectors, links_from_vectors
from topicwright.knowledge.sources import similarity as similarity_module

from ...assertions import raises_input

FRUIT = {"pear": [1, 0, 0], "plum": [1, 0.1, 0], "car": [0, 1, 0], "bus": [0, 1, 0.3], "sky": [0, 0, -1]}


def random_vectors(n=120, seed=0):
    rng = np.random.default_rng(seed)
    return Vectors([f"w{i:03}" for i in range(n)], rng.normal(size=(n, 4)))


def all_pairs(vectors, threshold):
    """The definition, pair by pair."""
    words = sorted(vectors.words)
    found = [(a, b) for i, a in enumerate(words) for b in words[i + 1 :] if vectors.similarity(a, b) > threshold]
    return sorted(found, key=lambda pair: (-round(vectors.similarity(*pair), 6), pair))


class TestVectors:
    def test_lookup(self):
        vectors = Vectors(["a", "b"], [[1, 2], [3, 4]])
        assert (len(vectors), vectors.n_dimensions, vectors.words) == (2, 2, ("a", "b"))
        assert "a" in vectors
        assert "c" not in vectors
        assert vectors["b"].tolist() == [3, 4]
        assert vectors.matrix.dtype == np.float32

    def test_cosine_does_not_depend_on_length(self):
        vectors = Vectors(["a", "b", "c"], [[1, 0], [1e30, 1e30], [1e-30, 1e-30]])
        assert vectors.similarity("a", "b") == pytest.approx(np.sqrt(0.5))
        assert vectors.similarity("b", "c") == pytest.approx(1)

    def test_most_similar_leaves_the_word_itself_out(self):
        vectors = Vectors(list(FRUIT), list(FRUIT.values()))
        assert [word for word, _ in vectors.most_similar("pear", 2)] == ["plum", "bus"]
        assert len(vectors.most_similar("pear", 100)) == 4

    def test_the_callers_array_is_copied(self):
        matrix = np.ones((1, 2), dtype=np.float32)
        vectors = Vectors(["a"], matrix)
        matrix[0, 0] = 7
        assert vectors["a"].tolist() == [1, 1]
        with pytest.raises(ValueError, match="read-only"):
            vectors.matrix[0, 0] = 3

    def test_unknown_word(self):
        with pytest.raises(KeyError, match="no vector for the word 'x'"):
            Vectors(["a"], [[1]])["x"]

    @pytest.mark.parametrize(
        ("words", "matrix", "parameter", "message"),
        [
            (["a"], [[1], [2]], "matrix", "one row per word: got 2"),
            (["a", "a"], [[1], [2]], "words", "distinct: got 1 duplicates"),
            (["a"], [[np.nan]], "matrix", "the vector of 'a' must be finite"),
            (["a"], [[1e300]], "matrix", "must be finite"),
            (["a"], [1, 2], "matrix", "two dimensions"),
            (["a"], [["x"]], "matrix", "array of numbers"),
            ("ab", [[1], [2]], "words", "list of words: got str"),
            ([1], [[1]], "words", "list of words: got 1"),
        ],
    )
    def test_invalid_arguments_are_named(self, words, matrix, parameter, message):
        with raises_input(parameter, match=message):
            Vectors(words, matrix)


class TestLinks:
    def test_best_first_and_each_pair_once(self):
        links = links_from_vectors(["sky", "bus", "car", "plum", "pear", "unknown", "car"], FRUIT, 0.9)
        assert links == [("pear", "plum"), ("bus", "car")]

    @pytest.mark.parametrize("threshold", [0.9, 0.5, -1])
    @pytest.mark.parametrize("most", [None, 1, 17, 100_000])
    def test_blocks_give_what_the_definition_gives(self, monkeypatch, threshold, most):
        monkeypatch.setattr(similarity_module, "_BLOCK_CELLS", 1000)  # blocks of 8 rows
        vectors = random_vectors()
        links = links_from_vectors(vectors.words, vectors, threshold, most=most)
        assert links == all_pairs(vectors, threshold)[:most]

    @pytest.mark.parametrize("per_word", [1, 3, 500])
    def test_links_need_mutual_nearest_neighbors(self, monkeypatch, per_word):
        monkeypatch.setattr(similarity_module, "_BLOCK_CELLS", 1000)
        vectors = random_vectors()
        near = {word: {other for other, _ in vectors.most_similar(word, per_word)} for word in vectors.words}
        expected = [(a, b) for a, b in all_pairs(vectors, 0.3) if a in near[b] and b in near[a]]
        links = links_from_vectors(vectors.words, vectors, 0.3, per_word=per_word)
        assert links == expected
        assert max(Counter(word for link in links for word in link).values()) <= per_word
        assert links_from_vectors(vectors.words, vectors, 0.3, per_word=per_word, most=5) == expected[:5]

    def test_ties_are_cut_in_alphabetical_order(self):
        same = {word: [1.0, 2.0] for word in "dbac"}
        assert links_from_vectors(list("dcba"), same, most=3) == [("a", "b"), ("a", "c"), ("a", "d")]
        assert links_from_vectors(list("dcba"), same, per_word=1) == [("a", "b")]

    def test_zero_vector_has_no_similar_words(self):
        vectors = {"a": [0, 0], "b": [0, 0], "c": [1, 0]}
        assert links_from_vectors(list("abc"), vectors, -1) == []

    def test_no_links(self):
        assert links_from_vectors([], FRUIT) == []
        assert links_from_vectors(["x", "y"], FRUIT) == []
        assert links_from_vectors(["pear"], FRUIT, per_word=2) == []
        assert links_from_vectors(["pear", "plum"], {}) == []

    def test_gensim_vectors_in_memory(self):
        KeyedVectors = pytest.importorskip("gensim.models").KeyedVectors
        keyed = KeyedVectors(3)
        keyed.add_vectors(list(FRUIT), np.array(list(FRUIT.values()), dtype=np.float32))
        assert links_from_vectors(list(FRUIT), keyed, 0.9) == [("pear", "plum"), ("bus", "car")]

    def test_a_file(self, tmp_path):
        Vectors(list(FRUIT), list(FRUIT.values())).save(tmp_path / "v.safetensors")
        assert links_from_vectors(list(FRUIT), str(tmp_path / "v.safetensors"), 0.99) == [("pear", "plum")]

    @pytest.mark.parametrize(
        ("parameter", "value", "message"),
        [
            ("threshold", 2, "from -1 to 1"),
            ("threshold", "0.5", "from -1 to 1"),
            ("most", 0, "integer of at least 1"),
            ("per_word", 1.5, "an integer"),
            ("vocabulary", "pear", "list of words: got str"),
            ("vocabulary", ["pear", 3], "list of words: got 3"),
            ("vectors", [[1, 2]], "Vectors, a path"),
            ("vectors", {"pear": [1, 2], "plum": [1]}, "of the same length"),
            ("vectors", {"pear": "soft"}, "arrays of numbers"),
        ],
    )
    def test_invalid_arguments_are_named(self, parameter, value, message):
        with raises_input(parameter, match=message):
            links_from_vectors(**{"vocabulary": list(FRUIT), "vectors": FRUIT, parameter: value})
