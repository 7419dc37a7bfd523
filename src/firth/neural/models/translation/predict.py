"""A trained translator, and several of them as one."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from firth.arguments import explained
from firth.errors import OptionError
from firth.neural.layers.output.base import checked_number
from firth.neural.layers.output.full import FullSoftmax
from firth.neural.layers.products import STEADY_ROWS
from firth.neural.models.translation.candidates import CandidateTable, learn_candidates
from firth.neural.models.translation.data import LANES, Collator, Pair, PairReader
from firth.neural.models.translation.module import target_scores, word_states
from firth.neural.models.translation.spelled_words import spelled
from firth.neural.models.translation.system import Floats, TranslationSystem, read_pairs
from firth.neural.models.translation.units import UNKNOWN, Units, bare, restored_units
from firth.neural.saved import Field, Saved, SavedModel
from firth.options import check_kind, wrong_kind
from firth.progress import Progress
from firth.storage.model_folder import ModelFolder

UNITS = "tokens"  # the JSON file of both sides' rules
SIDES = ("source", "target")
COUNTS, CANDIDATES = ("source_counts", "target_counts"), ("candidates", "frequent_candidates")  # arrays


def _written_reader(reader: PairReader) -> Saved:
    units = dict(zip(SIDES, (reader.source, reader.target), strict=True))
    return Saved(
        arrays={f"{side}_counts": own.counts for side, own in units.items()},
        texts={
            UNITS: {side: own.described() for side, own in units.items()},
            **{f"{side}-vocab": list(own.words) for side, own in units.items()},
        },
    )


def read_units(content: ModelFolder, side: str, kind: str, *, lowercase: bool) -> Units:
    """Return the units of a side of a folder; errors as of `restored_units`."""
    words, facts = content.texts[f"{side}-vocab"], content.texts[UNITS][side]
    counts = content.counts(f"{side}_counts", len(words))
    return restored_units(side, words, facts, counts, kind, lowercase=lowercase)


def _reader(content: ModelFolder, options: Any) -> PairReader:
    options = options.translator
    kinds = zip(SIDES, (options.source_units, options.target_units), strict=True)
    source, target = (read_units(content, side, kind, lowercase=options.lowercase) for side, kind in kinds)
    if options.joint and list(source.words) != list(target.words):
        raise ValueError("joint, and different words on both sides")
    source = target if options.joint else source
    return PairReader(source, target, options.reverse_source, options.copying, options.spelling)


def _written_table(table: CandidateTable | None) -> Saved:
    if table is None:
        return Saved()
    return Saved(arrays=dict(zip(CANDIDATES, (table.by_source, table.frequent), strict=True)))


def _table(content: ModelFolder, options: Any) -> CandidateTable | None:
    """Return the candidate lists of a folder, if it has any."""
    if not any(name in content.arrays for name in CANDIDATES):
        return None
    sources, targets = (len(content.words(f"{side}-vocab")) for side in SIDES)
    table, frequent = (np.array(content.arrays[name]) for name in CANDIDATES)
    shapes = table.ndim == 2 and len(table) == sources and frequent.ndim == 1 and len(frequent) > 0
    if not shapes or any(
        ids.dtype != np.int32 or (ids < 0).any() or (ids >= targets).any() for ids in (table, frequent)
    ):
        raise ValueError(f"candidates: expected int32 numbers of {targets} target tokens, for {sources} source tokens")
    return CandidateTable(table, frequent)


class EncoderDecoderModel(SavedModel):
    """An encoder-decoder in a folder: units of both sides, and candidate lists.

    Its options have a property `translator`: the options of the encoder-decoder.
    """

    saved_fields: ClassVar = (
        Field("reader", _written_reader, _reader, COUNTS),
        Field("candidates", _written_table, _table, CANDIDATES, optional=True),
    )
    described_by: ClassVar = f"config.json and {UNITS}.json do"
    reader: PairReader
    candidates: CandidateTable | None

    @classmethod
    def _build(cls, options: Any, *values: Any) -> torch.nn.Module:
        return super()._build(options.translator, values[0].source, values[0].target)


class TranslationModel(EncoderDecoderModel, TranslationSystem):
    """A trained translator, as `firth.Translator(...).train` returns it.

    Attributes:
        module: in evaluation mode.
        options: of the translator.
        reader: units of both sides.
        candidates: target tokens that translations may have, by source token; None for all. See `with_candidates`.
    """

    kind: ClassVar = "firth-translator"
    what: ClassVar = "a translator"

    def __repr__(self) -> str:
        return (
            f"<TranslationModel: {self.options.encoder} to {self.options.decoder}, {len(self.source):,} to "
            f"{len(self.target):,} {self.options.target_units}>"
        )

    @property
    def source(self) -> Units:
        """Units of the source."""
        return self.reader.source

    @property
    def target(self) -> Units:
        """Units of the target."""
        return self.reader.target

    @property
    def collator(self) -> Collator:
        """What makes batches."""
        return self.reader.collator

    @property
    def models(self) -> Sequence["TranslationModel"]:
        """The model itself."""
        return (self,)

    @property
    def weights(self) -> Floats:
        """1."""
        return np.ones(1)

    @explained
    def with_candidates(
        self, pairs: Any, *, per_token: int = 20, frequent: int = 300, languages: tuple[str, str] | None = None
    ) -> "TranslationModel":
        """Return the model with candidate lists, which make its translations faster; the given model stays as it is.

        The output layer then scores the target tokens that are likely translations of the source's tokens, and the most
        frequent ones, and no others; see `firth.neural.models.translation.candidates`. Saved models keep the lists.
        `score` is that of the whole vocabulary.

        Args:
            pairs: those that the model was trained on, in any form that `train` takes.
            per_token: likely translations of each source token.
            frequent: number of the most frequent target tokens.
            languages: as for `train`.

        Raises:
            FormatError, ShapeError, CorpusError: as for `train`.
            OptionError: a number is below 1, or the model copies, or has an output layer other than full.

        Source:
            Jean et al. 2015, section 3.3; L'Hostis et al. 2016, section 3.3.
        """
        for name, number in {"per_token": per_token, "frequent": frequent}.items():
            checked_number(name, number, 1, whole=True)
        if not isinstance(self.module.output, FullSoftmax) or self.module.copy_gate is not None:
            raise OptionError("candidates need output_layer='full' and copying=False: others do not score words alone")
        texts, longest = read_pairs(pairs, languages), self.options.max_length
        read = [self.reader.read(*pair, longest) for pair in zip(texts.sources, texts.targets, strict=True)]
        sizes = len(self.source), len(self.target)
        table = learn_candidates(read, sizes, self.target.counts, per_token, frequent)
        return TranslationModel(self.module, self.options, self.reader, table, self.metadata)

    @property
    def token_layers(self) -> int:
        """1: the states of the last layer of the encoder."""
        return 1

    @property
    def token_width(self) -> int:
        """D, width of the encoder's states."""
        return int(self.module.encoder.width)

    def token_states(self, sentences: Sequence[Sequence[str]]) -> torch.Tensor:
        """Return (B, T, 1, D) states of the words of sentences; see `ContextualEncoder` and `firth.CoVe`.

        Args:
            sentences: B lists of words of the source's language, each of at least one word.
        """
        return word_states(self.module, self.reader, sentences, longest=int(self.options.max_length))

    @torch.no_grad()
    def attention_of(self, pairs: Sequence[Pair]) -> list[npt.NDArray[np.float32]]:
        """Return the (T, S) attention of each target token over its source, both with their ends."""
        if not pairs:
            return []
        weights = self.module.attention(self.collator.pairs(pairs).to(self.device)).float().cpu().numpy()
        return [
            self.reader.in_order(table[: len(pair.target), : len(pair.source.ids)])
            for table, pair in zip(weights, pairs, strict=True)
        ]

    @torch.no_grad()
    def spelled_words(self, pairs: Sequence[Pair]) -> list[list[str]]:
        """Return the words that the model spells in place of the unknown words of each target.

        Args:
            pairs: sources and targets.
        """
        assert self.module.speller is not None, "the model spells"
        if not pairs:
            return []
        batch = self.collator.pairs(pairs).to(self.device)
        unknown = (batch.targets[batch.counted] == UNKNOWN).nonzero()[:, 0]
        vectors, source = self.module.spelled_from(batch, unknown)
        vocabulary = {bare(word) for word in self.target.words}
        words = iter(spelled(self.module.speller, vectors, source, vocabulary))
        return [[next(words) for _ in range(int((pair.target == UNKNOWN).sum()))] for pair in pairs]

    def token_scores(self, pairs: Sequence[Pair], threads: int | None, progress: Progress) -> list[Floats]:
        """Return of each pair the (T,) log-probabilities of its target tokens and the end."""
        return target_scores(
            self.module,
            [max(len(pair.source.ids), len(pair.target)) for pair in pairs],
            lambda rows: self.collator.pairs([pairs[row] for row in rows]),
            # A transformer attends to the steps before.
            steps=LANES if self.options.decoder == "transformer" else STEADY_ROWS,
            unit="pairs",
            threads=threads,
            progress=progress,
        )

    def _card(self) -> tuple[str, str, str]:
        about = f": {self.options.encoder} to {self.options.decoder}"
        return "A translator", about, 'model.translate("...")\n'


