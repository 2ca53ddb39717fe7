"""The command line: ``topicwright VERB``, one file a verb, and helpers whose names start with an underscore.

Results go to standard output, everything else to standard error. What takes long to import is imported inside
the verbs, so that ``topicwright --help`` answers at once.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        from ._app import app
        from ._startup import prepare

        prepare()
        app(prog_name="topicwright")
    except KeyboardInterrupt:  # before a verb began, or after its end
        sys.stderr.write("error: interrupted\n")
        sys.exit(130)
