"""Model files of streams; a loaded stream continues exactly as if it had never stopped."""

from __future__ import annotations

from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._sampling.particle_filter import StreamEngine
from ..._sampling.particle_filter.filter import MAX_INCREMENT
from ..._sampling.particle_filter.reservoir import CYCLE_POSITION, MOST_LABELS, N_DOCS, N_LABELS, N_TOKENS
from ..._sampling.particle_filter.state import INCREMENT, N_WORDS, REJUVENATION_DEBT
from ..._utils.signals import defer_signals
from ..._utils.validation import check_n_jobs
from ...errors import InputError
from ...io import ModelFields, ModelFile, pack_strings, write_model
from ...io.fields import tokenizer_from_fields, tokenizer_to_arrays
from ...io.strict_json import to_json
from ...knowledge import parse_knowledge, serialize_knowledge
from .._inputs import CLASSES, LISTS
from .._persistence import classes_from_fields
from .regression import StreamRegression
from .settings import StreamLinks, StreamSettings, StreamVocabulary, check_settings, seeds_and_links
from .state import StreamState, WindowEntry, progress_from_fields

if TYPE_CHECKING:
    from .model import OnlineLabeledLDA

State = dict[str, NDArray[Any]]
_MOST = 2**62
_LARGEST_COUNT = 2.0**100


def checked_state(
    fields: ModelFields, settings: StreamSettings, n_words: int, n_labels: int, dtype: Any, has_links: bool
) -> State:
    """State of the particle filter; a ModelFileError if it is invalid."""
    check = _Checks(fields, settings.n_particles, n_words, n_labels)
    state = check.pairs(dtype) | check.numbers(settings) | check.reservoir()
    check.sums(state, np.dtype(dtype))
    return state | check.sizes(state) if has_links else state


