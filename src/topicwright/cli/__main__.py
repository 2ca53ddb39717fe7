"""``python -m topicwright.cli``, where the command itself is not on the path."""

from . import main

main()
