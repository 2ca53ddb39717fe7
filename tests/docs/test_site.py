"""The documentation site builds without a warning, and its pages load nothing from other hosts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import topicwright
from topicwright.losses import __all__ as losses

ROOT = Path(__file__).parents[2]
LOADING = {"script": "src", "link": "href", "img": "src", "source": "src", "iframe": "src", "use": "href"}
KINDS_OF_LINK = {"stylesheet", "icon", "preload", "preconnect", "dns-prefetch", "modulepreload"}


class Loaded(HTMLParser):
    """Resources that a page loads by itself."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "link" and not KINDS_OF_LINK & set((given.get("rel") or "").split()):
            return
        self.addresses += [given.get(LOADING.get(tag, "")) or "", given.get("srcset") or ""]


def elsewhere(text: str, suffix: str) -> list[str]:
    """URLs on other hosts that a page or style sheet loads."""
    found = Loaded(text).addresses if suffix == ".html" else []
    found += re.findall(r"""(?:url\(|@import)\s*["']?([^"')\s]+)""", text)
    return [address for address in found if re.match(r"(https?:)?//", address)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="the site needs pip install 'topicwright[docs]'")
    pytest.importorskip("material", reason="the site needs pip install 'topicwright[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_exists(site: Path) -> None:
    pages = {path.relative_to(site).with_suffix("").as_posix() for path in site.rglob("*.html")}
    sources = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert sources | {"changelog", "benchmarks", "contributing", "security"} <= pages


def test_pages_load_nothing_from_other_hosts(site: Path) -> None:
    files = [path for path in site.rglob("*") if path.suffix in (".html", ".css", ".svg")]
    assert len(files) > 20
    found = {path.name: elsewhere(path.read_text(encoding="utf-8"), path.suffix) for path in files}
    assert {name: addresses for name, addresses in found.items() if addresses} == {}
    assert not [path for path in files if 'class="mermaid"' in path.read_text(encoding="utf-8")]  # fetches a program


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ('<script src="https://cdn.example/x.js"></script>', ".html"),
        ('<link rel="stylesheet" href="//fonts.example/css">', ".html"),
        ('<img alt="" src="http://example.org/a.png">', ".html"),
        ("@font-face { src: url(https://fonts.example/a.woff2) }", ".css"),
    ],
)
def test_check_detects_external_resources(text: str, suffix: str) -> None:
    assert len(elsewhere(text, suffix)) == 1
    assert elsewhere('<a href="https://example.org">a link is no load</a>', suffix) == []


def test_formulas_are_mathml_and_drawings_are_inline(site: Path) -> None:
    mathematics = (site / "mathematics.html").read_text(encoding="utf-8")
    assert mathematics.count("<math") > 30
    assert "arithmatex" not in mathematics
    architecture = (site / "ARCHITECTURE.html").read_text(encoding="utf-8")
    assert architecture.count('<svg class="drawing"') == 2


def test_the_reference_has_every_public_name(site: Path) -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in (site / "reference").rglob("*.html"))
    public = set(topicwright.__all__) - {"__version__", "datasets", "evaluation"}
    assert {name for name in public if f'id="topicwright.{name}"' not in pages} == set()
    assert {name for name in losses if f'id="topicwright.losses.{name}"' not in pages} == set()
    assert ":class:" not in pages
    assert ":meth:" not in pages


def test_the_drawing_of_layers_has_every_package() -> None:
    drawn = (ROOT / "docs/images/layers.svg").read_text(encoding="utf-8")
    packages = {path.parent.name for path in (ROOT / "src/topicwright").glob("*/__init__.py")}
    words = set(re.findall(r"\w+", drawn))
    assert packages <= words


def test_drawings_are_up_to_date() -> None:
    names: dict[str, object] = {"__name__": "drawings", "__file__": str(ROOT / "docs/make_drawings.py")}
    exec(compile((ROOT / "docs/make_drawings.py").read_text(encoding="utf-8"), "make_drawings.py", "exec"), names)
    for name in ("layers", "sweep"):
        assert names[name]() == (ROOT / f"docs/images/{name}.svg").read_text(encoding="utf-8")  # type: ignore[operator]
