"""Model files of OnlineLDA; a loaded stream continues exactly as if it had never stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..._utils.count_rows import topic_bits
from ..._utils.signals import defer_signals
from ..._utils.validation import check_n_jobs
from ...io import ModelFields, ModelFile, pack_strings, write_model
from ...io.fields import tokenizer_from_fields, tokenizer_to_arrays
from .lda import TopicStream, TopicStreamSettings
from .state import progress_from_fields

if TYPE_CHECKING:
    from .lda import OnlineLDA

KIND = "online-lda"
_MOST = 2**62
_LARGEST_COUNT = 2**40


def write(model: OnlineLDA, stream: TopicStream, path: Any) -> None:
    """Write the model of a stream."""
    with defer_signals():
        state = stream.sampler.state()
    arrays = {
        **{f"stream.{name}": part for name, part in state.items()},
        **pack_strings(stream.vocabulary.ids, "vocabulary"),
        "waiting.tokens": np.concatenate([np.zeros(0, np.uint32), *stream.waiting]),
        "waiting.lengths": np.array([len(document) for document in stream.waiting], np.int64),
    }
    if stream.tokenizer is not None:
        arrays |= tokenizer_to_arrays(stream.tokenizer)
    meta = {
        "parameters": stream.settings._asdict(),
        "n_jobs": 1 if model.n_jobs is None else int(model.n_jobs),
        "seed": stream.seed,
        "fixed_vocabulary": stream.vocabulary.is_fixed,
    }
    if stream.progress.places:
        meta["reading"] = stream.progress.to_meta()
    write_model(path, KIND, meta, arrays)


def read(cls: type[OnlineLDA], file: ModelFile) -> OnlineLDA:
    """Read the model of a stream; a ModelFileError if anything in the file is invalid."""
    fields = file.fields
    words, is_fixed = fields.strings("vocabulary", unique=True), fields.flag("fixed_vocabulary")
    if not words:
        fields.fail("vocabulary", "must have a word")
    parameters = fields.section("parameters")
    model = cls(
        **{name: parameters.value(name) for name in TopicStreamSettings._fields},
        vocabulary=words if is_fixed else None,
        tokenizer=tokenizer_from_fields(fields) if "tokenizer" in fields else None,
        n_jobs=fields.integer("n_jobs"),
        random_state=fields.integer("seed", minimum=0),
    )
    check_n_jobs(model.n_jobs)
    stream = TopicStream.from_parameters(model)
    stream.vocabulary.ids = {word: n for n, word in enumerate(words)}
    stream.sampler.restore(_checked_state(fields, stream.settings.n_topics, len(words)))
    tokens = fields.array("waiting.tokens", np.uint32, ndim=1, maximum=len(words) - 1)
    lengths = fields.array("waiting.lengths", np.int64, ndim=1, minimum=0, maximum=len(tokens))
    if lengths.sum() != len(tokens):
        fields.fail("waiting.lengths", f"must have the sum {len(tokens)}")
    stream.waiting = np.split(tokens, np.cumsum(lengths)[:-1]) if len(lengths) else []
    stream.n_docs = stream.sampler.n_docs + len(stream.waiting)
    stream.n_tokens = stream.sampler.n_tokens + len(tokens)
    if not stream.is_fitted:
        fields.fail("vocabulary", "must have a word that has occurred")
    if "reading" in fields:
        stream.progress = progress_from_fields(fields.section("reading"))
    model.set_stream(stream)
    return model


def _checked_state(fields: ModelFields, n_topics: int, n_words: int) -> dict[str, NDArray[Any]]:
    """State of the sampler; a ModelFileError if it is invalid."""

    def take(name: str, dtype: Any, shape: tuple[int | None, ...], low: Any = 0, high: Any = None) -> Any:
        return fields.array(f"stream.{name}", dtype, shape=shape, minimum=low, maximum=high)

    def need(holds: Any, name: str, rule: str) -> None:
        if not holds:
            fields.fail(f"stream.{name}", rule)

    lengths = take("rows.lengths", np.int64, (None,), 0, n_topics)
    need(len(lengths) <= n_words, "rows.lengths", f"must have at most {n_words} rows")
    need(lengths.sum() < _MOST, "rows.lengths", "must be lengths of rows")
    entries = take("rows.entries", np.uint64, (int(lengths.sum()),))
    bits = np.uint64(topic_bits(n_topics))
    topics = (entries & np.uint64((1 << int(bits)) - 1)).astype(np.int64)
    counts = (entries >> bits).astype(np.int64)
    need((topics < n_topics).all(), "rows.entries", f"must have topics below {n_topics}")
    need(((counts > 0) & (counts < _LARGEST_COUNT)).all(), "rows.entries", "must have positive counts")
    owners = np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
    falls = (np.diff(counts) <= 0) | (np.diff(owners) > 0)
    need(falls.all(), "rows.entries", "must have the counts of a row in descending order")
    pairs = owners * n_topics + topics
    order = np.argsort(pairs)
    need((np.diff(pairs[order]) > 0).all(), "rows.entries", "must have no topic twice in a row")

    tokens = take("tokens", np.uint32, (None,), 0, max(0, len(lengths) - 1))
    assigned = take("topics", np.uint32, tokens.shape, 0, n_topics - 1)
    drawn, times = np.unique(tokens.astype(np.int64) * n_topics + assigned, return_counts=True)
    at = np.minimum(np.searchsorted(pairs, drawn, sorter=order), max(0, len(pairs) - 1))
    need(len(pairs) or not len(drawn), "rows.entries", "must count the tokens of the reservoir")
    if len(drawn):
        at = order[at]
        holds = (pairs[at] == drawn) & (counts[at] >= times)
        need(holds.all(), "rows.entries", "must count the tokens of the reservoir")

    n_docs = take("n_docs", np.int64, (None,), 0)
    doc_lengths = take("doc_lengths", np.int64, (None,), 0, len(tokens))
    need(n_docs.sum() == len(doc_lengths), "n_docs", f"must have the sum {len(doc_lengths)}")
    need(doc_lengths.sum() == len(tokens), "doc_lengths", f"must have the sum {len(tokens)}")
    counters = take("counters", np.int64, (4,), 0, _MOST)
    return {
        "rows.lengths": lengths,
        "rows.entries": entries,
        "tokens": tokens,
        "topics": assigned,
        "doc_lengths": doc_lengths,
        "n_docs": n_docs,
        "born": take("born", np.int64, n_docs.shape, 0, int(counters[1])),
        "keys": take("keys", np.float64, n_docs.shape, 0.0, 1.0),
        "owed": take("owed", np.float64, (1,), 0.0, float(_MOST)),
        "counters": counters,
    }
