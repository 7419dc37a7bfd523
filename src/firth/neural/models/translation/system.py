"""Texts to translations by one model or several: what a trained translator and an ensemble share."""

import abc
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.arguments import explained
from firth.errors import CorpusError, OptionError, ShapeError
from firth.evaluation.generated import DEFAULT, evaluate_generated
from firth.evaluation.report import EvaluationReport
from firth.finite import check_finite
from firth.inference.constraints import Constraints
from firth.inference.ensemble import mixed
from firth.inference.generation_options import Continuation, GenerationOptions
from firth.inference.search import BeamSearch
from firth.neural.models.translation.candidates import UNKNOWN_WORDS, check_dictionary, replaced
from firth.neural.models.translation.constraints import Glossary, constraints_of, warn_unmet
from firth.neural.models.translation.data import Pair, Source
from firth.neural.models.translation.forced_decoding import check_targets, forced_translations
from firth.neural.models.translation.scorer import Search, Translation, TranslationScorer, best_with_others
from firth.neural.models.translation.units import EOS, UNKNOWN, warn_unknown_language
from firth.neural.prediction import in_batches
from firth.neural.training.devices import runtime_of
from firth.progress import Progress
from firth.readers.parallel import ParallelTexts, parallel_texts
from firth.text.batches import check_batch_size, warn_truncated
from firth.text.inputs import check_items, check_text

Floats = npt.NDArray[np.float64]


