"""Every table and figure of the three papers and the comparison with peers, as one run: ``benchmark all``."""