class _Checks:
    """Validated parts of the state of a particle filter, each consistent with those before."""

    def __init__(self, fields: ModelFields, n_particles: int, n_words: int, n_labels: int) -> None:
        self._fields, self._p, self._w, self._k = fields, n_particles, n_words, n_labels

    def _take(self, name: str, dtype: Any, shape: tuple[int | None, ...], low: Any = None, high: Any = None) -> Any:
        return self._fields.array(f"stream.{name}", dtype, shape=shape, minimum=low, maximum=high)

    def _need(self, holds: Any, name: str, rule: str) -> None:
        if not holds:
            self._fields.fail(f"stream.{name}", rule)

    def pairs(self, dtype: Any) -> State:
        """Label–word counts."""
        labels = self._take("pairs.labels", np.uint32, (None,), 0, self._k - 1)
        words = self._take("pairs.words", np.uint32, labels.shape, 0, self._w - 1)
        keys = labels.astype(np.int64) * self._w + words
        self._need(len(np.unique(keys)) == len(keys), "pairs.words", "must have no pair twice")
        room = 2**31 - 1 if np.dtype(dtype) == np.int32 else _LARGEST_COUNT
        return {
            "pairs.labels": labels,
            "pairs.words": words,
            "pairs.counts": self._take("pairs.counts", dtype, (len(labels), self._p), None, room),
            "totals": self._take("totals", np.float64, (self._k, self._p), None, _LARGEST_COUNT),
        }

    def numbers(self, settings: StreamSettings) -> State:
        """Priors, weights and counters."""
        alpha = self._take("alpha", np.float64, (self._k,))
        self._need((alpha == settings.alpha).all(), "alpha", "must be that of the parameters")
        words = self._take("words", np.uint32, (None,), 0, self._w - 1)
        self._need((np.diff(words.astype(np.int64)) > 0).all(), "words", "must rise")
        weights = self._take("weights", np.float64, (self._p,), 0.0, 1.0)
        self._need(abs(weights.sum() - 1.0) < 1e-6, "weights", "must have the sum 1")
        numbers = self._take("numbers", np.float64, (3,), 0.0)
        self._need(
            1e-30 <= numbers[INCREMENT] <= 100 * MAX_INCREMENT, "numbers", "must have an increment within bounds"
        )
        is_whole = settings.forgetting is not None or numbers[INCREMENT] == 1.0
        self._need(is_whole, "numbers", "must have an increment of 1 where nothing is forgotten")
        self._need(numbers[N_WORDS] == len(words), "numbers", "must count the words")
        self._need(numbers[REJUVENATION_DEBT] < 1.0, "numbers", "must owe less than a token")
        counters = self._take("counters", np.uint64, (5,), 0, _MOST)
        return {"alpha": alpha, "words": words, "weights": weights, "counters": counters, "numbers": numbers}

    def reservoir(self) -> State:
        """Documents of the reservoir."""
        keys = self._take("reservoir.keys", np.float64, (None,), 0.0, 1.0)
        words = self._take("reservoir.words", np.uint32, (None,), 0, self._w - 1)
        labels = self._take("reservoir.labels", np.uint32, (None,), 0, self._k - 1)
        first_token = self._starts("first_token", len(keys), len(words))
        first_label = self._starts("first_label", len(keys), len(labels))
        widths = np.diff(first_label)
        self._need((widths <= MOST_LABELS).all(), "reservoir.first_label", "must leave documents fewer labels")
        of_doc = np.repeat(np.arange(len(keys)), widths) * self._k + labels
        self._need(len(np.unique(of_doc)) == len(of_doc), "reservoir.labels", "must differ within a document")
        choices = self._take("reservoir.choices", np.uint16, (len(words), self._p))
        own = np.repeat(widths, np.diff(first_token))
        self._need((choices < own[:, None]).all(), "reservoir.choices", "must be among the labels of the document")
        in_doc = self._take("reservoir.in_doc", np.int32, (len(labels), self._p), 0)
        starts = np.repeat(first_label[:-1], np.diff(first_token))
        counted = [np.bincount(starts + choices[:, p], minlength=len(labels)) for p in range(self._p)]
        self._need((in_doc == np.array(counted).T).all(), "reservoir.in_doc", "must count the choices")
        size = self._take("reservoir.size", np.uint64, (4,), 0, _MOST)
        sizes = [int(size[n]) for n in (N_TOKENS, N_LABELS, N_DOCS)]
        self._need(sizes == [len(words), len(labels), len(keys)], "reservoir.size", "must be that of the arrays")
        self._need(int(size[CYCLE_POSITION]) <= len(words), "reservoir.size", "must have its place among the tokens")
        return {
            "reservoir.words": words,
            "reservoir.choices": choices,
            "reservoir.labels": labels,
            "reservoir.in_doc": in_doc,
            "reservoir.first_token": first_token.astype(np.uint64),
            "reservoir.first_label": first_label.astype(np.uint64),
            "reservoir.keys": keys,
            "reservoir.increments": self._take(
                "reservoir.increments", np.float64, (len(keys),), 0.0, 100 * MAX_INCREMENT
            ),
            "reservoir.size": size,
            "reservoir.bound": self._take("reservoir.bound", np.float64, (1,), 1e-300, 1.0),
        }

    def _starts(self, name: str, n_docs: int, total: int) -> NDArray[np.int64]:
        taken = self._take(f"reservoir.{name}", np.uint64, (n_docs + 1,), 0, total)
        starts: NDArray[np.int64] = np.asarray(taken, dtype=np.int64)
        rises = starts[0] == 0 and starts[-1] == total and (np.diff(starts) > 0).all()
        self._need(rises, f"reservoir.{name}", f"must rise from 0 to {total}")
        return starts

    def sums(self, state: State, dtype: np.dtype[Any]) -> None:
        """Check that totals are sums of counts, and that counts include the tokens of the reservoir."""
        unit, slack = state["numbers"][INCREMENT], 1e-6 if dtype.kind == "f" else 0.0
        counts, increments = state["pairs.counts"] / unit, state["reservoir.increments"]
        self._need((counts >= -slack).all(), "pairs.counts", "must not be negative")
        self._need(
            unit != 1.0 or (increments == 1.0).all(), "reservoir.increments", "must be 1 if nothing is forgotten"
        )
        self._need((increments <= unit).all(), "reservoir.increments", "must not be above the present one")
        starts = state["reservoir.first_token"].astype(np.int64)
        lengths = starts[1:] - starts[:-1]
        put_in = np.repeat(increments / unit, lengths)
        first = np.repeat(state["reservoir.first_label"][:-1].astype(np.int64), lengths)
        keys = state["pairs.labels"].astype(np.int64) * self._w + state["pairs.words"]
        order = np.argsort(keys)
        for p in range(self._p):
            sums = np.bincount(state["pairs.labels"], weights=counts[:, p], minlength=self._k)
            close = np.allclose(state["totals"][:, p] / unit, sums, rtol=1e-6, atol=1e-3 * (slack > 0))
            self._need(close, "totals", "must be the sums of the counts")
            if len(first):
                chosen = state["reservoir.labels"][first + state["reservoir.choices"][:, p]].astype(np.int64)
                at = self._places(keys, order, chosen * self._w + state["reservoir.words"])
                used = np.bincount(at, weights=put_in, minlength=len(keys))
                self._need((used <= counts[:, p] + slack).all(), "pairs.counts", "must hold the reservoir's tokens")

    def sizes(self, state: State) -> State:
        """Frequencies of words: at least their counts, more if labels were pruned."""
        unit, words = state["numbers"][INCREMENT], state["words"]
        sizes = self._take("sizes", np.float64, words.shape, 0.0, _LARGEST_COUNT)
        for counts in state["pairs.counts"].T:
            counted = np.bincount(state["pairs.words"], weights=counts, minlength=self._w)[words]
            self._need((counted / unit <= sizes / unit * (1 + 1e-6) + 1e-6).all(), "sizes", "must hold the counts")
        return {"sizes": sizes}

    def _places(self, keys: Any, order: Any, wanted: Any) -> Any:
        """Indices of pairs among all."""
        self._need(len(keys), "pairs.words", "must have the pairs of the reservoir")
        at = order[np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)]
        self._need((keys[at] == wanted).all(), "pairs.words", "must have the pairs of the reservoir")
        return at


