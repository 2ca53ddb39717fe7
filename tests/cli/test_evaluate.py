import pytest

import topicwright as tw
from topicwright.evaluation import coherence, diversity


def test_the_training_corpus(invoke, model):
    answer = invoke("evaluate", model, "--json").json
    fitted = tw.load(model)
    assert answer == {
        "model": str(model),
        "topics": 3,
        "empty_topics": 0,
        "sweeps": 40,
        "log_likelihood": fitted.log_likelihood_[-1][1],
        "coherence": {name: coherence(fitted, fitted.corpus_, name) for name in ("npmi", "c_v", "umass")},
        "diversity": diversity(fitted),
    }


def test_held_out_documents(invoke, model, documents, texts):
    answer = invoke("evaluate", model, documents, "--left-to-right", "--json").json["held_out"]
    fitted = tw.load(model)
    assert answer == {
        "documents": 60,
        "tokens": 720,
        "unknown": 0,
        "perplexity": fitted.perplexity(texts),
        "perplexity_left_to_right": fitted.perplexity(texts, method="left-to-right"),
    }


def test_the_table_says_the_same(invoke, model, documents):
    answer = invoke("evaluate", model, documents, "--json").json
    rows = [line.split() for line in invoke("evaluate", model, documents).out.splitlines()]
    figures = {" ".join(row[: 2 if row[0] == "coherence" else 1]): row for row in rows}
    assert figures["coherence npmi"][2] == f"{answer['coherence']['npmi']:.4f}"
    assert figures["diversity"][1] == f"{answer['diversity']:.4f}"
    assert figures["perplexity"][1] == f"{answer['held_out']['perplexity']:,.1f}"


def test_another_corpus_to_count_in(invoke, model, tmp_path, texts):
    (tmp_path / "other.txt").write_text("\n".join(reversed(texts)) + "\nship oven judge")
    answer = invoke("evaluate", model, "--reference", "other.txt", "--json").json
    other = tw.Corpus.from_text_file("other.txt", stop_words="english")
    assert answer["coherence"]["npmi"] == pytest.approx(coherence(tw.load(model), other))


def test_words_that_the_other_corpus_lacks_are_told_of_once(invoke, model, tmp_path):
    (tmp_path / "other.txt").write_text("ship wave sail\n")
    err = invoke("evaluate", model, "--reference", "other.txt", "--json").err
    assert err.count("topic words never occur in the corpus") == 1


def test_a_compact_model_has_no_coherence_of_its_own(invoke, compact_model, documents):
    done = invoke("evaluate", compact_model)
    assert "give one with --reference" in done.err
    assert "coherence" not in done.out
    assert invoke("evaluate", compact_model, "--json").json["coherence"] is None
    assert invoke("evaluate", compact_model, "--reference", documents, "--json").json["coherence"]["npmi"] > 0


def test_empty_topics_are_left_out(invoke, documents):
    invoke("fit", documents, "-o", "m.tw", "-k", 1000, "-n", 2, "-q")
    answer = invoke("evaluate", "m.tw", "--json").json
    assert answer["empty_topics"] > 0
    assert -1 <= answer["coherence"]["npmi"] <= 1


def test_counts_have_no_order_of_words(invoke, counts_model):
    fitted = tw.load(counts_model)
    answer = invoke("evaluate", counts_model, "--json").json
    topics = [words for words in fitted.top_words(10) if len(words) > 1]
    assert answer["coherence"]["npmi"] == coherence(topics, fitted.corpus_, window=0)
