"""Language models: how likely is a text, and what comes next; here those that count, and what all of them share."""

from firth.lazy import attach

__getattr__, __dir__, _MODULES = attach(globals())
__all__ = list(_MODULES)
