"""Self-critical training: a trained encoder-decoder goes on with a reward for whole texts.

What
    Each update samples a text for every source. A text with a higher reward than that of greedy search becomes more
    probable, another one less. The likelihood of the true targets stays part of the loss, which keeps texts readable.
Objective
    L = g L_rl + (1 - g) L_ml,   L_rl = (r(greedy) - r(sampled)) log p(sampled),   L_ml = -log p(target)
    L_ml includes the weighted losses of coverage and of spelled words, as in ordinary training;
    sums over the tokens of a batch, divided by their number.
Source
    Rennie et al. 2017, section 3 (self-critical); Paulus, Xiong and Socher 2018, sections 3.2 and 3.3 (mixed loss).
Departures
    L_rl is computed without dropout, by which texts are not sampled either: it is the gradient of the expected reward.
    Rewarded is the text that users get, in which unknown words are copied or spelled, and compared with the whole
    reference.
Cost
    Two searches and two forward and backward passes per batch: about four times ordinary training.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import OptionError
from firth.evaluation.generated_metrics import Segments, metric_of
from firth.inference.continuation import Continuation
from firth.inference.generation_options import GenerationOptions
from firth.inference.sampling import greedy_search, sample
from firth.neural.layers.state import State
from firth.neural.models.translation.data import PairBatch
from firth.neural.models.translation.scorer import TranslationScorer
from firth.neural.models.translation.translation_model import TranslationModel
from firth.neural.models.translation.units import EOS
from firth.neural.training.batching import pad
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.resampling import Mean

Reward = Callable[[str, str], float]
METRICS = ("rouge-1", "rouge-2", "rouge-l")


def reward_of(reward: str | Reward) -> Callable[[Sequence[str], Sequence[str]], npt.NDArray[np.float64]]:
    """Return a function of N texts and N references to (N,) rewards.

    Args:
        reward: a name of `METRICS`, or a function of a text and its reference.

    Raises:
        OptionError: there is no such metric; later, a reward is not finite.
    """
    if isinstance(reward, str):
        if reward not in METRICS:
            raise OptionError(f"reward={reward!r}: expected a function of (text, reference), or {', '.join(METRICS)}")
        return lambda texts, references: _scores(reward, texts, references)

    def rewards(texts: Sequence[str], references: Sequence[str]) -> npt.NDArray[np.float64]:
        found = [float(reward(*pair)) for pair in zip(texts, references, strict=True)]
        for text, each in zip(texts, found, strict=True):
            if not math.isfinite(each):
                raise OptionError(f"reward of {text!r} is {each}: expected a finite number")
        return np.array(found)

    return rewards


def _scores(metric: str, texts: Sequence[str], references: Sequence[str]) -> npt.NDArray[np.float64]:
    statistic, _ = metric_of(metric).compute(Segments(texts, [references], None, True, "13a", None))
    assert isinstance(statistic, Mean), "ROUGE is a mean over texts"
    return statistic.scores / 100


class ReinforcementTask:
    """A trained module with pairs and a reward; implements `firth.neural.training.task.Task`.

    Args:
        model: to train further.
        batches: `PairBatch`es to train on, of pairs with `Pair.words`.
        held_out: batches that select the model, by their mean reward.
        reward: texts and references to rewards; see `reward_of`.
        mixture: g, weight of the reward.
        longest: maximum length of a sampled text in tokens.
        predictions: target tokens in `held_out`, ends included.

    Attributes:
        module: of the model.
        batches: as given.
        unit: "tokens".
        eval_predictions: as given.
    """

    def __init__(
        self,
        model: TranslationModel,
        batches: Batches,
        held_out: Batches,
        reward: Callable[[Sequence[str], Sequence[str]], npt.NDArray[np.float64]],
        *,
        mixture: float,
        longest: int,
        predictions: int,
    ) -> None:
        self.module: torch.nn.Module = model.module
        self.batches, self.unit, self.eval_predictions = batches, "tokens", predictions
        self._model, self._net, self._held_out, self._reward = model, model.module, held_out, reward
        self._mixture, self._options = mixture, GenerationOptions(max_length=longest)

    def step(self, batch: PairBatch, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the mixed loss of a batch; see `Task.step`."""
        losses, covered, spelled = self._net.losses(batch)
        reinforced, likelihood = self.reinforced_loss(batch), (losses + covered).mean()
        if spelled is not None:
            likelihood = likelihood + self._model.options.spelling_weight / len(losses) * spelled
        loss = self._mixture * reinforced + (1 - self._mixture) * likelihood
        return StepOutput(loss, losses.detach().sum(dtype=torch.float64), len(losses))

    def reinforced_loss(self, batch: PairBatch) -> torch.Tensor:
        """Return L_rl of a batch, per sampled token."""
        self._net.eval()
        try:
            with torch.no_grad():
                seed = int(torch.randint(1 << 31, ()))  # of torch's generator, which a checkpoint keeps
                sampled = self._searched(batch, seed)
                advantages = self._rewards(batch, sampled) - self._rewards(batch, self._searched(batch))
            device = batch.targets.device
            targets, counts = (each.to(device) for each in pad([_ids(each) for each in sampled], EOS))
            counted = torch.arange(targets.shape[1], device=device) < counts[:, None]
            log_probs = self._net.log_prob_of(PairBatch(batch.sources, targets, counted))
        finally:
            self._net.train()
        rows = counted.nonzero()[:, 0]
        weights = torch.from_numpy(advantages).to(device, log_probs.dtype)[rows]
        loss: torch.Tensor = -(weights * log_probs).mean()
        return loss

    def evaluate(self) -> Mapping[str, float]:
        """Return the cross entropy in nats per token, and as error the mean reward of greedy search below 1."""
        device = next(self.module.parameters()).device
        nats, rewards = 0.0, list[float]()
        for batch in self._held_out.epoch(0):
            batch = batch.to(device)
            nats += float(self._net.losses(batch, exact=True).tokens.sum(dtype=torch.float64))
            rewards += self._rewards(batch, self._searched(batch)).tolist()
        return {"error": 1 - float(np.mean(rewards)), "loss": nats / self.eval_predictions}

    def _searched(self, batch: PairBatch, seed: int | None = None) -> list[Continuation]:
        """Return the texts of greedy search, or sampled ones."""
        scorer, prompts = TranslationScorer(self._net, batch.sources), [()] * len(batch.targets)
        limits: dict[str, Any] = {"stop": (EOS,), "banned": self._model.target.banned}
        if seed is None:
            return greedy_search(scorer, prompts, self._options, **limits)
        return sample(scorer, prompts, self._options, **limits, seed=seed)

    def _rewards(self, batch: PairBatch, found: Sequence[Continuation]) -> npt.NDArray[np.float64]:
        texts = self._model.texts_of([pair.source for pair in batch.pairs], found)
        return self._reward(texts, [self._model.target.text(pair.words) for pair in batch.pairs])


def _ids(found: Continuation) -> npt.NDArray[np.int64]:
    return np.array([*found.ids, *([EOS] if found.ended or not found.ids else [])], dtype=np.int64)
