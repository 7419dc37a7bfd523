"""The layout of sentence-transformers' static embeddings: a folder that `SentenceTransformer(FOLDER)` opens.

    modules.json                        the one module, `StaticEmbedding`: the mean of the rows of a text's tokens
    config_sentence_transformers.json   similarity by cosine
    model.safetensors                   "embedding.weight" (V, D)
    tokenizer.json                      firth's tokeniser and the V words: `firth.text.hugging_face`
    README.md                           a model card

Means of word vectors are exactly that. Smooth inverse frequency is, too: its weights scale the rows, and the direction
that it removes is removed from each row, because the mean of projections is the projection of the mean.

Words without a row count for nothing, as in firth. Vectors with subwords lose those of unknown words.

Source: sentence-transformers 5, `StaticEmbedding.load`.
"""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, warn_caller
from firth.storage import tensors
from firth.storage.files import json_bytes
from firth.storage.untrusted import file_bytes, parse_json
from firth.text.hugging_face import MARK, NAMES, is_marked, name_of, tokenizer_json, words_in
from firth.text.tokenise import Tokeniser, tokeniser
from firth.text.word_rules import NAME
from firth.vectors.io.foreign_folder import check_folder, replacing
from firth.vectors.io.table import Contents, Reading, settle
from firth.vectors.space import VectorSpace

MODULES, CONFIG, TOKENIZER, MODEL, CARD = (
    "modules.json", "config_sentence_transformers.json", "tokenizer.json", "model.safetensors", "README.md",
)  # fmt: skip
OWN = frozenset({MODULES, CONFIG, TOKENIZER, MODEL, CARD})
LAYOUT = "a model of sentence-transformers"
MODULE = "sentence_transformers.models.StaticEmbedding"
WEIGHT, MODEL2VEC = "embedding.weight", "embeddings"  # names of the tensor


def check(path: Path) -> None:
    """Check that a folder can be written; see `check_folder`."""
    check_folder(path, OWN, LAYOUT)


def write(space: VectorSpace, path: Path, dtype: np.dtype[Any]) -> None:
    """Write a folder whose vectors of texts are the means of their words' vectors, in single precision.

    Texts are split as the text of the vectors was, where they know it; `SentenceAverages.save` writes others, and
    weighted means.
    """
    tokens = space.lexicon.tokens if space.lexicon.tokens in NAMES else NAME
    write_rows(space.words, np.asarray(space.vectors), tokens, path, "the mean of the vectors of its words")


def write_rows(words: list[str], rows: npt.NDArray[Any], tokens: str, path: Path, description: str) -> None:
    """Write a folder whose vectors of texts are the means of rows.

    Args:
        rows: (V, D), stored in single precision.

    Raises:
        FormatError: a word is not valid text.
    """
    tokenizer = tokenizer_json(words, tokens)
    try:
        content = json.dumps(tokenizer, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise FormatError(f"{path}: a word contains a lone surrogate, which is not valid text; drop it") from None
    with replacing(path, OWN, LAYOUT) as folder:
        with (folder / MODEL).open("wb") as file:
            tensors.write(file, {WEIGHT: rows}, {WEIGHT: np.float32})
        (folder / TOKENIZER).write_bytes(content)
        module = {"idx": 0, "name": "0", "path": ".", "type": MODULE}
        (folder / MODULES).write_bytes(json_bytes([module], indent=2))
        config = {"model_type": "SentenceTransformer", "prompts": {}, "similarity_fn_name": "cosine"}
        (folder / CONFIG).write_bytes(json_bytes({**config, "default_prompt_name": None}, indent=2))
        (folder / CARD).write_text(_card(len(words), rows.shape[1], tokens, description), encoding="utf-8")


def is_folder(path: Path) -> bool:
    """Return whether a folder holds a static embedding of sentence-transformers."""
    try:
        modules = parse_json(file_bytes(path / MODULES))
    except (OSError, ValueError):
        return False
    first = modules[0] if isinstance(modules, list) and modules else None
    return isinstance(first, dict) and str(first.get("type", "")).rpartition(".")[2] == "StaticEmbedding"


def read(path: Path, reading: Reading) -> Contents:
    """Return the tokens of a static embedding, of firth or of others, and their rows.

    Raises:
        FormatError: the folder is damaged, or its tokens are not numbered like its rows.
    """
    modules = parse_json(file_bytes(path / MODULES))
    folder = path / str(modules[0].get("path", ""))
    if os.path.realpath(folder) not in map(os.path.realpath, (path, *path.iterdir())):
        raise FormatError(f"{path / MODULES}: a module outside of the folder; expected one inside")
    if len(modules) > 1:
        warn_caller(f"{path}: only the first of its {len(modules)} modules is read, the static embedding")
    arrays = tensors.mapped(folder / MODEL)
    matrix = arrays.get(WEIGHT, arrays.get(MODEL2VEC))
    if "mapping" in arrays or "weights" in arrays:
        raise FormatError(
            f"{path}: rows shared by tokens (model2vec's quantised vocabulary), which firth does not read"
        )
    if matrix is None or matrix.ndim != 2 or matrix.dtype.kind != "f":
        raise FormatError(f"{folder / MODEL}: tensors {', '.join(arrays) or 'none'}; expected the matrix {WEIGHT!r}")
    try:
        words = words_in(parse_json(file_bytes(folder / TOKENIZER)))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"{folder / TOKENIZER}: damaged ({error}); copy the folder again") from None
    if len(words) != len(matrix) or not all(isinstance(word, str) for word in words):
        raise FormatError(f"{path}: {len(words):,} tokens and {len(matrix):,} rows; expected as many")
    return settle(words, matrix, lambda row: f"{path}: {words[row]!r}", reading)


def tokens_of(path: Path, words: Sequence[str]) -> str | Tokeniser:
    """Return how a static embedding splits texts: the name of firth's tokeniser, or a function for any other.

    Args:
        words: its tokens, as `read` returns them.
    """
    modules = parse_json(file_bytes(path / MODULES))
    stored = parse_json(file_bytes(path / str(modules[0].get("path", "")) / TOKENIZER))
    name = name_of(stored, words)
    if name is not None:
        return name
    split = tokeniser(json.dumps(stored))
    if not is_marked(stored):
        return split
    return lambda text: [token.removeprefix(MARK) for token in split(text)]


def _card(words: int, dim: int, tokens: str, description: str) -> str:
    return f"""---
library_name: sentence-transformers
pipeline_tag: sentence-similarity
tags: [sentence-transformers, static-embeddings, firth]
---

# Averages of word vectors

The vector of a text is {description}. {words:,} words x {dim}, made by firth.

```python
from sentence_transformers import SentenceTransformer

model = SentenceTransformer("this/folder")
model.encode(["a text", "another"])
```

Texts are split by firth's tokeniser `{tokens}`. Words that the model does not know count for nothing; a text without a
known word has a vector of zeros.
"""
