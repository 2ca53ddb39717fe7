"""Views of a model: map of topics, relevant words, documents, topics over time, search, plots and the HTML report."""

from .._utils.deprecation import deprecated_names
from .._utils.table import Table
from .documents import MarkedWord, ReadDocument, TextPiece, TopicDocument, documents_of, read_document, read_text
from .hierarchy import TopicGroup, TopicHierarchy, topic_correlations, topic_groups, topic_hierarchy
from .info import DocumentInfo, TopicInfo, document_info, topic_info
from .over_time import Period, TopicsOverTime, topics_over_time
from .report.page import report_page
from .search import FoundDocument, FoundWord, Search
from .topic_map import TopicLayout, map_of_topics, similar_topics, topic_distances
from .words import (
    RankedWords,
    RelevantWord,
    coherence_of_topics,
    frex_words,
    labels_of,
    relevant_words,
    topic_sizes,
    weights_of_topics,
)

__all__ = [
    "DocumentInfo",
    "FoundDocument",
    "FoundWord",
    "MarkedWord",
    "Period",
    "RankedWords",
    "ReadDocument",
    "RelevantWord",
    "Search",
    "Table",
    "TextPiece",
    "TopicDocument",
    "TopicGroup",
    "TopicHierarchy",
    "TopicInfo",
    "TopicLayout",
    "TopicsOverTime",
    "coherence_of_topics",
    "document_info",
    "documents_of",
    "frex_words",
    "labels_of",
    "map_of_topics",
    "read_document",
    "read_text",
    "relevant_words",
    "report_page",
    "similar_topics",
    "topic_correlations",
    "topic_distances",
    "topic_groups",
    "topic_hierarchy",
    "topic_info",
    "topic_sizes",
    "topics_over_time",
    "weights_of_topics",
]

__getattr__ = deprecated_names(
    globals(), {"Piece": "TextPiece", "TopicMap": "TopicLayout", "TopicWords": "RankedWords"}
)
