"""SYNTHETIC-2's rows: every kind of task that can be checked without running what a row says."""