class TranslationEnsemble(TranslationSystem):
    """Several translators as one: the mean of their probabilities.

    Args:
        models: trained translators that write the same tokens; their encoders, decoders and sources may differ.
        weights: (M,) of the models; None for equal ones.

    Raises:
        ArgumentTypeError: something else than translators is given.
        OptionError: there is no model, they write different tokens, or the weights are not M positive numbers.

    Source:
        Sutskever, Vinyals and Le 2014, section 3.6.
    """

    def __init__(self, models: Sequence[TranslationModel], weights: Any = None) -> None:
        if not isinstance(models, Iterable):
            raise wrong_kind("models", models, "a list of translators: TranslationEnsemble([one, other])")
        self._models = tuple(models)
        if not self._models:
            raise OptionError("models: none given; expected at least one translator")
        for number, model in enumerate(self._models, 1):
            check_kind(f"model {number}", model, TranslationModel)
            if list(model.target.words) != list(self._models[0].target.words):
                raise OptionError(f"model {number} writes other tokens than the first; train both on the same targets")
            if _copies(model) != _copies(self._models[0]):
                raise OptionError(f"model {number} does not copy what the first copies; expected the same sources")
        given = np.ones(len(self._models)) if weights is None else np.asarray(weights, dtype=np.float64)
        if given.shape != (len(self._models),) or not (given > 0).all() or not np.isfinite(given).all():
            raise OptionError(f"weights={weights!r}: expected {len(self._models)} positive numbers, one per model")
        self._weights: Floats = given / given.sum()

    def __repr__(self) -> str:
        return f"<TranslationEnsemble: {len(self._models)} translators>"

    @property
    def models(self) -> Sequence[TranslationModel]:
        """The models."""
        return self._models

    @property
    def weights(self) -> Floats:
        """Their weights, which sum to 1."""
        return self._weights


def _copies(model: TranslationModel) -> Any:
    """Return what determines the source words that a model can copy."""
    options = model.options
    return options.copying and (model.source.lowercase, options.max_length, options.reverse_source)
