"""Several models of one corpus, trained and judged alike, side by side."""

from firth.lazy import attach

__getattr__, __dir__, _MODULES = attach(globals())
__all__ = list(_MODULES)