class TranslationSystem(abc.ABC):
    """What translates: models that write the same tokens, and their weights."""

    @property
    @abc.abstractmethod
    def models(self) -> Sequence[Any]:
        """The models; the first one's attention is shown."""

    @property
    @abc.abstractmethod
    def weights(self) -> Floats:
        """Their weights, which sum to 1."""

    @explained
    def translate(
        self,
        texts: Any,
        *,
        beam: int | BeamSearch = 5,
        length_penalty: float | None = None,
        n_best: int = 1,
        options: GenerationOptions | None = None,
        prefixes: Sequence[str] | None = None,
        forced: Sequence[str] | Sequence[Sequence[str]] | None = None,
        glossary: Mapping[str, str] | None = None,
        targets: Sequence[str] | None = None,
        unknown: str | None = None,
        dictionary: Mapping[str, str] | None = None,
        copyable: Sequence[Any] | None = None,
        truncate: bool = True,
        return_attention: bool = False,
        seed: int = 0,
        batch_size: int = 64,
        precision: str = "fp32",
        threads: int | None = None,
        progress: Progress = False,
    ) -> Any:
        """Return translations.

        In one thread, in fp32 and on the CPU, the bits of a translation's scores do not depend on the other texts, nor
        do those of `score`, for encoders and decoders of LSTMs, GRUs, QRNNs and transformers, widths that are multiples
        of 16 from 32 on. Not for predicted windows and copying, whose
        products with a single column have other sums for other numbers of rows; for spelled sources, as unknown words
        of a batch are read together; or in bf16.

        Args:
            texts: a list of texts, or one. The translation of an empty text is empty, whatever its prefix and phrases.
            beam: number of beams, 1 for greedy search, or `firth.BeamSearch`.
            length_penalty: exponent of the length normalisation of Wu et al. 2016; None for means per token.
            n_best: translations per text.
            options: maximum and minimum length in tokens, repetition, and sampling, which takes the place of the beam
                search if a temperature above 0, `top_k`, `top_p` or `min_p` is given; see `firth.GenerationOptions`.
            prefixes: of each text, how its translation begins.
            forced: words and phrases that each translation contains, in any order, or a list of them for each text;
                they need a beam search, with more beams than forced words. A warning counts results without them.
            glossary: terms of the source, each with the word or phrase that a translation then contains: forced phrases
                of the texts that have the term as whole words.
            targets: translations that are given, of each text: they are returned with their scores, and with their
                attention if asked for, in place of a search (forced decoding). Tokens that the model does not know are
                scored as unknown, with a warning.
            unknown: what stands for unknown words: "kept" as `<unk>`, "copied" by attention, from the "dictionary", or
                "spelled" by a decoder of characters. None for the dictionary, if there is one, else
                spelled, if the model learned it, else copied, if the decoder has attention.
            dictionary: words of the target for words of the source.
            copyable: of each text, which of its tokens may be copied, booleans; for models with copying.
            truncate: whether the rest of a source that is too long is left out, with a warning; else it is refused.
            return_attention: whether translations come with their attention.
            seed: of sampling, if `options` ask for it; with the number of a text in the list it selects a translation.
            batch_size: texts that are searched together.
            precision: of matrix products: "fp32", or "bf16", which is about as good, and faster on processors with bf16
                instructions.

        Returns:
            A list of `Translation`; of one text, one.

        Raises:
            OptionError: an option is out of its range, a text is too long and may not be truncated, a prefix or forced
                phrase has words that the model does not know, or cannot be written, attention is asked for and there is
                none, or something of a search is asked of targets.
            CorpusError: an item is no text, or a target or its text is empty.
            ShapeError: there are not as many prefixes, targets or lists of forced phrases as texts.
        """
        if isinstance(texts, str):
            prefixes = [prefixes] if isinstance(prefixes, str) else prefixes
            targets = [targets] if isinstance(targets, str) else targets
            arguments = {name: value for name, value in locals().items() if name not in ("self", "texts")}
            return self.translate([texts], **arguments)[0]
        check_batch_size(batch_size)
        items = _texts(texts)
        search = self._search(beam, length_penalty, n_best, options, unknown, dictionary, return_attention, seed)
        if targets is not None:
            targets = check_targets(targets, items, search, prefixes=prefixes, forced=forced, glossary=glossary)
        terms = self._terms(items, glossary)
        constraints = constraints_of(self.models[0].target, prefixes, forced, len(items), search.options, terms)
        sources = self._sources(items, truncate)
        if copyable is not None:
            self._select(sources, copyable)
        if targets is not None:
            with runtime_of(self.models[0].device, precision).autocast():
                return forced_translations(self, sources, targets, search, threads=threads, progress=progress)
        filled = [row for row, source in enumerate(sources[0]) if len(source.ids) > 1]  # an empty text has its end only
        unmet = list[int]()

        def translated(numbers: list[int]) -> list[Translation]:
            rows = [filled[number] for number in numbers]
            own = [constraints[row] for row in rows]
            scorers = self._scorers([[read[row] for row in rows] for read in sources], own)
            lists = search.run(scorers, self.weights, own, rows)
            unmet.extend(row for row, texts in zip(rows, lists, strict=True) if not texts[0].met)
            return self._shown([sources[0][row] for row in rows], lists, search)

        lengths = [len(sources[0][row].ids) for row in filled]
        shown: dict[str, Any] = {"stage": "translating", "unit": "texts", "threads": threads, "progress": progress}
        result = [Translation("")] * len(items)
        with runtime_of(self.models[0].device, precision).autocast():
            translations = in_batches(lengths, translated, size=batch_size, slow=True, **shown)
        warn_unmet(len(unmet), len(filled), search.beams)
        for row, translation in zip(filled, translations, strict=True):
            result[row] = translation
        return result

    @explained
    def score(
        self,
        pairs: Any,
        *,
        languages: tuple[str, str] | None = None,
        threads: int | None = None,
        progress: Progress = False,
    ) -> Floats:
        """Return the natural logarithm of the probability of each target given its source, (N,) float64.

        Args:
            pairs: as for `train`.
            languages: as for `train`.
            progress: as for `translate`.

        Raises:
            FormatError, ShapeError: as for `train`.
            CorpusError: a pair has an empty side.
            OptionError: a text is too long, or the output layer gives no probabilities.
        """
        texts = read_pairs(pairs, languages)
        if not isinstance(pairs, ParallelTexts) and (empty := texts.dropped.get("empty")):
            raise CorpusError(f"{texts.name}: {empty:,} pair(s) with an empty side have no score; leave them out")
        sources = self._sources(texts.sources, truncate=False)
        by_model = [
            model.token_scores(list(map(model.reader.pair_of, read, texts.targets)), threads, progress)
            for model, read in zip(self.models, sources, strict=True)
        ]
        scores = np.array([mixed(np.stack(tokens), self.weights).sum() for tokens in zip(*by_model, strict=True)])
        check_finite(scores, self, texts.targets, "target", impossible=True)
        return scores

    @explained
    def test(
        self,
        pairs: Any,
        *,
        languages: tuple[str, str] | None = None,
        beam: int | BeamSearch = 5,
        length_penalty: float | None = None,
        options: GenerationOptions | None = None,
        glossary: Mapping[str, str] | None = None,
        unknown: str | None = None,
        dictionary: Mapping[str, str] | None = None,
        metrics: str | Sequence[str] = DEFAULT,
        lowercase: bool = False,
        resamples: int = 1000,
        seed: int = 0,
        batch_size: int = 64,
        precision: str = "fp32",
        threads: int | None = None,
        progress: Progress = None,
    ) -> EvaluationReport:
        """Translate sources and score the translations against targets.

        Other arguments: as for `translate`.

        Args:
            pairs: as for `train`.
            languages: as for `train`.
            metrics: as for `firth.evaluate_generated`.
            lowercase: whether case is ignored.
            resamples: of the intervals.
            seed: of the resamples.

        Returns:
            A row per metric with its interval; `notes` holds the signatures.

        Raises:
            FormatError, ShapeError: as for `train`.
            OptionError: as for `translate`, or there is no such metric.
        """
        texts = read_pairs(pairs, languages)
        translations = self.translate(
            list(texts.sources),
            beam=beam,
            length_penalty=length_penalty,
            options=options,
            glossary=glossary,
            unknown=unknown,
            dictionary=dictionary,
            batch_size=batch_size,
            precision=precision,
            threads=threads,
            progress=progress,
        )
        return evaluated(translations, texts, metrics=metrics, lowercase=lowercase, resamples=resamples, seed=seed)

    def _search(
        self,
        beam: int | BeamSearch,
        length_penalty: float | None,
        n_best: int,
        options: GenerationOptions | None,
        unknown: str | None,
        dictionary: Mapping[str, str] | None,
        attention: bool,
        seed: int,
    ) -> Search:
        first = self.models[0]
        check_dictionary(dictionary)
        beams = beam if isinstance(beam, BeamSearch) else BeamSearch(beams=beam)
        if length_penalty is not None:
            beams = replace(beams, length_normalisation="wu", length_power=length_penalty)
        search = Search.of(
            beams,
            options,
            longest=first.options.max_length + 1,
            item="text",
            banned=first.target.banned,
            n_best=n_best,
            unknown=_unknown_words(first.options, dictionary) if unknown is None else unknown,
            dictionary=dictionary or {},
            attention=attention,
            seed=seed,
        )
        if search.unknown not in UNKNOWN_WORDS:
            raise OptionError(f"unknown={unknown!r}: expected one of {', '.join(UNKNOWN_WORDS)}")
        if search.unknown == "dictionary" and dictionary is None:
            raise OptionError("unknown='dictionary' without a dictionary: pass dictionary={source word: target word}")
        if search.unknown == "spelled" and not first.options.spells:
            raise OptionError("unknown='spelled': the model does not spell words; train it with spelling='all'")
        if beams.coverage_penalty and not first.options.tells_attention:
            raise OptionError("a coverage penalty needs a recurrent decoder with attention; this model has none")
        if (attention or search.unknown in ("copied", "dictionary")) and not first.options.has_attention:
            raise OptionError("attention='none': the model has no attention to return or to copy words by")
        return search

    def texts_of(self, sources: Sequence[Source], continuations: Sequence[Continuation]) -> list[str]:
        """Return continuations as `translate` returns them: unknown words are copied or spelled."""
        search = self._search(1, None, 1, None, None, None, False, 0)
        return [shown.text for shown in self._shown(sources, [[text] for text in continuations], search)]

    def _sources(self, texts: Sequence[str], truncate: bool) -> list[list[Source]]:
        """Return the sources as each model reads them."""
        sources, long = [], set[int]()
        for model in self.models:
            longest = model.options.max_length
            split = [model.source.split(text) for text in texts]
            long.update(row for row, tokens in enumerate(split) if len(tokens) > longest)
            sources.append([model.reader.source_of(tokens[:longest]) for tokens in split])
        longest = min(model.options.max_length for model in self.models)
        if long and not truncate:
            raise OptionError(
                f"text {min(long) + 1:,} has more than {longest} tokens, the model's max_length; split it, or let it "
                "be truncated"
            )
        warn_truncated(len(long), len(texts), longest)
        warn_unknown_language(self.models[0].source, [source.ids for source in sources[0]], "texts")
        return sources

    def _terms(self, texts: Sequence[str], glossary: Mapping[str, str] | None) -> list[list[str]] | None:
        """Return the phrases of each text that a glossary asks for."""
        if glossary is None:
            return None
        terms = Glossary(glossary, self.models[0].source, self.models[0].target)
        return [terms.phrases(text) for text in texts]

    def _select(self, sources: Sequence[list[Source]], copyable: Sequence[Any]) -> None:
        if not all(model.options.copying for model in self.models):
            raise OptionError("copyable: the model does not copy; expected one that was trained with copying=True")
        if len(copyable) != len(sources[0]):
            raise ShapeError(f"{len(copyable):,} lists of copyable tokens for {len(sources[0]):,} texts")
        for model, read in zip(self.models, sources, strict=True):
            read[:] = [model.reader.selecting(*pair) for pair in zip(read, copyable, strict=True)]

    def _scorers(
        self, sources: Sequence[Sequence[Source]], constraints: Sequence[Constraints]
    ) -> list[TranslationScorer]:
        forced = [sum(constraint.phrases, constraint.prefix) for constraint in constraints]
        return [
            TranslationScorer(
                model.module,
                model.collator.sources(read).to(model.device),
                None if model.candidates is None else list(map(model.candidates.of, read, forced)),
            )
            for model, read in zip(self.models, sources, strict=True)
        ]

    def _shown(
        self, sources: Sequence[Source], lists: Sequence[Sequence[Continuation]], search: Search
    ) -> list[Translation]:
        """Return the translations of a batch, with their other candidates."""
        first = self.models[0]
        flat = [(source, text) for source, texts in zip(sources, lists, strict=True) for text in texts]
        pairs = [Pair(source, np.array([*text.ids, EOS])) for source, text in flat]
        holes = [number for number, (_, text) in enumerate(flat) if UNKNOWN in text.ids]
        if search.unknown == "kept" or first.target.subwords is not None:
            holes = []
        spells = search.unknown == "spelled"
        needed = list(range(len(flat))) if search.attention else [] if spells else holes
        weights: dict[int, Any] = {}
        if needed:
            weights = dict(zip(needed, first.attention_of([pairs[number] for number in needed]), strict=True))
        words: dict[int, Any] = {}
        if spells and holes:
            words = dict(zip(holes, first.spelled_words([pairs[number] for number in holes]), strict=True))
        translations = (
            _translation(first, source, text, weights.get(number), words.get(number), search)
            for number, (source, text) in enumerate(flat)
        )
        return best_with_others(translations, lists)


