"""Benchmarks; a package, so that files may have the same names as tests."""
