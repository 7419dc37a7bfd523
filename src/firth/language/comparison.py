"""Compare language models on the same text.

What: the perplexity of each model with a confidence interval. For each pair of models: the ratio of their perplexities
with a paired bootstrap interval, the correlation of their losses, and the perplexity of their mixture.

Objective: for models a and b with losses l of the same N tokens, ratio = exp(mean(l_b - l_a)); correlation of l_a and
l_b over tokens; mixture = exp(-mean log(w p_a + (1 - w) p_b)), where the weight for each half of the
sentences is fitted on the other half.

Source: the paired bootstrap as in Efron and Tibshirani 1993, section 16; mixtures as in `firth.language.mixture`.

Departures: the bootstrap resamples sentences, or runs of sentences in a long text; both models of a pair get the same.

Cost: one pass of each model over the text, and O(N) per pair.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError, brief_repr
from firth.inference.ensemble import mixed
from firth.language.mixture import check_compatible, fit_weights
from firth.language.model import LanguageModel
from firth.language.perplexity import RESAMPLES, Perplexity, perplexity, runs
from firth.language.text import LanguageText
from firth.notebook import note, table
from firth.progress import Progress
from firth.resampling import Ratio, bootstrap_interval

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ModelPair:
    """Two models on the same tokens.

    Attributes:
        names: names of the models; the better one first.
        ratio: perplexity of the second divided by that of the first, at least 1.
        interval: confidence interval of the ratio; if it contains 1, the difference is not significant.
        correlation: correlation of the losses over tokens; NaN where one of them is constant.
        wins: share of tokens to which the first model gives the higher probability.
        mixture: perplexity of the mixture of both.
        weight: weight of the first model in the mixture.
    """

    names: tuple[str, str]
    ratio: float
    interval: tuple[float, float]
    correlation: float
    wins: float
    mixture: float
    weight: float


@dataclass(frozen=True)
class LanguageComparison:
    """Perplexities of several models on one text, and their pairwise comparisons.

    Attributes:
        figures: name of the model -> perplexity, best first.
        pairs: one comparison per pair of models.
    """

    figures: Mapping[str, Perplexity]
    pairs: tuple[ModelPair, ...]

    __repr__ = brief_repr

    def described(self) -> list[dict[str, Any]]:
        """Return one row per model, then one row per pair, with JSON values."""
        rows = [{"model": name, **figure.described()} for name, figure in self.figures.items()]
        return rows + [_described(pair, self.figures[pair.names[0]].value) for pair in self.pairs]

    def _repr_html_(self) -> str:
        head = ("model", "perplexity", "95 % interval", "without unknown words", "bits per token")
        rows = [(name, *_cells(figure)) for name, figure in self.figures.items()]
        pairs = "".join(note(" ".join(line.split())) for pair in self.pairs for line in _lines(pair, self.figures))
        first = next(iter(self.figures.values()))
        return table(head, rows, caption=f"{first.tokens:,} tokens, {first.unknown:,} unknown words", more=pairs)

    def __str__(self) -> str:
        width = max(5, *map(len, self.figures))
        first = next(iter(self.figures.values()))
        lines = [
            f"{first.tokens:,} tokens: {first.words:,} {first.unit}, {first.unknown:,} of them unknown, {first.eos:,} "
            "sentence ends",
            f"{'model':<{width}}  perplexity               95 %  without unknown  bits per token",
        ]
        for name, figure in self.figures.items():
            low, high = figure.interval()
            between = "" if np.isnan(low) else f"{low:,.1f} to {high:,.1f}"
            lines.append(
                f"{name:<{width}}  {figure.value:10,.2f}  {between:>17}  {figure.without_unknown:15,.2f}  "
                f"{figure.bits_per_token:14.3f}"
            )
        return "\n".join([*lines, *(line for pair in self.pairs for line in _lines(pair, self.figures))])


def compare_models(
    models: Mapping[str, LanguageModel], source: Any, *, seed: int = 0, progress: Progress = None
) -> LanguageComparison:
    """Compare the perplexities of models on one text.

    Args:
        models: at least two models by name, with the same vocabulary and text rules.
        source: held-out text; see `firth.language.text.held_out_text`.
        seed: random seed of the bootstrap.

    Raises:
        OptionError: there are fewer than two models, or they differ in vocabulary or text rules.
        CorpusError: the text is empty, or all its words are unknown.
    """
    if len(models) < 2:
        raise OptionError(f"{len(models)} models; expected at least 2 to compare")
    check_compatible(models)
    text = next(iter(models.values())).read(source, progress=progress)
    logs = {name: model.log_probs(text, progress=progress) for name, model in models.items()}
    figures = {name: perplexity(text, log_probs) for name, log_probs in logs.items()}
    order = sorted(figures, key=lambda name: figures[name].value)
    pairs = tuple(_pair((a, b), (logs[a], logs[b]), text, seed) for a, b in combinations(order, 2))
    return LanguageComparison({name: figures[name] for name in order}, pairs)


def _pair(names: tuple[str, str], logs: tuple[Floats, Floats], text: LanguageText, seed: int) -> ModelPair:
    better, worse = logs
    differences = perplexity(text, worse - better)  # loss of b minus loss of a, by sentence
    mixed_logs, weight = _cross_fitted(np.stack(logs), text)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = float(np.corrcoef(better, worse)[0, 1])
    return ModelPair(
        names=names,
        ratio=differences.value,
        interval=_interval(differences, seed),
        correlation=correlation,
        wins=float((better > worse).mean()),
        mixture=float(np.exp(-mixed_logs.mean())),
        weight=weight,
    )


def _interval(differences: Perplexity, seed: int) -> tuple[float, float]:
    if len(differences.sentence_tokens) < 2:
        return float("nan"), float("nan")
    ratio = Ratio(*runs(differences.sentence_nats, differences.sentence_tokens))
    low, high = bootstrap_interval(ratio, len(ratio.parts), resamples=RESAMPLES, seed=seed)
    return float(np.exp(low)), float(np.exp(high))


def _cross_fitted(logs: Floats, text: LanguageText) -> tuple[Floats, float]:
    """Return log-probabilities of a mixture cross-fitted on two halves, and the mean weight of the first model.

    The halves are the even and the odd sentences; the two halves of the tokens if there is only one sentence.
    """
    sizes = np.diff(text.offsets)
    odd = np.repeat(np.arange(len(sizes)) % 2, sizes) if len(sizes) > 1 else np.arange(len(text)) * 2 // len(text)
    mixture, weights = np.empty(logs.shape[1]), []
    for half in (odd == 0, odd == 1):
        half_weights = fit_weights(logs[:, ~half])
        mixture[half] = mixed(logs[:, half], half_weights)
        weights.append(float(half_weights[0]))
    return mixture, float(np.mean(weights))


def _described(pair: ModelPair, better: float) -> dict[str, Any]:
    low, high = pair.interval
    figures = {
        "ratio": pair.ratio,
        "low": low,
        "high": high,
        "correlation": pair.correlation,
        "wins": pair.wins,
        "mixture": pair.mixture,
        "weight": pair.weight,
        "gain": 1 - pair.mixture / better,
    }
    plain = {name: value if np.isfinite(value) else None for name, value in figures.items()}
    return {"better": pair.names[0], "worse": pair.names[1], **plain}


def _cells(figure: Perplexity) -> list[str]:
    low, high = figure.interval()
    between = "-" if np.isnan(low) else f"{low:,.1f} to {high:,.1f}"
    return [f"{figure.value:,.2f}", between, f"{figure.without_unknown:,.2f}", f"{figure.bits_per_token:.3f}"]


def _lines(pair: ModelPair, figures: Mapping[str, Perplexity]) -> list[str]:
    better, worse = pair.names
    low, high = pair.interval
    between = "" if np.isnan(low) else f" ({low:.3f} to {high:.3f})"
    gain = 1 - pair.mixture / figures[better].value
    losses = f"higher loss on {100 * pair.wins:.0f} % of tokens, correlation of losses {pair.correlation:.2f}"
    weights = f"weight of {better} {pair.weight:.2f}, fitted on the other half of the sentences"
    return [
        f"{worse} / {better}: {pair.ratio:.3f} times the perplexity{between}, {losses}",
        f"  mixture: {pair.mixture:,.2f}, {100 * gain:.1f} % below {better}; {weights}",
    ]