def _unknown_words(options: Any, dictionary: Mapping[str, str] | None) -> str:
    """Return what stands for unknown words unless the caller says so; see `TranslationSystem.translate`."""
    if dictionary is not None and options.has_attention:
        return "dictionary"
    return "spelled" if options.spells else "copied" if options.has_attention else "kept"


def _translation(
    model: Any, source: Source, text: Continuation, attention: Any, spelled: Sequence[str] | None, search: Search
) -> Translation:
    words = model.reader.words_of(source)
    tokens = model.reader.target_tokens(text.ids, source)
    if spelled is not None:
        rest = iter(spelled)
        tokens = [next(rest) if number == UNKNOWN else token for number, token in zip(text.ids, tokens, strict=True)]
    elif attention is not None and search.unknown in ("copied", "dictionary"):
        tokens = replaced(tokens, words, attention, search.dictionary)
    return Translation(
        model.target.text(tokens),
        tuple(tokens),
        tuple(words),
        text.score,
        text.log_prob,
        text.ended,
        attention if search.attention else None,
    )


def _texts(texts: Any) -> list[str]:
    items = list(check_items(texts))
    for number, text in enumerate(items, 1):
        check_text(text, f"text {number:,}")
    return items


def read_pairs(pairs: Any, languages: tuple[str, str] | None = None, name: str = "pairs") -> ParallelTexts:
    """Return pairs of texts, as `train` takes them; messages speak of `name`."""
    if isinstance(pairs, tuple | list) and len(pairs) == 2 and not isinstance(pairs[0], tuple | list):
        return parallel_texts(pairs[0], pairs[1], languages, None, name, None)
    if isinstance(pairs, list) and len(pairs) == 1 and not isinstance(pairs[0], tuple | list):
        pairs = pairs[0]
    return parallel_texts(pairs, None, languages, None, name, None)


def evaluated(results: Sequence[Any], texts: ParallelTexts, **options: Any) -> EvaluationReport:
    """Return the scores of translations, or summaries, of pairs of texts; options of `evaluate_generated`."""
    sources, targets = list(texts.sources), list(texts.targets)
    return evaluate_generated([result.text for result in results], targets, sources=sources, **options)
