"""Options of readers."""

import abc
from typing import Any, ClassVar

from firth.neural.models.tokens.options import TokenOptions
from firth.neural.models.tokens.reader import TokenReader
from firth.neural.training.options import TrainingOptions
from firth.options import option, options_class
from firth.vectors.word_vectors import WordVectors


@options_class
class ReadingOptions(TokenOptions, abc.ABC):
    """Options of a reader: what all kinds have.

    Raises:
        OptionError: an option is out of its range.
    """

    training: ClassVar[TrainingOptions]

    no_answer: bool = option(False, "questions may have no answer, as in SQuAD 2.0")
    longest: int = option(15, "tokens of an answer at most", minimum=1)
    window: int = option(400, "tokens of a paragraph that are read together; longer ones are read in parts", minimum=2)
    word_dropout: float = option(
        0.0, "word dropout: a word of count n is read as unknown with probability a / (a + n); this is a", minimum=0
    )

    @abc.abstractmethod
    def build(self, reader: TokenReader, tags: tuple[int, ...], vectors: WordVectors | None) -> Any:
        """Return a module with random parameters from torch's default generator.

        Args:
            reader: the vocabulary.
            tags: number of tags of each target of taggers.
            vectors: given vectors; None for random ones.
        """
