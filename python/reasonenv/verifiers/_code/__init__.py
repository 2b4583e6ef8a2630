"""Programs from completions, run against tests in a sandbox."""
