"""Speed and quality beside other programs, measured in one way for all: ``python -m benchmarks``.

``lda`` is plain LDA beside other programs; ``sclda``, ``medlda`` and ``online`` are the tables and figures of three
papers. Each has ``options`` (what is asked for, checked once), what measures, ``results`` (plain values), ``report``
(tables) and ``plots``; each paper has ``paper`` (what it reports, and our goals). ``suite`` runs all and writes pages.

They share who takes turns (``turns``), where documents come from (``reading``), our estimators held between sweeps
(``held``), tomotopy's models (``their_tomotopy``), and what parts, results and goals are (``parts``).
"""
