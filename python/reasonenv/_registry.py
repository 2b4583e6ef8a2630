"""Families and games by name. The generated `_registry.pyi` has the types of their params."""

from reasonenv import _native

family = _native.family
game = _native.game
