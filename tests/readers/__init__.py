"""Readers: judges of answers, written from the prompts alone, one module for each family."""
