"""Several trainings of one model on documents drawn anew: results with intervals."""

from firth.lazy import attach

__getattr__, __dir__, _MODULES = attach(globals())
__all__ = list(_MODULES)
