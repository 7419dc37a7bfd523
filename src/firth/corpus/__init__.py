"""From text sources to an encoded corpus: token ids in a memory-mapped folder."""

from firth.lazy import attach

__getattr__, __dir__, _MODULES = attach(globals())
__all__ = list(_MODULES)
