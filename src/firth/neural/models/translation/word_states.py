"""States of a translator's encoder as vectors of words (CoVe).

What
    Words become units of the source, of which a word may have several; its vector is the mean of their states. Of the
    forms of a word that stand beside a space or not, the most frequent one is read.
Objective
    v_t = mean of h_s over the units s of word t; h the encoder's states
Source
    McCann et al. 2017, "Learned in translation: contextualized word vectors", section 4.
Departures
    Subwords have a mean; the authors' encoder reads words.
Cost
    One pass of the encoder.
"""

from collections.abc import Sequence

import numpy as np
import torch

from firth.neural.models.translation.data import PairReader
from firth.neural.models.translation.module import TranslationModule
from firth.neural.models.translation.units import UNKNOWN, Ids, Units
from firth.text.joined_words import JOINER


def units_of(word: str, units: Units) -> list[str]:
    """Return the units of a word, at least one."""
    if units.subwords is not None:
        return units.split(word) or [units.words[UNKNOWN]]
    return [_written(token, units) for token in units.split(word)] or [units.words[UNKNOWN]]


def _written(token: str, units: Units) -> str:
    """Return the most frequent form of a token: alone, or with a mark where no space was beside it."""
    bare = token.strip(JOINER)
    forms = [form for form in (token, bare, JOINER + bare, bare + JOINER) if form in units.numbers]
    return max(forms, key=lambda form: int(units.counts[units.numbers[form]]), default=token)


def word_states(
    module: TranslationModule, reader: PairReader, sentences: Sequence[Sequence[str]], *, longest: int
) -> torch.Tensor:
    """Return (B, T, 1, D) states of the words of sentences, zero at padding.

    Args:
        module: of the translator.
        reader: units of its source.
        sentences: B lists of words, each of at least one word.
        longest: units that the encoder reads at once; longer sentences are cut.
    """
    pieces: list[list[str]] = []
    owners: list[tuple[int, int, int]] = []  # sentence, word and unit in the text of each state, piece by piece
    for number, words in enumerate(sentences):
        tokens = [(place, unit) for place, word in enumerate(words) for unit in units_of(word, reader.source)]
        for start in range(0, len(tokens), longest):
            piece = tokens[start : start + longest]
            pieces.append([unit for _, unit in piece])
            owners += [(number, place, len(pieces) - 1) for place, _ in piece]
    sources = [reader.source_of(piece) for piece in pieces]
    device = next(module.parameters()).device
    states = module.encoded(reader.collator.sources(sources).to(device)).states  # (pieces, S, D)
    T = max(map(len, sentences))
    rows = torch.tensor([number * T + place for number, place, _ in owners], device=device)
    steps = np.concatenate([_steps(len(piece), reader.reverse) for piece in pieces])
    found = states[[piece for *_, piece in owners], steps.tolist()]  # (N, D)
    B, D = len(sentences), states.shape[2]
    sums = found.new_zeros(B * T, D).index_add(0, rows, found)
    counts = found.new_zeros(B * T).index_add(0, rows, torch.ones_like(found[:, 0])).clamp(min=1)
    means: torch.Tensor = (sums / counts[:, None]).view(B, T, 1, D)
    return means


def _steps(size: int, reverse: bool) -> Ids:
    """Return the steps of the encoder at which units are read, in the order of the text."""
    return np.arange(size)[::-1] if reverse else np.arange(size)
