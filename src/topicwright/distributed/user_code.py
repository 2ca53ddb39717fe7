"""What of a run is code, and so is not in its folder: who starts the run brings it, and whoever trains is given it."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..errors import ClusterError, InputError
from ..knowledge.document_links import Neighbors
from ..knowledge.document_topics import DocumentPull
from ..knowledge.factors import is_builtin, register_factor, registered
from ..knowledge.word_links import WordLinks

_OURS: dict[str, type] = {  # as written in run folders, which keep their names
    "topicwright.knowledge.words.WordLinks": WordLinks,
    "topicwright.knowledge.about.DocumentPull": DocumentPull,
    "topicwright.knowledge.documents.Neighbours": Neighbors,
}
_WRITTEN_NAMES = {kind: name for name, kind in _OURS.items()}


def name_of(kind: type) -> str:
    """Name of a factor class in a run folder."""
    return _WRITTEN_NAMES.get(kind, f"{kind.__module__}.{kind.__qualname__}")


class UserCode(NamedTuple):
    """Classes of factors of one's own, each with its function; and the loss, where topics predict something."""

    factors: tuple[tuple[type, Callable[..., None]], ...] = ()
    loss: Any = None

    def kinds(self) -> dict[str, type]:
        """The classes of all factors by name, known to the sampler."""
        for kind, apply in self.factors:
            if registered(kind) is None:  # in a process that has not imported where it comes from
                register_factor(kind, apply)
        return {**_OURS, **{name_of(kind): kind for kind, _ in self.factors}}

    def packed(self, dumps: Callable[[Any], bytes]) -> bytes:
        """All of it for other processes, or an error where it can't leave this one."""
        try:
            return dumps(self)
        except Exception as error:  # whatever the classes of others raise
            raise InputError(f"{self._what()} must be something that pickle can send to workers: {error}") from error

    def _what(self) -> str:
        kinds = [*(kind for kind, _ in self.factors), *([] if self.loss is None else [type(self.loss)])]
        return ", ".join(map(name_of, kinds))


NO_CODE = UserCode()


def code_of(factors: Sequence[Any], loss: Any) -> UserCode:
    """The code of some factors that is not the library's own, and that of a loss."""
    kinds = dict.fromkeys(type(factor) for factor in factors if not is_builtin(type(factor)))
    found = []
    for kind in kinds:
        functions = registered(kind)
        assert functions is not None  # or it could not have been compiled
        if functions.on_move is not None:
            raise InputError(
                f"{kind.__name__} is registered with on_move, and its state would be lost with a worker: "
                "with a `backend`, register the factor without on_move"
            )
        found.append((kind, functions.apply))
    return UserCode(tuple(found), loss)


def unpacked(packed: bytes) -> UserCode:
    """The code that was sent to a worker."""
    try:
        code: UserCode = pickle.loads(packed)
    except Exception as error:
        raise ClusterError(
            f"a worker can't load a loss or factors of your own: {error}; what they are made of must be installed there"
        ) from error
    return code
