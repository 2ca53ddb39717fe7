"""The ``topicwright stream`` command."""
