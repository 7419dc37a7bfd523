"""Embedders: how a tagger, parser or classifier reads the vectors of a pretrained encoder.

What
    An embedder names a trained model, and where and how its vectors enter the task's network. A task takes several,
    with look-ups of words and given vectors beside them. Any model that implements `ContextualEncoder` will do: a
    bidirectional language model, a translator, a masked language model. What reads subwords gives each word the vector
    of one of its subwords, or their mean, so that there is one vector per word and layer.
Objective
    ELMo    the scalar mix of all layers, beside the vectors of words and, if `output`, beside the output of the task's
            BiLSTM; with a mix of its own at each
    TagLM   the top layer, beside the output of the first layer of the task's BiLSTM
    CoVe    the top layer, beside the vectors of words
Source
    Peters et al. 2018, sections 3.2 and 3.3 (ELMo); Peters et al. 2017, "Semi-supervised sequence tagging with
    bidirectional language models", section 2.4 (TagLM); McCann et al. 2017, "Learned in translation: contextualized
    word vectors", section 4 (CoVe).
Departures
    No L2 penalty on the weights of the mix. Dropout is that of the task.
Cost
    One pass of the encoder over each sentence; frozen encoders read the training data once
    (`firth.neural.models.tokens.features`).
"""

import abc
import os
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Protocol, runtime_checkable

import torch

from firth.arguments import explained_class
from firth.errors import OptionError, brief
from firth.loading import load
from firth.registry import restored
from firth.storage.files import check_exists
from firth.storage.model_folder import ModelFolder

INPUT, MIDDLE, OUTPUT = JOINS = ("input", "middle", "output")


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


@dataclass(frozen=True, eq=False)
class ContextualEmbedder(abc.ABC):
    """An encoder, and how its vectors enter the network of a task.

    Attributes:
        model: trained encoder, or the path of its folder.
        tuned: whether training changes the encoder, a copy of which it then works on; otherwise it is frozen.

    Raises:
        OptionError: the model gives words no vectors.
    """

    model: Any
    tuned: bool = False

    mixed: ClassVar[bool]  # whether all layers are read, or the top one

    def __post_init__(self) -> None:
        object.__setattr__(self, "model", opened(self.model))
        if not isinstance(self.model, ContextualEncoder):
            raise OptionError(
                f"{type(self).__name__}({brief(self.model)}): expected a model that gives words vectors in their "
                "context, such as firth.BidirectionalLM(...).train(text), or its folder"
            )

    @property
    def encoder(self) -> ContextualEncoder:
        """The model."""
        encoder: ContextualEncoder = self.model
        return encoder

    @property
    @abc.abstractmethod
    def joins(self) -> tuple[str, ...]:
        """Where the vectors enter the network, names of `JOINS`."""

    @property
    def settings(self) -> dict[str, Any]:
        """All but the model, as JSON values."""
        return {"kind": type(self).__name__, "tuned": self.tuned}


@explained_class
@dataclass(frozen=True, eq=False)
class ELMo(ContextualEmbedder):
    """Weighted layers of an encoder as vectors of words.

    Args:
        model: trained encoder, or the path of its folder.
        tuned: whether training changes the encoder, a copy of which it then works on; otherwise it is frozen.
        output: whether another mix joins the output of the task's encoder.

    Raises:
        OptionError: the model gives words no vectors, or a name is no argument.

    Source:
        Peters et al. 2018, sections 3.2 and 3.3.
    """

    output: bool = False
    mixed: ClassVar[bool] = True

    @property
    def joins(self) -> tuple[str, ...]:
        """At the input and, with `output`, at the output."""
        return (INPUT, OUTPUT) if self.output else (INPUT,)

    @property
    def settings(self) -> dict[str, Any]:
        """All but the model, as JSON values."""
        return {**super().settings, "output": self.output}


@explained_class
@dataclass(frozen=True, eq=False)
class TagLM(ContextualEmbedder):
    """The top layer of an encoder, which joins the second layer of a tagger or parser.

    Args:
        model: trained encoder, or the path of its folder.
        tuned: whether training changes the encoder, a copy of which it then works on; otherwise it is frozen.

    Raises:
        OptionError: the model gives words no vectors, or a name is no argument.

    Source:
        Peters et al. 2017, section 2.4.
    """

    mixed: ClassVar[bool] = False

    @property
    def joins(self) -> tuple[str, ...]:
        """Between the first and the second layer."""
        return (MIDDLE,)