KIND = "online-labeled-lda"
_MONITOR = "watch."  # prefix of the arrays of a StreamMonitor
_IN_FILE = {"unlabeled": "unlabelled"}  # names of settings in model files, where they differ


def write(model: OnlineLabeledLDA, stream: StreamState, path: Any) -> None:
    """Write the model of a stream."""
    stream.check_consistent()
    with defer_signals():  # it sorts its rows
        state = stream.engine.state()
    arrays = {
        **{f"stream.{name}": part for name, part in state.items()},
        **pack_strings(stream.vocabulary.ids, "vocabulary"),
        **pack_strings([to_json(list(stream.label_ids), "classes")], "classes"),
        **pack_strings([to_json(serialize_knowledge(stream.knowledge), "knowledge")], "knowledge"),
        **_window_to_arrays(stream),
        **({} if stream.regression is None else _regression_to_arrays(stream)),
        "label_counts": np.array(stream.label_counts, np.int64),
        **{f"{_MONITOR}{name}": part for name, part in stream.monitor_state.items()},
    }
    if stream.tokenizer is not None:
        arrays |= tokenizer_to_arrays(stream.tokenizer)
    meta = {
        "parameters": {_IN_FILE.get(name, name): value for name, value in stream.settings._asdict().items()},
        "n_jobs": 1 if model.n_jobs is None else int(model.n_jobs),
        "threshold": model.threshold if isinstance(model.threshold, str) else float(model.threshold),
        "label_prior": model.label_prior,
        "seed": stream.seed,
        "fixed_vocabulary": stream.vocabulary.is_fixed,
        "has_fractions": stream.has_fractions,
        "form": stream.form,
        "field": model.field_,
        "labelled": stream.n_labeled,
        "skipped": stream.n_skipped,
        "regression": stream.regression is not None,
    }
    if stream.progress.places:
        meta["reading"] = stream.progress.to_meta()
    write_model(path, KIND, meta, arrays)


def _window_to_arrays(stream: StreamState) -> dict[str, NDArray[Any]]:
    recent = stream.window
    return {
        "recent.log_p": np.array([document.log_p for document in recent], np.float64),
        "recent.tokens": np.concatenate([np.zeros(0, np.int32), *(document.tokens for document in recent)]),
        "recent.offsets": _offsets(len(document.tokens) for document in recent),
        "recent.labels": np.array(list(chain.from_iterable(document.labels for document in recent)), np.int32),
        "recent.label_offsets": _offsets(len(document.labels) for document in recent),
    }


def _regression_to_arrays(stream: StreamState) -> dict[str, NDArray[Any]]:
    assert stream.regression is not None
    return stream.regression.to_arrays(len(stream.vocabulary.ids), len(stream.label_ids))


def _offsets(lengths: Any) -> NDArray[np.int64]:
    return np.array(list(accumulate(lengths, initial=0)), np.int64)


