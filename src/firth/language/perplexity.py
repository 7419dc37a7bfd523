"""Perplexity, and the tokens that it counts.

What: every token of the text is predicted: words (`<unk>` if outside the vocabulary) and, if the model predicts them,
ends of sentences. The perplexity is the number of equally likely words that would be as hard to guess.

Objective: exp(-1/N sum_i log p_i) over all N tokens of the text, the sum in float64. Bits are nats / log 2. Bits per
word and per character divide all nats, those of sentence ends included, by the number of words and characters, so that
models with different tokens can be compared.

Source: Jelinek et al. 1977, Perplexity, a Measure of the Difficulty of Speech Recognition Tasks; the interval as in
`firth.resampling`.

Departures: unknown words count, with the probability of `<unk>`. A smaller vocabulary makes a text easier, so that
perplexities can only be compared between models with the same vocabulary. `without_unknown` leaves unknown words out of
both sums, as KenLM prints it; they remain part of the context of later words. The interval resamples sentences, or runs
of sentences in a long text, because neighbours are similar.

Cost: O(N), and 1,000 resamples of at most 2,000 runs for an interval.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import brief_repr
from firth.language.text import LanguageText
from firth.notebook import facts
from firth.resampling import LEVEL, Ratio, bootstrap_interval

Floats = npt.NDArray[np.float64]

MAX_RUNS = 2000  # runs of sentences that the bootstrap resamples
RESAMPLES = 1000


@dataclass(frozen=True, eq=False)
class Perplexity:
    """The perplexity of a model on a text, and the counts behind it.

    Attributes:
        eos: number of sentence ends among them.
        unknown: number of words outside the vocabulary among them.
        nats: total loss: minus the sum of the natural logarithms of the predictions.
        unknown_nats: the part of `nats` due to unknown words.
        characters: number of characters of the original text; where that is not known, of its words with one space or
            line end after each; None where unknown words or tokens of another library leave it open.
        sentence_nats: (S,) loss of each sentence.
        sentence_tokens: (S,) number of tokens of each sentence.
        unit: kind of the tokens: "words", "subwords" or "characters".
    """

    tokens: int
    eos: int
    unknown: int
    nats: float
    unknown_nats: float
    characters: int | None
    sentence_nats: Floats
    sentence_tokens: npt.NDArray[np.int64]
    unit: str = "words"

    __repr__ = brief_repr

    @property
    def value(self) -> float:
        """The perplexity."""
        return _exp(self.nats, self.tokens)

    @property
    def without_unknown(self) -> float:
        """The perplexity without the predictions of unknown words."""
        return _exp(self.nats - self.unknown_nats, self.tokens - self.unknown)

    @property
    def words(self) -> int:
        """Number of words (subwords, characters), unknown ones included, sentence ends excluded."""
        return self.tokens - self.eos

    @property
    def bits_per_token(self) -> float:
        """Mean loss in bits per token."""
        return self._bits(self.tokens)

    @property
    def bits_per_word(self) -> float | None:
        """Total loss in bits, sentence ends included, by the number of words; None if the tokens are not words."""
        return self._bits(self.words) if self.unit == "words" else None

    @property
    def bits_per_character(self) -> float | None:
        """Total loss in bits divided by the number of characters; None where that is not known."""
        return None if self.characters is None else self._bits(self.characters)

    def interval(self, level: float = LEVEL, *, seed: int = 0) -> tuple[float, float]:
        """Return the bootstrap interval of the perplexity over sentences; NaN if there is only one.

        Args:
            level: confidence level, such as 0.95.
        """
        if len(self.sentence_tokens) < 2 or not math.isfinite(self.nats):
            return math.nan, math.nan
        ratio = Ratio(*runs(self.sentence_nats, self.sentence_tokens))
        low, high = bootstrap_interval(ratio, len(ratio.parts), level=level, resamples=RESAMPLES, seed=seed)
        return _exp(low, 1), _exp(high, 1)

    def described(self) -> dict[str, Any]:
        """Return all figures by name, with JSON values; None for those that are not finite."""
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
        return {**plain, "unit": self.unit, **counts, "sentences": len(self.sentence_tokens)}

    def _repr_html_(self) -> str:
        low, high = self.interval()
        rows = [
            ("perplexity", f"{self.value:,.2f}"),
            ("95 % interval", "-" if math.isnan(low) else f"{low:,.1f} to {high:,.1f}"),
            ("without unknown words", f"{self.without_unknown:,.2f}"),
            ("bits per token", f"{self.bits_per_token:.3f}"),
            ("bits per word", f"{self.bits_per_word:.3f}"),
            ("bits per character", "-" if self.bits_per_character is None else f"{self.bits_per_character:.3f}"),
            ("words", f"{self.words:,}, {self.unknown:,} of them unknown"),
            ("sentence ends", f"{self.eos:,}"),
        ]
        return facts("Perplexity", rows)

    def __str__(self) -> str:
        low, high = self.interval()
        between = "" if math.isnan(low) else f" ({low:,.1f} to {high:,.1f})"
        eos = f" and {self.eos:,} sentence ends" if self.eos else "; sentence ends are not predicted"
        bits = [f"{self.bits_per_token:.3f} per token"]
        if self.bits_per_word is not None:
            bits.append(f"{self.bits_per_word:.3f} per word with sentence ends")
        if self.bits_per_character is not None:
            bits.append(f"{self.bits_per_character:.3f} per character")
        unknown = (
            f"{self.unknown:,} unknown words ({100 * self.unknown / max(self.words, 1):.1f} %) count as <unk>; "
            f"perplexity without them {self.without_unknown:,.2f}\n"
        )
        return (
            f"perplexity {self.value:,.2f}{between}, over {self.tokens:,} tokens: {self.words:,} {self.unit}{eos}\n"
            f"{unknown if self.unknown or self.unit == 'words' else ''}bits: {', '.join(bits)}"
        )

    def _bits(self, units: int) -> float:
        return self.nats / math.log(2) / units if units else math.nan


def perplexity(text: LanguageText, log_probs: Floats) -> Perplexity:
    """Return the perplexity of a text from its log-probabilities.

    Args:
        log_probs: (N,) natural logarithm of the probability of each token.
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
        unit=text.rules.unit,
    )


def runs(parts: Floats, sizes: npt.NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Sum two values over at most `MAX_RUNS` runs of about equally many sentences.

    Args:
        parts: (S,) first value of each sentence.
        sizes: (S,) second value of each sentence.
    """
    starts = np.unique(np.linspace(0, len(parts), min(MAX_RUNS, len(parts)), endpoint=False).astype(np.int64))
    return np.add.reduceat(parts, starts), np.add.reduceat(sizes.astype(np.float64), starts)


def _sums(values: Floats, starts: npt.NDArray[np.int64], stops: npt.NDArray[np.int64]) -> Floats:
    # Slices may be empty, and an infinity must stay in its slice.
    sums = np.zeros(len(starts))
    full = np.flatnonzero(stops > starts)  # slices are contiguous, so each full one ends where the next starts
    if len(full):
        sums[full] = np.add.reduceat(values, starts[full])
    return sums


def _characters(text: LanguageText) -> int | None:
    if text.characters is not None:
        return text.characters
    lengths = text.rules.characters_of(text.vocabulary.words)
    if lengths is None:
        return None
    if text.eos_id is not None:  # the line end after the last word stands for it; after a subword it is a character
        lengths[text.eos_id] = 0 if text.rules.unit == "words" else 1
    return int((np.bincount(text.ids, minlength=len(lengths)) * lengths).sum())


def _exp(nats: float, units: int) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(nats / units)) if units else math.nan
