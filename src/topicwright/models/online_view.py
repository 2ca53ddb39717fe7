"""What a model of a stream shows of it: the names that other models have, worked out when they are asked for."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..corpus import Corpus
from ..errors import InputError, NotKeptError
from ..knowledge import KnowledgeReport
from ..samplers.inference import Documents, Frozen
from .labeled_inference import Reader, documents_to_learn_from
from .labeled_predicting import PredictsLabels
from .labeled_targets import topic_names
from .online_state import Stream, View
from .targets import CLASSES, Floats, as_array


class SeesStream(PredictsLabels):
    """The fitted attributes of a stream; the base of :class:`OnlineLabeledLDA`."""

    _stream: Stream
    assignments_ = None
    doc_topic_counts_ = None
    seed_prior_ = None

    def _changed(self) -> None:
        self._thresholds = {}
        self._seen: View | None = None
        for view in ("components_", "topic_word_"):
            self.__dict__.pop(view, None)

    @property
    def _has_begun(self) -> bool:
        return "_stream" in self.__dict__

    @property
    def _n_read(self) -> int:
        """Documents that were learned from or skipped, whether or not the model is fitted by them."""
        return self._stream.n_read if self._has_begun else 0

    def __sklearn_is_fitted__(self) -> bool:
        return self._has_begun and self._stream.is_fitted

    def _at_work(self) -> Stream:
        check_is_fitted(self)
        return self._stream

    @property
    def _view(self) -> View:
        stream = self._at_work()
        if self._seen is None:
            self._seen = stream.view()
        return self._seen

    def _readers(self) -> list[Reader]:
        """Particles infer θ for themselves.

        On arXiv, Reuters and Delicious they foresaw words better than one θ from their mean φ did: perplexity was 1 to
        9 % lower; on ACM it was 4 % higher.
        """
        return [self._reader(particle) for particle in self._at_work().particles()]

    @property
    def classes_(self) -> NDArray[Any]:  # type: ignore[override]
        """The labels, in the order in which they came."""
        return as_array(list(self._at_work().labels))

    @property
    def corpus_(self) -> Corpus:  # type: ignore[override]
        """The words and how texts are cut; a stream's documents are not kept."""
        return self._view.corpus

    @property
    def vocabulary_(self) -> NDArray[np.object_]:  # type: ignore[override]
        """The words, in the order in which they came."""
        return self._view.corpus.vocabulary

    @property
    def topic_word_counts_(self) -> Any:  # type: ignore[override]
        """Counts of words of labels, as CSR: the mean of particles, or those of the best."""
        return self._view.counts

    @property
    def _frozen(self) -> Frozen:  # type: ignore[override]
        return self._view.frozen

    @property
    def alpha_(self) -> Floats:  # type: ignore[override]
        """α of each label."""
        stream = self._at_work()
        return np.full(len(stream.labels), stream.settings.alpha)

    @property
    def beta_(self) -> float:  # type: ignore[override]
        """β."""
        return self._at_work().settings.beta

    @property
    def seed_(self) -> int:  # type: ignore[override]
        """The seed."""
        return self._at_work().seed

    @property
    def topic_names_(self) -> list[str]:  # type: ignore[override]
        """The labels as text."""
        return topic_names(self.classes_, 0)

    @property
    def n_features_in_(self) -> int:  # type: ignore[override]
        """Number of words."""
        return len(self._at_work().words.number)

    @property
    def label_counts_(self) -> NDArray[np.int64]:  # type: ignore[override]
        """How many documents came with each label."""
        return np.array(self._at_work().label_counts, dtype=np.int64)

    @property
    def _n_labelled(self) -> int:  # type: ignore[override]
        return self._at_work().n_labelled

    @property
    def _form(self) -> str:  # type: ignore[override]
        return self._at_work().form

    @property
    def multilabel_(self) -> bool:  # type: ignore[override]
        """Whether documents may have several labels: not as long as each came with one that was in no list."""
        return self._form != CLASSES

    @property
    def n_docs_seen_(self) -> int:
        """Documents that were learned from."""
        return self._at_work().engine.n_documents

    @property
    def n_tokens_seen_(self) -> int:
        """Words that were learned from."""
        return self._at_work().engine.n_tokens

    @property
    def n_skipped_(self) -> int:
        """Documents that were skipped, since they had no labels."""
        return self._at_work().n_skipped

    @property
    def running_perplexity_(self) -> float:
        """Perplexity of the window's documents, each as it was foreseen; NaN where they have no words."""
        return self._at_work().running_perplexity()

    @property
    def effective_particles_(self) -> float:
        """1 / Σ ω² over the particles' weights ω."""
        return self._at_work().engine.effective_particles

    @property
    def n_resamplings_(self) -> int:
        """How often particles were resampled."""
        return self._at_work().engine.n_resamplings

    @property
    def new_labels_(self) -> list[Any]:
        """Labels that came up in the last call."""
        return list(self._at_work().new_labels)

    def _learnable(self) -> tuple[Documents, list[list[int]]]:
        stream = self._at_work()
        lengths = np.array([len(document.tokens) for document in stream.recent], dtype=np.int64)
        rows = documents_to_learn_from(lengths, np.ones(len(lengths), dtype=bool), len(stream.labels)).tolist()
        if not rows:
            raise InputError("threshold_ needs labelled documents in the window: got none with words")
        offsets = np.concatenate([[0], np.cumsum(lengths[rows])]).astype(np.int64)
        documents = Documents(np.concatenate([stream.recent[row].tokens for row in rows]), offsets)
        return documents, [list(stream.recent[row].labels) for row in rows]

    def _needs_corpus(self, what: str) -> NoReturn:
        raise NotKeptError(f"{what} needs the training documents, and those of a stream are not kept")

    def knowledge_report(self, *_: Any, **__: Any) -> KnowledgeReport:
        """Not of a stream: there are no documents to look at."""
        self._needs_corpus("knowledge_report")
