"""Public names that load on first use: a package lists them in a stub, which type checkers read as well."""

import importlib
import os
import sys

TYPE_CHECKING = False  # importing typing would take longer than all else here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def attach(namespace: "dict[str, Any]") -> "tuple[Callable[[str], Any], Callable[[], list[str]], dict[str, str]]":
    """Return `__getattr__` and `__dir__` of a package, and the modules of its public names, by name.

    Args:
        namespace: `globals()` of the package, whose `__init__.pyi` has a line `from MODULE import NAME as NAME` for
            each name. A name from the package itself is a module.
    """
    package, folder = namespace["__name__"], namespace["__path__"][0]
    with open(os.path.join(folder, "__init__.pyi"), encoding="utf-8") as stub:  # noqa: PTH118, PTH123  pathlib is slow to import
        lines = [line.split() for line in stub if line.startswith("from ")]
    modules = {name: module for _, module, _, name, *_ in sorted(lines, key=lambda line: line[3])}

    def load(name: str) -> "Any":
        if name not in modules:
            imported = sys._getframe(1).f_code.co_name == "_handle_fromlist"  # by `from PACKAGE import NAME`
            if imported and any(os.path.exists(f"{folder}/{name}{end}") for end in ("", ".py")):  # noqa: PTH110  pathlib is slow to import
                raise AttributeError(name)  # a module of the package, which is imported next
            from firth.hints import no_name

            raise no_name(package, name, modules, ImportError if imported else AttributeError)
        if modules[name] == package:
            return importlib.import_module(f"{package}.{name}")
        namespace[name] = value = getattr(importlib.import_module(modules[name]), name)
        return value

    return load, lambda: sorted({*namespace, *modules} - {"attach", "_MODULES"}), modules
