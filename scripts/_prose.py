"""Check the prose of the repository: banned phrases, and Markdown with one sentence per line.

scripts/check runs it. ``python scripts/_prose.py --fix`` wraps Markdown files at sentences.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OWN = "scripts/_prose.py"
MARKDOWN = ("*.md",)
SOURCES = (
    "src/*.py",
    "src/*.pyi",
    "src/*.js",
    "src/*.html",
    "docs/*.py",
    "benchmarks/*.py",
    "scripts/*",
    "examples/*.py",
)
MAX_LENGTH = 200  # characters of a prose line, without the targets of links
MAX_SENTENCES = 2

# A phrase, and what to write instead.
BANNED = {
    r"(?:is|are|was|were|be|been|being) told": "say who sets or passes it",
    r"(?:unless|as|if) told": "by default; use --option to",
    r"tells? apart": "distinguish",
    r"whoever": "anyone who, or name the person",
    r"anew": "again",
    r"so many": "a number of, n",
    r"how many times as": "ratio",
    r"(?:goes|go|gone|going|went) on(?: with| where|,|\.|$)": "continue, resume",
    r"(?:owed|owe|owes) to": "explained by, attributed to",
    r"what (?:is|was) known(?: of| about)?": "knowledge, labels",
    r"what (?:is|was|are|were) not there": "missing",
    r"where (?:it is|they are) not there": "if it does not exist",
    r"(?:was|were|been|you) said": "name the edit or the constraint",
    r"you have said": "your edits",
    r"(?:mend|mends|mended|mending)": "fix, correct",
    r"(?:foretell|foretells|foretold|foresee|foresees|foreseen)": "predict",
    r"at the door": "parameter validation",
    r"what it costs to miss": "loss",
    r"(?:lend|lends|lent(?!\.npy)|borrow|borrows|borrowed|borrowing)": "share pseudo-counts",
    r"(?:can't|cannot|can not) be had": "is not available",
    r"to be had": "available",
    r"(?:order|drawn|each|two|three) by chance": "at random",
    r"begun": "started",
    r"(?:come|comes|came) up": "occur",
    r"as many again": "twice, give the number",
    r"(?:thereof|whence|nought|hitherto|henceforth|heretofore)": "plain English",
    r"(?:hence|whom)": "so; who",
    r"off the clock": "not included in the time",
    r"the papers? again": "reproduction of the paper",
    r"for there (?:is|are)": "because",
    r"one's own": "your own",
}
PATTERN = re.compile("|".join(rf"(?P<b{i}>\b(?:{phrase})(?!\w))" for i, phrase in enumerate(BANNED)), re.IGNORECASE)
ADVICE = list(BANNED.values())

ABBREVIATIONS = (
    "e.g.",
    "i.e.",
    "al.",
    "eq.",
    "eqs.",
    "vs.",
    "cf.",
    "No.",
    "St.",
    "approx.",
    "Fig.",
    "pp.",
    "p.",
    "ca.",
)
END_OF_SENTENCE = re.compile(r"""(?<=[.!?])(?:["”)*`\]]*)\s+(?=["“(*_`\[]*[A-Z0-9α-ωΑ-Ω$`\[])""")
LINK_TARGET = re.compile(r"\]\([^)\s]*\)")
ITEM = re.compile(r"(\s*)([-*+]|\d+\.)\s+")


def main(arguments: list[str]) -> int:
    """Print all problems; the exit code says whether there were any."""
    files = tracked(*MARKDOWN)
    if "--fix" in arguments:
        for path in files:
            path.write_text(wrap(path.read_text(encoding="utf-8")), encoding="utf-8")
    problems = [problem for path in files for problem in in_markdown(path)]
    problems += [problem for path in tracked(*SOURCES) if relative(path) != OWN for problem in in_source(path)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def tracked(*patterns: str) -> list[Path]:
    """Files of the repository that match one of the patterns."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def relative(path: Path) -> str:
    """The path as messages show it."""
    return path.relative_to(ROOT).as_posix()


# ---------------------------------------------------------------------- banned phrases


def banned(path: Path, number: int, text: str) -> Iterator[str]:
    """Banned phrases of a text that starts at a line."""
    for found in PATTERN.finditer(text):
        at = number + text.count("\n", 0, found.start())
        advice = ADVICE[int((found.lastgroup or "b0")[1:])]
        yield f'{relative(path)}:{at}: "{found[0].strip()}" (better: {advice})'


def in_source(path: Path) -> Iterator[str]:
    """Banned phrases in comments and strings of a program; in other files, anywhere."""
    text = path.read_text(encoding="utf-8")
    if path.suffix not in {".py", ".pyi"}:
        yield from banned(path, 1, text)
        return
    kinds = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in kinds:
            yield from banned(path, token.start[0], re.sub(r"\n[ #]*", "\n", token.string))


# ---------------------------------------------------------------------- Markdown


def in_markdown(path: Path) -> Iterator[str]:
    """Banned phrases, long lines and lines with several sentences."""
    for number, line, is_prose in classified(path.read_text(encoding="utf-8")):
        if line.startswith("    ") and not is_prose:
            continue
        yield from banned(path, number, line)
        if not is_prose:
            continue
        length, count = len(LINK_TARGET.sub("]", line)), len(sentences(ITEM.sub("", line, count=1)))
        if length > MAX_LENGTH:
            yield f"{relative(path)}:{number}: {length} characters in one line (at most {MAX_LENGTH})"
        if count > MAX_SENTENCES:
            yield f"{relative(path)}:{number}: {count} sentences in one line (run scripts/_prose.py --fix)"


def classified(text: str) -> Iterator[tuple[int, str, bool]]:
    """Lines outside of code blocks, and whether each is prose: no table, heading, formula or HTML."""
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if fence:
            fence = "" if stripped == fence else fence
            continue
        if opening := re.match(r"(`{3,}|\$\$)", stripped):
            fence = "" if stripped.endswith("$$") and len(stripped) > 2 else opening[1]
            continue
        indented = line.startswith("    ") and not ITEM.match(line)
        special = stripped.startswith(("|", "#", "<", "!", ":::", "---"))
        yield number, line, bool(stripped) and not indented and not special


def sentences(line: str) -> list[str]:
    """The sentences of a line."""
    found, start = [], 0
    for end in END_OF_SENTENCE.finditer(line):
        before = line[start : end.start()]
        last = before.split()[-1] if before.split() else ""
        if inside(before) or last.lstrip("([").lower() in ABBREVIATIONS or re.fullmatch(r"\W*[A-Z]\.", last):
            continue
        found.append(line[start : end.end()].strip())
        start = end.end()
    return [*found, line[start:].strip()]


def clauses(sentence: str) -> list[str]:
    """A sentence in lines of at most ``MAX_LENGTH`` characters, which end at commas, colons or semicolons."""
    if len(LINK_TARGET.sub("]", sentence)) <= MAX_LENGTH:
        return [sentence]
    ends = [found.end() for found in re.finditer(r"[,;:] ", sentence) if not inside(sentence[: found.end()])]
    ends = [end for end in ends if len(LINK_TARGET.sub("]", sentence[:end])) <= MAX_LENGTH]
    if not ends:
        return [sentence]
    return [sentence[: ends[-1]].rstrip(), *clauses(sentence[ends[-1] :])]


def inside(text: str) -> bool:
    """Whether the end of a text is inside of code, parentheses or brackets."""
    outside_code = re.sub(r"`[^`]*`", "", text)
    return "`" in outside_code or any(outside_code.count(a) > outside_code.count(b) for a, b in ("()", "[]"))


def wrap(text: str) -> str:
    """The text with each sentence of its prose on a line of its own."""
    prose = {number for number, _, is_prose in classified(text) if is_prose}
    lines: list[str] = []
    paragraph: list[str] = []
    indent = ""

    def flush() -> None:
        if paragraph:
            first = ITEM.match(paragraph[0])
            head = first[0] if first else indent
            body = " ".join(line.strip() for line in [paragraph[0][len(head) :], *paragraph[1:]])
            parts = sentences(body)
            if len(parts) > 1 and re.fullmatch(r"\*\*[^*]+\*\*", parts[0]):  # a heading within the line
                parts[:2] = [" ".join(parts[:2])]
            parts = [clause for part in parts for clause in clauses(part)]
            lines.append(head + parts[0])
            lines.extend(" " * len(head) + part for part in parts[1:])
            paragraph.clear()

    for number, line in enumerate(text.splitlines(), 1):
        is_hard_break = bool(paragraph) and paragraph[-1].endswith(("  ", "\\"))
        if number not in prose or ITEM.match(line) or is_hard_break:
            flush()
        if number not in prose:
            lines.append(line)
            continue
        if not paragraph:
            indent = line[: len(line) - len(line.lstrip())]
        paragraph.append(line)
    flush()
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
