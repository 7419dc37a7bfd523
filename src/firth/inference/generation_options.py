"""What a user may ask of a text that is written: its length, how bold it is, and that it does not go in circles."""

from firth.errors import OptionError
from firth.options import check, option, options_class


@options_class
class GenerationOptions:
    """Wishes of whoever wants a text; each acts on the scores before a word is taken.

    Raises:
        OptionError: one of them is out of its range, or two contradict each other.
    """

    max_length: int = option(50, "most words to write, the end of the sentence among them", minimum=1)
    min_length: int = option(0, "words to write before the sentence may end", minimum=0)
    temperature: float = option(
        1.0, "below 1 likely words come more often, above 1 less often; 0 takes the likeliest", minimum=0
    )
    top_k: int | None = option(None, "draw among so many of the likeliest words", minimum=1)
    top_p: float = option(
        1.0, "draw among the fewest words whose probabilities reach this sum", minimum=0, maximum=1, exclusive=True
    )
    min_p: float = option(0.0, "draw no word less likely than this share of the likeliest", minimum=0, maximum=1)
    repetition_penalty: float = option(
        1.0, "log-probabilities of words that the text holds already are multiplied by it", minimum=1
    )
    no_repeat_ngram: int | None = option(None, "no so many words in a row are written a second time", minimum=1)

    def __post_init__(self) -> None:
        check(self)
        if self.min_length >= self.max_length:
            raise OptionError(
                f"min_length={self.min_length}: expected less than max_length={self.max_length}, which counts the end"
            )

    @property
    def draws(self) -> bool:
        """Whether something is asked that only drawing words can heed."""
        return (self.temperature, self.top_k, self.top_p, self.min_p) != (1.0, None, 1.0, 0.0)
