"""A corpus to counts: which words stand near which, what that says of them, and its factors."""

from firth.lazy import attach

__getattr__, __dir__, _MODULES = attach(globals())
__all__ = list(_MODULES)
