"""Options of taggers."""

import abc
from collections.abc import Sequence
from typing import Any, ClassVar

from firth.errors import OptionError, brief
from firth.hints import near_names
from firth.neural.models.tags.module import TaggerModule
from firth.neural.models.tags.tag_set import TagSet
from firth.neural.models.tokens.options import TokenOptions
from firth.neural.models.tokens.reader import TokenReader
from firth.neural.training.options import TrainingOptions
from firth.options import option, options_class
from firth.vectors.word_vectors import WordVectors

ENCODERS = ("bilstm", "window")
HEADS = ("crf", "softmax", "margin")
SCHEMES = ("bioes", "bio")


@options_class
class TaggerOptions(TokenOptions, abc.ABC):
    """Options of a tagger.

    Raises:
        OptionError: an option is out of its range, or head="margin" comes without encoder="window".
    """

    training: ClassVar[TrainingOptions]

    targets: str | Sequence[str] | None = option(
        None,
        "what is tagged, with commas between: upos, xpos, feats or ner of CoNLL-U and documents, or numbers of "
        "columns; default: upos, of documents with entities ner, and of columns the last, which is then called tag",
    )
    encoder: str = option("bilstm", "how words are read in context: bilstm or window", choices=ENCODERS)
    head: str = option("crf", "how tags are decided: crf, softmax or margin (with a window)", choices=HEADS)
    hidden: int = option(200, "width of each LSTM's state, or of the hidden layer over a window", minimum=1)
    layers: int = option(1, "number of LSTM layers", minimum=1)
    window: int = option(2, "words on each side, with encoder=window", minimum=0)
    spelling: bool = option(False, "look-ups of capitals and of the last two letters of a word")
    margin: float = option(1.0, "margin, with head=margin", minimum=0)
    dropout: float = option(
        0.5, "dropout of the vectors of words, before and after the encoder", minimum=0, maximum=0.99
    )
    scheme: str = option("bioes", "how tags of spans are scored; they are shown in BIO", choices=SCHEMES)

    def __post_init__(self) -> None:
        if self.targets is not None:
            given: Any = self.targets  # a number of a column may be an int
            names = given.split(",") if isinstance(given, str) else [given] if isinstance(given, int) else list(given)
            object.__setattr__(self, "targets", ",".join(str(name).strip() for name in names))
        self._check_encoder()
        super().__post_init__()
        if not all(self.target_names) or len(set(self.target_names)) != len(self.target_names):
            raise OptionError(f"targets={self.targets!r}: expected different names, such as 'upos,feats'")
        if self.head == "margin" and self.encoder != "window":
            raise OptionError(f"head='margin' with encoder={self.encoder!r}: a margin needs encoder='window'")

    def _check_encoder(self) -> None:
        """Refuse a pretrained encoder, which taggers read beside words."""
        name: Any = self.encoder
        if isinstance(name, str) and name.lower() not in ENCODERS and not near_names(name.lower(), ENCODERS):
            raise OptionError(
                f"encoder={brief(name)}: expected one of {', '.join(ENCODERS)}; a pretrained encoder is given to train "
                f"as embed={brief(name)}"
            )

    @property
    def target_names(self) -> tuple[str, ...]:
        """The targets, one by one; none where they follow from the data."""
        return () if self.targets is None else tuple(str(self.targets).split(","))

    @property
    def read_columns(self) -> tuple[str, ...]:
        """The columns that are read besides words and characters."""
        return ("capitals", "suffix") if self.spelling else ()

    @abc.abstractmethod
    def build(self, reader: TokenReader, sets: Sequence[TagSet], vectors: WordVectors | None) -> TaggerModule:
        """Return a module with random parameters from torch's default generator.

        Args:
            reader: the vocabulary.
            sets: the tags of each target.
            vectors: given vectors; None for random ones.
        """
