"""Provisional ids and counts of tokens, for Python tokenisers and for text that comes as tokens."""

from collections import defaultdict
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from firth.errors import CorpusError

_HELD = 1 << 18  # ids buffered before they are written


class TokenCounter:
    """Assigns provisional ids to the tokens of sentences and counts them.

    Args:
        write: called with blocks of ids, -1 at the end of each sentence.
    """

    def __init__(self, write: Callable[[npt.NDArray[np.int32]], None]) -> None:
        self._write = write
        self._numbers: defaultdict[str, int] = defaultdict()
        self._numbers.default_factory = self._numbers.__len__
        self._counts = np.zeros(0, dtype=np.int64)
        self._held: list[int] = []

    def add(self, tokens: Iterable[str]) -> None:
        """Add a sentence.

        Raises:
            CorpusError: the tokens are not strings.
        """
        try:
            self._held.extend(map(self._numbers.__getitem__, tokens))
        except TypeError as error:
            raise CorpusError(
                f"{tokens!r:.80} is not a list of tokens ({error}); expected a list of strings"
            ) from error
        self._held.append(-1)
        if len(self._held) >= _HELD:
            self._flush()

    def words(self) -> tuple[list[str], npt.NDArray[np.int64]]:
        """Return the words in the order of their ids, and their counts.

        Raises:
            CorpusError: a token is not a string.
        """
        self._flush()
        for word in self._numbers:
            if not isinstance(word, str):
                raise CorpusError(
                    f"the token {word!r:.80} is {type(word).__name__}; expected strings; turn it into one"
                )
        if "" in self._numbers:  # some tokenisers return empty tokens, which are not words
            self._counts[self._numbers[""]] = 0
        return list(map(str, self._numbers)), self._counts

    def _flush(self) -> None:
        numbers = np.array(self._held, dtype=np.int32)
        self._held.clear()
        counts = np.bincount(numbers[numbers >= 0], minlength=len(self._numbers))
        counts[: len(self._counts)] += self._counts
        self._counts = counts.astype(np.int64, copy=False)
        self._write(numbers)
