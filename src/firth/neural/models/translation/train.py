"""The method `train` of translators: read the pairs, learn the units, create a module, run the training loop."""

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
import torch

from firth.arguments import explained
from firth.errors import CorpusError, OptionError
from firth.evaluation.generated_metrics import Segments, metric_of
from firth.inference.generation_options import Continuation, GenerationOptions
from firth.inference.sampling import greedy_search, sample
from firth.neural.layers.scheduled_sampling import FeedingOptions
from firth.neural.layers.state import State
from firth.neural.models.translation.data import Pair, PairBatch, PairReader
from firth.neural.models.translation.module import TranslationModule
from firth.neural.models.translation.predict import TranslationModel
from firth.neural.models.translation.scorer import TranslationScorer
from firth.neural.models.translation.system import read_pairs
from firth.neural.models.translation.units import EOS, Units, learn_units, warn_unknown_language
from firth.neural.supervised import SupervisedTask, digest, mean_loss, on_device, split_rows
from firth.neural.training.batching import pad
from firth.neural.training.devices import new_module
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.readers.parallel import ParallelTexts
from firth.resampling import Mean
from firth.text.batches import warn_long
from firth.timing import running_clock

Reward = Callable[[str, str], float]
METRICS = ("rouge-1", "rouge-2", "rouge-l")
EVAL_BATCH = 128  # pairs per batch of an evaluation


def translation_task(
    module: TranslationModule,
    batches: Batches,
    held_out: Batches,
    *,
    predictions: int,
    coverage_from: float = 0.0,
    spelling_weight: float = 1.0,
    feeding: Callable[[float], FeedingOptions | None] = lambda _: None,
) -> SupervisedTask:
    """Return a module with its pairs as a task.

    Figures are the cross entropy in nats per token, without label smoothing, each given the true ones before it. The
    coverage loss is added, also before it is trained, so that models are compared by one objective. So is the loss of
    characters, times its factor; `spelling_loss` is this loss alone, without the factor.

    Args:
        coverage_from: share of the run after which coverage is used.
        feeding: returns what the decoder reads when a fraction of the run is over.
    """

    def loss(batch: PairBatch, progress: TrainingProgress) -> StepOutput:
        covering = progress.fraction >= coverage_from
        module.cover(covering)
        losses, covered, spelled = module.losses(batch, feeding=feeding(progress.fraction))
        output = mean_loss(losses + covered if covering else losses)
        if spelled is None:
            return output
        weighted = spelling_weight * spelled.detach()
        mean = output.loss + spelling_weight / len(losses) * spelled
        return StepOutput(mean, output.nats + weighted, len(losses))

    def figures() -> Mapping[str, float]:
        nats = characters = 0.0
        for batch in on_device(held_out, module):
            losses, covered, spelled = module.losses(batch, exact=True)
            nats += float((losses + covered).sum(dtype=torch.float64))
            characters += 0.0 if spelled is None else float(spelled)
        if module.speller is None:
            return {"loss": nats / predictions}
        return {"loss": (nats + spelling_weight * characters) / predictions, "spelling_loss": characters / predictions}

    return SupervisedTask(
        module=module,
        batches=batches,
        loss=loss,
        figures=figures,
        unit="tokens",
        eval_predictions=predictions,
        some_unused=coverage_from > 0,  # the parameters of coverage
    )


def reward_of(reward: str | Reward) -> Callable[[Sequence[str], Sequence[str]], npt.NDArray[np.float64]]:
    """Return a function of N texts and N references to (N,) rewards.

    Raises:
        OptionError: there is no such metric; later, a reward is not finite.
    """
    if isinstance(reward, str):
        if reward not in METRICS:
            raise OptionError(f"reward={reward!r}: expected a function of (text, reference), or {', '.join(METRICS)}")
        return lambda texts, references: _scores(reward, texts, references)

    def rewards(texts: Sequence[str], references: Sequence[str]) -> npt.NDArray[np.float64]:
        values = [float(reward(*pair)) for pair in zip(texts, references, strict=True)]
        for text, value in zip(texts, values, strict=True):
            if not math.isfinite(value):
                raise OptionError(f"reward of {text!r} is {value}: expected a finite number")
        return np.array(values)

    return rewards


def _scores(metric: str, texts: Sequence[str], references: Sequence[str]) -> npt.NDArray[np.float64]:
    statistic, _ = metric_of(metric).compute(Segments(texts, [references], None, True, "13a", None))
    assert isinstance(statistic, Mean), "ROUGE is a mean over texts"
    return statistic.scores / 100