@explained_class
@dataclass(frozen=True, eq=False)
class CoVe(ContextualEmbedder):
    """The states of a translator's encoder as vectors of words.

    Args:
        model: a trained translator, or the path of its folder.
        tuned: whether training changes the encoder, a copy of which it then works on; otherwise it is frozen.

    Raises:
        OptionError: the model gives words no vectors, or a name is no argument.

    Source:
        McCann et al. 2017, section 4.
    """

    mixed: ClassVar[bool] = False

    @property
    def joins(self) -> tuple[str, ...]:
        """At the input."""
        return (INPUT,)


Embedders = tuple[ContextualEmbedder, ...]
KINDS: dict[str, type[ContextualEmbedder]] = {kind.__name__: kind for kind in (ELMo, TagLM, CoVe)}


def embedders_of(embed: Any) -> tuple[ContextualEmbedder, ...]:
    """Return the embedders of an argument `embed`; those that are tuned have a copy of their model.

    Args:
        embed: an embedder, several, or None. A trained encoder, or the path of one, stands for its usual embedder:
            `CoVe` of a translator, `ELMo` of everything else.
    """
    if embed is None:
        return ()
    items = list(embed) if isinstance(embed, Sequence) and not isinstance(embed, str) else [embed]
    return tuple(map(_own, map(_embedder, items)))


def _embedder(item: Any) -> ContextualEmbedder:
    if isinstance(item, ContextualEmbedder):
        return item
    model = opened(item)
    elmo: ContextualEmbedder = ELMo(model)
    return elmo if elmo.encoder.token_layers > 1 else CoVe(model)


def _own(embedder: ContextualEmbedder) -> ContextualEmbedder:
    return replace(embedder, model=deepcopy(embedder.model)) if embedder.tuned else embedder


def embedders_digest(embedders: Sequence[ContextualEmbedder]) -> bytes:
    """Return a digest of embedders, which a checkpoint must agree with; nothing of none."""
    return "\n".join(f"{embedder.settings} {embedder.encoder.fingerprint()}" for embedder in embedders).encode()


def check_joins(embedders: Sequence[ContextualEmbedder], joins: Sequence[str], what: str) -> None:
    """Check that embedders join a network only where it takes vectors."""
    for embedder in embedders:
        missing = [name for name in embedder.joins if name not in joins]
        if missing:
            if not joins:
                raise OptionError(
                    f"embed with {what}, which takes no other vectors: expected firth.RecurrentClassifier or "
                    "firth.CNNClassifier"
                )
            raise OptionError(
                f"{type(embedder).__name__} joins {what} at its {missing[0]}, where it takes no vectors; expected one "
                f"that joins it at {' or '.join(joins)}, such as firth.ELMo(model)"
            )


EMBED = "embed"  # in config.json


def embedder_config(embedders: Sequence[ContextualEmbedder]) -> dict[str, Any]:
    """Return what config.json holds of embedders; nothing if there are none."""
    return {EMBED: [embedder.settings for embedder in embedders]} if embedders else {}


def embedder_folders(embedders: Sequence[ContextualEmbedder]) -> dict[str, Callable[[Path], None]]:
    """Return the functions that write the encoders, by the names of their folders."""
    return {f"model-{number}": embedder.encoder.save for number, embedder in enumerate(embedders)}


def restored_embedders(content: ModelFolder) -> tuple[ContextualEmbedder, ...]:
    """Return the embedders of a folder."""
    listed = content.config.get(EMBED, [])
    embedders = []
    for number, settings in enumerate(listed if isinstance(listed, list) else [listed]):
        try:
            kind = KINDS[settings["kind"]]
            rest = {name: bool(value) for name, value in settings.items() if name != "kind"}
            embedders.append(kind(restored(content.part(f"model-{number}")), **rest))
        except (KeyError, TypeError, ValueError, OSError) as error:
            raise content.damaged(f"config.json and model-{number} describe no embedder ({error})") from error
    return tuple(embedders)
