"""Raw text to tokens: tokenisers and sentence splitters."""

from firth.lazy import attach

__getattr__, __dir__, _MODULES = attach(globals())
__all__ = list(_MODULES)
