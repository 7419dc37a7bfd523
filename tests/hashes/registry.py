"""The table of cases, and the digest of an answer.

A case is a function without arguments that returns a plain answer: numbers, text, arrays, lists, mappings, or a mapping
from names to such values at the top, each hashed by itself. Names of fields and keys do not enter a digest, so that a
renamed field changes nothing.
"""

import dataclasses
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

Case = Callable[[], Any]
CASES: dict[str, Case] = {}


def case(name: str) -> Callable[[Case], Case]:
    """Register a function as a case."""

    def register(function: Case) -> Case:
        assert name not in CASES, name
        CASES[name] = function
        return function

    return register


def variants(prefix: str, run: Callable[..., Any], options: Mapping[str, Mapping[str, Any]]) -> None:
    """Register one case per set of options."""
    for name, values in options.items():
        case(f"{prefix}/{name}")(lambda values=values: run(**values))


def digests(answer: Any) -> dict[str, str]:
    """Return a short SHA-256 of each part of an answer."""
    parts = (
        answer if isinstance(answer, Mapping) and all(isinstance(key, str) for key in answer) else {"answer": answer}
    )
    return {name: digest(value) for name, value in parts.items()}


def digest(value: Any) -> str:
    """Return the first 16 digits of the SHA-256 of a plain value."""
    state = hashlib.sha256()
    _add(state, value)
    return state.hexdigest()[:16]


def _add(state: Any, value: Any) -> None:
    if type(value).__module__.startswith("torch"):
        value = value.detach().cpu().float().numpy()
    if isinstance(value, Path):
        state.update(value.read_bytes())
    elif isinstance(value, bytes):
        state.update(value)
    elif isinstance(value, np.ndarray):
        state.update(f"{value.dtype}{value.shape}".encode())
        state.update(
            np.ascontiguousarray(value).tobytes() if value.dtype.kind != "O" else repr(value.tolist()).encode()
        )
    elif isinstance(value, Mapping):
        _add(state, list(value.values()))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        _add(state, [getattr(value, field.name) for field in dataclasses.fields(value)])
    elif isinstance(value, list | tuple):
        state.update(f"[{len(value)}".encode())
        for each in value:
            _add(state, each)
    elif isinstance(value, np.generic):
        _add(state, value.item())
    elif value is None or isinstance(value, str | int | float | bool):
        state.update(repr(value).encode("utf-8", "surrogatepass") + b";")
    elif isinstance(value, set | frozenset):
        _add(state, sorted(value))
    else:
        raise TypeError(f"no digest for {type(value)}")
