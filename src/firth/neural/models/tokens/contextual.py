"""What gives words vectors in their context: the interface of pretrained encoders that other models read words by.

Taggers, parsers and classifiers take any of them through `embed=`. A bidirectional language model, a translator and a
masked language model implement the interface alike; what reads subwords gives each word the vector of one of its
subwords, or their mean, so that there is one vector per word and layer.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import torch

from firth.loading import load
from firth.storage.files import check_exists


@runtime_checkable
class ContextualEncoder(Protocol):
    """A trained model that gives the words of sentences vectors in their context.

    Attributes:
        module: with the parameters that `token_states` reads; taggers that tune them train a copy of the model.
        token_layers: L, vectors per word: the input, and then layer by layer.
        token_width: D, width of each of them.
    """

    module: torch.nn.Module

    @property
    def token_layers(self) -> int:
        """L, vectors per word."""
        ...

    @property
    def token_width(self) -> int:
        """D."""
        ...

    def token_states(self, sentences: Sequence[Sequence[str]]) -> torch.Tensor:
        """Return (B, T, L, D) vectors of the words of sentences, on the device of the module; zero at padding.

        Gradients reach the parameters of the module where the caller has them recorded. In evaluation mode a word's
        vectors are those of its sentence alone, whatever else is in the batch.
        """
        ...

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as a folder that `firth.load` opens."""
        ...

    def fingerprint(self) -> str:
        """Return a digest of the model: equal ones give words the same vectors."""
        ...


def opened(model: Any) -> Any:
    """Return the model of a folder, of firth or of transformers, if a path is given, and anything else as it is."""
    if not isinstance(model, str | os.PathLike):
        return model
    check_exists(Path(model), "the folder of a model that gives words vectors in their context")
    return load(model)
