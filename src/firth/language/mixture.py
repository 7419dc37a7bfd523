"""Linear interpolation of language models, with weights fitted on held-out text.

What: the probability of each token is a weighted mean of the models' probabilities. Models that make different errors,
such as an n-gram model and a neural one, are better together than either alone.

Objective: p(x) = sum_m w_m p_m(x); w maximises sum_i log sum_m w_m p_m(x_i) over held-out tokens, by EM:
w_m <- mean_i w_m p_m(x_i) / sum_l w_l p_l(x_i), from equal weights.

Source: Jelinek and Mercer 1980, Interpolated Estimation of Markov Source Parameters; EM for the weights as in
Dempster, Laird and Rubin 1977, section 4.3; Bengio et al. 2003, section 4.2, for a neural model with a trigram.

Departures: none. Probabilities are interpolated, not scores. The likelihood is concave in w, so that EM finds its
maximum from any positive start.

Cost: that of the models. Fitting keeps their predictions of the held-out text, 8 bytes each, and takes O(M N) a round.
"""

import os
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import registry
from firth.errors import OptionError
from firth.inference.ensemble import Ensemble, mixed
from firth.inference.scorer import Scores
from firth.language.model import LanguageModel
from firth.language.text import LanguageText
from firth.progress import Progress
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.text.tokenise import is_named
from firth.training_facts import with_training_facts


def check_compatible(models: Mapping[str, LanguageModel]) -> None:
    """Check that all models have the same vocabulary and the same text rules.

    Args:
        models: models by name; the names are for the message.
    """
    (first, first_model), *rest = models.items()
    for name, other in rest:
        difference = _difference(first_model, other)
        if difference:
            raise OptionError(
                f"{first} and {name} {difference}; expected models with the same vocabulary and text rules: train both "
                "on the same corpus; models of different tokens compare by their bits per character"
            )


def _difference(first: LanguageModel, second: LanguageModel) -> str:
    if first.rules != second.rules:
        values = {name: (value, vars(second.rules)[name]) for name, value in vars(first.rules).items()}
        name, (ours, theirs) = next((name, pair) for name, pair in values.items() if pair[0] != pair[1])
        if name == "tokens":
            ours, theirs = (
                model.rules.tokens if is_named(model.rules.tokens) else model.rules.unit for model in (first, second)
            )
        return f"read text with {name}={ours!r} and {name}={theirs!r}"
    if first.vocabulary is second.vocabulary:
        return ""
    pairs = zip_longest(first.vocabulary.words, second.vocabulary.words)
    number, (a, b) = next(((i, pair) for i, pair in enumerate(pairs) if pair[0] != pair[1]), (0, (None, None)))
    if a is None and b is None:
        return ""
    sizes = f"have {len(first.vocabulary):,} and {len(second.vocabulary):,} words"
    in_one, in_other = (
        f"word {number:,} is {word!r}" if word is not None else f"there is no word {number:,}" for word in (a, b)
    )
    return f"{sizes}; {in_one} in the first, {in_other} in the second"


KIND = "firth-mixture"
Floats = npt.NDArray[np.float64]

_MAX_ROUNDS = 10_000
_MIN_GAIN = 1e-10  # nats per token; EM stops at a smaller gain
_TOLERANCE = 1e-6  # for the sum of the weights


