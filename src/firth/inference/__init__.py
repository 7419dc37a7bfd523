"""Search over scores: what to write next, for every model that generates. NumPy only; no parameters live here."""

from firth.lazy import attach

__getattr__, __dir__, _MODULES = attach(globals())
__all__ = list(_MODULES)
