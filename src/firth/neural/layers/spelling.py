"""Words as numbered characters, for encoders that read them."""

from collections.abc import Iterable, Sequence

import torch

PADDING, BEGIN, END, UNKNOWN = range(4)  # codes that stand for no character; the characters' own follow


class Spelling:
    """The characters of a vocabulary and their codes.

    Args:
        words: whose characters have codes, in the order of their code points, whatever the order of the words.
        longest: characters of a word that are read; what stands behind them is left out.

    Attributes:
        characters: those characters.
        longest: as given.
        codes: how many there are, those of beginning, end, padding and unknown characters among them.
    """

    def __init__(self, words: Iterable[str], *, longest: int = 50) -> None:
        self.characters = tuple(sorted(set().union(*words)))
        self.longest = longest
        self.codes = UNKNOWN + 1 + len(self.characters)
        self._code = {character: code for code, character in enumerate(self.characters, UNKNOWN + 1)}

    def character_ids(self, words: Sequence[str]) -> torch.Tensor:
        """Return words as codes, each between a mark of its beginning and one of its end.

        Args:
            words: n of them.

        Returns:
            (n, C) int32, padded with zeros behind the longest.
        """
        rows = [[BEGIN, *(self._code.get(c, UNKNOWN) for c in word[: self.longest]), END] for word in words]
        width = max(map(len, rows), default=2)
        padded = [row + [PADDING] * (width - len(row)) for row in rows]
        return torch.tensor(padded, dtype=torch.int32).reshape(len(rows), width)
