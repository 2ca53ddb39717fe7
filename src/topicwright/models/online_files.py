"""A stream as a model file, and back: it goes on to the bit as if it had never stopped."""

from __future__ import annotations

from itertools import accumulate, chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..io import Fields, ModelFile, pack_strings, write_model
from ..io.corpusfile import tokenizer_from_fields, tokenizer_to_arrays
from ..io.plainjson import to_json
from ..knowledge import from_data, to_data
from ..samplers.stream import StreamEngine
from .files import classes_from_fields
from .online_checking import checked_state
from .online_links import StreamLinks
from .online_parameters import Settings, Words, checked_settings, knowledge_of
from .online_places import reading_from
from .online_state import Recent, Stream
from .parameters import number_of_jobs
from .targets import CLASSES, LISTS
from .uninterrupted import uninterrupted

if TYPE_CHECKING:
    from .online import OnlineLabeledLDA

KIND = "online-labeled-lda"
_MOST = 2**62
_WATCH = "watch."  # what who watches the stream keeps with it


def write(model: OnlineLabeledLDA, stream: Stream, path: Any) -> None:
    """Write a model that has begun."""
    stream.check_whole()
    with uninterrupted():  # it puts its rows in order
        state = stream.engine.state()
    arrays = {
        **{f"stream.{name}": part for name, part in state.items()},
        **pack_strings(stream.words.number, "vocabulary"),
        **pack_strings([to_json(list(stream.labels), "classes")], "classes"),
        **pack_strings([to_json(to_data(stream.knowledge), "knowledge")], "knowledge"),
        **_recent_to_arrays(stream),
        "label_counts": np.array(stream.label_counts, np.int64),
        **{f"{_WATCH}{name}": part for name, part in stream.watch.items()},
    }
    if stream.cutter is not None:
        arrays |= tokenizer_to_arrays(stream.cutter)
    meta = {
        "parameters": stream.settings._asdict(),
        "n_jobs": 1 if model.n_jobs is None else int(model.n_jobs),
        "threshold": model.threshold if isinstance(model.threshold, str) else float(model.threshold),
        "label_prior": model.label_prior,
        "seed": stream.seed,
        "fixed_vocabulary": stream.words.is_fixed,
        "has_fractions": stream.has_fractions,
        "form": stream.form,
        "field": model.field_,
        "labelled": stream.n_labelled,
        "skipped": stream.n_skipped,
    }
    if stream.reading.places:
        meta["reading"] = stream.reading.to_meta()
    write_model(path, KIND, meta, arrays)


def _recent_to_arrays(stream: Stream) -> dict[str, NDArray[Any]]:
    recent = stream.recent
    return {
        "recent.log_p": np.array([document.log_p for document in recent], np.float64),
        "recent.tokens": np.concatenate([np.zeros(0, np.int32), *(document.tokens for document in recent)]),
        "recent.offsets": _offsets(len(document.tokens) for document in recent),
        "recent.labels": np.array(list(chain.from_iterable(document.labels for document in recent)), np.int32),
        "recent.label_offsets": _offsets(len(document.labels) for document in recent),
    }


def _offsets(lengths: Any) -> NDArray[np.int64]:
    return np.array(list(accumulate(lengths, initial=0)), np.int64)


def read(cls: type[OnlineLabeledLDA], file: ModelFile) -> OnlineLabeledLDA:
    """A model from a file that may hold anything: whatever does not fit is a ModelFileError."""
    fields = file.fields
    words, is_fixed = fields.strings("vocabulary", unique=True), fields.flag("fixed_vocabulary")
    cutter = tokenizer_from_fields(fields) if "tokenizer" in fields else None
    model = cls(
        **_parameters(fields),
        vocabulary=words if is_fixed else None,
        tokenizer=cutter,
        knowledge=_knowledge(fields),
        threshold=fields.value("threshold"),
        label_prior=fields.text("label_prior"),
        n_jobs=fields.integer("n_jobs"),
        random_state=fields.integer("seed", minimum=0),
    )
    number_of_jobs(model.n_jobs)
    model.field_ = fields.text("field") if "field" in fields else None
    model._stream = _stream(fields, model, words)
    model._stream.cutter, model._stream.knowledge = cutter, model.knowledge
    if "reading" in fields:
        model._stream.reading = reading_from(fields.section("reading"))
    model._stream.watch = {name[len(_WATCH) :]: part for name, part in file.arrays.items() if name.startswith(_WATCH)}
    model._changed()
    return model


def _parameters(fields: Fields) -> dict[str, Any]:
    said = fields.section("parameters")
    return {name: said.value(name) for name in Settings._fields}


def _stream(fields: Fields, model: OnlineLabeledLDA, words: list[str]) -> Stream:
    links = model._started().links  # all parameters are checked
    settings = checked_settings(model)
    stream = Stream(settings, fields.integer("seed", minimum=0), [], Words(model.vocabulary), links)
    stream.has_fractions = fields.flag("has_fractions")
    stream.words.number = {word: n for n, word in enumerate(words)}
    links.look_up(stream.words.number)
    classes = classes_from_fields(fields).tolist()
    stream.labels = {label: n for n, label in enumerate(classes)}
    stream.texts = {str(label): label for label in classes}
    if not len(stream.labels) == len(stream.texts) == len(classes):
        fields.fail("classes", "must differ, as text too")
    counts = fields.array("label_counts", np.int64, shape=(len(classes),), minimum=0, maximum=_MOST)
    stream.label_counts = counts.tolist()
    stream.form = fields.text("form", choices=(CLASSES, LISTS))
    stream.n_labelled = fields.integer("labelled", minimum=0, maximum=_MOST)
    stream.n_skipped = fields.integer("skipped", minimum=0, maximum=_MOST)
    stream.recent.extend(_recent(fields, len(words), len(classes)))
    options = stream.engine_options()
    has_links = options["links"] is not None
    state = checked_state(fields, settings, len(words), len(classes), options["dtype"], has_links)
    stream.engine = StreamEngine.from_state(state, **options)
    if not stream.is_fitted:
        fields.fail("vocabulary", "must have a word that has occurred")
    return stream


def _recent(fields: Fields, n_words: int, n_labels: int) -> list[Recent]:
    log_p = fields.array("recent.log_p", np.float64, ndim=1, maximum=1e-6).tolist()
    tokens = fields.array("recent.tokens", np.int32, ndim=1, minimum=0, maximum=n_words - 1)
    labels = fields.array("recent.labels", np.int32, ndim=1, minimum=0, maximum=n_labels - 1).tolist()
    ends = pairwise(fields.offsets("recent.offsets", len(tokens), count=len(log_p)).tolist())
    label_ends = pairwise(fields.offsets("recent.label_offsets", len(labels), count=len(log_p)).tolist())
    rows = zip(log_p, ends, label_ends)
    return [Recent(chance, tokens[a:b].copy(), tuple(labels[c:d])) for chance, (a, b), (c, d) in rows]


def _knowledge(fields: Fields) -> list[Any]:
    try:
        knowledge = from_data(fields.json("knowledge"))
        StreamLinks(knowledge_of(knowledge)[1])
    except InputError as error:
        fields.fail("knowledge", f"can't be read: {error}")
    return knowledge
