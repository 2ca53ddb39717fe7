"""Speed and quality of Topicwright beside other programs; run from a checkout with ``python -m benchmarks``.

``lda`` compares plain LDA with other programs. ``sclda``, ``medlda`` and ``online`` measure the tables and figures of
three papers. ``suite`` runs everything and writes the pages ``docs/reproduction.md`` and ``docs/peers.md``.

Each of the four benchmarks is a package with ``options`` (validated once), the code that measures, ``results`` (plain
values), ``report`` (tables) and ``plots``. Each paper has ``paper``: its reported numbers and our goals.

``common`` holds what the benchmarks share, ``commands`` the command line, ``baselines`` the samplers that SC-LDA is
compared with, ``scripts`` smaller measurements that run on their own, and ``cpp`` the C++ sampler used as a yardstick.
"""
