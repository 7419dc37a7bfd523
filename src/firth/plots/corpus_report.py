"""A report on a text as one HTML page: size, files, words, a map, neighbours with intervals, and two groups compared.

What: each section is made by the function that its command calls, too, and the page ends with the commands that repeat
its figures. A section that cannot be made says why.

Cost: one pass over the text, and as many trainings as runs; with two groups 2 (1 + permutations) trainings of a half.
"""

import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os.path import commonpath, relpath
from typing import Any

import numpy as np
import numpy.typing as npt

from firth import __version__
from firth.alignment.contrast import FEWEST as FEWEST_PERMUTATIONS
from firth.alignment.contrast import contrast
from firth.corpus.as_corpus import as_corpus
from firth.corpus.by_document import Documents, by_document
from firth.counts.dispersion import deviation_of_proportions, documents_with
from firth.counts.keywords import Keyword, keywords
from firth.counts.word_document_graph import document_counts
from firth.errors import CorpusError, FirthError, OptionError, counted
from firth.notebook import Markup
from firth.options import check_whole
from firth.plots.contrast import contrast_summary
from firth.plots.map import word_map
from firth.plots.picture import COLOURS, Picture
from firth.plots.report_page import note, picture_for_all, report_page, safe, table
from firth.plots.word_groups import clustered
from firth.progress import Progress
from firth.runs.runs import ENOUGH, Neighbour, Runs
from firth.runs.samples import DOCUMENTS, NONE, units_of
from firth.runs.training import bootstrap, check_model
from firth.vectors.cosine import unit
from firth.vocabulary import stop_words

FEWEST = 1_000  # words of a text for vectors
FILES, WORDS, KEYWORDS, CHANGED = 40, 30, 15, 12  # rows of tables
MAPPED, ON_PHONES, CLUSTERS, CLUSTERED, CENTRAL = 150, 50, 8, 1_000, 12
NEAR = 8  # neighbours of a word
# Share of the text up to which a word is among those with neighbours. Of the hundred words below it 16 % are on a usual
# list of stop words in novels and 15 % in Wikipedia; of those between it and the share of stop words 29 and 37 %.
RARER = 5e-4
UNEVEN = 0.5  # dispersion (DP) above which a frequent word is no stop word
_FAINT = ' style="color:#767676"'
_SCRIPTS = {"CJK": "Han", "DIGIT": "digits"}


