"""How well a model predicts a text, and how that is counted.

What: every token of the text is predicted: words, those outside the vocabulary as `<unk>`, and, where the model has
them, ends of sentences. The perplexity is the number of equally likely words that would be as hard to guess.

Objective: exp(-1/N sum_i log p_i) over all N tokens of the text, the sum in float64. Bits are nats / log 2; bits a word
spread all nats, those of ends too, over the words alone, and bits a character over characters, so that models which cut
text differently can be compared.

Source: Jelinek et al. 1977, Perplexity, a Measure of the Difficulty of Speech Recognition Tasks; the interval as in
`firth.resampling`.

Departures: unknown words count, with the probability of `<unk>`. A model that knows fewer words so has an easier text:
perplexities compare only between models of one vocabulary. `without_unknown` leaves their predictions out of both sums,
as KenLM prints it; the words after them still see `<unk>` before them. The interval draws sentences; of a long text
runs of sentences, since neighbours are alike.

Cost: O(N), and for an interval 1,000 draws of at most 2,000 runs.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.language.text import LanguageText
from firth.resampling import LEVEL, Ratio, bootstrap_interval
from firth.text.tokenise import is_named

Floats = npt.NDArray[np.float64]

RUNS = 2000  # of sentences, at most, that an interval draws
RESAMPLES = 1000


@dataclass(frozen=True, eq=False)
class Perplexity:
    """What a model makes of a text.

    Attributes:
        tokens: predicted, all kinds together.
        eos: of them, ends of sentences.
        unknown: of them, words outside the vocabulary.
        nats: minus the sum of the natural logarithms of all predictions.
        unknown_nats: of that, what unknown words cost.
        characters: of the text as it was before it was cut; where those are not known, of its words with one space or
            line end after each; None where unknown words hide some, or pieces of words do not tell.
        sentence_nats: (S,) of each sentence.
        sentence_tokens: (S,) predicted in each sentence.
    """

    tokens: int
    eos: int
    unknown: int
    nats: float
    unknown_nats: float
    characters: int | None
    sentence_nats: Floats
    sentence_tokens: npt.NDArray[np.int64]

    @property
    def value(self) -> float:
        """The perplexity."""
        return _raised(self.nats, self.tokens)

    @property
    def without_unknown(self) -> float:
        """The perplexity of all but the unknown words."""
        return _raised(self.nats - self.unknown_nats, self.tokens - self.unknown)

    @property
    def words(self) -> int:
        """Words of the text, unknown ones too, ends not."""
        return self.tokens - self.eos

    @property
    def bits_per_token(self) -> float:
        """Bits that a token costs on average."""
        return self._bits(self.tokens)

    @property
    def bits_per_word(self) -> float:
        """Bits that the text costs, ends and all, over its words."""
        return self._bits(self.words)

    @property
    def bits_per_character(self) -> float | None:
        """Bits that the text costs over its characters; None where those are not known."""
        return None if self.characters is None else self._bits(self.characters)

    def interval(self, level: float = LEVEL, *, seed: int = 0) -> tuple[float, float]:
        """Return the bootstrap's interval of the perplexity, by drawing sentences; NaN where there is but one.

        Args:
            level: the share of resamples that it holds.
            seed: of the draws.
        """
        if len(self.sentence_tokens) < 2 or not math.isfinite(self.nats):
            return math.nan, math.nan
        ratio = Ratio(*runs(self.sentence_nats, self.sentence_tokens))
        low, high = bootstrap_interval(ratio, len(ratio.parts), level=level, resamples=RESAMPLES, seed=seed)
        return _raised(low, 1), _raised(high, 1)

    def described(self) -> dict[str, Any]:
        """Return all figures by name, as JSON has them; None for one that does not exist."""
        low, high = self.interval()
        figures = {
            "perplexity": self.value,
            "low": low,
            "high": high,
            "without_unknown": self.without_unknown,
            "bits_per_token": self.bits_per_token,
            "bits_per_word": self.bits_per_word,
            "bits_per_character": self.bits_per_character,
            "nats": self.nats,
        }
        counts = {"tokens": self.tokens, "words": self.words, "unknown": self.unknown, "eos": self.eos}
        plain = {name: value if value is not None and math.isfinite(value) else None for name, value in figures.items()}
        return {**plain, **counts, "sentences": len(self.sentence_tokens)}

    def __str__(self) -> str:
        low, high = self.interval()
        between = "" if math.isnan(low) else f" ({low:,.1f} to {high:,.1f})"
        ends = f" and {self.eos:,} ends of sentences" if self.eos else "; ends of sentences are not predicted"
        letters = "" if self.bits_per_character is None else f", {self.bits_per_character:.3f} a character"
        return (
            f"perplexity {self.value:,.2f}{between}, over {self.tokens:,} tokens: {self.words:,} words{ends}\n"
            f"{self.unknown:,} unknown words ({100 * self.unknown / max(self.words, 1):.1f} %) count as <unk>; "
            f"without them {self.without_unknown:,.2f}\n"
            f"bits: {self.bits_per_token:.3f} a token, {self.bits_per_word:.3f} a word with its share of ends{letters}"
        )

    def _bits(self, pieces: int) -> float:
        return self.nats / math.log(2) / pieces if pieces else math.nan


def perplexity(text: LanguageText, log_probs: Floats) -> Perplexity:
    """Return the account of a text whose predictions are known.

    Args:
        text: as the model read it.
        log_probs: (N,) the natural logarithm of the probability of each token.
    """
    nats = -np.asarray(log_probs, dtype=np.float64)
    unknown, eos = text.ids == text.unk_id, text.ids == text.eos_id
    starts, stops = text.offsets[:-1], text.offsets[1:]
    return Perplexity(
        tokens=len(text),
        eos=int(eos.sum()),
        unknown=int(unknown.sum()),
        nats=float(nats.sum()),
        unknown_nats=float(nats[unknown].sum()),
        characters=None if unknown.any() else _characters(text),
        sentence_nats=_sums(nats, starts, stops),
        sentence_tokens=np.asarray(stops - starts),
    )


def runs(parts: Floats, sizes: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return sums over at most `RUNS` runs of sentences of about equal number.

    Args:
        parts: (S,) of each sentence.
        sizes: (S,) of each sentence.
    """
    starts = np.unique(np.linspace(0, len(parts), min(RUNS, len(parts)), endpoint=False).astype(np.int64))
    return np.add.reduceat(parts, starts), np.add.reduceat(sizes.astype(np.float64), starts)


def _sums(values: Floats, starts: npt.NDArray[np.int64], stops: npt.NDArray[np.int64]) -> Floats:
    """Sums of slices; a slice may be empty, and infinities stay where they are."""
    found = np.zeros(len(starts))
    full = np.flatnonzero(stops > starts)  # slices follow each other, so that the next full one begins where one ends
    if len(full):
        found[full] = np.add.reduceat(values, starts[full])
    return found


def _characters(text: LanguageText) -> int | None:
    if text.characters is not None or not is_named(text.rules.tokens):
        return text.characters
    lengths = np.array([len(word) for word in text.vocabulary.words], dtype=np.int64)
    counts = np.bincount(text.ids, minlength=len(lengths))
    if text.eos_id is not None:
        counts[text.eos_id] = 0  # the line end after the last word stands for it
    return int((counts * (lengths + 1)).sum())


def _raised(nats: float, pieces: int) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(nats / pieces)) if pieces else math.nan
