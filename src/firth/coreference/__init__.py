"""Coreference without parameters: mentions and what they agree in, quotations, pairs and their features, rules."""

from firth.lazy import attach

__getattr__, __dir__, _MODULES = attach(globals())
__all__ = list(_MODULES)
