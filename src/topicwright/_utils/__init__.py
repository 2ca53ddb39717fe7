"""Helpers without a subject of their own: files, locks, formatting, validation, Numba, warnings."""
