"""The ``topicwright stream`` command: its options, the model that it creates or continues, and its output."""

from .command import stream

__all__ = ["stream"]
