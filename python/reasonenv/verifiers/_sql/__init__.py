"""Queries in completions, run on databases in memory."""
