"""Programs in completions, run in a sandbox against tests."""
