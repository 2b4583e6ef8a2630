"""Tests with the real packages, run by `make test-integrations`, each group in its own environment."""
