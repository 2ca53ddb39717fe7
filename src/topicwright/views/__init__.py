"""What people see of a model: where topics lie, their words, documents and weights; plots, and a page for a browser."""

from .documents import MarkedWord, TopicDocument, documents_of
from .labels import labels_of
from .mapping import TopicMap, map_of_topics
from .measures import coherence_of_topics, topic_sizes
from .page import report_page
from .similarity import similar_topics, topic_distances
from .weights import weights_of_topics
from .words import RelevantWord, TopicWords, relevant_words

__all__ = [
    "MarkedWord",
    "RelevantWord",
    "TopicDocument",
    "TopicMap",
    "TopicWords",
    "coherence_of_topics",
    "documents_of",
    "labels_of",
    "map_of_topics",
    "relevant_words",
    "report_page",
    "similar_topics",
    "topic_distances",
    "topic_sizes",
    "weights_of_topics",
]
