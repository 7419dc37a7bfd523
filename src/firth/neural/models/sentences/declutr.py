"""DeCLUTR: spans of the same document are positives of each other; masked language modelling at the same time.

What: from each document of a batch come anchor spans, whose lengths lean to the longest, and for each anchor several
    positive spans, whose lengths lean to the shortest. A positive overlaps its anchor, lies within it, or adjoins it.
    The vector of the positives is their mean. Spans of other documents are negatives, and so are the other anchors of
    the same document: hard ones.
Objective: L = L_contrastive + L_MLM. With lengths from l_min to l_max,

    l_anchor = floor(p (l_max - l_min)) + l_min,  p ~ Beta(4, 2);      l_positive likewise,  p ~ Beta(2, 4)
    s_positive ~ uniform {s_anchor - l_positive, ..., e_anchor}, within the document

L_contrastive is the NT-Xent loss over all anchors and means of positives: InfoNCE (`firth.neural.layers.contrastive`)
in both directions. L_MLM is that of `firth.neural.models.sentences.masked_lm` over the anchors, which are read once,
with some of their tokens hidden, for both losses.
Source: Giorgi, Nitski, Wang and Bader 2021, "DeCLUTR: Deep contrastive learning for unsupervised textual
    representations", sections 3.1 and 3.2, equations 1 to 6.
Departures: spans are 8 to 32 tokens long, not 32 to 512, as the encoder is small, and documents have at least 64
    tokens, not 2,048. Anchors of a document are negatives of each other: each lies in a part of its own, one of A equal
    ones, so that they do not overlap; the authors' program draws them from stretches of 512 tokens that do not adjoin.
    A positive that would leave the document is moved to its border.
Cost: that of the encoder for A (1 + P) spans per document, and V D multiplications for 15 % of the anchors' tokens.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import torch

from firth.errors import CorpusError, OptionError
from firth.language.text import LanguageText
from firth.neural.layers.contrastive import InfoNCE, group_masks
from firth.neural.layers.masking import Masking
from firth.neural.layers.sequence_pooling import pooled
from firth.neural.models.sentences.contrastive_task import ContrastiveModule, check_batches, contrastive_task
from firth.neural.models.sentences.data import TokenBatch, row_batches, sentences
from firth.neural.models.sentences.encoder import EncoderModule
from firth.neural.models.sentences.encoder_training import TextOptions
from firth.neural.models.sentences.predict import SentenceEncoder
from firth.neural.models.sentences.simcse import temperature_option
from firth.neural.supervised import SupervisedTask
from firth.neural.training.batching import TensorBatch
from firth.neural.training.options import RunConfig, TrainingOptions
from firth.options import Preset, option, options_class, values_of

ANCHOR, POSITIVE = (4.0, 2.0), (2.0, 4.0)  # parameters of the beta distributions of lengths


@options_class
class DeCLUTR(TextOptions):
    """DeCLUTR.

    Source:
        Giorgi et al. 2021; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {"declutr": Preset("DeCLUTR: spans of a document, with masked words (Giorgi et al. 2021).")}
    common_options: ClassVar = ("anchors", "positives", "min_span", "max_span", "temperature")
    text: ClassVar[dict[str, Any]] = {"tokens": "subwords", "sentences": "paragraph"}
    reads_documents: ClassVar[bool] = True
    predicts_words: ClassVar[bool] = True
    selected_by_pairs: ClassVar[bool] = True
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=1, batch_size=16, optimiser="adamw", lr=0.0002, schedule="linear", clip_norm=1.0
    )

    temperature: float = temperature_option()
    anchors: int = option(2, "anchor spans per document", minimum=1)
    positives: int = option(2, "positive spans per anchor", minimum=1)
    min_span: int = option(8, "minimum length of a span in tokens", minimum=1)
    max_span: int = option(32, "maximum length of a span in tokens", minimum=1)
    mask_rate: float = option(0.15, "share of anchor tokens that are hidden", minimum=0, maximum=1, exclusive=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.min_span > self.max_span:
            raise OptionError(f"min_span={self.min_span}: expected at most max_span={self.max_span}")

    def build_task(
        self, model: SentenceEncoder, text: LanguageText, held_out: Any, config: RunConfig
    ) -> SupervisedTask:
        """Return the task; see `TextOptions.build_task`.

        Raises:
            CorpusError: fewer than two documents are long enough.
        """
        check_batches(self.anchors * config.training.batch_size)
        every, spans = sentences(text), max(2, self.anchors)
        rows = every.take(every.lengths >= spans * self.max_span)
        if len(rows) < 2:
            raise CorpusError(
                f"{len(rows)} of {len(every):,} documents have {spans * self.max_span} tokens, {spans} times max_span, "
                'or more: expected two at least; give longer documents (sentences="paragraph", "line" or "text" says '
                "where they end), or a lower max_span"
            )
        size, longest = config.training.batch_size, int(rows.lengths.max())

        def batches(numbers: Any, *, shuffle: bool) -> Any:
            documents = rows.take(numbers)
            return row_batches(documents, size, limit=longest, seed=config.seed, shuffle=shuffle, collate=Documents)

        def facts(aside: int) -> dict[str, int]:
            return {"documents": len(rows) - aside, "short": len(every) - len(rows), "set_aside": aside}

        module = DeCLUTRModule(model, self)
        return contrastive_task(
            module, model, len(rows), batches, held_out, config, name="documents", unit="anchors", facts=facts
        )


@dataclass(frozen=True, eq=False)
class Documents(TensorBatch):
    """B documents as ids.

    Attributes:
        rows: ids of each.
        device: of the spans.
    """

    rows: Sequence[Any]
    device: torch.device | None = None

    def to(self, device: torch.device) -> "Documents":
        """Return the documents with another device for their spans."""
        return Documents(self.rows, device=device)


@dataclass(frozen=True)
class Spans:
    """An anchor and its positives, as (first token, one past the last token).

    Attributes:
        anchor: of the anchor.
        positives: of each positive.
    """

    anchor: tuple[int, int]
    positives: tuple[tuple[int, int], ...]


def sample_spans(
    length: int,
    random: np.random.Generator,
    *,
    positives: int,
    min_span: int,
    max_span: int,
    part: tuple[int, int] | None = None,
) -> Spans:
    """Return an anchor span of a document with positives; see the module."""
    first_token, end = (0, length) if part is None else part

    def span_length(shape: tuple[float, float]) -> int:
        return int(random.beta(*shape) * (max_span - min_span)) + min_span

    size = span_length(ANCHOR)
    start = int(random.integers(first_token, end - size + 1))
    spans = []
    for _ in range(positives):
        own = span_length(POSITIVE)
        first = int(random.integers(start - own, start + size + 1))
        first = min(max(first, 0), length - own)
        spans.append((first, first + own))
    return Spans((start, start + size), tuple(spans))


class DeCLUTRModule(ContrastiveModule):
    """An encoder with the losses of DeCLUTR."""

    def __init__(self, model: SentenceEncoder, options: DeCLUTR) -> None:
        super().__init__()
        assert isinstance(model.module, EncoderModule)
        self.encoder, self.options = model.module, options
        self.masking = Masking(mask_id=len(model.vocabulary), words=len(model.vocabulary), rate=options.mask_rate)
        self.loss = InfoNCE(options.temperature)

    def losses(self, batch: Documents) -> torch.Tensor:
        """Return the losses of the anchors and of the means of their positives; see `ContrastiveModule.losses`.

        The mean loss of masked words is added to each.
        """
        anchors, positives = self._spans(batch)
        ids, hidden = self.masking(anchors.ids, anchors.lengths.to(anchors.ids.device))
        states = self.encoder.hidden(ids, anchors.lengths)
        assert self.encoder.prediction is not None
        words = self.encoder.prediction.loss(states[hidden], anchors.ids[hidden]).mean()
        x = pooled(states, anchors.lengths.to(states.device), "mean")
        both = torch.cat((x, self._mean_of_positives(positives)))
        pair = torch.arange(len(x), device=x.device).repeat(2)
        positive, compared = group_masks(pair, pair)
        contrast: torch.Tensor = self.loss(both, both, positive=positive, compared=compared)
        return contrast + words

    def pairs(self, batch: Documents) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the vectors of anchors and the means of their positives; see `ContrastiveModule.pairs`."""
        anchors, positives = self._spans(batch)
        return self.encoder(anchors.ids, anchors.lengths), self._mean_of_positives(positives)

    def _mean_of_positives(self, positives: TokenBatch) -> torch.Tensor:
        vectors = self.encoder(positives.ids, positives.lengths)
        means: torch.Tensor = vectors.unflatten(0, (-1, self.options.positives)).mean(1)
        return means

    def _spans(self, batch: Documents) -> tuple[TokenBatch, TokenBatch]:
        """Return the anchors of all documents, and the positives of each in turn; by torch's default generator."""
        random = np.random.default_rng(int(torch.randint(2**62, ())))
        o, anchors, positives = self.options, [], []
        sizes = values_of(o, "positives", "min_span", "max_span")
        for row in batch.rows:
            ends = np.arange(o.anchors + 1) * len(row) // o.anchors
            for part in pairwise(ends.tolist()):
                spans = sample_spans(len(row), random, part=part, **sizes)
                anchors.append(row[slice(*spans.anchor)])
                positives += [row[slice(*span)] for span in spans.positives]
        device = batch.device or torch.device("cpu")
        return TokenBatch.of(anchors).to(device), TokenBatch.of(positives).to(device)
