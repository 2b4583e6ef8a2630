"""Readers: verifiers written from the prompts alone, one module for each family."""
