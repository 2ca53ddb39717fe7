"""A part of the page: its look is a component in a file beside it, its data comes from here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui.element import Element


class Panel(Element):
    """A component. All text goes to the browser as data, and its template shows it as text, never as HTML."""

    def show(self, **data: Any) -> None:
        """Have the component show this; what is the same as before is not sent again."""
        new = {name: value for name, value in data.items() if name not in self._props or self._props[name] != value}
        if new:
            self._props.update(new)
            self.update()

    def hears(self, **handlers: Callable[[Any], Any]) -> None:
        """Call these when people do something in the component."""
        for event, handler in handlers.items():
            self.on(event, _with_value(handler))


def _with_value(handler: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda event: handler(event.args)
