"""Model files of LDA, and the parts that the files of all models share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._sampling.engine import EarlierCounts
from .._sampling.inference import TopicSnapshot
from .._sampling.priors import prior_sum, with_word_priors
from .._utils.count_rows import rows_from_csr
from .._utils.validation import LARGEST_PRIOR, MOST_TOPICS, SMALLEST_PRIOR
from .._utils.warnings import CollectedWarnings
from ..corpus import Corpus
from ..corpus.corpus import with_earlier_word_counts
from ..errors import InputError
from ..io import ModelFields, ModelFile, corpus_from_fields, corpus_to_arrays, pack_strings, write_model
from ..io.strict_json import to_json
from ..knowledge import CompiledKnowledge, KnownTopics, SeedWords, TopicNumbers, parse_knowledge, serialize_knowledge
from ..knowledge.base import Knowledge, KnowledgePart, TopicName, UnavailableKnowledge
from ..knowledge.priors import WordPriors
from ._inputs import as_array
from ._knowledge import compile_collecting_warnings
from .fit_state import FitState, count_assignments, is_mixture, reset_fit_state
from .manifest import manifest_from_fields, manifest_to_meta

if TYPE_CHECKING:
    from .batch import BatchTopicModel
    from .lda import LDA

_LARGEST_EXTRA = 1e30
_KNOWLEDGE_VERSION = 2  # in version 1, soft seeds added to β
_LONGEST_NAME = 60


def knowledge_to_arrays(model: BatchTopicModel, has_corpus: bool) -> dict[str, NDArray[Any]]:
    """Knowledge of a model as arrays of a model file."""
    compiled = model.fit_state_.compiled
    if not model.fit_state_.knowledge:
        return {}
    content = {
        "version": _KNOWLEDGE_VERSION,
        "kinds": [_kind_to_data(item, has_corpus) for item in model.fit_state_.knowledge],
        "topics": compiled.topics.numbers,
        "contradictions": list(compiled.contradictions),
    }
    arrays = pack_strings([to_json(content, "knowledge")], "knowledge")  # an array, since it may be long
    if not has_corpus and compiled.word_priors is not None:
        start = compiled.word_priors.start.astype(np.int64)
        counts = start[1:] - start[:-1]
        arrays |= {
            "seeds.words": np.repeat(np.arange(len(counts), dtype=np.int32), counts),
            "seeds.topics": compiled.word_priors.topics,
            "seeds.extra": compiled.word_priors.extra,
        }
    return arrays


def knowledge_from_fields(model: BatchTopicModel, fields: ModelFields, n_topics: int) -> None:
    """Restore the knowledge of a model from its file, without repeating warnings."""
    if "knowledge" not in fields:
        model._set_knowledge(FitState([], CompiledKnowledge(TopicNumbers(n_topics)), {}))
        return
    content = fields.json("knowledge")
    if not isinstance(content, dict) or content.keys() - {"version"} != {"kinds", "topics", "contradictions"}:
        fields.fail("knowledge", "must have kinds, topics and contradictions")
    model.knowledge = items = _kinds(fields, content["kinds"])
    numbers, issued = _numbers(fields, content["topics"], n_topics), CollectedWarnings()
    if "assignments" in fields:
        if "version" not in content:
            model.knowledge = items = [_convert_seeds(item, model.corpus_) for item in items]
        at_hand = [item for item in items if not isinstance(item, UnavailableKnowledge)]
        compiled, issued = compile_collecting_warnings([_Names(numbers), *at_hand], model.corpus_, n_topics, numbers)
    else:
        compiled = CompiledKnowledge(
            topics=TopicNumbers(n_topics, numbers, numbers),
            word_priors=_word_priors(fields, n_topics, model.corpus_.n_words),
            contradictions=_sentences(fields, content["contradictions"]),
        )
    model._set_knowledge(FitState(items, compiled, issued))


def _kind_to_data(item: Any, has_corpus: bool) -> Any:
    if has_corpus or (isinstance(item, Knowledge) and not item.needs_documents):
        try:
            return serialize_knowledge([item])
        except InputError:  # code, or an invalid argument: the trained model is saved without it
            pass
    return {"missing": item.name if isinstance(item, UnavailableKnowledge) else type(item).__name__}


def _convert_seeds(item: Any, corpus: Corpus) -> Any:
    """Soft seeds of a file of version 1, where they added their frequency to β, as known topics, which still do."""
    if not isinstance(item, SeedWords) or item.hard:
        return item
    counts = dict(zip(corpus.vocabulary.tolist(), corpus.word_counts().tolist()))
    words = {
        topic: {word: item.weight * max(1, counts[word]) for word in own if word in counts}
        for topic, own in item.seeds.items()
    }
    return KnownTopics(words, weight=1.0)


def _kinds(fields: ModelFields, data: Any) -> list[Any]:
    if not isinstance(data, list):
        fields.fail("knowledge", "must have a list of kinds")
    return [item for entry in data for item in _kind(fields, entry)]


def _kind(fields: ModelFields, entry: Any) -> list[Any]:
    if isinstance(entry, dict) and isinstance(entry.get("missing"), str):
        return [UnavailableKnowledge(entry["missing"][:_LONGEST_NAME])]
    try:
        return parse_knowledge(entry)
    except InputError as error:
        fields.fail("knowledge", f"can't be read: {error}")


def _numbers(fields: ModelFields, numbers: Any, n_topics: int) -> dict[str, int]:
    if not isinstance(numbers, dict) or not all(type(k) is int and 0 <= k < n_topics for k in numbers.values()):
        fields.fail("knowledge", f"must give topics numbers from 0 to {n_topics - 1}")
    if len(set(numbers.values())) != len(numbers):
        fields.fail("knowledge", "must give each topic a number of its own")
    return numbers


def _sentences(fields: ModelFields, sentences: Any) -> tuple[str, ...]:
    if not isinstance(sentences, list) or not all(isinstance(sentence, str) for sentence in sentences):
        fields.fail("knowledge", "must have a list of contradictions")
    return tuple(sentences)


def _word_priors(fields: ModelFields, n_topics: int, n_words: int) -> WordPriors | None:
    if "seeds.words" not in fields:
        return None
    words = fields.array("seeds.words", np.int32, ndim=1, minimum=0, maximum=n_words - 1)
    topics = fields.array("seeds.topics", np.uint32, shape=words.shape, maximum=n_topics - 1)
    extra = fields.array("seeds.extra", np.float64, shape=words.shape, above=0, maximum=_LARGEST_EXTRA)
    if len(words) == 0 or np.any(np.diff(words.astype(np.int64) * n_topics + topics) <= 0):
        fields.fail("seeds.words", "must rise, and with each word its topics")
    return WordPriors(np.searchsorted(words, np.arange(n_words + 1)).astype(np.uint64), topics, extra)


class _Names(Knowledge):
    """Knowledge that refers to all topics of a model file that have a name."""

    def __init__(self, numbers: dict[str, int]) -> None:
        self.numbers = numbers

    @property
    def topic_numbers(self) -> dict[str, int]:
        return self.numbers

    def topic_names(self, corpus: Corpus) -> Iterable[TopicName]:
        return self.numbers

    def compile(self, corpus: Corpus, topics: TopicNumbers) -> KnowledgePart:
        return KnowledgePart()


Model = TypeVar("Model", bound="LDA")
Arrays = dict[str, NDArray[Any]]
MOST = 2**31
_DOCUMENTS = "earlier.documents"
_PLAIN = ("n_topics", "n_sweeps", "n_jobs", "evaluate_every")


def write(model: LDA, path: Any, include_corpus: bool) -> None:
    """Write a fitted LDA."""
    has_corpus = include_corpus and model.assignments_ is not None
    meta = {
        "parameters": {name: whole_or_none(getattr(model, name)) for name in _PLAIN},
        "learns_alpha": isinstance(model.alpha, str),
        "learns_beta": isinstance(model.beta, str),
        "one_topic_per_document": bool(model.one_topic_per_document),
        "seed": model.seed_,
        **progress_to_meta(model),
    }
    write_model(path, "lda", meta, {**common_to_arrays(model, has_corpus), **topics_to_arrays(model, has_corpus)})


def read(cls: type[Model], file: ModelFile) -> Model:
    """Read an LDA; a ModelFileError if anything in the file is invalid."""
    fields = file.fields
    corpus = corpus_from_fields(fields)
    parameters = fields.section("parameters")
    n_topics = parameters.integer("n_topics", minimum=1, maximum=MOST_TOPICS)
    alpha, beta = priors_from_fields(fields, n_topics, corpus.n_words)
    model = cls(
        n_topics=n_topics,
        alpha="learn" if fields.flag("learns_alpha") else one_or_all(alpha),
        beta="learn" if fields.flag("learns_beta") else beta,
        one_topic_per_document="one_topic_per_document" in fields and fields.flag("one_topic_per_document"),
        n_sweeps=parameters.integer("n_sweeps", minimum=1),
        n_jobs=parameters.integer("n_jobs") if "n_jobs" in parameters else None,
        random_state=fields.integer("seed", minimum=0),
        evaluate_every=parameters.integer("evaluate_every", minimum=0),
    )
    reset_fit_state(model, corpus, alpha)
    model.beta_ = beta
    progress_from_fields(model, fields)
    earlier_from_fields(model, fields, n_topics)
    knowledge_from_fields(model, fields, n_topics)
    topics_from_fields(model, fields)
    return model


# ---------------------------------------------------------------------- words, priors, knowledge, progress


def common_to_arrays(model: BatchTopicModel, has_corpus: bool) -> Arrays:
    """Parts of all models, except topics."""
    return {
        **corpus_to_arrays(model.corpus_ if has_corpus else _without_documents(model.corpus_)),
        "alpha": model.alpha_,
        "beta": np.atleast_1d(np.float64(model.beta_)),
        **knowledge_to_arrays(model, has_corpus),
    }


def _without_documents(corpus: Corpus) -> Corpus:
    """Vocabulary and tokenizer, without documents."""
    empty = np.empty(0, np.int32)
    return Corpus(empty, np.zeros(1, np.int64), corpus.vocabulary, tokenizer=corpus.tokenizer)


def priors_from_fields(fields: ModelFields, n_topics: int, n_words: int) -> tuple[NDArray[np.float64], Any]:
    """α of each topic, and β as one number or one per word."""
    bounds: dict[str, Any] = {"minimum": SMALLEST_PRIOR, "maximum": LARGEST_PRIOR}
    alpha = fields.array("alpha", np.float64, shape=(n_topics,), **bounds)
    beta = fields.array("beta", np.float64, ndim=1, **bounds)
    if len(beta) not in (1, n_words):
        fields.fail("beta", f"must have 1 entry or {n_words}: got {len(beta)}")
    return alpha, float(beta[0]) if len(beta) == 1 else beta


def one_or_all(alpha: NDArray[np.float64]) -> float | NDArray[np.float64]:
    """α as a parameter: one number if it is the same for all topics."""
    return float(alpha[0]) if (alpha == alpha[0]).all() else alpha


def progress_to_meta(model: BatchTopicModel) -> dict[str, Any]:
    """Progress of training."""
    return {
        "sweeps": model.sweeps_,
        "interrupted": model.interrupted_,
        "log_likelihood": [[sweep, value] for sweep, value in model.log_likelihood_],
        **({"updates": model.updates_, "new_topics": model.new_topics_} if model.updates_ else {}),
        "manifest": manifest_to_meta(model.manifest_),
    }


def progress_from_fields(model: BatchTopicModel, fields: ModelFields) -> None:
    """Restore the progress of training."""
    model.sweeps_ = fields.integer("sweeps", minimum=0, maximum=MOST)
    model.interrupted_ = fields.flag("interrupted")
    model.log_likelihood_ = [(sweep, value) for sweep, value in fields.rows("log_likelihood", int, float)]
    updates = fields.value("updates") if "updates" in fields else []
    if not isinstance(updates, list) or not all(isinstance(update, dict) for update in updates):
        fields.fail("updates", "must be a list of updates")
    model.updates_ = updates
    model.new_topics_ = fields.value("new_topics") if "new_topics" in fields else []
    if not isinstance(model.new_topics_, list) or not all(type(topic) is int for topic in model.new_topics_):
        fields.fail("new_topics", "must be a list of topics")
    model.manifest_ = manifest_from_fields(fields)


def classes_to_arrays(classes: NDArray[Any], what: str) -> Arrays:
    """Classes or labels as arrays; an error if a file cannot hold them."""
    names = classes.tolist()
    for name in names:
        if not isinstance(name, (str, bool, int, float)):
            raise InputError(
                f"{what} must be text, numbers or booleans to be saved: got {name!r}", parameter="y", got=name
            )
    return pack_strings([to_json(names, "classes")], "classes")


def classes_from_fields(fields: ModelFields) -> NDArray[Any]:
    """Classes or labels, which must differ."""
    names = fields.json("classes")
    if not isinstance(names, list) or not names or not all(type(name) in (str, bool, int, float) for name in names):
        fields.fail("classes", "must be a list of text, numbers or truth values")
    if len(set(names)) != len(names):
        fields.fail("classes", "must have no entry twice")
    return as_array(names)


def whole_or_none(value: Any) -> int | None:
    """Integer as a JSON value."""
    return None if value is None else int(value)


# ---------------------------------------------------------------------- topics


def topics_to_arrays(model: BatchTopicModel, has_corpus: bool) -> Arrays:
    """Topic of each token or, for a file without documents, topic–word counts."""
    if not has_corpus or model.assignments_ is None:
        return {**_counts_to_arrays("counts", model.topic_word_counts_), _DOCUMENTS: documents_by_topic(model)}
    return {"assignments": model.assignments_, **earlier_to_arrays(model)}


def earlier_to_arrays(model: BatchTopicModel) -> Arrays:
    """Counts of earlier documents of an updated model."""
    if model.earlier_ is None:
        return {}
    return {**_counts_to_arrays("earlier", model.earlier_.words), _DOCUMENTS: model.earlier_.documents}


def _counts_to_arrays(name: str, counts: Any) -> Arrays:
    return {
        f"{name}.values": counts.data.astype(np.int64),
        f"{name}.words": counts.indices.astype(np.int32),
        f"{name}.offsets": counts.indptr.astype(np.int64),
    }


def documents_by_topic(model: BatchTopicModel) -> NDArray[np.int64]:
    """Number of documents, earlier ones included, by their largest topic."""
    n_topics = len(model.alpha_)
    earlier = np.zeros(n_topics, np.int64) if model.earlier_ is None else model.earlier_.documents
    if model.assignments_ is None:
        return earlier
    counts = model.doc_topic_counts_
    filled = np.flatnonzero(np.diff(counts.indptr) > 0)
    order = np.lexsort((counts.indices, -counts.data, np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))))
    return earlier + np.bincount(counts.indices[order][counts.indptr[:-1][filled]], minlength=n_topics)


def earlier_from_fields(model: BatchTopicModel, fields: ModelFields, n_topics: int) -> None:
    """Restore the counts of earlier documents of an updated model, before its knowledge and its topics."""
    model.earlier_ = earlier_counts_from_fields(fields, n_topics, model.corpus_.n_words)
    if model.earlier_ is not None:
        counts = np.asarray(model.earlier_.words.sum(axis=0), np.int64)
        model.corpus_ = with_earlier_word_counts(model.corpus_, counts)


def earlier_counts_from_fields(fields: ModelFields, n_topics: int, n_words: int) -> EarlierCounts | None:
    """Counts of earlier documents of an updated model, or None."""
    if "earlier.values" not in fields:
        return None
    words = _read_counts(fields, "earlier", n_topics, n_words)
    return EarlierCounts(words, _documents_from_fields(fields, n_topics))


def _documents_from_fields(fields: ModelFields, n_topics: int) -> NDArray[np.int64]:
    """Earlier documents by topic; zero in files of the first release, which do not have them."""
    if _DOCUMENTS not in fields:
        return np.zeros(n_topics, np.int64)
    return fields.array(_DOCUMENTS, np.int64, shape=(n_topics,), minimum=0, maximum=MOST)


def topics_from_fields(model: BatchTopicModel, fields: ModelFields) -> None:
    """Restore the topics of a model, and the results computed from them."""
    if "assignments" in fields:
        shape, last = (model.corpus_.n_tokens,), len(model.alpha_) - 1
        model.assignments_ = fields.array("assignments", np.uint32, shape=shape, maximum=last)
        count_assignments(model)
    else:
        counts_from_fields(model, fields)
        documents = _documents_from_fields(fields, len(model.alpha_))
        model.earlier_ = EarlierCounts(model.topic_word_counts_, documents)


def counts_from_fields(model: BatchTopicModel, fields: ModelFields, prefix: str = "") -> None:
    """Restore topic–word counts and the snapshot for inference from a file without documents."""
    n_topics, n_words = len(model.alpha_), model.corpus_.n_words
    model.assignments_ = None
    model.doc_topic_counts_ = None
    model.topic_word_counts_ = _read_counts(fields, f"{prefix}counts", n_topics, n_words)
    sizes = np.asarray(model.topic_word_counts_.sum(axis=1), dtype=np.int64)
    beta = with_word_priors(model.beta_, model.fit_state_.compiled.word_priors)
    rows = rows_from_csr(model.topic_word_counts_.T.tocsr())
    snapshot = TopicSnapshot(rows, sizes, model.alpha_, beta, prior_sum(beta, n_words, n_topics), is_mixture(model))
    model.fit_state_ = model.fit_state_._replace(snapshot=snapshot)
    model._drop_cached_results()


def _read_counts(fields: ModelFields, name: str, n_topics: int, n_words: int) -> Any:
    """Topic–word counts as CSR."""
    from scipy.sparse import csr_array

    values = fields.array(f"{name}.values", np.int64, ndim=1, minimum=1, maximum=2**40)
    words = fields.array(f"{name}.words", np.int32, shape=values.shape, minimum=0, maximum=n_words - 1)
    offsets = fields.offsets(f"{name}.offsets", len(values), count=n_topics)
    counts = csr_array((values, words, offsets), shape=(n_topics, n_words))
    if not counts.has_canonical_format:
        fields.fail(f"{name}.words", "must rise within each topic")
    return counts