@dataclass(frozen=True, kw_only=True)
class CorpusReport:
    """What a page about a text shows.

    Attributes:
        title: of the page.
        source: whatever `Corpus.build` takes, or a corpus.
        groups: two groups of texts with their names, which are compared; none for no comparison.
        counting: options of `Corpus.build` that also concern the counts of all words.
        text: options of `Corpus.build` for the trainings.
        words: whose neighbours are shown; none for the most frequent ones.
        number: how many of these.
        model: options of a model that learns word vectors.
        runs: trainings on documents drawn anew, for the intervals.
        permutations: random divisions of the documents of two groups; 0 compares no meanings.
        commands: returns lines of the shell that repeat the figures, from the words with neighbours and `resample`.
        wording: of messages that name options.
    """

    title: str
    source: Any
    model: Any
    groups: Mapping[str, Any] = field(default_factory=dict)
    counting: Mapping[str, Any] = field(default_factory=dict)
    text: Mapping[str, Any] = field(default_factory=dict)
    words: Sequence[str] = ()
    number: int = 8
    runs: int = 5
    permutations: int = 20
    seed: int = 0
    threads: int | None = None
    progress: Progress = None
    commands: Callable[[Sequence[str], str], Sequence[str]] = lambda words, resample: ()
    wording: Callable[[str], str] = str

    def page(self) -> str:
        """Return the page.

        Raises:
            CorpusError: the text cannot be read, or has no words.
            OptionError: the model learns something else than word vectors, or a number is out of its range.
        """
        check_model(self.model)
        check_whole("runs", self.runs, 2)
        if self.permutations and self.permutations < FEWEST_PERMUTATIONS:
            raise OptionError(
                f"permutations={self.permutations}: expected 0, or a whole number of at least {FEWEST_PERMUTATIONS}"
            )
        sections = {
            "Size": self._size, "Files": self._files, "Frequent words": self._frequent, "Keywords": self._keywords,
            "Map of words": self._map, "Neighbours": self._neighbours, "What differs in meaning": self._change,
            "How it was made": self._making,
        }  # fmt: skip
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            self._documents  # noqa: B018 - a text without words is no section's failure
            parts = [part for title, make in sections.items() for part in self._section(title, make)]
        said = list(dict.fromkeys(self.wording(str(warning.message)) for warning in caught))
        for warning in caught:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        parts += ["<h3>Warnings</h3>", *map(note, said)] if said else []
        return report_page(self.title, [*parts, *self._repeat()])

    @property
    def interrupted(self) -> bool:
        """Whether some of the runs are missing because of Ctrl-C, of a page that is made."""
        runs = self.__dict__.get("_runs")
        return runs is not None and bool(runs.metadata.get("interrupted"))

    def _section(self, title: str, make: Callable[[], Iterable[str]]) -> Iterator[str]:
        try:
            parts = list(make())
        except FirthError as error:  # what was made of it may have open elements
            parts = [note(f"Not made: {self.wording(str(error))}")]
        if parts:
            yield f"<h2>{title}</h2>"
            yield from parts

    # The text.

    @cached_property
    def _documents(self) -> Documents:
        return by_document(self.source, self.counting, progress=self.progress)

    @cached_property
    def _counts(self) -> Any:
        return document_counts(self._documents.corpus)

    @cached_property
    def _sizes(self) -> npt.NDArray[np.float64]:
        return np.asarray(self._counts.sum(axis=1)).ravel()

    @cached_property
    def _stop_words(self) -> frozenset[str]:
        """Frequent words, of several files those that are spread evenly, unlike the names of characters in novels."""
        vocabulary = self._documents.corpus.vocabulary
        if not self._documents.names:
            return stop_words(vocabulary.words, vocabulary.counts)
        frequent = sorted(stop_words(vocabulary.words, vocabulary.counts), key=vocabulary.ids.__getitem__)
        columns = self._counts[:, [vocabulary.ids[word] for word in frequent]].tocsr()
        dispersion = deviation_of_proportions(columns, self._sizes).tolist()
        return frozenset(word for word, dp in zip(frequent, dispersion, strict=True) if not dp > UNEVEN)

    @cached_property
    def _content_words(self) -> list[str]:
        words = self._documents.corpus.vocabulary.words
        return [word for word in words if word not in self._stop_words and any(map(str.isalpha, word))]

    def _size(self) -> Iterator[str]:
        vocabulary, unit_name = self._documents.corpus.vocabulary, self._documents.unit
        once, total = int((vocabulary.counts == 1).sum()), max(vocabulary.total, 1)
        lengths = self._sizes[self._sizes > 0]
        rows = [
            ("words", f"{vocabulary.total:,}"),
            ("different words", f"{len(vocabulary):,}, {once:,} of them once"),
            (unit_name, f"{len(lengths):,}, half of them longer than {np.median(lengths):,.0f} words"),
            (
                "scripts",
                ", ".join(f"{name} {100 * n / total:.1f} %" for name, n in self._scripts() if n / total > 5e-4),
            ),
        ]
        yield table((), rows, left=True)

    def _scripts(self) -> list[tuple[str, int]]:
        vocabulary = self._documents.corpus.vocabulary
        scripts = Counter[str]()
        for word, count in zip(vocabulary.words, vocabulary.counts.tolist(), strict=True):
            first = next(filter(str.isalpha, word), word[:1])
            name = unicodedata.name(first, "OTHER").split()[0]
            scripts[_SCRIPTS.get(name, name.capitalize())] += count
        return scripts.most_common()

    def _files(self) -> Iterator[str]:
        names = self._documents.names
        if not names:
            unit_name = self._documents.unit
            yield note(f"The text is one file or list: its {unit_name} are the documents of the figures below.")
            return
        folder = commonpath(names)
        distinct = np.diff(self._counts.indptr)
        order = np.argsort(-self._sizes, kind="stable")[:FILES].tolist()
        most = self._sizes.max() or 1.0
        rows = [
            (
                _file(relpath(names[i], folder)),
                _bar(self._sizes[i] / most),
                f"{self._sizes[i]:,.0f}",
                f"{distinct[i]:,}",
            )
            for i in order
        ]
        yield table(("file", "", "words", "different"), rows)
        if len(names) > FILES:
            yield note(f"The longest {FILES} of {len(names):,} files.")

    def _frequent(self) -> Iterator[str]:
        vocabulary = self._documents.corpus.vocabulary
        chosen = self._content_words[:WORDS]
        if not chosen:
            raise CorpusError("the text has no word with letters besides stop words; expected a longer text")
        rows = [vocabulary.ids[word] for word in chosen]
        columns = self._counts[:, rows]
        dispersion, within = deviation_of_proportions(columns.tocsr(), self._sizes), documents_with(columns.tocsr())
        most = vocabulary.counts[rows].max()
        yield table(
            ("word", "", "count", "per million", f"{self._documents.unit}", "DP"),
            [
                (word, _bar(vocabulary.counts[row] / most), f"{vocabulary.counts[row]:,}",
                 f"{1e6 * vocabulary.counts[row] / vocabulary.total:,.0f}", f"{n:,}", _number(dp))
                for word, row, n, dp in zip(chosen, rows, within.tolist(), dispersion.tolist(), strict=True)
            ],
        )  # fmt: skip
        left_out = [word for word in vocabulary.words if word in self._stop_words]
        even = f" and a DP up to {UNEVEN}" if self._documents.names else ""
        stopped = f" Left out: {', '.join(left_out)}." if left_out else ""
        yield note(
            "DP (Gries 2008) says how evenly a word is spread: 0 as all words are, nearly 1 all in one place. Words "
            f"with more than a thousandth of the text{even} are taken for stop words.{stopped}"
        )

    # Two groups.

    def _keywords(self) -> Iterator[str]:
        if not self.groups:
            return
        (a, first), (b, second) = self.groups.items()
        options = {"limit": KEYWORDS, "seed": self.seed, "progress": self.progress, **self.counting}
        yield '<div class="cards">'
        for name, result in (
            (a, keywords(first, second, **options)), (b, keywords(second, first, **options)),
        ):  # fmt: skip
            yield f'<div class="card"><h3>{safe(name)}</h3>'
            yield (
                table(("word", "G2", "ratio", "95 %", "times"), map(_keyword, result))
                if len(result)
                else note("No word is more frequent than in the other.")
            )
            yield "</div>"
        yield "</div>"
        yield note(
            f"Words of {a} that {b} has less often, and the reverse; those about which there is least doubt first (G2, "
            "Dunning 1993). The ratio of their frequencies is in powers of 2: 1 is twice as often, 2 four times; its "
            "interval is the bootstrap's over documents."
        )

    def _change(self) -> Iterator[str]:
        if not self.groups or not self.permutations:
            return
        if self.interrupted:
            yield note("Not made: interrupted.")
            return
        names, sources = (*self.groups,), (*self.groups.values(),)
        result = contrast(
            self.model, *sources, names=(names[0], names[1]), permutations=self.permutations, runs=0, seed=self.seed,
            threads=self.threads, progress=self.progress, **self.text,
        )  # fmt: skip
        shown = result.most_changed(CHANGED)
        yield f"<p>{safe(result.summary())}.</p>"
        yield picture_for_all(contrast_summary(result, shown), "change")
        yield table(
            ("word", "distance", "p", "adjusted p", "nearest words"),
            [
                (facts["word"], *(_number(facts[name]) for name in ("distance", "p", "adjusted")), _sides(facts))
                for facts in map(result.facts, shown)
            ],
            left=True,
        )
        yield note(
            "p is the share of words that move so far between random groups of the same "
            "documents; a word differs beyond doubt if the adjusted p is 0.05 at most."
        )

    # Vectors.

    @cached_property
    def _runs(self) -> Runs:
        if (total := self._documents.corpus.vocabulary.total) < FEWEST:
            raise CorpusError(
                f"the text has {counted(total, 'word')}, and what vectors of so few say is chance; expected {FEWEST:,} "
                "or more, better a hundred thousand"
            )
        defaults = getattr(type(self.model), "corpus_options", None)
        corpus = as_corpus(self.source, self.text, defaults=defaults, threads=self.threads, progress=self.progress)
        resample = DOCUMENTS if len(units_of(corpus)) > 1 else NONE
        return bootstrap(
            self.model, corpus, runs=self.runs, resample=resample, seed=self.seed, threads=self.threads,
            progress=self.progress,
        )  # fmt: skip

    def _map(self) -> Iterator[str]:
        space, runs = self._runs.consensus, self._runs
        words = [word for word in self._content_words if word in space][:CLUSTERED]
        rows = unit(space.get_vector(words).astype(np.float32))
        labels, cosines = clustered(rows, CLUSTERS)
        parts = [np.flatnonzero(labels == cluster) for cluster in range(cosines.shape[1])]
        parts = [part[np.argsort(-cosines[part, i], kind="stable")] for i, part in enumerate(parts)]
        groups = {str(i): [words[row] for row in part.tolist()] for i, part in enumerate(parts)}
        options: dict[str, Any] = {"groups": groups, "title": "", "seed": self.seed}
        large, small = (word_map(space, words[:most], **options) for most in (MAPPED, ON_PHONES))
        yield picture_for_all(_plain(large), "map", _plain(small))
        yield note(
            f"The {len(large.rows)} most frequent words without stop words (on a phone {len(small.rows)}), by the mean "
            f"of {len(runs)} trainings; near words are used alike. {large.caption} Colours are clusters of the "
            f"{len(words):,} most frequent words:"
        )
        yield table(
            ("cluster", "words", "nearest to its middle"),
            [
                (Markup(f'<span style="color:{COLOURS[i % len(COLOURS)]}">⬤</span> {i + 1}'), f"{len(part):,}",
                 ", ".join(words[row] for row in part[:CENTRAL].tolist()))
                for i, part in enumerate(parts) if len(part)
            ],
            left=True,
        )  # fmt: skip

    @cached_property
    def _asked(self) -> Sequence[str]:
        """The words whose neighbours are shown: those given, or frequent ones that are seldom function words."""
        if self.words:
            return self.words
        vocabulary = self._documents.corpus.vocabulary
        words = [word for word in self._content_words if word in self._runs]
        rarer = [word for word in words if vocabulary.counts[vocabulary.ids[word]] <= RARER * vocabulary.total]
        return (rarer or words)[: self.number]

    def _neighbours(self) -> Iterator[str]:
        yield '<div class="cards">'
        for word in self._asked:
            yield f'<div class="card"><h3>{safe(word)}</h3>'
            try:
                yield table(("", "", "cosine", "95 %"), map(_neighbour, self._runs.most_similar(word, NEAR)))
            except FirthError as error:
                yield note(self.wording(str(error)))
            yield "</div>"
        yield "</div>"
        yield note(f"{self._said_of_intervals()} How many of a word's ten nearest two trainings share on average:")
        bands = [
            (f"{band.least:,} or more" if band.most is None else f"{band.least:,} to {band.most:,}", f"{band.words:,}",
             _number(10 * band.overlap, 1))
            for band in self._runs.stability()
        ]  # fmt: skip
        yield table(("occurrences", "words", "shared of ten nearest"), bands)

    def _said_of_intervals(self) -> str:
        facts = self._runs.metadata["training"]
        if facts["resample"] == NONE:
            said = "the text is a single document, so that they show the chance of training alone"
        else:
            units = "sentences" if facts.get("document") == "sentence" else "documents"
            said = f"each on {facts['documents']:,} {units} drawn with replacement"
        return (
            f"Mean cosine and 95 % interval of {len(self._runs)} trainings: {said}. Grey words are among the ten "
            "nearest in less than half of them."
        )

    def _making(self) -> Iterator[str]:
        runs, facts = self._runs, self._runs.metadata["training"]
        options = ", ".join(f"{name}={value}" for name, value in facts["options"].items())
        rows = [
            ("firth", __version__),
            ("model", f"{facts['model']}: {options}"),
            ("words with vectors", f"{len(runs.words):,}, of {facts['min_count']} occurrences or more"),
            ("trainings", f"{len(runs)}, on one thread each"),
            ("seed", str(self.seed)),
        ]
        yield table((), rows, left=True)

    def _repeat(self) -> Iterator[str]:
        try:
            words, resample = self._asked, self._runs.metadata["training"]["resample"]
        except FirthError:
            words, resample = (), DOCUMENTS
        if lines := self.commands(words, resample):
            yield "<h2>Commands that repeat it</h2>"
            yield f"<pre>{safe(chr(10).join(lines))}</pre>"


