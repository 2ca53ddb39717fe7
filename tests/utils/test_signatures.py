"""Errors for unknown keyword arguments suggest the right one."""

from __future__ import annotations

import inspect
import io

import pandas as pd
import pytest

import topicwright as tw
from topicwright.errors import InputError, UnknownKeywordError

TEXTS = ["red apple", "green pear"]
FRAME = pd.DataFrame({"body": TEXTS})


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: tw.Corpus.from_frame(FRAME, text_field="body"),
            "Corpus.from_frame has no parameter 'text_field': did you mean 'text'?",
        ),
        (
            lambda: tw.Corpus.from_texts(TEXTS, stopwords="english"),
            "Corpus.from_texts has no parameter 'stopwords': did you mean 'stop_words'?",
        ),
        (
            lambda: tw.Corpus.from_jsonl(io.StringIO('{"text": "a b"}'), min_count=2),
            "Corpus.from_jsonl has no parameter 'min_count': did you mean 'min_df'?",
        ),
        (lambda: tw.Corpus.from_csv("none.csv", ngrams=2), "Corpus.from_csv .* did you mean 'ngram_range'?"),
        (lambda: tw.Corpus.from_parquet("none", date_field="d"), "Corpus.from_parquet .* did you mean 'date'?"),
        (lambda: tw.Corpus.from_text_file("none", lower_cas=True), "Corpus.from_text_file .* mean 'lowercase'?"),
        (lambda: tw.Corpus.from_matrix([[1]], label=["a"]), "Corpus.from_matrix .* did you mean 'labels'?"),
        (lambda: tw.Corpus.from_tokens([["a"]], id=["a"]), "Corpus.from_tokens .* did you mean 'ids'?"),
        (lambda: tw.Corpus.from_gensim([], nonsense=1), "it has documents, id2word, labels, targets"),
        (lambda: tw.LDA(num_topics=3), "^LDA has no parameter 'num_topics': did you mean 'n_topics'?"),
        (lambda: tw.LDA(3, n_sweep=3), "did you mean 'n_sweeps'?"),
        (lambda: tw.LDA(3, stop_words="english"), "pass it to Corpus.from_texts"),
        (lambda: tw.LDA(3, verbose=1), "on_sweep=tw.show_progress"),
        (lambda: tw.LDA(3).fit(TEXTS, progress=True), "^LDA.fit .*on_sweep=tw.show_progress"),
        (lambda: tw.LabeledLDA().fit(TEXTS, callback=print), "^LabeledLDA.fit .* did you mean 'on_sweep'?"),
        (lambda: tw.LDA(3).top_words(n_words=5), "^LDA.top_words .* did you mean 'n'?"),
        (lambda: tw.LabeledLDA(seed=1), "^LabeledLDA .* did you mean 'random_state'?"),
        (lambda: tw.Tokenizer(ngrams=2), "^Tokenizer has no parameter 'ngrams': did you mean 'ngram_range'?"),
        (lambda: tw.OnlineLabeledLDA().fit(TEXTS, on_sweep=print), "^OnlineLabeledLDA.fit .*: it has X, y$"),
        (lambda: tw.OnlineLabeledLDA().partial_fit(TEXTS, on_sweep=print), "it has X, y, classes"),
        (lambda: tw.LDA().write_report("page.html", document=False), "^LDA.write_report .* did you mean 'documents'?"),
        (lambda: tw.OnlineLabeledLDA(particles=1), "^OnlineLabeledLDA .* did you mean 'n_particles'?"),
        (lambda: tw.MedLDAClassifier(workers=2), "^MedLDAClassifier .* did you mean 'n_jobs'?"),
        (lambda: tw.DiskBackend(shards=2), "^DiskBackend has no parameter 'shards': did you mean 'n_shards'?"),
        (lambda: tw.RayBackend(shards=2), "^RayBackend has no parameter 'shards': did you mean 'n_shards'?"),
        (lambda: tw.LDA().knowledge_report(befor=False), "^LDA.knowledge_report .* did you mean 'before'?"),
        (lambda: tw.SeedWords(oil=["barrel"]), "^SeedWords has no parameter 'oil': it has seeds, weight, hard"),
        (lambda: tw.MustLinks([], strenght=2), "^MustLinks .* did you mean 'strength'?"),
        (lambda: tw.MedLDARegressor(k=2), "^MedLDARegressor .* did you mean 'n_topics'?"),
        (
            lambda: tw.Corpus.from_texts(TEXTS, ["a", "b"]),
            r"Corpus.from_texts takes 1 positional argument \(texts\) but got 2: .* such as labels=…",
        ),
        (lambda: tw.LDA(3, 0.1), r"^LDA takes 1 positional argument \(n_topics\) but got 2"),
    ],
)
def test_unknown_option_error_names_method_and_suggestion(call, sentence):
    with pytest.raises(UnknownKeywordError, match=sentence) as raised:
        call()
    assert isinstance(raised.value, InputError)
    assert isinstance(raised.value, TypeError)


def test_every_constructor_and_model_is_checked():
    ways = [getattr(tw.Corpus, name) for name in dir(tw.Corpus) if name.startswith("from_")]
    models = [tw.LDA, tw.LabeledLDA, tw.OnlineLabeledLDA, tw.MedLDAClassifier, tw.MedLDARegressor]
    assert len(ways) >= 11
    for call in [*ways, *models]:
        with pytest.raises(UnknownKeywordError):
            call(**{"no such option": 1})


def test_checked_functions_keep_their_signature():
    assert list(inspect.signature(tw.Corpus.from_texts).parameters)[:2] == ["texts", "labels"]
    assert tw.LDA(n_topics=3).get_params()["n_topics"] == 3
