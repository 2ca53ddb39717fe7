"""Manifest of a fit: enough to repeat it, and saved with the model."""

from __future__ import annotations

import io
import json
from datetime import datetime

import numpy as np
import pytest

import topicwright as tw
from topicwright import ModelFileError
from topicwright.corpus import corpus_digest
from topicwright.errors import TopicwrightWarning
from topicwright.io import read_model, write_model
from topicwright.models.manifest import Manifest

from ..conftest import themed_texts
from ..views.conftest import KINDS, models  # noqa: F401

TEXTS = themed_texts(30)
TAGS = [["a"], ["b"], ["c"]] * 10


def corpus_of(texts=TEXTS, **metadata):
    return tw.Corpus.from_texts(texts, **metadata)


def without_times(manifest):
    """What does not differ between two repetitions, one of which may have been stopped."""
    runs = tuple(run._replace(started="", seconds=0.0) for run in manifest.runs)
    return manifest._replace(parameters={**manifest.parameters, "n_sweeps": 0}, runs=runs)


FITS = {
    "lda": lambda: tw.LDA(n_topics=4, alpha="learn", n_sweeps=12, random_state=5).fit(corpus_of()),
    "arrays": lambda: tw.LDA(n_topics=3, alpha=[0.1, 0.2, 0.3], n_sweeps=9).fit(corpus_of()),
    "drawn seed": lambda: tw.LDA(n_topics=3, n_sweeps=9, random_state=None).fit(corpus_of()),
    "generator": lambda: tw.LDA(n_topics=3, n_sweeps=9, random_state=np.random.default_rng(1)).fit(corpus_of()),
    "knowledge": lambda: tw.LDA(n_topics=3, n_sweeps=9, knowledge=[tw.SeedWords({"s": ["ship"]})]).fit(corpus_of()),
    "stopped": lambda: tw.LDA(n_topics=3).fit(corpus_of(), on_sweep=lambda sweep: sweep.number < 7),
    "labeled": lambda: tw.LabeledLDA(n_sweeps=9, n_background_topics=1).fit(corpus_of(), TAGS),
    "mixture": lambda: tw.LDA(n_topics=3, n_sweeps=9, one_topic_per_document=True).fit(corpus_of()),
    "classifier": lambda: tw.MedLDAClassifier(n_topics=3, n_sweeps=9).fit(corpus_of(), ["a", "b", "c"] * 10),
    "regressor": lambda: tw.MedLDARegressor(n_topics=3, n_sweeps=9).fit(corpus_of(), np.arange(30.0)),
}
Y = {"labeled": TAGS, "classifier": ["a", "b", "c"] * 10, "regressor": np.arange(30.0)}


@pytest.mark.parametrize("kind", FITS)
def test_a_fit_is_repeated_from_its_manifest(kind, tmp_path):
    model = FITS[kind]()
    model.save(tmp_path / "m.tw")
    model.resume(3)
    manifest = tw.load(tmp_path / "m.tw").resume(3).manifest_
    assert manifest.digest == corpus_digest(corpus_of())
    fit, resumed = manifest.runs
    parameters = {**manifest.parameters, "n_sweeps": fit.n_sweeps}
    again = getattr(tw, manifest.model)(**parameters, knowledge=model.knowledge, random_state=manifest.seed)
    again.fit(corpus_of(), Y.get(kind)).resume(resumed.n_sweeps)
    np.testing.assert_array_equal(again.assignments_, model.assignments_)
    np.testing.assert_array_equal(again.topic_word_, model.topic_word_)
    assert without_times(again.manifest_) == without_times(model.manifest_)


def test_runs_say_when_and_how():
    model = tw.LDA(n_topics=3, n_sweeps=9, n_jobs=2).fit(corpus_of())
    model.n_jobs = 1
    model.resume(4)
    fit, resumed = model.manifest_.runs
    assert [(run.n_sweeps, run.n_threads, run.backend) for run in (fit, resumed)] == [(9, 2, ""), (4, 1, "")]
    assert fit.seconds > 0
    assert datetime.fromisoformat(fit.started).utcoffset() is not None
    assert f"topicwright {tw.__version__}, numpy {np.__version__}" in fit.environment
    assert (model.manifest_.n_docs, model.manifest_.n_tokens) == (30, model.corpus_.n_tokens)
    model.fit(corpus_of(TEXTS[:20]))  # a new fit, a new manifest
    assert (len(model.manifest_.runs), model.manifest_.n_docs) == (1, 20)


def test_shards_are_part_of_it(tmp_path):
    model = tw.LDA(n_topics=3, n_sweeps=3).fit(corpus_of(), backend=tw.DiskBackend(n_shards=2, in_memory=0))
    assert model.manifest_.runs[0].backend == "2 shards, 2 rounds"


