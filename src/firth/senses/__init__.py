"""Sense vectors: several vectors per word, learned from contexts, from vectors, or from WordNet."""

from firth.lazy import attach

__getattr__, __dir__, _MODULES = attach(globals())
__all__ = list(_MODULES)
