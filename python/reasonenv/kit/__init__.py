"""Base classes and tools for your own task families and games.

Subclass `TaskFamily`, call `reasonenv.register_family`, and check the contracts with
`reasonenv.testing.check_family`. docs/own_families.md has a complete example to copy.

>>> from reasonenv import kit
>>> rng = kit.Rng(7)
>>> 1 <= rng.int(1, 6) <= 6
True
"""

from reasonenv._native import Certificate, Malformed, ReadyForm, Rng
from reasonenv.kit import forms
from reasonenv.kit._family import About, Effort, Faults, Form, TaskFamily, Template, WorkedSolution
from reasonenv.kit._game import GameAbout, GameRules
from reasonenv.kit._params import param

__all__ = [
    "About",
    "Certificate",
    "Effort",
    "Faults",
    "Form",
    "GameAbout",
    "GameRules",
    "Malformed",
    "ReadyForm",
    "Rng",
    "TaskFamily",
    "Template",
    "WorkedSolution",
    "forms",
    "param",
]
