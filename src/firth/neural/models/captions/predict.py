"""A trained caption model: captions by search, their probabilities, figures, files."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from firth.arguments import explained
from firth.errors import OptionError, brief_repr
from firth.evaluation.generated import DEFAULT, evaluate_generated
from firth.evaluation.report import EvaluationReport
from firth.finite import check_finite
from firth.inference.generation_options import Continuation, GenerationOptions
from firth.inference.search import BeamSearch
from firth.neural.layers.products import STEADY_ROWS
from firth.neural.models.captions.data import CaptionData, FeatureBatch, Floats, Shape, read_captions, read_features
from firth.neural.models.translation.constraints import constraints_of, warn_unmet
from firth.neural.models.translation.module import target_scores
from firth.neural.models.translation.predict import UNITS, read_units
from firth.neural.models.translation.scorer import Search, TranslationScorer, best_with_others
from firth.neural.models.translation.units import BOS, EOS, UNKNOWN, Units
from firth.neural.prediction import in_batches
from firth.neural.saved import Field, Saved, SavedModel
from firth.progress import Progress
from firth.storage.model_folder import ModelFolder
from firth.text.batches import check_batch_size


@dataclass(frozen=True)
class Caption:
    """A caption of an image.

    Attributes:
        text: the caption.
        tokens: T tokens of it.
        score: by which the search ranks: the sum of log-probabilities, normalised by length.
        log_prob: natural logarithm of the probability, with the end if it was generated.
        ended: whether the caption ended by itself; otherwise it reached the maximum length.
        attention: (T + 1, P) of each token and the end over the cells of the grid, if asked for.
        others: further captions of an n-best list, best first.
    """

    text: str
    tokens: tuple[str, ...] = ()
    score: float = 0.0
    log_prob: float = 0.0
    ended: bool = True
    attention: npt.NDArray[np.float32] | None = field(default=None, compare=False, repr=False)
    others: "tuple[Caption, ...]" = ()

    __repr__ = brief_repr

    def __str__(self) -> str:
        return self.text


def _written_units(units: Units) -> Saved:
    texts = {UNITS: {"target": units.described()}, "target-vocab": list(units.words)}
    return Saved(arrays={"target_counts": units.counts}, texts=texts)


def _read_units(content: ModelFolder, options: Any) -> Units:
    return read_units(content, "target", options.units, lowercase=options.lowercase)


def _shape(content: ModelFolder, options: Any) -> Shape:
    cells, dim, grid = content.config["shape"]
    most = sum(array.size for array in content.arrays.values())
    whole = type(cells) is type(dim) is int
    if not whole or not isinstance(grid, bool) or not (1 <= cells <= most and 1 <= dim <= most):
        raise ValueError(f"shape={[cells, dim, grid]}")
    if not grid and cells != 1:
        raise ValueError(f"{cells} cells without a grid")
    return Shape(cells, dim, grid)


class CaptionModel(SavedModel):
    """A trained caption model, as `firth.Captioner(...).train` returns it.

    Attributes:
        module: in evaluation mode.
        options: of the model.
        units: of captions.
        shape: of features.
        metadata: JSON values: how it was trained.
    """

    kind: ClassVar = "firth-captioner"
    what: ClassVar = "a caption model"
    saved_fields: ClassVar = (
        Field("units", _written_units, _read_units, ("target_counts",)),
        Field("shape", lambda shape: Saved(config={"shape": list(shape)}), _shape),
    )
    described_by: ClassVar = f"config.json and {UNITS}.json do"
    units: Units
    shape: Shape

    def __repr__(self) -> str:
        return f"<CaptionModel: features {self.shape}, {len(self.units):,} {self.options.units}>"

    @explained
    def caption(
        self,
        features: Any,
        *,
        beam: int | BeamSearch = 5,
        n_best: int = 1,
        options: GenerationOptions | None = None,
        prefixes: Sequence[str] | None = None,
        forced: Sequence[str] | Sequence[Sequence[str]] | None = None,
        return_attention: bool = False,
        seed: int = 0,
        batch_size: int = 64,
        threads: int | None = None,
        progress: Progress = False,
    ) -> list[Caption]:
        """Return a caption for each image.

        Args:
            features: as for `train`, of the same shape.
            beam: number of beams, 1 for greedy search, or `firth.BeamSearch`.
            n_best: captions per image, in `Caption.others`.
            options: maximum and minimum length in tokens, repetition, and sampling, which takes the place of the beam
                search if a temperature above 0, `top_k`, `top_p` or `min_p` is given; see `firth.GenerationOptions`.
            prefixes: of each image, how its caption begins.
            forced: words and phrases that each caption contains, or a list of them for each image; they need more beams
                than forced words.
            return_attention: whether captions come with their attention over the grid.
            seed: of sampling; with the number of an image it selects a caption.
            batch_size: images that are searched together.

        Raises:
            ArgumentTypeError: the features are no array of numbers.
            ShapeError: they have another shape than in training, or there are not as many prefixes as images.
            CorpusError: a number is not finite.
            OptionError: an option is out of its range, a prefix or phrase has words that the model does not know, or
                attention is asked for and there is none.
        """
        check_batch_size(batch_size)
        grid, _ = read_features(features, self.shape)
        search = self._search(beam, n_best, options, return_attention, seed)
        constraints = constraints_of(self.units, prefixes, forced, len(grid), search.options)

        def describe(rows: list[int]) -> list[Caption]:
            sources: Any = FeatureBatch.of(grid[rows]).to(self.device)
            scorer = TranslationScorer(self.module, sources)
            lists = search.run([scorer], np.ones(1), [constraints[row] for row in rows], rows)
            unmet.extend(row for row, texts in zip(rows, lists, strict=True) if not texts[0].met)
            return self._shown(grid[rows], lists, search.attention)

        unmet = list[int]()
        shown: dict[str, Any] = {"stage": "captioning", "unit": "images", "threads": threads, "progress": progress}
        captions = in_batches(range(len(grid)), describe, size=batch_size, by_length=False, slow=True, **shown)
        warn_unmet(len(unmet), len(grid), search.beams, "image")
        return captions

    @explained
    def score(
        self, features: Any, captions: Any, *, threads: int | None = None, progress: Progress = False
    ) -> npt.NDArray[np.float64]:
        """Return the natural logarithm of the probability of a caption of each image, (N,) float64.

        Args:
            features: as for `train`, of the same shape.
            captions: one text per image.
            progress: as for `caption`.

        Raises:
            ArgumentTypeError, ShapeError, CorpusError: as for `train`.
            OptionError: an image has several captions.
        """
        grid, _ = read_features(features, self.shape)
        texts = read_captions(captions, len(grid))
        if any(len(several) > 1 for several in texts):
            raise OptionError("captions: several of an image; expected one, repeat the features for others")
        ids = [np.append(self.units.ids(self.units.split(text)), EOS) for (text,) in texts]
        data = CaptionData(grid, list(enumerate(ids)))
        scores = target_scores(
            self.module,
            list(map(len, ids)),
            lambda rows: data.collate([data.examples[row] for row in rows]),
            steps=STEADY_ROWS,
            unit="images",
            threads=threads,
            progress=progress,
        )
        result = np.array([tokens.sum() for tokens in scores])
        check_finite(result, self, texts, "caption", impossible=True)
        return result

    @explained
    def test(
        self,
        features: Any,
        captions: Any,
        *,
        beam: int | BeamSearch = 5,
        options: GenerationOptions | None = None,
        metrics: str | Sequence[str] = DEFAULT,
        lowercase: bool = False,
        resamples: int = 1000,
        seed: int = 0,
        batch_size: int = 64,
        threads: int | None = None,
        progress: Progress = None,
    ) -> EvaluationReport:
        """Write captions and score them against references.

        Other arguments: as for `caption`.

        Args:
            features: as for `train`, of the same shape.
            captions: of each image a text, or a list of texts, all of which are references.
            metrics: as for `firth.evaluate_generated`.
            lowercase: whether case is ignored.
            resamples: of the intervals.
            seed: of the resamples.

        Returns:
            A row per metric with its interval; `notes` holds the signatures.

        Raises:
            ArgumentTypeError, ShapeError, CorpusError: as for `train`.
            OptionError: as for `caption`, or there is no such metric.
        """
        grid, _ = read_features(features, self.shape)
        texts = read_captions(captions, len(grid))
        written = self.caption(
            features, beam=beam, options=options, batch_size=batch_size, threads=threads, progress=progress
        )
        most = max(map(len, texts))  # a reference that is repeated does not change a score
        references = [[several[min(number, len(several) - 1)] for several in texts] for number in range(most)]
        return evaluate_generated(
            [caption.text for caption in written],
            references,
            metrics=metrics,
            lowercase=lowercase,
            resamples=resamples,
            seed=seed,
        )

    def _search(
        self, beam: int | BeamSearch, n_best: int, options: GenerationOptions | None, attention: bool, seed: int
    ) -> Search:
        search = Search.of(
            beam,
            options,
            longest=self.options.max_length + 1,
            item="image",
            banned=(UNKNOWN, BOS),
            n_best=n_best,
            attention=attention,
            seed=seed,
        )
        if (attention or search.beams.coverage_penalty) and not self.options.has_attention:
            raise OptionError("attention='none': the model has no attention to return or to search by")
        return search

    def _shown(self, grid: Floats, lists: Sequence[Sequence[Continuation]], attention: bool) -> list[Caption]:
        """Return the captions of a batch, with their other candidates."""
        flat = [(row, text) for row, texts in enumerate(lists) for text in texts]
        weights = self._attention(grid, flat) if attention else [None] * len(flat)
        captions = (self._caption(text, table) for (_, text), table in zip(flat, weights, strict=True))
        return best_with_others(captions, lists)

    def _caption(self, text: Continuation, attention: npt.NDArray[np.float32] | None) -> Caption:
        tokens = self.units.tokens(text.ids)
        return Caption(self.units.text(tokens), tuple(tokens), text.score, text.log_prob, text.ended, attention)

    @torch.no_grad()
    def _attention(self, grid: Floats, texts: Sequence[tuple[int, Continuation]]) -> list[Any]:
        """Return the (T + 1, P) attention of captions, each with the row of its image."""
        examples = [(row, np.array([*text.ids, EOS])) for row, text in texts]
        batch = CaptionData(grid, examples).collate(examples)
        tables = self.module.attention(batch.to(self.device)).float().cpu().numpy()
        return [table[: len(ids)] for table, (_, ids) in zip(tables, examples, strict=True)]

    @classmethod
    def _build(cls, options: Any, *values: Any) -> torch.nn.Module:
        units, shape = values
        return super()._build(options, shape, units)

    def _card(self) -> tuple[str, str, str]:
        return "A caption model", f": features {self.shape} to captions", "model.caption(features)\n"
