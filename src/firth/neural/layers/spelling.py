"""Words as character ids, for encoders that read characters."""

from collections.abc import Iterable, Sequence

import torch

PADDING, BEGIN, END, UNKNOWN = range(4)  # special ids; those of characters follow
GROUP_SIZE, MAX_GROUPS = 64, 4  # minimum number of words of similar length per group; maximum number of groups


class Spelling:
    """The characters of a vocabulary and their ids.

    Args:
        words: whose characters have ids, in the order of code points.
        longest: maximum number of characters that are read of a word.

    Attributes:
        characters: in the order of their ids.
        codes: number of ids, with those of begin, end, padding and unknown characters.
    """

    def __init__(self, words: Iterable[str], *, longest: int = 50) -> None:
        self.characters = tuple(sorted(set().union(*words)))
        self.longest = longest
        self.codes = UNKNOWN + 1 + len(self.characters)
        self._code = {character: code for code, character in enumerate(self.characters, UNKNOWN + 1)}

    def character_ids(self, words: Sequence[str]) -> torch.Tensor:
        """Return (n, C) int32 character ids of n words, each between a begin and an end, padded to the longest."""
        rows = [[BEGIN, *(self._code.get(c, UNKNOWN) for c in word[: self.longest]), END] for word in words]
        width = max(map(len, rows), default=2)
        padded = [row + [PADDING] * (width - len(row)) for row in rows]
        return torch.tensor(padded, dtype=torch.int32).reshape(len(rows), width)

    def ids_of(self, other: "Spelling") -> torch.Tensor:
        """Return the (other.codes,) int64 ids that characters have here, in the order of another spelling's ids."""
        special = range(UNKNOWN + 1)
        return torch.tensor([*special, *(self._code.get(c, UNKNOWN) for c in other.characters)])

    def text(self, codes: Iterable[int]) -> str:
        """Return the word of ids of characters, without special ids."""
        return "".join(self.characters[code - UNKNOWN - 1] for code in codes if code > UNKNOWN)


def length_groups(codes: torch.Tensor) -> list[tuple[torch.Tensor, int]]:
    """Return groups of words of similar length: the rows of (n, C) character ids in each, and the longest length."""
    if not len(codes):
        return [(torch.arange(0, device=codes.device), codes.shape[1])]
    lengths, order = (codes != PADDING).sum(1).sort(stable=True)
    groups = torch.split(order, max(GROUP_SIZE, -(-len(order) // MAX_GROUPS)))
    longest = [int(part[-1]) for part in torch.split(lengths, len(groups[0]))]
    return list(zip(groups, longest, strict=True))
