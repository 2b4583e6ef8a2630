"""Families and games by name. `_registry.pyi`, which is generated, has the type of each one's params."""

from reasonenv._native import family, game

__all__ = ["family", "find_family", "find_game", "game"]

find_family, find_game = family, game
