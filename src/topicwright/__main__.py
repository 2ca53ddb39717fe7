"""``python -m topicwright`` is the command ``topicwright``."""

from .cli import main

if __name__ == "__main__":
    main()
