"""Knowledge: links, seeds, labels and other prior knowledge that models are trained with.

Each kind of knowledge is a class in a file of its own (see :mod:`topicwright.knowledge.base`). A model passes a list of
them to :func:`compile_knowledge`, and the compiled knowledge to the sampler.
"""

from typing import TYPE_CHECKING

from .._utils.count_rows import entry_at, row_bounds
from .._utils.deprecation import deprecated_names
from .background_words import BackgroundWords
from .base import Knowledge, KnowledgePart, TopicNumbers, register_knowledge
from .compiler import CompiledKnowledge, compile_knowledge
from .custom import CustomFactor
from .document_links import DocumentLinks
from .document_topics import DocumentTopics
from .factors import register_factor, scale_topic
from .forbidden_words import ForbiddenWords
from .io.files import parse_knowledge, read_knowledge, serialize_knowledge, write_knowledge
from .known_topics import KnownTopics, TopicNames
from .labels import DocumentLabels, SentenceLabels
from .report import KnowledgeCost, KnowledgeReport, ReportRow
from .seeds import SeedWords
from .word_links import CannotLinks, MustLinks

__all__ = [
    "BackgroundWords",
    "CannotLinks",
    "CompiledKnowledge",
    "CustomFactor",
    "DocumentLabels",
    "DocumentLinks",
    "DocumentTopics",
    "ForbiddenWords",
    "Knowledge",
    "KnowledgeCost",
    "KnowledgePart",
    "KnowledgeReport",
    "KnownTopics",
    "MustLinks",
    "ReportRow",
    "SeedWords",
    "SentenceLabels",
    "TopicNames",
    "TopicNumbers",
    "compile_knowledge",
    "entry_at",
    "parse_knowledge",
    "read_knowledge",
    "register_factor",
    "register_knowledge",
    "row_bounds",
    "scale_topic",
    "serialize_knowledge",
    "write_knowledge",
]

if not TYPE_CHECKING:
    __getattr__ = deprecated_names(
        globals(),
        {
            "Compiled": "CompiledKnowledge",
            "Custom": "CustomFactor",
            "Part": "KnowledgePart",
            "from_data": "parse_knowledge",
            "multiply": "scale_topic",
            "to_data": "serialize_knowledge",
        },
    )
