"""What the options of every neural language model have in common, and the output layer that one of them names."""

import dataclasses
from typing import Any, ClassVar, Protocol

import torch

from firth.neural.layers.output.base import OutputLayer
from firth.neural.layers.output.registry import OUTPUTS, make_output, options_of
from firth.neural.models.language.learned_tree import LearnedTree
from firth.neural.models.language.module import LanguageModule
from firth.neural.training.options import TrainingOptions
from firth.options import option, parse_spec
from firth.vocabulary import Vocabulary

_WORDS = {"yes": True, "true": True, "no": False, "false": False}


class LanguageOptions(Protocol):
    """A dataclass that makes a module; `models` names it on the command line.

    Attributes:
        training: how it is trained where nobody says otherwise.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]
    training: ClassVar[TrainingOptions]

    @property
    def spells(self) -> bool:
        """Whether words are read by their characters, so that the vocabulary limits only what is predicted."""
        return False

    @property
    def output(self) -> str:
        """How words are scored; see `output_of`."""
        ...

    def module(self, vocabulary: Vocabulary, begin: int) -> LanguageModule:
        """Return a module whose parameters torch's generator draws.

        Args:
            vocabulary: V words with their counts.
            begin: the id that stands before a fresh text.
        """
        ...


def output_option(default: str = "full") -> Any:
    """Describe the choice of an output layer.

    Args:
        default: where nothing is given.
    """
    return option(default, f"how words are scored: {', '.join(OUTPUTS)}; its own options behind colons")


def output_of(spec: str, width: int, vocabulary: Vocabulary, tied: torch.nn.Parameter | None = None) -> OutputLayer:
    """Return a new output layer that is named with its options, such as "full" or "nce:samples=100".

    Args:
        spec: a name of `firth.neural.layers.output.registry.OUTPUTS`, and options of that kind behind colons.
        width: D, of the hidden vectors.
        vocabulary: V words with their counts.
        tied: (V, E) the weight of an embedding, to be shared.

    Raises:
        OptionError: there is no such kind or no such option, or a value is out of its range.
    """
    kind, chosen = parsed_output(spec)
    if learned_tree(spec) is not None:
        chosen = {}  # any tree, until the one that is learned takes its place
    seed = int(torch.randint(2**31, ()))
    return make_output(kind, width, len(vocabulary), counts=vocabulary.counts, tied=tied, seed=seed, **chosen)


def parsed_output(spec: str) -> tuple[str, dict[str, Any]]:
    """Return an output layer's kind and its options.

    Args:
        spec: as for `output_of`.

    Raises:
        OptionError: there is no such kind or no such option.
    """
    kind = spec.partition(":")[0]
    known = options_of(kind)
    if "tree=learned" in spec.split(":"):
        known = ["tree", *(field.name for field in dataclasses.fields(LearnedTree))]
    return kind, {name: _value(value) for name, value in parse_spec(spec, known).items()}


def check_output(spec: str) -> None:
    """Check an output layer's kind and the names of its options, before there is a text.

    Args:
        spec: as for `output_of`.

    Raises:
        OptionError: there is no such kind or no such option.
    """
    learned_tree(spec)


def learned_tree(spec: str) -> LearnedTree | None:
    """Return how an output's tree is learned, or None where it has none that is.

    Args:
        spec: as for `output_of`.

    Raises:
        OptionError: an option is out of its range.
    """
    kind, chosen = parsed_output(spec)
    if kind != "tree" or chosen.get("tree") != "learned":
        return None
    return LearnedTree(**{name: value for name, value in chosen.items() if name != "tree"})


def _value(text: str) -> Any:
    if "," in text:
        return [_value(part) for part in text.split(",")]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return _WORDS.get(text.lower(), text)
