"""Topicwright: topic models that use what you know.

>>> import topicwright as tw
>>> texts = ["cats and dogs purr and bark", "stocks and bonds rise and fall"] * 20
>>> lda = tw.LDA(n_topics=2, n_sweeps=20).fit(texts)
>>> lda.doc_topic_.shape
(40, 2)

Names are imported when they are first used, so that ``import topicwright`` is quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from . import datasets, evaluation
    from .corpus import Corpus, Tokenizer
    from .distributed import DiskBackend, RayBackend
    from .errors import ClusterError, InputError, MissingExtraError, ModelFileError, TopicwrightError
    from .explorer import explore
    from .io import load
    from .knowledge import (
        BackgroundWords,
        CannotLinks,
        CustomFactor,
        DocumentLabels,
        DocumentLinks,
        DocumentTopics,
        ForbiddenWords,
        KnownTopics,
        MustLinks,
        SeedWords,
        SentenceLabels,
        TopicNames,
        read_knowledge,
        write_knowledge,
    )
    from .knowledge.sources import (
        Vectors,
        links_from_corpus,
        links_from_vectors,
        links_from_wordnet,
        load_vectors,
        vectors_from_corpus,
    )
    from .models import LDA, LabeledLDA, MedLDAClassifier, MedLDARegressor, OnlineLabeledLDA, OnlineLDA, show_progress
    from .steering import Steering
    from .streaming.monitor import StreamMonitor

_HOMES = {
    "DiskBackend": "distributed",
    "RayBackend": "distributed",
    "Corpus": "corpus",
    "Tokenizer": "corpus",
    "BackgroundWords": "knowledge",
    "CannotLinks": "knowledge",
    "CustomFactor": "knowledge",
    "DocumentLabels": "knowledge",
    "DocumentLinks": "knowledge",
    "DocumentTopics": "knowledge",
    "ForbiddenWords": "knowledge",
    "KnownTopics": "knowledge",
    "MustLinks": "knowledge",
    "SeedWords": "knowledge",
    "SentenceLabels": "knowledge",
    "TopicNames": "knowledge",
    "read_knowledge": "knowledge",
    "write_knowledge": "knowledge",
    "Vectors": "knowledge.sources",
    "links_from_corpus": "knowledge.sources",
    "links_from_vectors": "knowledge.sources",
    "links_from_wordnet": "knowledge.sources",
    "load_vectors": "knowledge.sources",
    "vectors_from_corpus": "knowledge.sources",
    "LDA": "models",
    "LabeledLDA": "models",
    "MedLDAClassifier": "models",
    "MedLDARegressor": "models",
    "OnlineLDA": "models",
    "OnlineLabeledLDA": "models",
    "show_progress": "models",
    "Steering": "steering",
    "StreamMonitor": "streaming.monitor",
    "load": "io",
    "ClusterError": "errors",
    "InputError": "errors",
    "MissingExtraError": "errors",
    "ModelFileError": "errors",
    "TopicwrightError": "errors",
    "explore": "explorer",
    "datasets": None,
    "evaluation": None,
}

__all__ = [
    "LDA",
    "BackgroundWords",
    "CannotLinks",
    "ClusterError",
    "Corpus",
    "CustomFactor",
    "DiskBackend",
    "DocumentLabels",
    "DocumentLinks",
    "DocumentTopics",
    "ForbiddenWords",
    "InputError",
    "KnownTopics",
    "LabeledLDA",
    "MedLDAClassifier",
    "MedLDARegressor",
    "MissingExtraError",
    "ModelFileError",
    "MustLinks",
    "OnlineLDA",
    "OnlineLabeledLDA",
    "RayBackend",
    "SeedWords",
    "SentenceLabels",
    "Steering",
    "StreamMonitor",
    "Tokenizer",
    "TopicNames",
    "TopicwrightError",
    "Vectors",
    "__version__",
    "datasets",
    "evaluation",
    "explore",
    "links_from_corpus",
    "links_from_vectors",
    "links_from_wordnet",
    "load",
    "load_vectors",
    "read_knowledge",
    "show_progress",
    "vectors_from_corpus",
    "write_knowledge",
]


_RENAMED = {"Custom": "CustomFactor", "Watch": "StreamMonitor"}  # deprecated names


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        from ._utils.deprecation import deprecation_warning

        deprecation_warning(f"topicwright.{name}", f"topicwright.{_RENAMED[name]}")
        return __getattr__(_RENAMED[name])
    if name not in _HOMES:
        raise AttributeError(f"module 'topicwright' has no attribute {name!r}; it has: {', '.join(__all__)}")
    from importlib import import_module

    home = _HOMES[name]
    value = import_module(f".{name}", __name__) if home is None else getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
