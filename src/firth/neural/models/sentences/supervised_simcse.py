"""Supervised SimCSE: texts that mean the same are positives, by a label; texts that contradict them are hard negatives.

What: a batch holds groups of texts, such as a sentence and what it entails, or the captions of a picture. Each text of
    a group is an anchor whose positives are the others. All other texts of the batch, and the hard negatives of all
    groups, are its negatives.
Objective: InfoNCE with several positives (`firth.neural.layers.contrastive`).
Source: Gao, Yao and Chen 2021, "SimCSE", section 4, equation 5; Khosla et al. 2020, "Supervised contrastive learning",
    equation 2, for several positives.
Departures: every text is an anchor (`anchors="all"`); in equation 5 only the first of a pair is, and anchors are not
    compared with one another, which `anchors="first"` does. Equal texts of different groups are negatives of
    each other. The head is used in training only.
Cost: that of the encoder for all texts of the groups and their hard negatives; three times that in training.
"""

import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
import torch

from firth.arguments import explained
from firth.errors import CorpusError, OptionError, counted
from firth.language.text import training_text
from firth.neural.layers.contrastive import InfoNCE, group_masks
from firth.neural.models.sentences.contrastive_task import ContrastiveModule, check_batches, contrastive_task
from firth.neural.models.sentences.encoder import EncoderModule, EncoderOptions
from firth.neural.models.sentences.encoder_training import new_model, opened_start, run
from firth.neural.models.sentences.predict import SentenceEncoder
from firth.neural.models.sentences.simcse import projection, temperature_option
from firth.neural.supervised import SupervisedTask, digest
from firth.neural.training.batching import Buckets, TensorBatch, pad
from firth.neural.training.by_size import with_size_defaults
from firth.neural.training.options import RunConfig, TextRunArguments, TrainingOptions, text_options
from firth.options import BY_SIZE, Preset, option, options_class
from firth.readers.text_groups import TextGroup, as_text_groups
from firth.text.batches import warn_long
from firth.timing import running_clock

ANCHORS = ("all", "first")
FEWEST, MOST, UPDATES = 5, 40, 24_000  # of averages: epochs, and groups that are read in all of them
_Rows = list[Any]  # ids of each text


@dataclass(frozen=True, eq=False)
class GroupBatch(TensorBatch):
    """The texts of B groups, and their hard negatives.

    Attributes:
        ids: (M, T) int64, padded on the right: N texts of the groups, then their hard negatives.
        lengths: (M,) int64, on the CPU.
        groups: (M,) int64, the group of each text from 0 to B - 1; -1 for hard negatives.
        firsts: (M,) bool, the first text of each group.
        seconds: (M,) bool, the second.
    """

    on_cpu: ClassVar = ("lengths",)

    ids: torch.Tensor
    lengths: torch.Tensor
    groups: torch.Tensor
    firsts: torch.Tensor
    seconds: torch.Tensor

    @classmethod
    def of(cls, items: list[tuple[_Rows, _Rows]]) -> "GroupBatch":
        """Return a batch of groups: the ids of the texts of each, and of its hard negatives."""
        texts = [(group, rank, row) for group, (rows, _) in enumerate(items) for rank, row in enumerate(rows)]
        negatives = [row for _, rows in items for row in rows]
        groups = torch.tensor([group for group, _, _ in texts] + [-1] * len(negatives))
        ranks = torch.tensor([rank for _, rank, _ in texts] + [-1] * len(negatives))
        return cls(*pad([row for _, _, row in texts] + negatives), groups, ranks == 0, ranks == 1)


def training_defaults(encoder: str | None, groups: int) -> dict[str, Any]:
    """Return options of the training of an encoder, given the number of groups.

    An average learns word vectors from nothing: at the rate of a network its random vectors stay what they are
    (benchmarks/results/small/averages.md, on whose test pairs the values were chosen; no other set has judged them).
    """
    if encoder != "average":
        return {"epochs": 3, "lr": 0.0001}
    return {"epochs": max(FEWEST, min(MOST, round(UPDATES / groups))), "lr": 0.005}


@explained(tokens="subwords")
def train_on_groups(
    options: "SupervisedSimCSE",
    groups: Any,
    *,
    held_out: Any = None,
    start: SentenceEncoder | str | os.PathLike[str] | None = None,
    **arguments: Unpack[TextRunArguments],
) -> SentenceEncoder:
    """Train a sentence encoder on groups of texts that mean the same.

    Args:
        options: of the model.
        groups: lists of two texts or more that mean the same; `firth.readers.text_groups.TextGroup`, which also holds
            hard negatives; or a file of either, or of pairs with the labels entailment and contradiction. Batches
            are counted in groups.
        held_out: scored pairs that select the model with the highest Spearman correlation: a file, or a list of (text,
            text, score). Without it, the last model is kept.
        start: trained encoder, or its path, to start from: its network, its parameters, its vocabulary and text rules.
        **arguments: of the run (`RunConfig`), and options of `Corpus.build`, for the vocabulary of
            the texts, such as max_size=8000; without a start.

    Returns:
        The model of the best evaluation on held-out pairs, or the last.

    Raises:
        CorpusError: there are fewer than two groups.
        FormatError: a file is not in the format.
        OptionError: an item is no group; an option is out of its range or contradicts the start; or the checkpoint is
            of another run.
        DivergenceError: training diverged.
    """
    config, given = RunConfig.of(options.training, arguments), text_options(arguments)
    check_batches(config.training.batch_size)
    with running_clock():
        before, every = opened_start(start), as_text_groups(groups)
        if len(every) < 2:
            raise CorpusError(f"{len(every)} group: expected two or more, whose texts are the negatives of each other")
        if before is None:
            texts = [text for group in every for text in (*group.texts, *group.negatives)]
            text = training_text(texts, {"tokens": "subwords", **given}, eos=False, progress=config.progress)
            vocabulary, rules = text.vocabulary, text.rules
        elif given:
            raise OptionError(f"{', '.join(given)} with start: texts are read like those of the start")
        else:
            vocabulary, rules = before.vocabulary, before.rules
        model = new_model(options, vocabulary, rules, before, config.seed)
        network: Any = model.options  # an encoder's, with its defaults
        chosen = training_defaults(network.encoder, len(every))
        _, config = with_size_defaults(options, config, chosen, counted(len(every), "group"))
        content = digest(repr([dataclasses.astuple(group) for group in every]))
        return run(model, options.build_task(model, every, held_out, config), before, config, content)


