"""Momentum contrast: augmented texts, a momentum encoder for keys, and a queue of earlier keys as negatives.

What: each text is augmented twice (`firth.text.augmentations`). The encoder gives the query of one side; a moving
    average of the encoder, which no gradient reaches, gives the key of the other. The keys of earlier batches, first
    in, first out, are the negatives, so that their number does not depend on the size of the batch.
Objective: InfoNCE of each query with its own key against the K keys of the queue; the average's parameters are p <- m p
    + (1 - m) q, q the encoder's, before each step.
Source: He, Fan, Wu, Xie and Girshick 2020, "Momentum contrast for unsupervised visual representation learning", section
    3 and algorithm 1; Fang et al. 2020, "CERT: Contrastive self-supervised learning for language understanding",
    section 3, for augmented sentences. Their augmentation is back-translation.
Departures: the augmentation is deletion and reordering of words, or a function of the caller's. The queue starts with
    keys of the training text; He et al. start with random vectors, which are too easy a negative for a trained start.
    A sentence of the first batches is its own negative with probability K / N, for N sentences.
    The keys of a batch are not shuffled among processes, as there is no batch normalisation.
Cost: two passes of the encoder per text, one of them with gradients, and K D multiplications.
"""

import os
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, ClassVar, Unpack

import numpy as np
import torch
from torch import nn

from firth.arguments import explained
from firth.errors import OptionError, brief
from firth.language.text import LanguageText
from firth.neural.layers.contrastive import InfoNCE, MomentumEncoder, NegativeQueue, check_queue
from firth.neural.models.sentences.contrastive_task import ContrastiveModule
from firth.neural.models.sentences.data import TokenBatch, different, sentences
from firth.neural.models.sentences.encoder import EncoderModule, EncoderOptions
from firth.neural.models.sentences.encoder_training import train_on_text
from firth.neural.models.sentences.predict import SentenceEncoder
from firth.neural.models.sentences.simcse import projection, sentence_task, temperature_option
from firth.neural.supervised import SupervisedTask
from firth.neural.training.options import RunConfig, TextRunArguments, TrainingOptions, text_options
from firth.options import Preset, option, options_class
from firth.text.augmentations import Augmentation, chain, delete, reorder

FILLING = 64  # texts per call that fills the queue


@explained(**EncoderOptions.text)
def train_moco(
    options: "MoCo",
    corpus: Any,
    *,
    augment: Augmentation | None = None,
    held_out: Any = None,
    start: SentenceEncoder | str | os.PathLike[str] | None = None,
    **arguments: Unpack[TextRunArguments],
) -> SentenceEncoder:
    """Train a sentence encoder on a text by momentum contrast.

    Args:
        options: of the model.
        corpus: training text, as for `firth.SimCSE`.
        augment: function from the words of a text and a `numpy.random.Generator` to other words; None for deletion and
            reordering as the options say. `firth.text.augmentations` has these and synonyms.
        held_out: scored pairs that select the model with the highest Spearman correlation: a file, or a list of (text,
            text, score). Without it, the last model is kept.
        start: trained encoder, or its path, to start from: its network, its parameters, its vocabulary and text rules.
        **arguments: of the run (`RunConfig`), and options of `Corpus.build`, for a text that is no
            corpus yet.

    Returns:
        The model of the best evaluation on held-out pairs, or the last.

    Raises:
        CorpusError: the text is empty, or no word of it is known to the start.
        OptionError: an option is out of its range or contradicts the start, the queue is smaller than a batch or larger
            than the text, `augment` gives no words, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    config = RunConfig.of(options.training, arguments)
    check_queue(options.queue, config.training.batch_size)
    if augment is not None and not callable(augment):
        raise OptionError(
            f"augment={brief(augment)}: expected a function, such as firth.text.augmentations.delete; without one, "
            "words are deleted and reordered as the options say"
        )
    build_task = partial(options.build_task, held_out=held_out, augment=augment)
    return train_on_text(options, corpus, start, config, text_options(arguments), build_task)


@options_class
class MoCo(EncoderOptions):
    """Momentum contrast of sentences.

    Source:
        He et al. 2020 and Fang et al. 2020; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {"moco": Preset("Momentum contrast of augmented sentences (He et al. 2020, Fang et al. 2020).")}
    common_options: ClassVar = ("queue", "momentum", "temperature", "delete", "reorder")
    selected_by_pairs: ClassVar[bool] = True
    train = train_moco
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=1, batch_size=64, optimiser="adamw", lr=0.0001, schedule="linear", clip_norm=1.0
    )

    temperature: float = temperature_option()
    queue: int = option(1024, "queue: number of earlier keys that are negatives, at least a batch", minimum=1)
    momentum: float = option(0.99, "momentum of the average that encodes keys", minimum=0, maximum=1)
    delete: float = option(0.1, "augmentation: probability that a word is left out", minimum=0, maximum=1)
    reorder: int = option(3, "augmentation: places that a word moves at most", minimum=0)
    head: bool = option(True, "projection head: a layer with tanh, in training only")

    def build_task(
        self,
        model: SentenceEncoder,
        text: LanguageText,
        held_out: Any,
        config: RunConfig,
        augment: Augmentation | None = None,
    ) -> SupervisedTask:
        """Return the task; see `TextOptions.build_task`.

        Raises:
            OptionError: the text has fewer sentences than the queue and a batch together.
        """
        rows = different(sentences(text))
        if self.queue + config.training.batch_size > len(rows):
            raise OptionError(
                f"queue={self.queue}: the text has {len(rows):,} different sentences, and a sentence would be its own "
                f"negative; expected at most {max(len(rows) - config.training.batch_size, 0):,}"
            )
        default = chain(partial(delete, rate=self.delete), partial(reorder, distance=self.reorder))
        module = MoCoModule(model, self, augment or default, seed=config.seed)
        module.fill([np.asarray(rows[number]) for number in range(self.queue)])
        return sentence_task(module, model, text, held_out, config)