class ReinforcementTask:
    """A trained module with pairs and a reward; implements `firth.neural.training.task.Task`.

    Attributes:
        module: of the model.
        unit: "tokens".
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
            targets, counts = (table.to(device) for table in pad([_ids(text) for text in sampled], EOS))
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
        nats, rewards = 0.0, list[float]()
        for batch in on_device(self._held_out, self.module):
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

    def _rewards(self, batch: PairBatch, texts: Sequence[Continuation]) -> npt.NDArray[np.float64]:
        written = self._model.texts_of([pair.source for pair in batch.pairs], texts)
        return self._reward(written, [self._model.target.text(pair.words) for pair in batch.pairs])


def _ids(text: Continuation) -> npt.NDArray[np.int64]:
    return np.array([*text.ids, *([EOS] if text.ended or not text.ids else [])], dtype=np.int64)


@explained
def train_translator(
    options: Any,
    pairs: Any,
    *,
    held_out: Any = None,
    languages: tuple[str, str] | None = None,
    **run: Unpack[RunArguments],
) -> TranslationModel:
    """Train a translator on pairs of texts.

    Args:
        options: `firth.Translator`.
        pairs: a list of pairs (source, target); two files with a text per line, as a tuple; or one file: a table
            separated by tabs, JSON lines, or TMX.
        held_out: pairs that select the best epoch, in any form of `pairs`. Without them a tenth of the training pairs
            is held out; test data never select a model.
        languages: of source and target, such as ("de", "en"), where a file has several.
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The model of the best evaluation on held-out pairs: of the lowest cross entropy.

    Raises:
        FormatError: a file is damaged, or holds no pair.
        ShapeError: two files differ in length.
        CorpusError: no pair is short enough.
        OptionError: an option is out of its range, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    config = RunConfig.of(options.training, run)
    with running_clock():
        texts, validation = _split(pairs, held_out, languages, config.seed)
        source, target = _learn(options, texts)
        reader = PairReader(source, target, options.reverse_source, options.copying, options.spelling)
        (train, long), (test, _) = (
            _read(reader, part, options, kind) for part, kind in ((texts, ""), (validation, "held-out "))
        )
        if held_out is not None:
            warn_unknown_language(source, [pair.source.ids for pair in test], "held-out sources")
            warn_unknown_language(target, [pair.target for pair in test], "held-out targets")
        module = new_module(config.seed, options.build, source, target, copies=2)
        size = options.batch_tokens or config.training.batch_size
        task = translation_task(
            module,
            reader.batches(train, size, tokens=bool(options.batch_tokens), seed=config.seed),
            reader.batches(test, EVAL_BATCH, shuffle=False),
            predictions=_tokens(test),
            coverage_from=options.coverage_from,
            spelling_weight=options.spelling_weight,
            feeding=options.feeding,
        )
        data = {"examples": _digest(reader, train, test), "pairs": len(train)}
        dropped, truncated = (texts.dropped, long) if options.truncate else ({**texts.dropped, **long}, {})
        more = {"held_out_pairs": len(test), "target_tokens": _tokens(train), "dropped": dropped}
        more |= {"truncated": truncated} if truncated else {}
        facts = fit_model(task, options, config, data, facts=more)
        module.cover(True)
    return TranslationModel(module, options, reader, metadata={"training": facts})


