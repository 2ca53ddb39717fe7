"""The page from Python: in a notebook, or at a prompt."""

from __future__ import annotations

import os
import threading
import webbrowser
from html import escape
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..errors import InputError, TopicwrightError
from ..server.auth import Access
from ..server.lifecycle import address_of, listening_socket
from .server import server_of
from .workspace import Workspace

_PATIENCE = 30.0  # seconds for a start
_desks: dict[str, Workspace] = {}
_servers: list[tuple[str, int]] = []  # one at most: there is one NiceGUI in a process


class Explorer:
    """A page that is open, until ``stop`` or the end of the process."""

    def __init__(self, name: str, url: str) -> None:
        self._name = name
        self._desk = _desks[name]
        self.url = url

    @property
    def model(self) -> Any:
        """The model of the main branch as it stands; steering makes new models, and leaves the one that was given."""
        bench = self._desk.open()
        return bench.picture.model if bench.steering is None else bench.steering.model

    def stop(self) -> None:
        """Close the page."""
        if _desks.pop(self._name, None) is not None:
            self._desk.close()

    def _repr_html_(self) -> str:
        url = escape(self.url)
        return f'<p>The explorer is at <a href="{url}" target="_blank" rel="noopener">{url}</a>.</p>'

    def __repr__(self) -> str:
        return f"<Explorer at {self.url}>"


def start(model: Any, port: int, opens: bool) -> Explorer:
    """A page for a model, on the one server of this process."""
    desk = _desk_of(model)
    try:
        address = _address(port)
    except BaseException:
        desk.close()  # or nobody could open the file again
        raise
    name = str(1 + max(map(int, _desks), default=0))
    _desks[name] = desk
    explorer = Explorer(name, f"{address}/model/{name}")
    if opens:
        webbrowser.open(explorer.url)
    return explorer


def _address(port: int) -> str:
    """The address of the one server, which the first page starts; another port can't be had later."""
    if not _servers:
        _servers.append(_started(port))
    [(address, own)] = _servers
    if port not in (0, own):
        raise InputError(f"the pages of this process are at {address} already: leave port out, or give {own}")
    return address


def _started(port: int) -> tuple[str, int]:
    """The address and the port of a server, in a thread that ends with the process."""
    listening = listening_socket("127.0.0.1", port)
    ready = threading.Event()
    server = server_of(_desks, Access(), ready.set)
    threading.Thread(target=server.run, args=([listening],), daemon=True, name="topicwright-page").start()
    if not ready.wait(_PATIENCE):
        raise TopicwrightError(f"the page did not start within {_PATIENCE:g} seconds")
    return address_of(listening), listening.getsockname()[1]


def _desk_of(model: Any) -> Workspace:
    if isinstance(model, (str, os.PathLike)):
        desk = Workspace(Path(model).name, path=Path(model))
    else:
        check_is_fitted(model)
        desk = Workspace.of_model(model, type(model).__name__)
    desk.open().wait_for_the_sampler()
    return desk
