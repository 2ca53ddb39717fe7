"""What people know, as data that the sampler obeys: links, seeds, labels, and knowledge of one's own."""

from .._utils.count_rows import entry_at, row_bounds
from .compiler import CompiledKnowledge, Knowledge, KnowledgePart, TopicNumbers, compile_knowledge
from .custom import Custom
from .document_links import DocumentLinks
from .document_topics import DocumentTopics
from .factors import register_factor, scale_topic
from .forbidden_words import ForbiddenWords
from .io.files import parse_knowledge, read_knowledge, serialize_knowledge, write_knowledge
from .known_topics import KnownTopics, TopicNames
from .labels import DocumentLabels, SentenceLabels
from .report import KnowledgeReport
from .seeds import SeedWords
from .word_links import CannotLinks, MustLinks

__all__ = [
    "CannotLinks",
    "CompiledKnowledge",
    "Custom",
    "DocumentLabels",
    "DocumentLinks",
    "DocumentTopics",
    "ForbiddenWords",
    "Knowledge",
    "KnowledgePart",
    "KnowledgeReport",
    "KnownTopics",
    "MustLinks",
    "SeedWords",
    "SentenceLabels",
    "TopicNames",
    "TopicNumbers",
    "compile_knowledge",
    "entry_at",
    "parse_knowledge",
    "read_knowledge",
    "register_factor",
    "row_bounds",
    "scale_topic",
    "serialize_knowledge",
    "write_knowledge",
]