def _file(name: str) -> Markup:
    return Markup(f'<span class="name">{safe(name)}</span>')


def _sides(facts: Mapping[str, Any]) -> Markup:
    """Return the nearest words in each group."""
    sides = (f"<b>{safe(name)}</b>: {safe(', '.join(near))}" for name, near in facts["neighbours"].items())
    return Markup("<br>".join(sides))


def _plain(picture: Picture) -> Picture:
    return replace(picture, groups=[], caption="")


def _bar(share: float) -> Markup:
    """Return a bar of a share of the greatest value."""
    return Markup(f'<svg class="bar" viewBox="0 0 100 10"><rect width="{100 * share:.1f}" height="10"/></svg>')


def _whisker(value: float, low: float, high: float) -> Markup:
    """Return a cosine with its interval on a line from 0 to 1."""
    low, high = (value, value) if low != low else (low, high)
    start, end, middle = (100 * min(max(number, 0.0), 1.0) for number in (low, high, value))
    return Markup(
        f'<svg class="bar" viewBox="0 0 100 10"><path d="M0 5H100" stroke="#ececec"/>'
        f'<path d="M{start:.1f} 5H{end:.1f}" stroke="{COLOURS[0]}" stroke-width="3"/>'
        f'<circle cx="{middle:.1f}" cy="5" r="4" fill="{COLOURS[0]}"/></svg>'
    )


def _neighbour(near: Neighbour) -> tuple[str, ...]:
    faint = "" if near.share >= ENOUGH else _FAINT
    return (
        Markup(f"<span{faint}>{safe(near.word)}</span>"),
        _whisker(near.similarity, near.low, near.high),
        f"{near.similarity:.2f}",
        _interval(near.low, near.high, 2),
    )


def _number(value: float | None, digits: int = 2) -> str:
    return "" if value is None or value != value else f"{value:.{digits}f}"


def _keyword(word: Keyword) -> tuple[str, ...]:
    return word.word, f"{word.g2:,.0f}", f"{word.log_ratio:.1f}", _interval(word.low, word.high, 1), f"{word.count:,}"


def _interval(low: float, high: float, digits: int) -> str:
    return "" if low != low else f"{low:z.{digits}f} to {high:z.{digits}f}"
