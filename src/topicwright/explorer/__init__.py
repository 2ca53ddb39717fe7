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
        Where to listen; 0 is any port that is free.
    opens : bool
        Whether to open the browser.

    Returns
    -------
    Explorer
        With ``url``, ``model`` (as it stands after steering) and ``stop()``.
    """
    try:
        import nicegui
    except ImportError:
        raise MissingExtraError("nicegui", "explorer", "explore") from None
    del nicegui
    from .notebook import start

    return start(model, port, opens)
