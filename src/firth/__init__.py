"""firth: meaning from raw text.

>>> import firth
>>> corpus = firth.Corpus.build("books/*.txt")              # doctest: +SKIP
>>> vectors = firth.Word2Vec(dim=100).train(corpus)         # doctest: +SKIP
>>> vectors.most_similar("paris")                           # doctest: +SKIP
"""

import sys

if sys.version_info < (3, 11) or sys.maxsize < 2**32:
    raise ImportError(
        f"firth needs a 64-bit Python of version 3.11 or newer; this is Python {sys.version.split()[0]}, "
        f"{64 if sys.maxsize > 2**32 else 32} bits, {sys.executable}"
    )

# `python -m firth` looks for modules in the current folder first, whose files are data and no code.
if sys.orig_argv[1:3] == ["-m", "firth"] and sys.argv[:1] == ["-m"] and not sys.flags.safe_path:
    _home = __file__.replace("\\", "/").rsplit("/", 2)[0]
    if sys.path[0].replace("\\", "/") != _home:
        del sys.path[0]

from firth.lazy import attach

__version__ = "0.1.0"

# Each module loads on first use: `import firth` takes milliseconds, and reading vectors never waits for Numba.
__getattr__, __dir__, _MODULES = attach(globals())
__all__ = list(_MODULES)
