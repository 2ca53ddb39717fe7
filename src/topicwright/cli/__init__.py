"""The command line, ``topicwright COMMAND``: one module for each command, and private helpers with an underscore.

Results go to standard output, everything else to standard error. Slow imports are inside the commands, so that
``topicwright --help`` is fast.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        from ._app import app
        from ._console import prepare

        prepare()
        app(prog_name="topicwright")
    except KeyboardInterrupt:  # before a command starts, or after its end
        sys.stderr.write("error: interrupted\n")
        sys.exit(130)
