"""The encoder that a command line names, with the flags that encoders share."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from firth.cli.arguments import TEXT, Column, names
from firth.cli.flags import Flags
from firth.cli.output import working
from firth.corpus.table_options import TableOptions
from firth.errors import OptionError
from firth.loading import load
from firth.registry import plain_name
from firth.sentences.averages import SentenceAverages
from firth.sentences.encoder import TextEncoder, as_encoder
from firth.vectors.io import sentence_transformers

Model = Annotated[
    Path,
    names(
        "Encoder: word vectors, document vectors, a sentence encoder, a classifier or a neural language model.", "MODEL"
    ),
]


@dataclass(frozen=True)
class EncodingOptions(TableOptions):
    """How texts are read and encoded."""

    column: Column = None
    tokens: Annotated[
        str | None,
        typer.Option(
            help="With word vectors: how texts are split into words. Default: as saved with the vectors, else unicode.",
            metavar="unicode|whitespace|text8",
            rich_help_panel=TEXT,
        ),
    ] = None
    pooling: Annotated[
        str | None,
        typer.Option(
            help="With a language model, or a contextual encoder (mean, cls): pooling of hidden states. Default: mean.",
            metavar="mean|last|max|attention|cls",
        ),
    ] = None
    max_length: Annotated[
        int | None,
        typer.Option(help="With a language model: tokens that are read of a text. Default: 512.", show_default=False),
    ] = None
    batch_size: Annotated[int | None, typer.Option(help="Texts that are read at once.", show_default=False)] = None


ENCODING = Flags(EncodingOptions, TEXT)


def open_encoder(path: Path, quiet: bool, options: dict[str, Any]) -> TextEncoder:
    """Return the encoder at a path, with the flags of `ENCODING` that concern it."""
    with working(f"reading {path}", quiet):
        is_static = sentence_transformers.is_folder(path)
        encoder = SentenceAverages.load(path) if is_static else as_encoder(load(path))
    tokens = options.get("tokens")
    pooling = {name: options[name] for name in ("pooling", "max_length") if options.get(name) is not None}
    if tokens is not None:
        if not isinstance(encoder, SentenceAverages):
            raise OptionError(f"--tokens {tokens}: {path} holds {plain_name(encoder)}, which splits texts its own way")
        encoder = dataclasses.replace(encoder, tokens=tokens)
    if pooling:
        encoder = _with_pooling(path, encoder, pooling)
    return encoder


def _with_pooling(path: Path, encoder: TextEncoder, pooling: dict[str, Any]) -> TextEncoder:
    from firth.language.model import LanguageModel

    if not isinstance(encoder, LanguageModel) and plain_name(encoder) != "a contextual encoder":
        name, value = next(iter(pooling.items()))
        flag = name.replace("_", "-")
        raise OptionError(
            f"--{flag} {value}: {path} holds {plain_name(encoder)}; expected a neural language model or a contextual "
            "encoder"
        )
    from firth.neural.hidden_states import HiddenStates

    return HiddenStates(cast(Any, encoder), **pooling)
