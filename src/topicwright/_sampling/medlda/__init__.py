"""Gibbs sampler of supervised topics (MedLDA)."""
