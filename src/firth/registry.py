"""The kinds of models that firth can open: one line per kind.

`LOADERS` maps the kind in a folder's config.json to the function that rebuilds the model from the folder's contents. A
module is imported when a folder of its kind is opened, so that reading word vectors imports neither Numba nor PyTorch.
`firth.load`, the command line and models that contain models all go through `load_folder`.
"""

import importlib
import os
from collections.abc import Callable
from typing import Any

from firth.errors import FormatError
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder

LOADERS = {  # kind: "module:function", which takes a ModelFolder and returns the model
    "firth-alignment": "firth.alignment.alignment:restore",
    "firth-classifier": "firth.classify.files:restore",
    "firth-composition": "firth.embeddings.compositional:restore",
    "firth-documents": "firth.vectors.document_vectors:restore",
    "firth-language-model": "firth.neural.models.language.files:restore",
    "firth-mixture": "firth.language.mixture:restore",
    "firth-ngrams": "firth.language.ngram_model:restore",
    "firth-senses": "firth.vectors.sense_vectors:restore",
    "firth-subwords": "firth.vectors.io.load:restore_subwords",
    "firth-vectors": "firth.vectors.io.load:restore_words",
}
FASTTEXT_CLASSIFIER = "firth.classify.files:from_fasttext"  # takes a fastText file and a name


def resolve(location: str) -> Callable[..., Any]:
    """Import and return the function at a location of the form "module:function"."""
    module, _, name = location.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def load_folder(path: str | os.PathLike[str]) -> Any:
    """Return the model saved in a folder.

    Raises:
        FormatError: firth did not write the folder, a newer version did, or the folder is damaged.
        OSError: the folder cannot be read.
    """
    folder: ModelFolder = model_folder.read(path)
    if folder.kind not in LOADERS:
        raise FormatError(
            f"{path}: a model of kind {folder.kind!r}, which this version of firth does not know: upgrade"
        )
    return resolve(LOADERS[folder.kind])(folder)
