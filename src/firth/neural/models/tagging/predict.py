"""A trained tagger: tags, their probabilities, the n best sequences, scores, saving."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
import torch

from firth.arguments import explained
from firth.errors import OptionError, brief
from firth.evaluation.tags import TagScores, score_tags
from firth.finite import not_finite
from firth.neural.models.tagging.data import LEMMA, Reading, read_tagged
from firth.neural.models.tagging.lemmas import DICTIONARY, LEMMAS_FIELD, Lemmas, check_scripts
from firth.neural.models.tagging.network import TaggerModule
from firth.neural.models.tagging.tag_set import ByTarget, TagSet, check_notation, check_tags
from firth.neural.models.tokens.reader import Sentence, TokenReader, reader_field, words_of
from firth.neural.prediction import in_batches
from firth.neural.saved import Field, Saved, SavedModel
from firth.neural.structs.chains import Chain, best_tags, chain_score, k_best_tags, log_partition, marginals
from firth.options import check_whole
from firth.progress import Progress
from firth.readers.conllu import DependencySentence
from firth.readers.span_tags import BIO, BIOES
from firth.storage.model_folder import ModelFolder
from firth.storage.skipping import SKIP
from firth.text.inputs import check_items, check_no_file, token_lists

TAGS = "tags"  # the JSON file of the tags of each target
MEASURES = ("mnlp", "total")  # of uncertainty
BATCH_WORDS = 4096  # words that are read together, padding included
Floats = npt.NDArray[np.float64]
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class TaggedSentence:
    """A sentence of T words with tags.

    Attributes:
        words: T words.
        tags: of each target, T tags.
        probabilities: of each target, the probability of each of these tags; empty unless asked for.
    """

    words: tuple[str, ...]
    tags: Mapping[str, tuple[str, ...]]
    probabilities: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.words)


class TaggerModel(SavedModel):
    """A trained tagger, as `firth.Tagger(...).train` returns it.

    A sentence is a list of words, a string that is split at white space, or a
    `firth.readers.conllu.DependencySentence`, whose annotation does not matter.

    Attributes:
        module: in evaluation mode.
        options: of the tagger.
        reader: how it reads words.
        sets: the tags of each target.
        lemmas: what makes lemmas of the tags of the target lemma, which are edit scripts; None without that target.
        metadata: JSON values: how it was trained.
    """

    kind: ClassVar = "firth-tagger"
    what: ClassVar = "a tagger"
    saved_fields: ClassVar = (
        reader_field("reader"),
        Field("sets", lambda sets: _written_sets(sets), lambda content, options: _read_sets(content, options)),
        LEMMAS_FIELD,
    )
    described_by: ClassVar = f"config.json and {TAGS}.json do"
    module: TaggerModule
    reader: TokenReader
    sets: Sequence[TagSet]
    lemmas: Lemmas | None

    @classmethod
    def _build(
        cls, options: Any, reader: TokenReader, sets: Sequence[TagSet], lemmas: Lemmas | None
    ) -> torch.nn.Module:
        return super()._build(options, reader, sets)

    def __repr__(self) -> str:
        pairs = zip(self.targets, self.sets, strict=True)
        heads = "+".join(dict.fromkeys(self.options.head_of(target, tags) for target, tags in pairs))
        return f"<TaggerModel: {self.options.encoder}, {heads}, {self._kinds()}, {len(self.words):,} words>"

    @property
    def targets(self) -> tuple[str, ...]:
        """What is tagged."""
        names: tuple[str, ...] = self.options.target_names
        return names

    @property
    def tags(self) -> dict[str, list[str]]:
        """The L tags of each target; of the target lemma they are edit scripts (`firth.text.edit_scripts`)."""
        return {target: tags.shown for target, tags in zip(self.targets, self.sets, strict=True)}

    @property
    def words(self) -> Sequence[str]:
        """The V words that are looked up."""
        return self.reader.words

    @explained
    def predict(
        self, sentences: Any, *, probabilities: bool = False, threads: int | None = None, progress: Progress = False
    ) -> Any:
        """Return the best tags of sentences; of the target lemma, lemmas.

        Args:
            sentences: a list of them, or one string or `DependencySentence`.
            probabilities: whether to compute the probability of each tag, too; of a lemma that of its edit script.

        Returns:
            A list of `TaggedSentence`; of one string, one `TaggedSentence`.

        Raises:
            OptionError: `probabilities` of a tagger with a margin, whose scores are none.
            CorpusError: an item is no sentence.
            ArgumentTypeError: the path of a file stands in place of a sentence.
        """
        if probabilities:
            self._check_probabilities()
        check_no_file(sentences, "sentences", "a sentence or a list of them")
        if isinstance(sentences, str | DependencySentence):
            return self.predict([sentences], probabilities=probabilities, threads=threads)[0]
        items = _sentences(sentences)

        def answer(chain: Chain, tags: TagSet) -> list[tuple[tuple[str, ...], tuple[float, ...]]]:
            decoded = list(map(tags.decode, best_tags(chain)))
            if not probabilities:
                return [(path, ()) for path in decoded]
            columns = {name: number for number, name in enumerate(tags.shown)}
            return [
                (path, tuple(float(row[columns[tag]]) for row, tag in zip(table, path, strict=False)))
                for path, table in zip(decoded, _shown_marginals(chain, tags), strict=True)
            ]

        nothing: tuple[tuple[str, ...], tuple[float, ...]] = ((), ())
        answers = self._answers(items, answer, nothing, threads, progress)
        return [
            TaggedSentence(
                tuple(words_of(sentence)),
                self._shown(words_of(sentence), [tags for tags, _ in row]),
                ByTarget(zip(self.targets, (values for _, values in row), strict=True) if probabilities else ()),
            )
            for sentence, row in zip(items, answers, strict=True)
        ]

    def _shown(self, words: Sequence[str], row: Sequence[tuple[str, ...]]) -> ByTarget[tuple[str, ...]]:
        """Return the tags of each target, with lemmas in place of edit scripts."""
        tags = ByTarget(zip(self.targets, row, strict=True))
        return tags if self.lemmas is None else ByTarget(tags | {LEMMA: self.lemmas.decoded(words, tags)})

    @explained
    def marginals(
        self, sentences: Any, *, threads: int | None = None, progress: Progress = False
    ) -> list[dict[str, Floats]]:
        """Return the probability of every tag of every word: for each sentence and target (T, L) float64.

        Columns are in the order of `tags`; rows sum to 1.

        Args:
            sentences: a list of sentences.

        Raises:
            OptionError: the tagger was trained with a margin, whose scores are no probabilities.
            CorpusError: an item is no sentence.
        """
        self._check_probabilities()
        items = _sentences(sentences)
        none = [np.zeros((0, len(tags.shown))) for tags in self.sets]
        tables = self._answers(items, _shown_marginals, np.empty(0), threads, progress)
        return [
            ByTarget(zip(self.targets, row if len(words_of(sentence)) else none, strict=True))
            for sentence, row in zip(items, tables, strict=True)
        ]

    @explained
    def uncertainty(
        self, sentences: Any, *, measure: str = "mnlp", threads: int | None = None, progress: Progress = False
    ) -> Floats:
        """Return how uncertain the best tags of each sentence are, (N,) float64 nats: high for those worth annotating.

        With y* the best tags of the T words of a sentence x, and of several targets the sum over them:

            mnlp    -log p(y* | x) / T    least confidence normalised by length, which does not favour long sentences
            total   -log p(y* | x)        least confidence

        Args:
            sentences: a list of sentences; those without words have 0.
            measure: "mnlp" or "total".

        Raises:
            OptionError: another measure, or the tagger was trained with a margin.
            CorpusError: an item is no sentence.

        Source: Shen et al. 2018, "Deep active learning for named entity recognition", equations 1 and 2 (LC, MNLP).
        """
        self._check_probabilities()
        if measure not in MEASURES:
            raise OptionError(f"measure={measure!r}: expected one of {', '.join(MEASURES)}")
        items = _sentences(sentences)
        rows = self._answers(items, _log_probabilities, 0.0, threads, progress)
        totals = -np.array([sum(row) for row in rows], np.float64)
        lengths = np.array([max(1, len(words_of(sentence))) for sentence in items])
        return np.maximum(totals / lengths if measure == "mnlp" else totals, 0.0)

    @explained
    def n_best(
        self, sentences: Any, n: int = 5, *, target: str | None = None, threads: int | None = None
    ) -> list[list[tuple[tuple[str, ...], float]]]:
        """Return the n best tag sequences of each sentence with their probabilities, best first.

        Args:
            sentences: a list of sentences.
            n: sequences per sentence, at most.
            target: which; None for the only one.

        Raises:
            OptionError: n is below 1, there are several targets and none is named, or the tagger was trained with a
                margin.
            CorpusError: an item is no sentence.
        """
        self._check_probabilities()
        check_whole("n", n)
        if target is None and len(self.targets) > 1:
            raise OptionError(f"targets {', '.join(self.targets)}: name one, target={self.targets[0]!r}")
        if target is not None and target not in self.targets:
            raise OptionError(f"target={target!r}: expected one of {', '.join(self.targets)}")

        def answer(chain: Chain, tags: TagSet) -> list[list[tuple[tuple[str, ...], float]]]:
            totals = log_partition(chain).tolist()
            return [
                [(tags.decode(path), float(np.exp(score - total))) for path, score in paths]
                for paths, total in zip(k_best_tags(chain, n), totals, strict=True)
            ]

        number = 0 if target is None else self.targets.index(target)
        empty: list[tuple[tuple[str, ...], float]] = [((), 1.0)]
        return [row[0] for row in self._answers(_sentences(sentences), answer, empty, threads, False, only=number)]

    @explained
    def test(
        self,
        gold: Any,
        *,
        seed: int = 0,
        on_error: str = SKIP,
        word_column: int | str | None = None,
        threads: int | None = None,
        progress: Progress = None,
    ) -> dict[str, TagScores]:
        """Compare predictions with gold tags: accuracy, also on unknown words, and F1 where tags mark spans.

        Args:
            gold: sentences with tags, in any form that `train` reads.
            seed: of the resamples of the confidence intervals.
            on_error: as for `train`.
            word_column: as for `train`.

        Returns:
            The scores of each target; `print` shows them as tables.

        Warns:
            UserWarning: the tagger does not know some of the tags, which count as missed; tags of spans are in an
                unusual scheme or break its rules; or sentences were skipped.

        Raises:
            CorpusError: the source is missing or holds no sentence, or the tagger knows none of its tags.
            FormatError: a file is damaged, or tags mark no spans where those of the training data do.
            OptionError: the source has no such target.
        """
        data = read_tagged(gold, self.targets, Reading(on_error, word_column))
        for target, tags in zip(self.targets, self.sets, strict=True):
            if target == LEMMA and self.lemmas is not None:
                continue  # lemmas of new words are never among the tags
            check_tags(tags, data.tags[target], target, data.name)
            if tags.scheme is not None:
                check_notation(data.tags[target], target, data.name)
        predicted = self.predict(data.sentences, threads=threads, progress=progress)
        in_vocabulary = [list(map(self.reader.knows, words_of(sentence))) for sentence in data.sentences]
        return ByTarget(
            (
                target,
                score_tags(
                    list(map(tags.normal, data.tags[target])),
                    [sentence.tags[target] for sentence in predicted],
                    spans=tags.scheme is not None,
                    known=in_vocabulary,
                    seed=seed,
                ),
            )
            for target, tags in zip(self.targets, self.sets, strict=True)
        )

    def _check_probabilities(self) -> None:
        if self.options.head == "margin":
            raise OptionError("head='margin': its scores are no probabilities; train with head='softmax' or 'crf'")

    def _answers(
        self,
        sentences: Sequence[Sentence],
        answer: Callable[[Chain, TagSet], Sequence[Answer]],
        empty: Answer,
        threads: int | None,
        progress: Progress,
        *,
        only: int | None = None,
    ) -> list[list[Answer]]:
        """Return for each sentence the answers of the targets, or of one; `empty` for sentences without words."""
        heads = list(zip(self.module.target_heads, self.sets, strict=True))
        targets = range(len(heads)) if only is None else [only]
        lengths = [len(words_of(sentence)) for sentence in sentences]
        filled = [row for row, length in enumerate(lengths) if length]

        def answers(batch: list[int]) -> list[list[Answer]]:
            rows = [filled[number] for number in batch]
            inputs = self.reader.collate([self.reader.read(sentences[row]) for row in rows]).to(self.device)
            scores = self.module(inputs)
            for row, sums in zip(rows, torch.stack([part.float().sum((1, 2)) for part in scores], 1), strict=True):
                if not sums.isfinite().all():
                    raise not_finite(f"sentence {row} ({brief(' '.join(words_of(sentences[row])))})", self)
            if self.lemmas is not None:
                number = self.targets.index(LEMMA)
                words = [words_of(sentences[row]) for row in rows]
                scores[number] = self.lemmas.fitting(scores[number], words, self.sets[number].names)
            chains = [
                heads[target][0].sequences(scores[target], inputs.lengths, heads[target][1]) for target in targets
            ]
            return [list(row) for row in zip(*(answer(*chain) for chain in chains), strict=True)]

        shown: dict[str, Any] = {"stage": "tagging", "unit": "sentences", "threads": threads, "progress": progress}
        rows = in_batches([lengths[row] for row in filled], answers, size=BATCH_WORDS, tokens=True, slow=True, **shown)
        result = [[empty] * len(targets) for _ in sentences]
        for row, of_sentence in zip(filled, rows, strict=True):
            result[row] = of_sentence
        return result

    def _card(self) -> tuple[str, str, str]:
        return "A tagger", f": {self._kinds()}, {len(self.words):,} words", 'model.predict("This is a sentence .")\n'

    def _kinds(self) -> str:
        return ", ".join(f"{len(tags):,} tags of {target}" for target, tags in self.tags.items())


def _sentences(items: Any) -> list[Sentence]:
    """Return sentences; strings are split at white space."""
    return [
        item if isinstance(item, DependencySentence) else token_lists([item], str.split, f"sentence {number}")[0]
        for number, item in enumerate(check_items(items, "sentences", "sentence"))
    ]


def _log_probabilities(chain: Chain, tags: TagSet) -> list[float]:
    """Return the log-probability of the best tags of each sentence."""
    paths = torch.nn.utils.rnn.pad_sequence([torch.tensor(path) for path in best_tags(chain)], batch_first=True)
    scores = chain_score(chain, paths.to(chain.tags.device)).double() - log_partition(chain).double()
    values: list[float] = scores.tolist()
    return values


def _shown_marginals(chain: Chain, tags: TagSet) -> list[Floats]:
    """Return of each sentence the (T, L) probabilities of its tags as they are shown."""
    table = marginals(chain).double().cpu().numpy() @ tags.groups
    lengths = chain.lengths.tolist()
    return [
        values[:length] / values[:length].sum(1, keepdims=True) for values, length in zip(table, lengths, strict=True)
    ]


def _written_sets(sets: Sequence[TagSet]) -> Saved:
    names = ("names", "scheme", "shown_scheme", "broken", "attributed")
    return Saved(texts={TAGS: [{name: getattr(tags, name) for name in names} for tags in sets]})


def _read_sets(content: ModelFolder, options: Any) -> list[TagSet]:
    sets = [_tag_set(facts) for facts in content.texts[TAGS]]
    if len(sets) != len(options.target_names):
        raise ValueError(f"{len(sets)} sets of tags for the targets {options.targets}")
    if DICTIONARY in content.texts:
        check_scripts(dict(zip(options.target_names, sets, strict=True)))
    return sets


def _tag_set(facts: Any) -> TagSet:
    names, scheme, shown = facts["names"], facts["scheme"], facts["shown_scheme"]
    if not isinstance(names, list) or len(names) < 2 or not all(isinstance(name, str) for name in names):
        raise ValueError("expected a list of two tags or more")
    if len(set(names)) != len(names):
        raise ValueError("tags with duplicates")
    if scheme not in (None, BIO, BIOES) or shown not in (scheme, BIO) or (scheme is None) != (shown is None):
        raise ValueError(f"schemes {scheme!r}, {shown!r}")
    if scheme is not None and not all(name[:1] in "BIOES" for name in names):
        raise ValueError("tags that mark no spans")
    return TagSet(names, scheme, shown, int(facts["broken"]), bool(facts.get("attributed", False)))
