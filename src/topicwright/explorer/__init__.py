"""The explorer: a page on which people see the topics of a model, correct them, and watch the model follow.

    app.py, running.py     the web application, and its life
    notebook.py            the same from Python
    desk.py                what all windows share: branches, and a training that goes before
    bench.py, training.py  one branch and its work; a training and its work
    picture.py, drawing.py what is to be seen of a model at one moment; the map as numbers
    window.py, state.py    one window: what it shows
    doing.py, saying.py    what people do in it; what they say, as steps of the steering
    layout.py              where the parts of the page are
    *_panel.py and others  one part each: data in Python, its look in the .js file of the same name
    style.css              colours, type and space, light and dark

NiceGUI comes with ``pip install 'topicwright[explorer]'``; nothing outside of this package imports it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import MissingExtraError

if TYPE_CHECKING:
    from .notebook import Explorer


def explore(model: Any, *, port: int = 0, opens: bool = True) -> Explorer:
    """Open a page on which to see the topics of a model and to correct them.

    The page is served by a thread of this process, to this machine alone.

    Parameters
    ----------
    model : fitted model, or path of a model file
        Of any kind; an :class:`LDA` that has its documents can be steered as well. What is said about a file is kept
        beside it; what is said about a model in memory is gone with the process, unless it is saved.
    port : int
        Where to listen; 0 is any port that is free. All pages of a process have the port of the first.
    opens : bool
        Whether to open the browser.

    Returns
    -------
    Explorer
        With ``url``, ``model`` (as it stands after steering) and ``stop()``.

    Notes
    -----
    Where Python runs on another machine, as with a remote Jupyter, the page is on that machine. Choose a port, and
    bring it to yours with ssh, which also asks who you are and encrypts::

        page = tw.explore(lda, port=8765, opens=False)           # in the notebook
        ssh -N -L 8765:127.0.0.1:8765 you@the-machine            # in a terminal of yours, as long as you look

    Then open ``page.url`` in a browser of yours. Where 8765 is taken on your side, ``-L 9000:127.0.0.1:8765`` brings it
    to port 9000: write that in the address. A proxy of JupyterHub can't stand in for ssh: requests to the name of
    another machine are refused.

    Examples
    --------
    >>> import topicwright as tw
    >>> lda = tw.LDA(n_topics=2, n_sweeps=10).fit(["ship sails sea", "bread oven flour"] * 10)
    >>> page = tw.explore(lda, opens=False)  # doctest: +SKIP
    >>> page.url  # doctest: +SKIP
    'http://127.0.0.1:41235/model/1'
    """
    try:
        import nicegui
    except ImportError:
        raise MissingExtraError("nicegui", "explorer", "explore") from None
    del nicegui
    from .notebook import start

    return start(model, port, opens)
