"""Readers of annotated data: one file per format.

How a reader is written, so that the next format is one file and its test:

- `read_FORMAT(path)` takes a path: a file, or the folder or archive in which the format is distributed.
- It yields one record per annotated item (a sentence, a tree, a pair, a question) where items are independent, and
  reads them as they are asked for. It returns one object where the parts refer to each other, as in WordNet.
- A record is a list of strings or a frozen dataclass of strings and numbers. Readers know no vocabulary and no model.
- Archives are opened with `firth.storage.untrusted`, which refuses damaged files and files that unpack to too much.
- An error is a `FormatError`: "PATH line NUMBER: what was found, expected what was expected; what to do".
"""

from firth.lazy import attach

__getattr__, __dir__, _MODULES = attach(globals())
__all__ = list(_MODULES)
