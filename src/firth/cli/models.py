"""What `firth train MODEL` can train: a new family adds a line."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Model:
    """A preset of one options dataclass.

    Attributes:
        module: where the dataclass stands.
        name: the dataclass.
        preset: the options that make it this model; they have no flags.
    """

    module: str
    name: str
    preset: Mapping[str, Any] = field(default_factory=dict)

    def options(self) -> Any:
        """Return the dataclass, importing its module: that of a kernel takes the compiler along."""
        return getattr(importlib.import_module(self.module), self.name)


MODELS = {
    "skipgram": Model("firth.embeddings.word2vec", "Word2Vec", {"architecture": "skipgram"}),
    "cbow": Model("firth.embeddings.word2vec", "Word2Vec", {"architecture": "cbow"}),
}
