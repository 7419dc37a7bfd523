"""Two spaces of words made one: two languages, or two times of one language."""

from firth.lazy import attach

__getattr__, __dir__, _MODULES = attach(globals())
__all__ = list(_MODULES)