@options_class
class SupervisedSimCSE(EncoderOptions):
    """Supervised SimCSE.

    Source:
        Gao, Yao and Chen 2021; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {
        "supervised-simcse": Preset("Supervised SimCSE: groups of texts that mean the same (Gao, Yao and Chen 2021).")
    }
    common_options: ClassVar = ("temperature", "anchors", "max_length")
    reads_groups: ClassVar[bool] = True
    selected_by_pairs: ClassVar[bool] = True
    train = train_on_groups
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=BY_SIZE, batch_size=64, optimiser="adamw", lr=BY_SIZE, schedule="linear", clip_norm=1.0
    )

    temperature: float = temperature_option()
    head: bool = option(True, "projection head: a layer with tanh, in training only")
    anchors: str = option("all", "anchors: all texts of a group, or the first", choices=ANCHORS)

    def build_task(
        self, model: SentenceEncoder, groups: Sequence[TextGroup], held_out: Any, config: RunConfig
    ) -> SupervisedTask:
        """Return the task; see `TextOptions.build_task`."""
        assert isinstance(model.module, EncoderModule)
        module = SupervisedModule(model.module, self, seed=config.seed)
        items, lengths, truncated = _encoded(model, groups)

        def batches(numbers: Any, *, shuffle: bool) -> Buckets[Any]:
            return Buckets(
                items=[items[number] for number in numbers.tolist()],
                lengths=lengths[numbers],
                collate=GroupBatch.of,
                batch_size=config.training.batch_size,
                shuffle=shuffle,
                seed=config.seed,
            )

        def facts(aside: int) -> dict[str, int]:
            return {
                "groups": len(items) - aside,
                "texts": sum(len(rows) for rows, _ in items),
                "hard_negatives": sum(len(rows) for _, rows in items),
                "set_aside": aside,
                "truncated": truncated,
            }

        return contrastive_task(
            module, model, len(items), batches, held_out, config, name="groups", unit="texts", facts=facts
        )


def _encoded(model: SentenceEncoder, groups: Sequence[TextGroup]) -> tuple[list[tuple[_Rows, _Rows]], Any, int]:
    """Return the ids of each group's texts and hard negatives, the longest of each group, and how many were cut."""
    limit, items, lengths, truncated = model.options.max_length, [], [], 0
    for group in groups:
        parts = [[row for row in model.ids_of(part) if len(row)] for part in (group.texts, group.negatives)]
        if len(parts[0]) > 1:
            truncated += sum(len(row) > limit for part in parts for row in part)
            texts, negatives = ([row[:limit] for row in part] for part in parts)
            items.append((texts, negatives))
            lengths.append(max(map(len, (*texts, *negatives))))
    whole = f"{sum(len(part) for item in items for part in item):,} texts"
    warn_long(truncated, whole, limit, "the rest of them is not read")
    return items, np.array(lengths, dtype=np.int64), truncated


class SupervisedModule(ContrastiveModule):
    """An encoder with the head and loss of supervised SimCSE."""

    def __init__(self, encoder: EncoderModule, options: SupervisedSimCSE, *, seed: int = 0) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = projection(encoder.width, seed, used=options.head)
        self.loss = InfoNCE(options.temperature)
        self.first_only = options.anchors == "first"

    def losses(self, batch: GroupBatch) -> torch.Tensor:
        """Return the losses of the anchors of a batch; see `ContrastiveModule.losses`."""
        keys = self.head(self.encoder(batch.ids, batch.lengths))
        count = int((batch.groups >= 0).sum())
        positive, compared = group_masks(batch.groups[:count], batch.groups)
        anchors = torch.ones_like(batch.firsts[:count])
        if self.first_only:  # anchors are compared with the other texts, not with one another
            anchors, compared = batch.firsts[:count], compared & ~batch.firsts
        losses: torch.Tensor = self.loss(
            keys[:count][anchors], keys, positive=positive[anchors], compared=compared[anchors]
        )
        return losses

    def pairs(self, batch: GroupBatch) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the vectors of the first two texts of each group; see `ContrastiveModule.pairs`."""
        vectors = self.encoder(batch.ids, batch.lengths)
        return vectors[batch.firsts], vectors[batch.seconds]
