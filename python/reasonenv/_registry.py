"""Families and games by name. `_registry.pyi`, which is generated, has the type of each one's params."""

from reasonenv import _native

family = _native.family
game = _native.game
