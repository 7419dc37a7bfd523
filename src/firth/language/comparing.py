"""Several language models on one text: which predicts it better, by how much, and what they would be together.

What: a perplexity for each model with its interval; for each pair the ratio of their perplexities with an interval that
is drawn in pairs, how alike their errors are, and the perplexity of their mixture.

Objective: for models a and b with losses l of the same N tokens, ratio = exp(mean(l_b - l_a)); correlation of l_a and
l_b over tokens; mixture = exp(-mean log(w p_a + (1 - w) p_b)), the weight of each half of the sentences fitted on the
other half.

Source: the paired bootstrap as in Efron and Tibshirani 1993, section 16; mixtures as in `firth.language.mixture`.

Departures: intervals draw sentences, of a long text runs of them, the same for both models of a pair.

Cost: one pass of each model over the text, and O(N) a pair.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.inference.ensemble import mixed
from firth.language.alike import check_alike
from firth.language.mixture import fitted_weights
from firth.language.model import LanguageModel
from firth.language.perplexity import RESAMPLES, Perplexity, perplexity, runs
from firth.language.text import LanguageText
from firth.progress import Progress
from firth.resampling import Ratio, bootstrap_interval

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class PairOfModels:
    """Two models on the same tokens.

    Attributes:
        names: of the two; the better first.
        ratio: of the second's perplexity to the first's, at least 1.
        interval: of the ratio; one that holds 1 tells of no difference.
        correlation: of their losses over tokens; NaN where one of them is constant.
        wins: the share of tokens to which the first gives the greater probability.
        mixture: the perplexity of the two together.
        weight: of the first in it.
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
    """Models beside each other.

    Attributes:
        figures: by the model's name, the best first.
        pairs: of all models.
    """

    figures: Mapping[str, Perplexity]
    pairs: tuple[PairOfModels, ...]

    def described(self) -> list[dict[str, Any]]:
        """Return a row a model and a row a pair, as JSON has them."""
        rows = [{"model": name, **figure.described()} for name, figure in self.figures.items()]
        return rows + [_described(pair, self.figures[pair.names[0]].value) for pair in self.pairs]

    def __str__(self) -> str:
        width = max(5, *map(len, self.figures))
        first = next(iter(self.figures.values()))
        lines = [
            f"{first.tokens:,} tokens: {first.words:,} words, {first.unknown:,} of them unknown, {first.eos:,} ends",
            f"{'model':<{width}}  perplexity               95 %  without unknown  bits a token",
        ]
        for name, figure in self.figures.items():
            low, high = figure.interval()
            between = "" if np.isnan(low) else f"{low:,.1f} to {high:,.1f}"
            lines.append(
                f"{name:<{width}}  {figure.value:10,.2f}  {between:>17}  {figure.without_unknown:15,.2f}  "
                f"{figure.bits_per_token:12.3f}"
            )
        return "\n".join([*lines, *(line for pair in self.pairs for line in _told(pair, self.figures))])


def compare_models(
    models: Mapping[str, LanguageModel], source: Any, *, seed: int = 0, progress: Progress = None
) -> LanguageComparison:
    """Return how well models predict one text, beside each other.

    Args:
        models: by name, at least two, of one vocabulary and reading alike.
        source: held-out text; see `firth.language.text.held_out_text`.
        seed: of the intervals' draws.
        progress: how to show progress; see `firth.progress`.

    Raises:
        OptionError: there are fewer than two models, or they differ in what they read.
        CorpusError: there is no text, or no word of it is known.
    """
    if len(models) < 2:
        raise OptionError(f"{len(models)} models; expected at least 2 to compare")
    check_alike(models)
    text = next(iter(models.values())).read(source, progress=progress)
    logs = {name: model.log_probs(text, progress=progress) for name, model in models.items()}
    found = {name: perplexity(text, own) for name, own in logs.items()}
    order = sorted(found, key=lambda name: found[name].value)
    pairs = tuple(_pair((a, b), (logs[a], logs[b]), text, seed) for a, b in combinations(order, 2))
    return LanguageComparison({name: found[name] for name in order}, pairs)


def _pair(names: tuple[str, str], logs: tuple[Floats, Floats], text: LanguageText, seed: int) -> PairOfModels:
    better, worse = logs
    differences = perplexity(text, worse - better)  # a loss of b less that of a, counted sentence by sentence
    together, weight = _cross_fitted(np.stack(logs), text)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = float(np.corrcoef(better, worse)[0, 1])
    return PairOfModels(
        names=names,
        ratio=differences.value,
        interval=_interval(differences, seed),
        correlation=correlation,
        wins=float((better > worse).mean()),
        mixture=float(np.exp(-together.mean())),
        weight=weight,
    )


def _interval(differences: Perplexity, seed: int) -> tuple[float, float]:
    if len(differences.sentence_tokens) < 2:
        return float("nan"), float("nan")
    ratio = Ratio(*runs(differences.sentence_nats, differences.sentence_tokens))
    low, high = bootstrap_interval(ratio, len(ratio.parts), resamples=RESAMPLES, seed=seed)
    return float(np.exp(low)), float(np.exp(high))


def _cross_fitted(logs: Floats, text: LanguageText) -> tuple[Floats, float]:
    """Log-probabilities of a mixture whose weights were fitted on other sentences, and the mean weight of the first.

    Every second sentence is one half; of a single sentence the halves of its tokens.
    """
    sizes = np.diff(text.offsets)
    odd = np.repeat(np.arange(len(sizes)) % 2, sizes) if len(sizes) > 1 else np.arange(len(text)) * 2 // len(text)
    found, weights = np.empty(logs.shape[1]), []
    for half in (odd == 0, odd == 1):
        fitted = fitted_weights(logs[:, ~half])
        found[half] = mixed(logs[:, half], fitted)
        weights.append(float(fitted[0]))
    return found, float(np.mean(weights))


def _described(pair: PairOfModels, better: float) -> dict[str, Any]:
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


def _told(pair: PairOfModels, figures: Mapping[str, Perplexity]) -> list[str]:
    better, worse = pair.names
    low, high = pair.interval
    between = "" if np.isnan(low) else f" ({low:.3f} to {high:.3f})"
    gain = 1 - pair.mixture / figures[better].value
    alike = f"greater loss on {100 * pair.wins:.0f} % of tokens, losses correlate {pair.correlation:.2f}"
    weights = f"with {pair.weight:.2f} of {better}, each half weighted as fits the other best"
    return [
        f"{worse} / {better}: {pair.ratio:.3f} times the perplexity{between}, {alike}",
        f"  mixed: {pair.mixture:,.2f}, {100 * gain:.1f} % below {better}; {weights}",
    ]
