"""A trained summarizer."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar

from firth.arguments import explained
from firth.evaluation.report import EvaluationReport
from firth.inference.generation_options import GenerationOptions
from firth.inference.search import BeamSearch
from firth.neural.models.summaries.selection import COPIED, LEFT, TARGET, copied_words, selected_words
from firth.neural.models.translation.predict import EncoderDecoderModel, TranslationModel
from firth.neural.models.translation.system import Floats, evaluated, read_pairs
from firth.progress import Progress
from firth.text.inputs import check_items

LONGEST = 60  # tokens of a summary, unless options say otherwise


class SummaryModel(EncoderDecoderModel):
    """A trained summarizer, as `firth.Summarizer(...).train` returns it.

    Attributes:
        module: its network, in evaluation mode.
        options: of the summarizer.
        metadata: JSON values to save with the model: how it was trained.
    """

    kind: ClassVar = "firth-summarizer"
    what: ClassVar = "a summarizer"

    @classmethod
    def of(cls, translator: TranslationModel, options: Any) -> "SummaryModel":
        """Return a trained encoder-decoder as a summarizer."""
        return cls(translator.module, options, translator.reader, translator.candidates, translator.metadata)

    @cached_property
    def translator(self) -> TranslationModel:
        """The encoder-decoder."""
        return TranslationModel(self.module, self.options.translator, self.reader, self.candidates, self.metadata)

    def __repr__(self) -> str:
        copying = "copying" if self.options.copying else "no copying"
        return f"<SummaryModel: {len(self.translator.target):,} words, {copying}>"

    @explained
    def summarize(
        self,
        texts: Any,
        *,
        beam: int | BeamSearch = 4,
        n_best: int = 1,
        options: GenerationOptions | None = None,
        unknown: str | None = None,
        selector: Any = None,
        threshold: float = 0.1,
        truncate: bool = True,
        return_attention: bool = False,
        seed: int = 0,
        batch_size: int = 64,
        threads: int | None = None,
        progress: Progress = False,
    ) -> Any:
        """Return summaries.

        Args:
            texts: a list of texts, or one.
            beam: number of beams, 1 for greedy search, or `firth.BeamSearch`, which also penalises repeated coverage.
            n_best: summaries per text.
            options: maximum and minimum length in tokens, repetition, and sampling, which takes the place of the beam
                search if a temperature above 0, `top_k`, `top_p` or `min_p` is given; see `firth.GenerationOptions`.
            unknown: what stands for words that the model neither knows nor copies: "kept" as `<unk>`, or "copied", the
                source word that is attended to most.
            selector: a tagger that was trained on `selection_examples`: only words that it selects are copied.
            threshold: minimum probability of a selected word; 0 selects all.
            truncate: whether the rest of a source that is too long is left out, with a warning; else it is refused.
            return_attention: whether summaries come with their attention.
            seed: of sampling, if `options` ask for it.
            batch_size: texts that are searched together.

        Returns:
            A list of `Translation`; of one text, one.

        Raises:
            OptionError: an option is out of its range, or a text is too long and may not be truncated.
            CorpusError: an item is no text.
        """
        if selector is not None and isinstance(texts, str):
            arguments = {name: value for name, value in locals().items() if name not in ("self", "texts")}
            return self.summarize([texts], **arguments)[0]
        copyable = None
        if selector is not None:
            texts = list(check_items(texts))
            copyable = selected_words(selector, [self._words(text) for text in texts], threshold, threads)
        return self.translator.translate(
            texts,
            beam=beam,
            n_best=n_best,
            options=options or GenerationOptions(max_length=LONGEST),
            unknown=unknown,
            copyable=copyable,
            truncate=truncate,
            return_attention=return_attention,
            seed=seed,
            batch_size=batch_size,
            threads=threads,
            progress=progress,
        )

    def reinforce(
        self, pairs: Any, reward: str | Callable[[str, str], float] = "rouge-l", **run: Any
    ) -> "SummaryModel":
        """Return a model that is trained further with a reward for whole summaries; this one stays as it is.

        Args:
            reward: "rouge-1", "rouge-2", "rouge-l", or a function of a summary and its reference.
            **run: `mixture`, the weight of the reward in the loss (0.95); `held_out`; `max_length` of a sampled summary
                in tokens (30); training options and circumstances of the run, as for `train`.

        Raises:
            FormatError, ShapeError: as for `train`.
            OptionError: an option is out of its range, or a reward is not finite.

        Source:
            Paulus, Xiong and Socher 2018, sections 3.2 and 3.3.
        """
        from firth.neural.models.translation.train import reinforce  # which imports models

        return SummaryModel.of(reinforce(self.translator, pairs, reward, **run), self.options)

    def selection_examples(self, pairs: Any) -> list[tuple[list[str], dict[str, list[str]]]]:
        """Return texts with a tag per word, for `firth.Tagger(targets="copying").train`: whether the summary took it.

        Raises:
            FormatError, ShapeError: as for `train`.
        """
        texts = read_pairs(pairs)
        examples = []
        for text, summary in zip(texts.sources, texts.targets, strict=True):
            words = self._words(text)
            taken = copied_words(words, self.translator.target.split(summary))
            examples.append((words, {TARGET: [COPIED if copied else LEFT for copied in taken]}))
        return examples

    def _words(self, text: str) -> list[str]:
        """Return the words of a text as far as they are read."""
        units = self.translator.source
        return units.split(text)[: self.options.max_length]

    def score(self, pairs: Any, *, threads: int | None = None, progress: Progress = False) -> Floats:
        """Return the natural logarithm of the probability of each summary given its text, (N,) float64.

        Raises:
            FormatError, ShapeError: as for `train`.
            CorpusError: a pair has an empty side.
            OptionError: a text is too long.
        """
        return self.translator.score(pairs, threads=threads, progress=progress)

    @explained
    def test(
        self,
        pairs: Any,
        *,
        beam: int | BeamSearch = 4,
        options: GenerationOptions | None = None,
        unknown: str | None = None,
        selector: Any = None,
        threshold: float = 0.1,
        metrics: str | Sequence[str] = "rouge",
        baseline: Any = None,
        resamples: int = 1000,
        seed: int = 0,
        batch_size: int = 64,
        threads: int | None = None,
        progress: Progress = None,
    ) -> EvaluationReport:
        """Summarize texts and score the summaries.

        Other arguments: as for `summarize`.

        Args:
            pairs: as for `train`.
            metrics: as for `firth.evaluate_generated`.
            baseline: summaries of a simple system, such as the first words of each text.
            resamples: of the intervals.
            seed: of the resamples.

        Returns:
            A row per metric with its interval.

        Raises:
            FormatError, ShapeError: as for `train`.
            OptionError: as for `summarize`, or there is no such metric.
        """
        texts = read_pairs(pairs)
        summaries = self.summarize(
            list(texts.sources),
            beam=beam,
            options=options,
            unknown=unknown,
            selector=selector,
            threshold=threshold,
            batch_size=batch_size,
            threads=threads,
            progress=progress,
        )
        return evaluated(summaries, texts, metrics=metrics, baseline=baseline, resamples=resamples, seed=seed)

    def _card(self) -> tuple[str, str, str]:
        return "A summarizer", f": {self.options.cell}, {self.options.hidden} wide", 'model.summarize("...")\n'
