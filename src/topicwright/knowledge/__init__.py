"""What people know, as data that the sampler obeys: links, seeds, labels, and knowledge of one's own."""

from ..counts import entry_at, row_bounds
from .about import DocumentTopics
from .compiling import Compiled, Knowledge, Part, TopicNumbers, compile_knowledge
from .custom import Custom
from .documents import DocumentLinks
from .factors import multiply, register_factor
from .files import from_data, read_knowledge, to_data, write_knowledge
from .forbidden import ForbiddenWords
from .labels import DocumentLabels, SentenceLabels
from .report import KnowledgeReport
from .seeds import SeedWords
from .topics import KnownTopics, TopicNames
from .words import CannotLinks, MustLinks

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
