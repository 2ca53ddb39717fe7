"""What is prose in a docstring, and which words of it say nothing about its subject."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

_UNDERLINE = re.compile(r"\s*[-=~^]{3,}\s*")
_PARAMETER = re.compile(r"\S.* : .*|\*{0,2}\w+(, \*{0,2}\w+)*\s*:?")
_ROLE_OR_DIRECTIVE = re.compile(r":[a-z:]+:(?=`)|^\s*\.\. [\w-]+::?")
_FIELDS = {"Parameters", "Other Parameters", "Returns", "Yields", "Attributes", "Raises", "Warns"}
# The same text in hundreds of docstrings, or names of authors and journals.
_LEFT_OUT = {"References", "Methods", "**Array API Standard Support**"}

DOCSTRING_WORDS = frozenset(
    """
    accept accepted accepts according account additional allow allowed allows alternative applied apply
    applying appropriate arg args argument arguments array arrays attribute attributes automatically available
    axes axis behavior behaviour bool boolean calculate calculated calling calls case cases certain change
    changed changes class classes common compatible complex computation compute computed computes computing
    consider consists constructor contain contained containing contains control controls convert converted
    copy correspond corresponding corresponds create created creates current currently data decide default
    defaults define defined defines definition depending depends deprecated describe described description
    desired detail details determine determined determines dict dictionary different directly discussion does
    doesn dtype effect element elements ensure equal equivalent error errors estimator evaluate evaluated
    example examples existing exists expected explicitly expression false field fixed flag float following
    follows form format function functions general generally generate given gives guide handle handled holds
    however implementation implementations implemented implements importance important include included
    includes including indicate indicates indicating information input inputs instance instances instead int
    integer integers internal internally introduced item items iterable keyword kwargs let like list lists
    local long longer main make makes method methods modified module names namespace ndarray necessary need
    needed needs new non none nonetype normal notation note notes number numbers numpy obj object objects
    obtain obtained occur omitted operation operations option optional options order original otherwise output
    outputs overview param parameter parameters params particular pass passed passing performance performed
    performs possible present previous print private problem process produce properties property provide
    provided provides providing public purpose raise raised raises read recommended refer reference references
    related relevant removed replaced represent representation represented representing represents require
    required requires respect respectively result resulting results return returned returning returns routine
    scalar scalars scipy section sequence set sets setting settings shape shapes shown similar simple simply
    single size sklearn specific specified specifies specify specifying stable standard start str string
    strings subclass suitable supplied support supported supports takes taken tuple tuples type types
    typically unless update updated use used useful user users uses using usual usually valid value values
    variable variables various version versionadded versionchanged versions want way whether work works xp ith
    np scikit learn self alias aliases api docstring docstrings meth func math ref mathrm mathbf left right
    frac cdot sum leq geq ldots ij ii dot leftarrow rightarrow infty text begin end quad sqrt true py sphx
    glossary toctree seen auto called addition based kind https http org len th subok means known added
    treated ignored perform callable wise autosummary rst htm html www doi collection generic completes
    inherits frozen xx yy zz tex code python
    """.split()  # noqa: SIM905
)


def prose_of(docstring: str) -> str:
    """The docstring without code, headings, parameter lines and references.

    >>> prose_of('''Add two numbers.
    ...
    ... Parameters
    ... ----------
    ... x : float
    ...     The first one.
    ... ''').split("\\n")
    ['Add two numbers.', '', '    The first one.']
    """
    return "\n".join(_prose_lines(inspect.cleandoc(docstring).splitlines()))


def _prose_lines(lines: list[str]) -> Iterator[str]:
    section, in_code = "", False
    for line, below in zip(lines, [*lines[1:], ""]):
        text = line.strip()
        in_code = bool(text) and (in_code or text.startswith(">>>"))
        if text in _LEFT_OUT or (text and _UNDERLINE.fullmatch(below)):
            section = text
        elif not _is_noise(line, section, in_code):
            yield _ROLE_OR_DIRECTIVE.sub("", line)


def _is_noise(line: str, section: str, in_code: bool) -> bool:
    if in_code or section in _LEFT_OUT or _UNDERLINE.fullmatch(line):
        return True
    return section in _FIELDS and _PARAMETER.fullmatch(line) is not None
