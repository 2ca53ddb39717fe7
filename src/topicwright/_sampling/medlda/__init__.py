"""Gibbs sampler of supervised topic models (MedLDA)."""
