"""Hypothesis profiles of ``scripts/test``, shared by the tests of the library and of the benchmarks."""

from __future__ import annotations

from hypothesis import settings

# The same examples in every run: a test that passed passes again. `scripts/test --slow` looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile("steady")