class Branch(nn.Module):
    """An encoder with its head."""

    def __init__(self, encoder: EncoderModule, head: nn.Module) -> None:
        super().__init__()
        self.encoder, self.head = encoder, head

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return (B, D) vectors; arguments as in `EncoderModule.hidden`."""
        vectors: torch.Tensor = self.head(self.encoder(ids, lengths))
        return vectors


class MoCoModule(ContrastiveModule):
    """An encoder with the momentum encoder and the queue of MoCo.

    Attributes:
        branch: encoder and head, which are trained.
        average: their moving average, which gives the keys.
        queue: earlier keys.
    """

    def __init__(self, model: SentenceEncoder, options: MoCo, augment: Augmentation, *, seed: int = 0) -> None:
        super().__init__()
        assert isinstance(model.module, EncoderModule)
        self._model, self._augment = model, augment
        self.branch = Branch(model.module, projection(model.dim, seed, used=options.head))
        self.average = MomentumEncoder(self.branch, options.momentum)
        self.queue = NegativeQueue(options.queue, model.dim)
        self.loss = InfoNCE(options.temperature)

    @torch.no_grad()
    def fill(self, rows: Sequence[Any]) -> None:
        """Fill the queue with the keys of texts, given by their ids."""
        self.average.eval()
        for first in range(0, len(rows), FILLING):
            cut = [row[: self._model.options.max_length] for row in rows[first : first + FILLING]]
            batch = TokenBatch.of(cut)
            self.queue.push(self.average(batch.ids, batch.lengths))

    def losses(self, batch: TokenBatch) -> torch.Tensor:
        """Return the (B,) losses of a batch, and push its keys; see `ContrastiveModule.losses`."""
        self.average.update(self.branch)
        first, second = self.augmented(batch), self.augmented(batch)
        queries = self.branch(first.ids, first.lengths)
        keys = self.average(second.ids, second.lengths)
        own = torch.eye(len(keys), dtype=torch.bool, device=keys.device)
        losses: torch.Tensor = self.loss(queries, keys, compared=own, negatives=self.queue())
        self.queue.push(keys)
        return losses

    def pairs(self, batch: TokenBatch) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the vectors of two augmentations of each text; see `ContrastiveModule.pairs`."""
        first, second = self.augmented(batch), self.augmented(batch)
        return self.branch.encoder(first.ids, first.lengths), self.branch.encoder(second.ids, second.lengths)

    def augmented(self, batch: TokenBatch) -> TokenBatch:
        """Return the texts of a batch, each augmented; a text that has lost all its tokens stays as it was.

        Randomness comes from torch's default generator.
        """
        random = np.random.default_rng(int(torch.randint(2**62, ())))
        words, rules, limit = self._model.vocabulary.words, self._model.rules, self._model.options.max_length
        rows = [row[:length] for row, length in zip(batch.ids.tolist(), batch.lengths.tolist(), strict=True)]
        texts = [_joined(self._augment(rules.join([words[i] for i in row]).split(), random)) for row in rows]
        new = [ids[:limit] for ids in self._model.ids_of(texts)]
        kept = [ids if len(ids) else row for ids, row in zip(new, rows, strict=True)]
        return TokenBatch.of(kept).to(batch.ids.device)


def _joined(words: Any) -> str:
    """Return the text of augmented words.

    Raises:
        OptionError: they are no words.
    """
    if isinstance(words, str) or not isinstance(words, Iterable) or not all(isinstance(word, str) for word in words):
        raise OptionError(f"augment: returned {brief(words)}, expected a list of words")
    return " ".join(words)
