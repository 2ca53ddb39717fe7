"""Supervised topic models (MedLDA)."""
