"""Make the pictures of the documentation from real output: ``python docs/make_images.py``."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

IMAGES = Path(__file__).parent / "images"
WIDTH = 92
FRAME = """<svg viewBox="0 0 {terminal_width} {terminal_height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
{styles}
</style>
<defs>{lines}</defs>
<rect fill="#16181d" width="{terminal_width}" height="{terminal_height}" rx="10"/>
<g transform="translate(10, 12)">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def picture(name: str, command: str) -> None:
    """Run a command as in a terminal, and draw what it prints."""
    programs = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": programs + os.pathsep + os.environ["PATH"],  # or the demo tells where it is
        "FORCE_COLOR": "1",
        "COLUMNS": str(WIDTH - 2),
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
    }
    with tempfile.TemporaryDirectory() as folder:
        output = subprocess.run(
            [f"{programs}/topicwright", *command.split()[1:]],
            cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, check=True,
        ).stdout  # fmt: skip
    console = Console(record=True, width=WIDTH, file=open(os.devnull, "w"), color_system="truecolor")  # noqa: SIM115
    console.print(Text(f"$ {command}\n", style="bold"), Text.from_ansi(output))
    svg = console.export_svg(code_format=FRAME, unique_id=name)
    (IMAGES / f"{name}.svg").write_text(re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE), encoding="utf-8")


if __name__ == "__main__":
    picture("demo", "topicwright demo")
