"""Options that models of trees with labels share."""

import abc
from typing import ClassVar

import torch

from firth.errors import OptionError
from firth.neural.models.texts.options import PAIRS
from firth.neural.models.texts.reader import TextReader
from firth.neural.models.trees.module import TreeModule
from firth.neural.training.devices import within_memory
from firth.neural.training.options import TrainingOptions
from firth.options import check, option, options_class
from firth.randomness import torch_seed
from firth.vectors.word_vectors import WordVectors

EMBEDDINGS = ("tuned", "static")


@options_class
class TreeOptions(abc.ABC):
    """Options of a model of trees with labels: what all of them have.

    A model inherits this class, adds its own options and sets `train`.

    Attributes:
        training: default training options.

    Raises:
        OptionError: an option is out of its range.
    """

    training: ClassVar[TrainingOptions]

    dim: int = option(300, "width of word vectors; given vectors decide it", minimum=1)
    embedding: str = option("tuned", "word vectors: tuned, or static (given and kept)", choices=EMBEDDINGS)
    lowercase: bool = option(True, "read words in lower case")
    merge: str = option("", "labels that count as one; nodes with other labels have none: 'negative=0,1 positive=3,4'")
    pairs: str | None = option(
        None,
        "what is asked of pairs of trees: entailment (a label, the order matters), paraphrase (a label, it does not), "
        "relatedness (a score); default: single trees with labels",
        choices=PAIRS,
    )
    lowest: int = option(1, "lowest score of pairs, with pairs=relatedness")
    highest: int = option(5, "highest score of pairs, with pairs=relatedness")
    min_count: int | None = option(
        None, "minimum count of a word; rarer ones are unknown; default: by the size of the text", minimum=1
    )
    extra_words: int = option(
        50_000,
        "most frequent words of given vectors that are known, too, besides those of the training trees",
        minimum=0,
    )

    def __post_init__(self) -> None:
        check(self)
        if self.lowest >= self.highest:
            raise OptionError(f"lowest={self.lowest}, highest={self.highest}: expected lowest to be below highest")
        if self.merge and self.pairs:
            raise OptionError(f"merge={self.merge!r} with pairs={self.pairs!r}: only labels of nodes are merged")
        _ = self.merged

    @property
    def merged(self) -> dict[str, str]:
        """Label of a node: label to learn; empty if labels are not merged."""
        merged: dict[str, str] = {}
        for group in self.merge.split():
            name, _, members = group.partition("=")
            if not name or not all(members.split(",")):
                raise OptionError(f"merge={self.merge!r}: expected NAME=LABEL,LABEL ..., such as 'bad=0,1 good=3,4'")
            merged |= dict.fromkeys(members.split(","), name)
        if self.merge and len(set(merged.values())) < 2:
            raise OptionError(f"merge={self.merge!r}: one label is left, expected two or more")
        return merged

    @property
    def symmetric(self) -> bool:
        """Whether the order of a pair does not matter."""
        return self.pairs in ("paraphrase", "relatedness")

    @property
    @abc.abstractmethod
    def reads_chains(self) -> bool:
        """Whether phrases are read word by word, as chains, whatever their trees are."""

    @abc.abstractmethod
    def build_module(self, reader: TextReader, labels: int, vectors: WordVectors | None) -> TreeModule:
        """Return a module with random parameters from torch's default generator.

        Args:
            reader: the vocabulary.
            labels: L.
            vectors: to start from, of the width `dim`; None for random ones.
        """


def new_module(
    options: TreeOptions,
    reader: TextReader,
    labels: int,
    seed: int,
    vectors: WordVectors | None = None,
    *,
    copies: int = 1,
) -> TreeModule:
    """Return a module with random parameters; torch's own random state is kept.

    Args:
        options: of the model.
        reader: the vocabulary.
        labels: L.
        seed: of the parameters.
        vectors: to start from.
        copies: numbers in memory per parameter: 1, or 2 in training.

    Raises:
        OptionError: the model needs more memory than this machine has, or no word has a vector.
    """
    with torch.random.fork_rng(devices=[]), within_memory(copies):
        torch.manual_seed(torch_seed(seed, "parameters"))
        return options.build_module(reader, labels, vectors)
