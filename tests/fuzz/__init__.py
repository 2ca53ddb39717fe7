"""Fuzzing with random input and faults: files, arguments, signals, full disks, killed processes and requests.

An attack is a class with one method, ``run_case``, which runs one case with the random generator that it gets. Errors
of the library are clean errors, any other exception is a crash, and ``DataLossError`` means that data are gone.
``scripts/attack`` runs all attacks for some minutes; the tests here run a few cases of each.
"""
