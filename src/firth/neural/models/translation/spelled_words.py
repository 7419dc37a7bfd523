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

from firth.inference.beam_search import BeamSearch, beam_search
from firth.inference.generation_options import GenerationOptions
from firth.neural.decoding import TensorScores
from firth.neural.layers.character_decoder import CharacterDecoder, Characters
from firth.neural.layers.spelling import BEGIN, END, PADDING
from firth.neural.layers.spelling import UNKNOWN as UNKNOWN_CHARACTER
from firth.neural.layers.state import rows_of

Ids = npt.NDArray[np.int64]
BEAMS = 5  # of the search for the characters of a word


class SpellingScorer:
    """Scores of the next characters of n words; implements `firth.inference.scorer.Scorer`.

    Args:
        decoder: of characters, in evaluation mode.
        vectors: (n, W) of the words.
        source: of `CharacterDecoder.start`.
    """

    def __init__(self, decoder: CharacterDecoder, vectors: torch.Tensor, source: Characters = ()) -> None:
        self._decoder, self._vectors, self._source = decoder, vectors, source

    @torch.no_grad()
    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[TensorScores, Any]:
        """Return the scores of the first characters; prompts are empty."""
        rare = torch.ones(len(self._vectors), dtype=torch.bool, device=self._vectors.device)
        return self._scores(self._decoder.start(self._vectors, rare, self._source), np.full(len(prompts), BEGIN))

    @torch.no_grad()
    def advance(self, state: Any, ids: Ids) -> tuple[TensorScores, Any]:
        """Return the scores of the next characters; see `Scorer.advance`."""
        return self._scores(state, np.asarray(ids, dtype=np.int64))

    def reorder(self, state: Any, rows: Ids) -> Any:
        """Return the state of some words; see `Scorer.reorder`."""
        return rows_of(state, torch.from_numpy(np.asarray(rows, dtype=np.int64)).to(self._vectors.device))

    def _scores(self, state: Any, ids: Ids) -> tuple[TensorScores, Any]:
        scores, state = self._decoder.step(torch.from_numpy(ids).to(self._vectors.device), state)
        return TensorScores(scores), state


def spelled(
    decoder: CharacterDecoder,
    vectors: torch.Tensor,
    source: Characters = (),
    *,
    known: Container[str] = (),
    beams: int = BEAMS,
) -> list[str]:
    """Return n words, none of them empty: the best of each search that is not known, or the best, if all are.

    Args:
        decoder: of characters, in evaluation mode.
        vectors: (n, W) of the words.
        source: of `CharacterDecoder.start`.
        known: words that the translator writes by itself.
        beams: number of beams.
    """
    if not len(vectors):
        return []
    found = beam_search(
        SpellingScorer(decoder, vectors, source),
        [()] * len(vectors),
        GenerationOptions(max_length=decoder.spelling.longest + 1, min_length=1),
        BeamSearch(beams=beams, length_normalisation="none"),
        beams,
        stop=(END,),
        banned=(PADDING, BEGIN, UNKNOWN_CHARACTER),
    )
    candidates = [[decoder.spelling.text(one.ids[: decoder.spelling.longest]) for one in each] for each in found]
    return [next((word for word in words if word not in known), words[0]) for words in candidates]
