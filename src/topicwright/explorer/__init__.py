"""Explorer: a web page that shows the topics of a model and lets the user steer them.

- ``server.py``: the web application, its server, and pages opened from Python
- ``workspace.py``, ``branch_session.py``: a model with its branches, or the training that produces it; one branch
- ``view_model.py``: immutable view of a model
- ``window.py``, ``panels.py``: one browser window and its panels
- ``actions.py``: what the user can do, such as ``merge_topics``
- ``components/``, ``style.css``: Vue components of the panels; colors and layout

NiceGUI is in ``pip install 'topicwright[explorer]'``; only this package imports it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._utils.deprecation import deprecated_keywords
from ..errors import MissingExtraError

if TYPE_CHECKING:
    from .server import Explorer


@deprecated_keywords(opens="open_browser")
def explore(model: Any, *, port: int = 0, open_browser: bool = True) -> Explorer:
    """Open a web page that shows the topics of a model and lets you steer them.

    A thread of this process serves the page, to this machine only.

    Parameters
    ----------
    model : fitted model, or path of a model file
        A model of any kind can be viewed; an :class:`LDA` with its documents can be steered as well. The steps of a
        model file are saved in a folder next to it. The steps of a model in memory are lost at the end of the process.
    port : int
        Port of the server; 0 is any free port. All pages of a process have the port of the first.
    open_browser : bool
        Whether to open the browser.

    Returns
    -------
    Explorer
        With ``url``, ``model`` (the current model of the main branch) and ``stop()``.

    Notes
    -----
    If Python runs on another machine, as with a remote Jupyter, the page is on that machine. Choose a port and forward
    it with ssh, which also authenticates and encrypts::

        page = tw.explore(lda, port=8765, open_browser=False)    # in the notebook
        ssh -N -L 8765:127.0.0.1:8765 you@the-machine            # in a terminal on your machine

    Then open ``page.url`` in your browser. If port 8765 is in use on your machine, ``-L 9000:127.0.0.1:8765`` forwards
    it to port 9000 instead: change the address accordingly. A JupyterHub proxy does not work, because requests with the
    name of another host are rejected.

    Examples
    --------
    >>> import topicwright as tw
    >>> lda = tw.LDA(n_topics=2, n_sweeps=10).fit(["ship sails sea", "bread oven flour"] * 10)
    >>> page = tw.explore(lda, open_browser=False)  # doctest: +SKIP
    >>> page.url  # doctest: +SKIP
    'http://127.0.0.1:41235/model/1'
    """
    try:
        import nicegui
    except ImportError:
        raise MissingExtraError("nicegui", "explorer", "explore") from None
    del nicegui
    from .server import start

    return start(model, port, open_browser)