class Mixture(LanguageModel):
    """A linear interpolation of language models.

    Args:
        models: M models with the same vocabulary and text rules.
        weights: (M,) interpolation weights, not negative, with the sum 1.
        metadata: how it was made; JSON values.

    Attributes:
        models: the models.
        weights: (M,) float64.

    Raises:
        OptionError: there is no model, the models differ in vocabulary or text rules, or the weights are invalid.
    """

    def __init__(
        self, models: Sequence[LanguageModel], weights: npt.ArrayLike, *, metadata: dict[str, Any] | None = None
    ) -> None:
        self.models = tuple(models)
        _check(self.models)
        self.weights: Floats = _checked_weights(np.asarray(weights, dtype=np.float64), len(self.models))
        self.vocabulary, self.rules = self.models[0].vocabulary, self.models[0].rules
        self.metadata = with_training_facts(metadata)
        self.connected = any(model.connected for model in self.models)
        self.spells = all(model.spells for model in self.models)
        self._ensemble = Ensemble(self.models, self.weights)

    @classmethod
    def fit(cls, models: Sequence[LanguageModel], held_out: Any, *, progress: Progress = None) -> "Mixture":
        """Return the mixture with the lowest perplexity on a held-out text.

        Args:
            models: models with the same vocabulary and text rules.
            held_out: text that no model was trained on; see `firth.language.text.held_out_text`. Evaluate the mixture
                on a third text.
            progress: how to show progress; see `firth.progress`.

        Raises:
            OptionError: there is no model, or the models differ in vocabulary or text rules.
            CorpusError: the text is empty, or all its words are unknown.
        """
        _check(models)
        text = models[0].read(held_out, progress=progress)
        logs = np.stack([model.log_probs(text, progress=progress) for model in models])
        return cls(models, fit_weights(logs), metadata={"training": {"fitted_on_tokens": len(text)}})

    def log_probs(self, text: LanguageText, *, progress: Progress = None) -> Floats:
        """Return the natural logarithm of the probability of each token; as in `LanguageModel.log_probs`."""
        return mixed(np.stack([model.log_probs(text, progress=progress) for model in self.models]), self.weights)

    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[Scores, Any]:
        """Return scores and states after each prompt; see `firth.inference.scorer.Scorer`."""
        return self._ensemble.start(prompts)

    def advance(self, state: Any, ids: npt.NDArray[np.int64]) -> tuple[Scores, Any]:
        """Return scores and states after one more id each; see `firth.inference.scorer.Scorer`."""
        return self._ensemble.advance(state, ids)

    def reorder(self, state: Any, rows: npt.NDArray[np.int64]) -> Any:
        """Return the state of some sequences; see `firth.inference.scorer.Scorer`."""
        return self._ensemble.reorder(state, rows)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the mixture as a folder, each model in a folder inside; see `LanguageModel.save`."""
        parts = {_part(i): model.save for i, model in enumerate(self.models)}
        content = ModelFolder(
            kind=KIND, arrays={"weights": self.weights}, metadata=self.metadata, card=_card(self), subfolders=parts
        )
        model_folder.write(path, content)

    def __repr__(self) -> str:
        parts = ", ".join(f"{weight:.3f} {model!r}" for weight, model in zip(self.weights, self.models, strict=True))
        return f"<Mixture: {parts}>"


def fit_weights(log_probs: Floats) -> Floats:
    """Return the interpolation weights that maximise the likelihood of held-out tokens.

    Args:
        log_probs: (M, N) natural logarithms of each model's probabilities. Tokens to which all models give the
            probability 0 are ignored.

    Returns:
        (M,) float64 with the sum 1.
    """
    best = log_probs.max(axis=0)
    likelihoods = np.exp((log_probs - np.where(np.isfinite(best), best, 0.0))[:, np.isfinite(best)])
    weights = np.full(len(log_probs), 1 / len(log_probs))
    if not likelihoods.size:
        return weights
    before = -np.inf
    for _ in range(_MAX_ROUNDS):
        # EM: p(m | token) = w_m p_m / sum_m w_m p_m, (M, N); the new w_m is its mean over tokens.
        joint = weights[:, None] * likelihoods
        total = joint.sum(axis=0)
        now = float(np.log(total).mean())
        if now - before < _MIN_GAIN:
            break
        before, weights = now, (joint / total).mean(axis=1)
    return np.asarray(weights / weights.sum())


def restore(content: ModelFolder) -> Mixture:
    """Return the mixture of a folder."""
    weights = content.array("weights", (None,))
    if not (weights >= 0).all() or abs(float(weights.sum()) - 1) > _TOLERANCE:
        raise content.damaged(f"weights {weights.tolist()}, expected non-negative weights with the sum 1")
    models = [registry.restored(content.part(_part(i))) for i in range(len(weights))]
    other = next((model for model in models if not isinstance(model, LanguageModel)), None)
    if other is not None or not models:
        raise content.damaged(f"a part is {registry.plain_name(other)}, expected a language model")
    try:
        return Mixture(models, weights, metadata=dict(content.metadata))
    except OptionError as error:
        raise content.damaged(str(error)) from None


def _part(number: int) -> str:
    return f"model-{number + 1}"


def _check(models: Sequence[LanguageModel]) -> None:
    if not models:
        raise OptionError("no models; expected at least one")
    check_compatible({f"model {i}": model for i, model in enumerate(models, start=1)})


def _checked_weights(weights: Floats, count: int) -> Floats:
    if weights.shape != (count,) or not (weights >= 0).all() or abs(weights.sum() - 1) > _TOLERANCE:
        raise OptionError(
            f"weights={weights.tolist()}: expected {count} non-negative weights with the sum 1, one per model"
        )
    return np.asarray(weights / weights.sum())


def _card(mixture: Mixture) -> str:
    rows = "".join(
        f"| {_part(i)} | {type(model).__name__} | {weight:.4f} |\n"
        for i, (model, weight) in enumerate(zip(mixture.models, mixture.weights, strict=True))
    )
    return f"""---
library_name: firth
tags: [language-model]
---

# A mixture of language models over {len(mixture.vocabulary):,} words

| folder | kind | weight |
|---|---|---|
{rows}
```python
import firth

model = firth.load("this/folder")
print(model.perplexity("held-out.txt"))
```
"""
