"""Print a table of line coverage, one row for each package; reads the file that ``pytest --cov`` wrote."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

SOURCE = "src/topicwright/"


def main() -> None:
    """Sum the lines of all files by package."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "coverage.json"
        subprocess.run([sys.executable, "-m", "coverage", "json", "-q", "-o", str(report)], check=True)
        files = json.loads(report.read_text(encoding="utf8"))["files"]
    lines: Counter[str] = Counter()
    covered: Counter[str] = Counter()
    for name, file in files.items():
        inside = Path(name).as_posix().partition(SOURCE)[2]
        package = inside.rpartition("/")[0].replace("/", ".") or "(top level)"
        for row in (package, "all"):
            lines[row] += file["summary"]["num_statements"]
            covered[row] += file["summary"]["covered_lines"]
    width = max(map(len, lines))
    print(f"\n{'package':{width}}   lines   covered   (compiled kernels and subprocesses do not count)")
    for row in sorted(lines, key=lambda row: (row == "all", row)):
        share = covered[row] / lines[row] if lines[row] else 1.0
        print(f"{row:{width}}  {lines[row]:6,}  {share:8.1%}")


if __name__ == "__main__":
    main()
