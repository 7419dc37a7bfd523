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
        imported = sys._getframe(1).f_code.co_name == "_handle_fromlist"  # by `from firth import NAME`
        if imported and any(os.path.exists(f"{__path__[0]}/{name}{end}") for end in ("", ".py")):  # noqa: PTH110  pathlib is slow to import
            raise AttributeError(name)  # a module of ours, which is imported next
        from firth.hints import no_name

        raise no_name("firth", name, _MODULES, ImportError if imported else AttributeError)
    if _MODULES[name] == "firth":
        return importlib.import_module(f"firth.{name}")
    value = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_MODULES})
