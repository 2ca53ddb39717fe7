"""Sparse collapsed Gibbs sampler of LDA."""
