"""Options that models of trees with labels share."""

import abc

from firth.errors import OptionError
from firth.neural.models.texts.options import PAIRS, LabelledOptions
from firth.options import option, options_class

EMBEDDINGS = ("tuned", "static")
NO_LIMIT = 2**62  # words of a tree


@options_class
class TreeOptions(LabelledOptions):
    """Options of a model of trees with labels: what all of them have.

    Raises:
        OptionError: an option is out of its range.
    """

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
        super().__post_init__()
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
    def reads(self) -> tuple[str, int]:
        """Words as they are, without a limit; see `LabelledOptions.reads`."""
        return "whitespace", NO_LIMIT

    @property
    @abc.abstractmethod
    def reads_chains(self) -> bool:
        """Whether phrases are read word by word, as chains, whatever their trees are."""