def test_digests_tell_data_targets_and_knowledge_apart():
    def manifest(texts=TEXTS, y=TAGS, **options):
        return tw.LabeledLDA(n_sweeps=3, **options).fit(corpus_of(texts), y).manifest_

    base = manifest()
    assert base._replace(runs=()) == manifest()._replace(runs=())
    assert manifest(TEXTS[::-1]).digest != base.digest
    assert manifest(y=TAGS[1:] + TAGS[:1]).digest == base.digest
    assert manifest(y=TAGS[1:] + TAGS[:1]).target_digest != base.target_digest
    links = [tw.MustLinks([("ship", "wave")])]
    assert manifest(knowledge=links).runs[0].knowledge != base.runs[0].knowledge
    assert tw.LDA(n_topics=2, n_sweeps=2).fit(corpus_of()).manifest_.target_digest == ""
    regressor = [tw.MedLDARegressor(n_topics=2, n_sweeps=2).fit(TEXTS, y).manifest_ for y in (range(30), [0] * 30)]
    assert regressor[0].target_digest != regressor[1].target_digest


@pytest.mark.parametrize("include_corpus", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_files_keep_it(
    models,  # noqa: F811
    kind,
    include_corpus,
    tmp_path,
):
    model = models(kind)
    options = {} if kind == "stream" else {"include_corpus": include_corpus}
    model.save(tmp_path / "m.tw", **options)
    loaded = tw.load(tmp_path / "m.tw")
    assert loaded.manifest_ == model.manifest_
    assert (model.manifest_ is None) == (kind == "stream")
    if model.manifest_ is not None:
        assert type(loaded.manifest_) is Manifest
        assert json.loads(json.dumps(loaded.manifest_.to_dict(), allow_nan=False))["seed"] == 0
        page = io.StringIO()
        loaded.write_report(page)
        assert f"digest {model.manifest_.digest}" in page.getvalue()


def test_files_without_it_load(tmp_path):
    tw.LDA(n_topics=2, n_sweeps=2).fit(TEXTS).save(tmp_path / "m.tw")
    file = read_model(tmp_path / "m.tw")
    meta = {name: value for name, value in file.meta.items() if name != "manifest"}
    write_model(tmp_path / "old.tw", file.kind, meta, file.arrays)
    old = tw.load(tmp_path / "old.tw")
    assert old.manifest_ is None
    assert old.resume(2).manifest_ is None  # where it came from is unknown
    page = io.StringIO()
    old.write_report(page)
    assert "Manifest" not in page.getvalue()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": -1}, "'manifest.seed' must be at least 0"),
        ({"model": 3}, "'manifest.model' must be text"),
        ({"parameters": [1]}, "'manifest.parameters' must be an object"),
        ({"runs": [["x"]]}, "'manifest.runs' must be a list of rows"),
        ({"n_docs": None}, "'manifest.n_docs' must be a whole number"),
    ],
)
def test_rejects_hostile_files(changes, message, tmp_path):
    tw.LDA(n_topics=2, n_sweeps=2).fit(TEXTS).save(tmp_path / "m.tw")
    file = read_model(tmp_path / "m.tw")
    meta = {**file.meta, "manifest": {**file.meta["manifest"], **changes}}
    write_model(tmp_path / "m.tw", file.kind, meta, file.arrays)
    with pytest.raises(ModelFileError, match=message):
        tw.load(tmp_path / "m.tw")


def test_parameters_without_a_json_form_are_described():
    long = tw.LDA(n_topics=1500, alpha=np.full(1500, 0.1), n_sweeps=1)
    with pytest.warns(TopicwrightWarning, match="topics"):
        manifest = long.fit(TEXTS).manifest_
    assert manifest.parameters["alpha"].startswith("1500 entries, digest ")
    weights = tw.MedLDAClassifier(n_topics=2, n_sweeps=2, class_weight={1: 2.0, 0: 1.0}).fit(TEXTS, [0, 1] * 15)
    assert weights.manifest_.parameters["class_weight"] == "{1: 2.0, 0: 1.0}"


def test_it_is_readable():
    manifest = tw.LDA(n_topics=2, n_sweeps=2).fit(TEXTS).resume(1).manifest_
    lines = repr(manifest).splitlines()
    assert [line.split()[0] for line in lines if line[0] != " "] == ["model", "seed", "documents", "fit", "resume"]
    assert max(map(len, lines)) < 230
    assert manifest._repr_html_().startswith("<div")


def test_steered_models_are_repeated_from_their_steps(tmp_path):
    base = tw.LDA(n_topics=3, n_sweeps=5).fit(corpus_of())
    session = tw.Steering(base)
    session.update(2)
    session.save(tmp_path / "m.tw")
    assert tw.load(tmp_path / "m.tw").manifest_ is None
    assert len(base.manifest_.runs) == 1
