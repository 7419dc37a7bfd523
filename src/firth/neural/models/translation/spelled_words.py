"""Unknown words of a translation, spelled by the decoder of characters.

What
    Each `<unk>` of a translation is spelled from the decoder's state at its step, by a search over characters.
Objective
    The characters c_1 .. c_n of the highest log p(c_1 .. c_n, end | a_t), by beam search, among words that the
    translator does not know.
Source
    Luong and Manning 2016, section 4.4.
Departures
    Translations are not ranked again with the probabilities of their characters. A known word is never spelled: the
    translator would have written it.
Cost
    One pass of the decoder over the translations that hold unknown words, and a step of the decoder of characters per
    character, for all words of a batch together.
"""

from collections.abc import Container, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from firth.inference.generation_options import GenerationOptions
from firth.inference.search import BeamSearch, beam_search
from firth.neural.decoding import TensorScores
from firth.neural.layers.character_decoder import CharacterDecoder, Characters
from firth.neural.layers.spelling import BEGIN, END, PADDING
from firth.neural.layers.spelling import UNKNOWN as UNKNOWN_CHARACTER
from firth.neural.layers.state import rows_of

Ids = npt.NDArray[np.int64]
BEAMS = 5  # of the search for the characters of a word


class SpellingScorer:
    """Scores of the next characters of n words with (n, W) vectors; implements `firth.inference.scorer.Scorer`.

    Words of the vocabulary do not end: they go on, or are given up.
    """

    def __init__(
        self, decoder: CharacterDecoder, vectors: torch.Tensor, source: Characters = (), vocabulary: Container[str] = ()
    ) -> None:
        self._decoder, self._vectors, self._source, self._vocabulary = decoder, vectors, source, vocabulary

    @torch.no_grad()
    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[TensorScores, Any]:
        """Return the scores of the first characters; prompts are empty."""
        n = len(prompts)
        return self._scores(self._decoder.start(self._vectors, self._source), [""] * n, np.full(n, BEGIN))

    @torch.no_grad()
    def advance(self, state: Any, ids: Ids) -> tuple[TensorScores, Any]:
        """Return the scores of the next characters; see `Scorer.advance`."""
        tensors, words = state
        words = [word + self._decoder.spelling.text([code]) for word, code in zip(words, ids, strict=True)]
        return self._scores(tensors, words, np.asarray(ids, dtype=np.int64))

    def reorder(self, state: Any, rows: Ids) -> Any:
        """Return the state of some words; see `Scorer.reorder`."""
        tensors, words = state
        chosen = torch.from_numpy(np.asarray(rows, dtype=np.int64)).to(self._vectors.device)
        return rows_of(tensors, chosen), [words[row] for row in rows]

    def _scores(self, tensors: Any, words: list[str], ids: Ids) -> tuple[TensorScores, Any]:
        scores, tensors = self._decoder.step(torch.from_numpy(ids).to(self._vectors.device), tensors)
        scores[[row for row, word in enumerate(words) if word in self._vocabulary], END] = -torch.inf
        return TensorScores(scores), (tensors, words)


def spelled(
    decoder: CharacterDecoder,
    vectors: torch.Tensor,
    source: Characters = (),
    vocabulary: Container[str] = (),
    *,
    beams: int = BEAMS,
) -> list[str]:
    """Return n words of (n, W) vectors, none of them empty; of the vocabulary only where the beams find no other."""
    if not len(vectors):
        return []
    words = [spellings[0] for spellings in _spellings(decoder, vectors, source, vocabulary, beams, 1)]
    # Longer than the longest, and of the vocabulary without the rest.
    cut = [row for row, word in enumerate(words) if word in vocabulary]
    if cut:
        rows = torch.tensor(cut, device=vectors.device)
        longer = _spellings(decoder, vectors[rows], rows_of(source, rows), vocabulary, beams, beams)
        for row, spellings in zip(cut, longer, strict=True):
            words[row] = next((word for word in spellings if word not in vocabulary), words[row])
    return words


def _spellings(
    decoder: CharacterDecoder, vectors: torch.Tensor, source: Characters, vocabulary: Container[str], beams: int, n: int
) -> list[list[str]]:
    """Return at most n spellings of each word, the best first."""
    texts = beam_search(
        SpellingScorer(decoder, vectors, source, vocabulary),
        [()] * len(vectors),
        GenerationOptions(max_length=decoder.spelling.longest + 1, min_length=1),
        BeamSearch(beams=beams, length_normalisation="none"),
        n,
        stop=(END,),
        banned=(PADDING, BEGIN, UNKNOWN_CHARACTER),
    )
    longest = decoder.spelling.longest
    return [[decoder.spelling.text(text.ids[:longest]) for text in candidates] for candidates in texts]
