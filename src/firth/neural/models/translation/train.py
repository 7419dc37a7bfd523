"""The method `train` of translators: read the pairs, learn the units, create a module, run the training loop."""

import copy
import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

from firth.arguments import explained
from firth.errors import CorpusError, OptionError
from firth.neural.models.translation.data import Pair, PairReader
from firth.neural.models.translation.reinforcement import ReinforcementTask, Reward, reward_of
from firth.neural.models.translation.system import read_pairs
from firth.neural.models.translation.task import TranslationTask
from firth.neural.models.translation.translation_model import TranslationModel
from firth.neural.models.translation.units import Units, learn_units
from firth.neural.training.devices import new_parameters
from firth.neural.training.held_out import split_rows
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig
from firth.readers.parallel import ParallelTexts
from firth.timing import running_clock

EVAL_BATCH = 128  # pairs per batch of an evaluation


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
        texts, judged = _split(pairs, held_out, languages, config.seed)
        source, target = _learn(options, texts)
        reader = PairReader(source, target, options.reverse_source, options.copying, options.spelling)
        train, dropped = _read(reader, texts, options)
        judged_pairs, _ = _read(reader, judged, options)
        module = new_module(options, source, target, config.seed, copies=2)
        return _trained(options, reader, module, (train, judged_pairs), {**texts.dropped, **dropped}, config)


def _trained(
    options: Any,
    reader: PairReader,
    module: Any,
    data: tuple[Sequence[Pair], Sequence[Pair]],
    dropped: dict[str, int],
    config: RunConfig,
) -> TranslationModel:
    train, judged = data
    size = options.batch_tokens or config.training.batch_size
    task = TranslationTask(
        module,
        reader.batches(train, size, tokens=bool(options.batch_tokens), seed=config.seed),
        reader.batches(judged, EVAL_BATCH, shuffle=False),
        predictions=sum(len(pair.target) for pair in judged),
        coverage_from=options.coverage_from,
        spelling_weight=options.spelling_weight,
        feeding=options.feeding,
    )
    facts = fit_model(
        task,
        options,
        config,
        {"examples": _digest(reader, train, judged), "pairs": len(train)},
        facts={
            "held_out_pairs": len(judged),
            "target_tokens": sum(len(pair.target) for pair in train),
            "dropped": dropped,
        },
    )
    module.cover(True)
    return TranslationModel(module, options, reader, {"training": facts})


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
        texts, judged = _split(pairs, held_out, None, config.seed)
        train, judged_pairs = (_read(reader, each, options, keep_words=True)[0] for each in (texts, judged))
        module = copy.deepcopy(model.module)
        task = ReinforcementTask(
            TranslationModel(module, options, reader),
            reader.batches(train, config.training.batch_size, seed=config.seed),
            reader.batches(judged_pairs, EVAL_BATCH, shuffle=False),
            reward_of(reward),
            mixture=mixture,
            longest=max_length,
            predictions=sum(len(pair.target) for pair in judged_pairs),
        )
        data = {"examples": _digest(reader, train, judged_pairs), "pairs": len(train), "mixture": mixture}
        facts = fit_model(task, options, config, data, facts={"held_out_pairs": len(judged_pairs)})
    return TranslationModel(module, options, reader, {**model.metadata, "reinforcement": facts}, model.candidates)


def _split(
    pairs: Any, held_out: Any, languages: tuple[str, str] | None, seed: int
) -> tuple[ParallelTexts, ParallelTexts]:
    """Return the pairs to train on, and those that are held out."""
    texts = read_pairs(pairs, languages)
    if held_out is not None:
        return texts, read_pairs(held_out, languages, "held_out")
    rows, judged = split_rows(len(texts), seed, f"{texts.name}: {len(texts)} pair")
    return _rows(texts, rows), _rows(texts, judged)


def new_module(options: Any, source: Units, target: Units, seed: int, *, copies: int = 1) -> Any:
    """Return a module with random parameters; torch's own random state is kept.

    Args:
        options: of the translator.
        source: units of the source.
        target: units of the target.
        seed: of the parameters.
        copies: numbers in memory per parameter: 1, or 2 in training.

    Raises:
        OptionError: sizes do not fit each other, or the model needs more memory than this machine has.
    """
    with new_parameters(seed, copies):
        return options.build(source, target)


def _learn(options: Any, texts: ParallelTexts) -> tuple[Units, Units]:
    how = {"min_count": options.min_count, "lowercase": options.lowercase}
    spells = options.spells
    if options.joint:
        both = learn_units(
            [*texts.sources, *texts.targets],
            options.target_units,
            options.target_size,
            targets=len(texts),
            characters=spells,
            **how,
        )
        return both, both
    return (
        learn_units(texts.sources, options.source_units, options.source_size, **how),
        learn_units(texts.targets, options.target_units, options.target_size, characters=spells, **how),
    )


def _read(
    reader: PairReader, texts: ParallelTexts, options: Any, *, keep_words: bool = False
) -> tuple[list[Pair], dict[str, int]]:
    """Return the pairs of at most `max_length` tokens a side, and how many are longer, unless they are truncated.

    Raises:
        CorpusError: there is none.
    """
    longest = options.max_length
    most = longest if options.truncate else None
    pairs = [reader.read(*pair, most, keep_words=keep_words) for pair in zip(texts.sources, texts.targets, strict=True)]
    kept = [pair for pair in pairs if max(len(pair.source.ids), len(pair.target)) <= longest + 1]
    if not kept:
        raise CorpusError(f"{texts.name}: all pairs have more than {longest} tokens; expected a higher max_length")
    return kept, {"long": len(pairs) - len(kept)} if len(kept) < len(pairs) else {}


def _rows(texts: ParallelTexts, rows: Sequence[int]) -> ParallelTexts:
    return ParallelTexts(
        tuple(texts.sources[row] for row in rows), tuple(texts.targets[row] for row in rows), texts.name, texts.dropped
    )


def _digest(reader: PairReader, *parts: Sequence[Pair]) -> str:
    """Return a digest of the data of a run."""
    digest = hashlib.blake2b(digest_size=16)
    for pairs in parts:
        for pair in pairs:
            for ids in (pair.source.ids, pair.target):
                digest.update(len(ids).to_bytes(4, "little") + ids.tobytes())
            digest.update(" ".join(pair.words).encode("utf-8", "surrogatepass"))
    digest.update("\n".join([*reader.source.words, *reader.target.words]).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
