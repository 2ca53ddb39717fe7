"""Mixture of topics: every document has one topic (the Dirichlet-multinomial mixture)."""
