"""Sentences that summarize the results of a benchmark; they are made from its numbers."""
