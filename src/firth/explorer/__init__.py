"""The server of models, and the page that shows them in a browser. Read-only: no request changes or opens a file."""

from firth.lazy import attach

__getattr__, __dir__, _MODULES = attach(globals())
__all__ = list(_MODULES)
