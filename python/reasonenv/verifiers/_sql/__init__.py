"""Queries from completions, run on databases in memory."""
