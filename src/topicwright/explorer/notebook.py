"""Explorer pages opened from Python, such as a notebook."""

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
from .server import new_page_server
from .workspace import Workspace

_START_TIMEOUT = 30.0  # seconds
_workspaces: dict[str, Workspace] = {}
_servers: list[tuple[str, int]] = []  # at most one, since NiceGUI is global


class Explorer:
    """A page of the explorer, served until :meth:`stop` or the end of the process.

    Attributes
    ----------
    url : str
        Address of the page.
    """

    def __init__(self, name: str, url: str) -> None:
        self._name = name
        self._workspace = _workspaces[name]
        self.url = url

    @property
    def model(self) -> Any:
        """Current model of the main branch. Steering creates new models and does not change the one that was passed."""
        session = self._workspace.open()
        return session.view.model if session.steering is None else session.steering.model

    def stop(self) -> None:
        """Close the page."""
        if _workspaces.pop(self._name, None) is not None:
            self._workspace.close()

    def _repr_html_(self) -> str:
        url = escape(self.url)
        return f'<p>The explorer is at <a href="{url}" target="_blank" rel="noopener">{url}</a>.</p>'

    def __repr__(self) -> str:
        return f"<Explorer at {self.url}>"


def start(model: Any, port: int, opens: bool) -> Explorer:
    """Open a page for a model on the server of this process."""
    workspace = _open_workspace(model)
    try:
        address = _address(port)
    except BaseException:
        workspace.close()  # so that the file can be opened again
        raise
    name = str(1 + max(map(int, _workspaces), default=0))
    _workspaces[name] = workspace
    explorer = Explorer(name, f"{address}/model/{name}")
    if opens:
        webbrowser.open(explorer.url)
    return explorer


def _address(port: int) -> str:
    """Address of the server, which the first page starts; later pages have the same port."""
    if not _servers:
        _servers.append(_start_server(port))
    [(address, own)] = _servers
    if port not in (0, own):
        raise InputError(
            f"the pages of this process are at {address} already: leave out `port` or set it to {own}",
            parameter="port",
            got=port,
        )
    return address


def _start_server(port: int) -> tuple[str, int]:
    """Start a server in a daemon thread; returns its address and port."""
    listening = listening_socket("127.0.0.1", port)
    ready = threading.Event()
    server = new_page_server(_workspaces, Access(), ready.set)
    threading.Thread(target=server.run, args=([listening],), daemon=True, name="topicwright-page").start()
    if not ready.wait(_START_TIMEOUT):
        raise TopicwrightError(f"the page did not start within {_START_TIMEOUT:g} seconds")
    return address_of(listening), listening.getsockname()[1]


def _open_workspace(model: Any) -> Workspace:
    if isinstance(model, (str, os.PathLike)):
        workspace = Workspace(Path(model).name, path=Path(model))
    else:
        check_is_fitted(model)
        workspace = Workspace.of_model(model, type(model).__name__)
    workspace.open().wait_for_compilation()
    return workspace
