"""Gold data and predictions to numbers."""

from firth.lazy import attach

__getattr__, __dir__, _MODULES = attach(globals())
__all__ = list(_MODULES)
