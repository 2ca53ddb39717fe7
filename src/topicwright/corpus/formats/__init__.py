"""File formats of corpora: readers and writers."""
