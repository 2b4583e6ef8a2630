"""Tests against the real packages, by `make test-integrations`, each group in an environment of its own."""
