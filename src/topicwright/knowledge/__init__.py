"""What people know, as data that the sampler obeys: links, seeds, labels, and knowledge of one's own."""

from .._utils.count_rows import entry_at, row_bounds
from .compiler import Compiled, Knowledge, Part, TopicNumbers, compile_knowledge
from .custom import Custom
from .document_links import DocumentLinks
from .document_topics import DocumentTopics
from .factors import multiply, register_factor
from .forbidden_words import ForbiddenWords
from .io.files import from_data, read_knowledge, to_data, write_knowledge
from .known_topics import KnownTopics, TopicNames
from .labels import DocumentLabels, SentenceLabels
from .report import KnowledgeReport
from .seeds import SeedWords
from .word_links import CannotLinks, MustLinks

__all__ = [
    "CannotLinks",
    "Compiled",
    "Custom",
    "DocumentLabels",
    "DocumentLinks",
    "DocumentTopics",
    "ForbiddenWords",
    "Knowledge",
    "KnowledgeReport",
    "KnownTopics",
    "MustLinks",
    "Part",
    "SeedWords",
    "SentenceLabels",
    "TopicNames",
    "TopicNumbers",
    "compile_knowledge",
    "entry_at",
    "from_data",
    "multiply",
    "read_knowledge",
    "register_factor",
    "row_bounds",
    "to_data",
    "write_knowledge",
]
