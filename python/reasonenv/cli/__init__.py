"""The command line, `reasonenv`: one file a group of commands."""

from reasonenv.cli.app import app

__all__ = ["app"]
