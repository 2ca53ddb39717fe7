"""``python -m benchmarks all``: every table and figure of the three papers and the comparison with peers."""
