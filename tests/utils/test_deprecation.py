"""Deprecated names keep working, with a warning that gives the new name."""

from __future__ import annotations

import pytest

from topicwright._utils.deprecation import deprecated_keywords, deprecated_names


def test_a_name_of_a_module() -> None:
    get = deprecated_names({"__name__": "shop", "Basket": int}, {"Cart": "Basket"})
    with pytest.warns(DeprecationWarning, match=r"shop\.Cart is deprecated: use shop\.Basket"):
        assert get("Cart") is int
    with pytest.raises(AttributeError, match="'shop' has no attribute 'Trolley'"):
        get("Trolley")


def test_a_keyword_argument() -> None:
    @deprecated_keywords(count="n")
    def double(n: int = 1) -> int:
        """Twice a number."""
        return 2 * n

    with pytest.warns(DeprecationWarning, match=r"double\(count=…\) is deprecated: use n="):
        assert double(count=3) == 6  # type: ignore[call-arg]
    assert double(n=4) == 8
    assert double.__doc__ == "Twice a number."


def test_a_parameter_of_a_class() -> None:
    class Basket:
        @deprecated_keywords(count="n")
        def __init__(self, n: int) -> None:
            self.n = n

    with pytest.warns(DeprecationWarning, match=r"^Basket\(count=…\) is deprecated: use n=$"):
        assert Basket(count=3).n == 3  # type: ignore[call-arg]
