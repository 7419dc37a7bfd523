"""A sentence autoencoder over a batch of codes, for searches."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from firth.arguments import explained
from firth.errors import ArgumentTypeError, OptionError, ShapeError, brief, warn_caller
from firth.finite import check_finite, given_array
from firth.inference.constraints import Constraints
from firth.inference.generation_options import GenerationOptions
from firth.inference.search import BeamSearch
from firth.neural.decoding import TensorScores
from firth.neural.layers.state import State, rows_of
from firth.neural.models.autoencoders.data import Ids, Item, LabelledSentences, SentenceItems, label_names, read_texts
from firth.neural.models.autoencoders.measures import COLLAPSED, AutoencoderScores, CodeUse, code_uses, measure
from firth.neural.models.autoencoders.module import SentenceAutoencoder
from firth.neural.models.translation.scorer import Search
from firth.neural.models.translation.units import BOS, UNKNOWN, restored_units
from firth.neural.prediction import in_batches
from firth.neural.saved import Field, Saved, SavedModel
from firth.neural.training.devices import no_subnormals, torch_threads
from firth.options import check_whole
from firth.progress import Progress, reporting_slow_work
from firth.randomness import check_seed, torch_seed
from firth.storage.model_folder import ModelFolder
from firth.text.batches import check_batch_size
from firth.text.inputs import check_items, check_text

COUNTS, LABELS, UNITS = "counts", "labels", "tokens"
BATCH = 64  # sentences that are read or written together
Codes = npt.NDArray[Any]


class CodeScorer:
    """Scores of the next words of sentences, given their codes; implements `firth.inference.scorer.Scorer`.

    Args:
        module: of the autoencoder, in evaluation mode.
        condition: (B, C) what the decoder reads at each step.
    """

    def __init__(self, module: SentenceAutoencoder, condition: torch.Tensor) -> None:
        self._module, self._condition = module, condition
        self._output = module.output.prepared()

    @torch.no_grad()
    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[TensorScores, Any]:
        """Return the scores of the first word of each sentence; prompts are empty."""
        state = self._module.first_state(self._condition)
        return self._scores(self._condition, state, np.full(len(prompts), BOS))

    @torch.no_grad()
    def advance(self, state: Any, ids: npt.NDArray[np.int64]) -> tuple[TensorScores, Any]:
        """Return the scores of the next words; see `Scorer.advance`."""
        condition, own = state
        return self._scores(condition, own, ids)

    def reorder(self, state: Any, rows: npt.NDArray[np.int64]) -> Any:
        """Return the state of some sentences; see `Scorer.reorder`."""
        return rows_of(state, torch.from_numpy(np.asarray(rows, dtype=np.int64)).to(self._condition.device))

    def _scores(self, condition: torch.Tensor, state: State, ids: npt.NDArray[np.int64]) -> tuple[TensorScores, Any]:
        words = torch.from_numpy(np.asarray(ids, dtype=np.int64)).to(condition.device)
        outputs, after = self._module.read(words[:, None], condition, state)
        return TensorScores(*self._output(outputs[:, -1])), (condition, after)


def _written_items(items: SentenceItems) -> Saved:
    units = items.units
    texts = {"vocab": list(units.words), LABELS: list(items.labels), UNITS: units.described()}
    return Saved(arrays={COUNTS: units.counts}, texts=texts)


def _read_items(content: ModelFolder, options: Any) -> SentenceItems:
    words, labels = content.words(), content.texts[LABELS]
    counts = content.counts(COUNTS, len(words))
    facts = content.texts[UNITS]
    units = restored_units("sentences", words, facts, counts, options.units, lowercase=options.lowercase)
    if not isinstance(labels, list) or sorted(set(labels)) != labels or len(labels) == 1:
        raise ValueError(f"labels {labels!r:.80}")
    return SentenceItems(units, labels, options.max_length)


class AutoencoderModel(SavedModel):
    """A trained autoencoder of sentences, as `firth.SentenceVAE(...).train` returns it.

    Attributes:
        module: in evaluation mode.
        options: of the autoencoder.
        items: what reads sentences.
        metadata: JSON values: how it was trained.
    """

    kind: ClassVar = "firth-sentence-autoencoder"
    what: ClassVar = "an autoencoder of sentences"
    saved_fields: ClassVar = (Field("items", _written_items, _read_items, (COUNTS,)),)
    items: SentenceItems

    def __repr__(self) -> str:
        kind = (
            f"{self.options.slots} of {self.options.codes} codes" if self.discrete else f"{self.options.latent} numbers"
        )
        labels = f", {len(self.labels)} labels" if self.labels else ""
        return (
            f"<AutoencoderModel: {self.options.code}, {kind}, {len(self.items.units):,} words{labels}{self._state()}>"
        )

    @property
    def labels(self) -> list[str]:
        """The labels of a conditional model, sorted; none for others."""
        return list(self.items.labels)

    @property
    def discrete(self) -> bool:
        """Whether codes are categories, (N, M) int64, and not (N, D) float32 numbers."""
        return bool(self.module.code.discrete)

    @explained
    def encode(
        self, texts: Any, labels: Any = None, *, threads: int | None = None, progress: Progress = False
    ) -> Codes:
        """Return the codes of sentences: the (N, D) means of the posteriors, float32, or (N, M) categories, int64.

        Args:
            texts: a list of sentences; or one, whose code is returned without the first axis.
            labels: of each sentence, for a conditional model.

        Raises:
            ArgumentTypeError: a sentence is no text, or the labels are no list.
            ShapeError: there are not as many labels as sentences.
            OptionError: labels are missing, or given to a model without.
            CorpusError: a label is unknown.
        """
        if isinstance(texts, str):
            code: Codes = self.encode(
                [texts], None if labels is None else [labels], threads=threads, progress=progress
            )[0]
            return code
        items = self._items(texts, labels)

        def codes_of(rows: list[int]) -> list[Any]:
            batch = self.items.collate([items[row] for row in rows]).to(self.device)
            codes = self.module.code.best(self.module.code.distribution(self.module.encoder(batch)))
            return list(codes.cpu().numpy())

        shown: dict[str, Any] = {"stage": "encoding", "unit": "sentences", "threads": threads, "progress": progress}
        codes = in_batches([len(ids) for ids, _ in items], codes_of, size=BATCH, slow=True, **shown)
        kind, width = (np.int64, self.options.slots) if self.discrete else (np.float32, self.options.latent)
        result = np.array(codes, dtype=kind).reshape(len(items), width)
        check_finite(result, self, texts, "sentence")
        return result

    @explained
    def decode(
        self,
        codes: Any,
        labels: Any = None,
        *,
        beam: int | BeamSearch = 1,
        options: GenerationOptions | None = None,
        seed: int = 0,
        batch_size: int = BATCH,
        threads: int | None = None,
        progress: Progress = False,
    ) -> list[str]:
        """Return the sentences of codes; the unknown word is never written.

        Args:
            codes: (N, D) numbers or (N, M) categories, as `encode` returns them.
            labels: of each sentence, for a conditional model.
            beam: 1 for greedy search, or a number of beams, or `firth.BeamSearch`.
            options: maximum and minimum length, repetition, and sampling, which takes the place of the search if a
                temperature above 0, `top_k`, `top_p` or `min_p` is given; see `firth.GenerationOptions`.
            seed: of sampling.
            batch_size: sentences that are written together.
            progress: as for `encode`.

        Raises:
            ArgumentTypeError: the codes are no array of numbers, or the labels no list.
            ShapeError: the codes have another width, or there are not as many labels.
            OptionError: a number is not finite, a category does not exist, labels are missing, or the seed is no
                whole number.
            CorpusError: a label is unknown.
        """
        check_batch_size(batch_size)
        check_seed(seed)
        rows = self._codes(codes)
        names = label_names(labels, len(rows), "codes", "code")
        numbers = torch.tensor(self.items.label_numbers(names, len(rows), "codes"), device=self.device)
        search = self._search(beam, options, seed)

        def sentences_of(batch: list[int]) -> list[str]:
            condition = self.module.condition(self.module.code.vectors(rows[batch]), numbers[batch])
            scorer: Any = CodeScorer(self.module, condition)
            lists = search.run([scorer], np.ones(1), [Constraints()] * len(batch), batch)
            return [self._text(texts[0].ids) for texts in lists]

        shown: dict[str, Any] = {"stage": "decoding", "unit": "sentences", "threads": threads, "progress": progress}
        return in_batches(range(len(rows)), sentences_of, size=batch_size, slow=True, by_length=False, **shown)

    @explained
    def sample(
        self,
        number: int,
        label: str | None = None,
        *,
        beam: int | BeamSearch = 1,
        options: GenerationOptions | None = None,
        seed: int = 0,
    ) -> list[str]:
        """Return new sentences: codes from the prior, decoded.

        Args:
            number: of sentences.
            label: of a conditional model; needed there.
            beam: as for `decode`.
            options: as for `decode`.
            seed: of the codes, and of sampling.

        Raises:
            OptionError: as `decode`, or the number is below 1.
            CorpusError: there is no such label.
        """
        check_whole("number", number)
        check_seed(seed)
        self._warn_of_collapse()
        labels = label_names(None if label is None else [label] * number, number, "sample")
        numbers = torch.tensor(self.items.label_numbers(labels, number, "sample"), device=self.device)
        generator = torch.Generator(self.device).manual_seed(torch_seed(seed, "sampled codes"))
        with torch.no_grad():
            prior = self.module.code.prior(numbers if self.labels else None, number)
            codes = self.module.code.draw(prior, generator).cpu().numpy()
        return self.decode(codes, labels, beam=beam, options=options, seed=seed)

    @explained
    def interpolate(
        self,
        first: str,
        last: str,
        steps: int = 5,
        label: str | None = None,
        *,
        beam: int | BeamSearch = 1,
        options: GenerationOptions | None = None,
    ) -> list[str]:
        """Return the sentences of codes on the straight line between those of two sentences.

        Args:
            first: a sentence, whose code is the first.
            last: another, whose code is the last.
            steps: number of codes, with both ends; at least 2.
            label: of all sentences of a conditional model.
            beam: as for `decode`.
            options: as for `decode`.

        Raises:
            OptionError: codes are discrete, or there are fewer than 2 steps.
        """
        if self.discrete:
            raise OptionError(
                f"code={self.options.code!r}: nothing lies between two categories; exchange slots of encode(...) and "
                "decode them"
            )
        check_whole("steps", steps, 2)
        check_text(first, "first")
        check_text(last, "last")
        self._warn_of_collapse()
        start, end = self.encode([first, last], None if label is None else [label] * 2)
        share = np.linspace(0, 1, steps, dtype=np.float32)[:, None]
        codes = (1 - share) * start + share * end
        return self.decode(codes, None if label is None else [label] * steps, beam=beam, options=options)

    @explained
    def test(
        self,
        texts: Any,
        labels: Any = None,
        *,
        samples: int = 100,
        seed: int = 0,
        threads: int | None = None,
        progress: Progress = None,
    ) -> AutoencoderScores:
        """Return bounds on the likelihood of sentences, and how much of them is in their codes.

        Args:
            texts: as for `train`.
            labels: likewise.
            samples: of each code, for the importance-weighted bound; 0 for the ELBO alone.
            seed: of the samples.
            progress: as for `encode`.

        Raises:
            CorpusError, ArgumentTypeError, ShapeError, OptionError: as `train`.
        """
        check_whole("samples", samples, 0)
        check_seed(seed)
        items = self.items.read(read_texts(texts, labels))
        batches = self.items.batches(items, BATCH, shuffle=False)
        with reporting_slow_work(progress) as report, torch_threads(threads), no_subnormals():
            return measure(self.module, batches, samples=samples, seed=seed, report=report)

    def code_words(self, texts: Any, labels: Any = None, *, top: int = 10) -> list[CodeUse]:
        """Return what each category of a discrete code stands for: its words and sentences among texts.

        Args:
            top: words and sentences of each.

        Raises:
            OptionError: codes are not discrete.
            CorpusError, ArgumentTypeError, ShapeError: as `train`.
        """
        if not self.discrete:
            raise OptionError("code='gaussian': numbers stand for no words; code_words is for code='gumbel' and 'vq'")
        check_whole("top", top)
        given = read_texts(texts, labels)
        split = [self.items.units.shown(self.items.units.split(text)) for text in given.texts]
        return code_uses(self.encode(list(given.texts), given.labels), split, given.texts, self.options.codes, top)

    def _items(self, texts: Any, labels: Any) -> list[Item]:
        given = list(check_items(texts))
        for number, text in enumerate(given, 1):
            check_text(text, f"text {number:,}")
        return self.items.read(LabelledSentences(given, label_names(labels, len(given)), "texts"))

    def _codes(self, codes: Any) -> torch.Tensor:
        width = self.options.slots if self.discrete else self.options.latent
        kind = "whole numbers" if self.discrete else "numbers"
        expected = f"(N, {width}) {kind}, as encode(texts) returns them"
        rows = given_array("codes", codes, expected)
        if rows.dtype.kind not in ("iu" if self.discrete else "iuf"):
            raise ArgumentTypeError(f"codes: found {brief(codes)}, expected {expected}")
        if rows.ndim != 2 or rows.shape[1] != width:
            raise ShapeError(f"codes of the shape {rows.shape}; expected (N, {width}), a row per sentence")
        if self.discrete:
            if rows.size and not 0 <= rows.min() <= rows.max() < self.options.codes:
                raise OptionError(
                    f"codes: {rows.min()} to {rows.max()}; expected categories from 0 to {self.options.codes - 1}"
                )
            return torch.from_numpy(rows.astype(np.int64)).to(self.device)
        if not np.isfinite(rows).all():
            raise OptionError("codes: a number is not finite; expected finite numbers")
        return torch.from_numpy(rows.astype(np.float32)).to(self.device)

    def _search(self, beam: int | BeamSearch, options: GenerationOptions | None, seed: int) -> Search:
        longest = self.options.max_length + 1
        return Search.of(beam, options, longest=longest, item="code", banned=(UNKNOWN, BOS), seed=seed)

    def _text(self, ids: Sequence[int] | Ids) -> str:
        return self.items.units.text(self.items.units.tokens(ids))

    def _state(self) -> str:
        """Return the KL and the active units at the end of training, if they are known."""
        code = self._code_facts()
        return f", KL {code['kl']:.2f}, {code['active_units']} active" if code else ""

    def _code_facts(self) -> Mapping[str, Any]:
        training = self.metadata.get("training")
        code = training.get("code") if isinstance(training, Mapping) else None
        numbers = isinstance(code, Mapping) and all(
            isinstance(code.get(name), int | float) for name in ("kl", "active_units")
        )
        return code if numbers and isinstance(code, Mapping) else {}

    def _warn_of_collapse(self) -> None:
        kl = self._code_facts().get("kl", COLLAPSED)
        if kl < COLLAPSED:
            warn_caller(f"the code of this model has collapsed (KL {kl:.2f}): sentences hardly depend on it")

    @classmethod
    def _build(cls, options: Any, *values: Any) -> torch.nn.Module:
        (items,) = values
        return super()._build(options, items.units, len(items.labels))

    def _card(self) -> tuple[str, str, str]:
        example = f"model.sample(3, {self.labels[0]!r})\n" if self.labels else "model.sample(3)\n"
        return "Autoencoder of sentences", f" over {len(self.items.units):,} {self.options.units}", example