@explained
def reinforce(
    model: TranslationModel,
    pairs: Any,
    reward: str | Reward = "rouge-l",
    *,
    mixture: float = 0.95,
    held_out: Any = None,
    max_length: int = 30,
    **run: Unpack[RunArguments],
) -> TranslationModel:
    """Go on with the training of a translator with a reward for whole texts; the given model stays as it is.

    Args:
        model: a trained translator.
        pairs: as for `train_translator`.
        reward: "rouge-1", "rouge-2", "rouge-l", or a function of a text and its reference.
        mixture: weight of the reward in the loss, from 0 to 1; the rest is the likelihood of the targets.
        held_out: pairs that select the best epoch, by the mean reward of greedy search. Without them a tenth of the
            training pairs is held out.
        max_length: maximum length of a sampled text in tokens.
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The model of the best evaluation on held-out pairs.

    Raises:
        FormatError, ShapeError, CorpusError: as `train_translator`.
        OptionError: an option is out of its range, or a reward is not finite.
        DivergenceError: training diverged.
    """
    if not 0 <= mixture <= 1:
        raise OptionError(f"mixture={mixture}: expected a number from 0 to 1")
    options, reader = model.options, model.reader
    config = RunConfig.of(replace(options.training, lr=1e-4, schedule="constant", epochs=1, warmup=0), run)
    with running_clock():
        parts = _split(pairs, held_out, None, config.seed)
        train, test = (
            _read(reader, part, options, kind, keep_words=True)[0]
            for part, kind in zip(parts, ("", "held-out "), strict=True)
        )
        module = copy.deepcopy(model.module)
        task = ReinforcementTask(
            TranslationModel(module, options, reader),
            reader.batches(train, config.training.batch_size, seed=config.seed),
            reader.batches(test, EVAL_BATCH, shuffle=False),
            reward_of(reward),
            mixture=mixture,
            longest=max_length,
            predictions=_tokens(test),
        )
        data = {"examples": _digest(reader, train, test), "pairs": len(train), "mixture": mixture}
        facts = fit_model(task, options, config, data, facts={"held_out_pairs": len(test)})
    metadata = {**model.metadata, "reinforcement": facts}
    return TranslationModel(module, options, reader, model.candidates, metadata)


def _tokens(pairs: Sequence[Pair]) -> int:
    return sum(len(pair.target) for pair in pairs)


def _split(
    pairs: Any, held_out: Any, languages: tuple[str, str] | None, seed: int
) -> tuple[ParallelTexts, ParallelTexts]:
    """Return the pairs to train on, and those that are held out."""
    texts = read_pairs(pairs, languages)
    if held_out is not None:
        return texts, read_pairs(held_out, languages, "held_out")
    train, test = (
        ParallelTexts(
            tuple(texts.sources[row] for row in rows),
            tuple(texts.targets[row] for row in rows),
            texts.name,
            texts.dropped,
        )
        for rows in split_rows(len(texts), seed, f"{texts.name}: {len(texts)} pair")
    )
    return train, test


def _learn(options: Any, texts: ParallelTexts) -> tuple[Units, Units]:
    settings: dict[str, Any] = {"min_count": options.min_count, "lowercase": options.lowercase}
    target = {**settings, "characters": options.spells}
    if options.joint:
        both = [*texts.sources, *texts.targets]
        units = learn_units(both, options.target_units, options.target_size, targets=len(texts), **target)
        return units, units
    return (
        learn_units(texts.sources, options.source_units, options.source_size, **settings),
        learn_units(texts.targets, options.target_units, options.target_size, **target),
    )


def _read(
    reader: PairReader, texts: ParallelTexts, options: Any, kind: str, *, keep_words: bool = False
) -> tuple[list[Pair], dict[str, int]]:
    """Return pairs as numbers, and how many are longer than `max_length` tokens: left out, or truncated.

    Args:
        kind: of pairs, for a warning that counts the longer ones.

    Raises:
        CorpusError: there is none.
    """
    longest, texts_of = options.max_length, list(zip(texts.sources, texts.targets, strict=True))
    pairs = [reader.read(*pair, keep_words=keep_words) for pair in texts_of]
    lengths = {"sources": [len(pair.source.ids) for pair in pairs], "targets": [len(pair.target) for pair in pairs]}
    long = {side: sum(length > longest + 1 for length in own) for side, own in lengths.items()}  # an end each
    if options.truncate:
        for side, count in long.items():
            warn_long(count, f"{len(pairs):,} {kind}{side}", longest, "the rest of them is not read")
        if any(long.values()):
            pairs = [reader.read(*pair, longest, keep_words=keep_words) for pair in texts_of]
        return pairs, {side: count for side, count in long.items() if count}
    kept = [pair for pair, *sides in zip(pairs, *lengths.values(), strict=True) if max(sides) <= longest + 1]
    if not kept:
        raise CorpusError(f"{texts.name}: all pairs have more than {longest} tokens; expected a higher max_length")
    left_out = len(pairs) - len(kept)
    warn_long(left_out, f"{len(pairs):,} {kind}pairs", longest, "they are left out")
    return kept, {"long": left_out} if left_out else {}


def _digest(reader: PairReader, *parts: Sequence[Pair]) -> str:
    """Return a digest of the data of a run."""
    content = (
        ([(len(ids).to_bytes(4, "little"), ids) for ids in (pair.source.ids, pair.target)], " ".join(pair.words))
        for pairs in parts
        for pair in pairs
    )
    return digest(content, "\n".join([*reader.source.words, *reader.target.words]))
