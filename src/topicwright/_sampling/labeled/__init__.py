"""Gibbs sampler of fully labeled corpora."""
