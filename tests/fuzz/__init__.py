"""The reliability run: everything is attacked with random input and faults for a while; see ``scripts/attack``.

An attack is a class with one method, ``once``, which tries one case with the random numbers that it is given. What the
library raises goes through: an error of its own is a clean one, anything else is a crash. ``LostError`` says that data
are gone.
"""