def read(cls: type[OnlineLabeledLDA], file: ModelFile) -> OnlineLabeledLDA:
    """Read the model of a stream; a ModelFileError if anything in the file is invalid."""
    fields = file.fields
    words, is_fixed = fields.strings("vocabulary", unique=True), fields.flag("fixed_vocabulary")
    tokenizer = tokenizer_from_fields(fields) if "tokenizer" in fields else None
    model = cls(
        **_parameters(fields),
        vocabulary=words if is_fixed else None,
        tokenizer=tokenizer,
        knowledge=_knowledge(fields),
        threshold=fields.value("threshold"),
        label_prior=fields.text("label_prior"),
        n_jobs=fields.integer("n_jobs"),
        random_state=fields.integer("seed", minimum=0),
    )
    check_n_jobs(model.n_jobs)
    model.field_ = fields.text("field") if "field" in fields else None
    stream = _stream(fields, model, words)
    stream.tokenizer, stream.knowledge = tokenizer, model.knowledge
    if "reading" in fields:
        stream.progress = progress_from_fields(fields.section("reading"))
    stream.monitor_state = {
        name[len(_MONITOR) :]: part for name, part in file.arrays.items() if name.startswith(_MONITOR)
    }
    model.set_stream(stream)
    return model


def _parameters(fields: ModelFields) -> dict[str, Any]:
    section = fields.section("parameters")
    return {name: section.value(_IN_FILE.get(name, name)) for name in StreamSettings._fields}


def _stream(fields: ModelFields, model: OnlineLabeledLDA, words: list[str]) -> StreamState:
    links = StreamState.from_parameters(model).links  # all parameters are checked
    settings = check_settings(model)
    stream = StreamState(settings, fields.integer("seed", minimum=0), [], StreamVocabulary(model.vocabulary), links)
    stream.has_fractions = fields.flag("has_fractions")
    stream.vocabulary.ids = {word: n for n, word in enumerate(words)}
    links.rebind(stream.vocabulary.ids)
    classes = classes_from_fields(fields).tolist()
    stream.label_ids = {label: n for n, label in enumerate(classes)}
    stream.label_texts = {str(label): label for label in classes}
    if not len(stream.label_ids) == len(stream.label_texts) == len(classes):
        fields.fail("classes", "must differ, as text too")
    counts = fields.array("label_counts", np.int64, shape=(len(classes),), minimum=0, maximum=_MOST)
    stream.label_counts = counts.tolist()
    stream.form = fields.text("form", choices=(CLASSES, LISTS))
    stream.n_labeled = fields.integer("labelled", minimum=0, maximum=_MOST)
    stream.n_skipped = fields.integer("skipped", minimum=0, maximum=_MOST)
    stream.window.extend(_window(fields, len(words), len(classes)))
    stream.regression = None
    if "regression" in fields and fields.flag("regression"):
        stream.regression = StreamRegression.from_fields(fields, len(words), len(classes))
    options = stream.engine_options()
    has_links = options["links"] is not None
    state = checked_state(fields, settings, len(words), len(classes), options["dtype"], has_links)
    stream.engine = StreamEngine.from_state(state, **options)
    if not stream.is_fitted:
        fields.fail("vocabulary", "must have a word that has occurred")
    return stream


def _window(fields: ModelFields, n_words: int, n_labels: int) -> list[WindowEntry]:
    log_p = fields.array("recent.log_p", np.float64, ndim=1, maximum=1e-6).tolist()
    tokens = fields.array("recent.tokens", np.int32, ndim=1, minimum=0, maximum=n_words - 1)
    labels = fields.array("recent.labels", np.int32, ndim=1, minimum=0, maximum=n_labels - 1).tolist()
    ends = pairwise(fields.offsets("recent.offsets", len(tokens), count=len(log_p)).tolist())
    label_ends = pairwise(fields.offsets("recent.label_offsets", len(labels), count=len(log_p)).tolist())
    rows = zip(log_p, ends, label_ends)
    return [WindowEntry(chance, tokens[a:b].copy(), tuple(labels[c:d])) for chance, (a, b), (c, d) in rows]


def _knowledge(fields: ModelFields) -> list[Any]:
    try:
        knowledge = parse_knowledge(fields.json("knowledge"))
        StreamLinks(seeds_and_links(knowledge)[1])
    except InputError as error:
        fields.fail("knowledge", f"can't be read: {error}")
    return knowledge
