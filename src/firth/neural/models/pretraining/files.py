"""Pretrained encoders from folders: those that `PretrainedEncoder.save` writes, and those of transformers.

model.safetensors    the encoder and its head, under the names of transformers (`layout`)
tokenizer.json       the word pieces
config.json          sizes, under the names of transformers

A folder of transformers may have `vocab.txt` in place of tokenizer.json. Weights in a pickle are refused: opening one
can run any code.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firth.arguments import names_files
from firth.errors import FormatError
from firth.neural.models.pretraining.encoder_model import PretrainedEncoder
from firth.neural.models.pretraining.layout import read_config, read_encoder
from firth.storage import tensors
from firth.storage.files import text_of
from firth.storage.model_folder import CONFIG, MODEL, ModelFolder
from firth.storage.untrusted import file_bytes, parse_json
from firth.text.wordpieces import WordPieces

PICKLES = ("pytorch_model.bin", "model.bin", "tf_model.h5", "flax_model.msgpack")
TOKENIZER, TOKENIZER_CONFIG, VOCABULARY = "tokenizer.json", "tokenizer_config.json", "vocab.txt"


def restore(content: ModelFolder) -> PretrainedEncoder:
    """Return the encoder of a folder."""
    try:
        pieces = WordPieces(json.dumps(content.texts["tokenizer"]))
    except (KeyError, FormatError) as error:
        raise content.damaged(f"no tokenizer.json of word pieces ({error})") from None
    return _encoder(content.config, content.arrays, pieces, content.path, content.metadata)


@names_files
def read_folder(path: Path) -> PretrainedEncoder:
    """Return the encoder of a folder of transformers."""
    config = _json(path / CONFIG)
    if not (path / MODEL).is_file():
        _refuse(path)
    arrays = tensors.mapped(path / MODEL)
    return _encoder(config, arrays, _pieces(path), path, {"name": path.name})


def _encoder(
    config: Mapping[str, Any], arrays: Any, pieces: WordPieces, path: Path, metadata: Mapping[str, Any]
) -> PretrainedEncoder:
    layout, sizes = read_config(config, str(path / CONFIG))
    if len(pieces) > sizes.vocabulary:
        raise FormatError(
            f"{path}: {len(pieces):,} word pieces, and {sizes.vocabulary:,} vectors: the vocabulary is of another model"
        )
    module, head = read_encoder(arrays, layout, sizes, str(path / MODEL))
    return PretrainedEncoder(module, pieces, layout, head, metadata)


def _refuse(path: Path) -> None:
    pickled = next((name for name in PICKLES if (path / name).is_file()), None)
    if pickled is None:
        raise FormatError(f"{path}: no {MODEL}; expected the weights of the model as safetensors")
    raise FormatError(
        f"{path}: weights in {pickled}, which could run any code when it is opened; expected {MODEL}: on a machine "
        "that may run it, AutoModel.from_pretrained(folder).save_pretrained(new_folder) of transformers writes one"
    )


def _pieces(path: Path) -> WordPieces:
    try:
        if (path / TOKENIZER).is_file():
            return WordPieces(text_of(path / TOKENIZER, encoding="utf-8"))
        if (path / VOCABULARY).is_file():
            lines = text_of(path / VOCABULARY, encoding="utf-8").split("\n")
            how = _json(path / TOKENIZER_CONFIG) if (path / TOKENIZER_CONFIG).is_file() else {}
            strip = how.get("strip_accents")
            return WordPieces.of(
                [line.removesuffix("\r") for line in (lines[:-1] if not lines[-1] else lines)],
                lowercase=bool(how.get("do_lower_case", True)),
                accents=None if strip is None else not strip,
            )
    except (UnicodeDecodeError, FormatError) as error:
        raise FormatError(f"{path}: {error}") from None
    raise FormatError(f"{path}: neither {TOKENIZER} nor {VOCABULARY}; expected one of them beside the weights")


def _json(path: Path) -> dict[str, Any]:
    text = file_bytes(path)
    try:
        content = parse_json(text)
    except ValueError as error:
        raise FormatError(f"{path}: damaged JSON ({error}); copy the folder again") from None
    if not isinstance(content, dict):
        raise FormatError(f"{path}: {type(content).__name__}; expected entries by name")
    return content
