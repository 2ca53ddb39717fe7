"""File formats of corpora: one module per format, which holds its reader and its writer and registers them.

To add a format, write a module that calls :func:`~topicwright.corpus.formats.registry.register` and import it here.
"""

from . import csv, jsonl, ldac, mallet, matrix_market, parquet, text, uci

__all__ = ["csv", "jsonl", "ldac", "mallet", "matrix_market", "parquet", "text", "uci"]
