"""Which words of a text a model's answer comes from: attributions of several kinds, and how far they agree."""

from firth.lazy import attach

__getattr__, __dir__, _MODULES = attach(globals())
__all__ = list(_MODULES)
