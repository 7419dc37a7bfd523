"""firth: meaning from raw text.

>>> import firth
>>> corpus = firth.Corpus.build("books/*.txt")              # doctest: +SKIP
>>> vectors = firth.Word2Vec(dim=100).train(corpus)         # doctest: +SKIP
>>> vectors.most_similar("paris")                           # doctest: +SKIP
"""

import sys

# `python -m firth` looks for modules in the current folder first, whose files are data and no code.
if sys.orig_argv[1:3] == ["-m", "firth"] and sys.argv[:1] == ["-m"] and not sys.flags.safe_path:
    _home = __file__.replace("\\", "/").rsplit("/", 2)[0]
    if sys.path[0].replace("\\", "/") != _home:
        del sys.path[0]

import importlib
import os

__version__ = "0.1.0"

# The stub lists the public names. Each module loads on first use: `import firth` takes milliseconds, and reading
# vectors never waits for Numba.
with open(os.path.join(os.path.dirname(__file__), "__init__.pyi"), encoding="utf-8") as _stub:  # noqa: PTH118, PTH120, PTH123  pathlib is slow to import
    _lines = [_line.split() for _line in _stub if _line.startswith("from ")]
_MODULES = {_name: _module for _, _module, _, _name, *_ in sorted(_lines, key=lambda line: line[3])}
__all__ = list(_MODULES)


def __getattr__(name):
    if name not in _MODULES:
        import difflib

        from firth.option_names import PUBLIC_NAMES

        if name in PUBLIC_NAMES:
            raise AttributeError(f"module 'firth' has no attribute {name!r}; use firth.{PUBLIC_NAMES[name]}")
        lower = {known.lower(): known for known in _MODULES}
        near = [lower[match] for match in difflib.get_close_matches(name.lower(), lower, n=2, cutoff=0.75)]
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise AttributeError(f"module 'firth' has no attribute {name!r}{hint}")
    if _MODULES[name] == "firth":
        return importlib.import_module(f"firth.{name}")
    value = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_MODULES})
