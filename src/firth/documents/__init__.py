"""Annotated documents: one type for all stages, its files, raw text to documents, and annotation by several models.

Formats whose items are whole documents are read here, beside `Document`; those of sentences, trees and pairs are in
`firth.readers`.
"""

from firth.lazy import attach

__getattr__, __dir__, _MODULES = attach(globals())
__all__ = list(_MODULES)
