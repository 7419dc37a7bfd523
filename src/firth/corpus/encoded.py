"""A corpus on disk: memory-mapped word ids of all sentences, and the vocabulary."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from firth.arguments import explained, made_by, names_files
from firth.corpus import storage
from firth.corpus.cache import build_in, holds
from firth.corpus.counting import count, holds_token_lists
from firth.corpus.encode import place_of, write_encoded
from firth.corpus.first_looks import look_for_markup, look_for_undivided_words
from firth.corpus.learned_tokens import with_tokens
from firth.corpus.occurrences import Concordance
from firth.corpus.options import GIVEN, BuildArguments, CorpusOptions, is_learned
from firth.corpus.parts import Parts, RemoteParts
from firth.corpus.reading_progress import ReadingProgress
from firth.corpus.scanner import Scanner
from firth.corpus.size_defaults import log_choice
from firth.corpus.source_text import text_of_corpus
from firth.corpus.sources import Files, Items, Source, resolve
from firth.corpus.table_options import TableOptions
from firth.corpus.vocabulary_selection import no_words
from firth.corpus.word_query import word_query
from firth.errors import CorpusError, FormatError, MissingExtraError, brief, warn_caller
from firth.kernels.threads import usable_threads
from firth.notebook import facts
from firth.progress import Progress, Report, Status, compiling, reporting
from firth.storage.encodings import text_encoding
from firth.storage.files import cache_folder
from firth.storage.snapshots import snapshot
from firth.text.tokenise import is_compiled
from firth.vocabulary import Vocabulary
from firth.workers import lent

FREQUENT = 10  # words that a notebook shows


@made_by("firth.Corpus.build({}) for a text, or firth.Corpus.open({}) for the folder of a built corpus")
@dataclass(frozen=True, eq=False)
class Corpus:
    """An encoded text, made by `Corpus.build` or `Corpus.open`.

    Iterating over a corpus yields its sentences as lists of words, as often as needed. Words outside the vocabulary are
    left out; so are sentences without known words, unless the corpus was built with `keep_empty=True`.

    Attributes:
        path: folder of the corpus.
        vocabulary: the words and their counts.
        ids: (N,) int32, memory-mapped: the word ids of all sentences.
        offsets: (S + 1,) int64, memory-mapped: sentence s is ids[offsets[s]:offsets[s + 1]].
        options: the options it was built with.
        fingerprint: hexadecimal; equal for corpora with the same sentences, words and options.
        characters: number of code points of the text, without line feeds; None if the text came as tokens.
        documents: (M + 1,) int64, memory-mapped: document m is the sentences documents[m]:documents[m + 1]. A document
            is a file of several, a text or list of tokens of several, or a row of a table. None for a single file,
            whose documents are not known, and for a corpus that an older version of firth has built.
        origin: the name of the source and, of files, where they are and how they were read.
    """

    path: Path
    vocabulary: Vocabulary
    ids: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]
    options: CorpusOptions
    fingerprint: str
    characters: int | None = None
    documents: npt.NDArray[np.int64] | None = None
    origin: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    @explained
    def build(
        cls,
        source: Any,
        *,
        cache: str | os.PathLike[str] | None = None,
        column: str | int | None = None,
        encoding: str | None = None,
        threads: int | None = None,
        progress: Progress = None,
        **options: Unpack[BuildArguments],
    ) -> "Corpus":
        """Read text, split it into sentences and tokens, and store them as ids in a folder.

        A corpus built from files is reused while the paths, sizes, modification times and options stay the same (and no
        option is a closure, a method or another object whose behaviour cannot be identified). Otherwise it is rebuilt
        in the same place, and so is a damaged one, with a warning. Any other source, a generator or a list, is read
        exactly once; corpora with the same content are stored once.

        Memory: a few megabytes and the distinct words, independent of the length of the text. Several files of text are
        read at once, each thread with a table of the distinct words of its own; the corpus is the same, bit for bit.

        Args:
            source: a path, a glob, a folder (all files with a known suffix, sorted by path), "-" (standard input), or a
                list of these; a table (a data frame or series of pandas, polars, pyarrow and others, an Arrow stream, a
                mapping of columns); or an iterable of texts, of token lists, or of rows of a table (a Hugging Face data
                set). Files: plain text, JSON lines, CSV and TSV, each also as .gz .bz2 .xz .zst; Parquet, Arrow;
                the words of CoNLL-U (.conllu) and of other annotation with a word a line (.conll, .iob, .iob2, .bio).
                Strings in a list are paths if they look like files (a known suffix, or a separator); path objects
                always are.
            cache: folder of built corpora; FIRTH_CACHE or the user's cache folder if None.
            column: the column with texts or lists of tokens of a table; by default the only column, "text", or the only
                column with text. A missing value is an empty text. Of a CSV or TSV file also its number, from 1. Of
                CoNLL-U "form" or "lemma"; of other columns with a word a line, the number of the one with words.
            encoding: of files and of standard input, such as "cp1252"; by default that of a byte order mark, or UTF-8,
                or the one that fits; see `firth.text_encoding`.
            threads: files that are read at once; by default one per processor.
            **options: the fields of `CorpusOptions` and `TableOptions`.

        Returns:
            The corpus.

        Raises:
            CorpusError: the source does not exist, is not text, leaves no words, or the folder cannot be written.
            OptionError: an option is unknown or out of its range, or `threads` is below 1.
            MissingExtraError: the format needs a package that is not installed.

        Warns:
            UserWarning: a file changed while it was read; the next call builds it anew. A file is not UTF-8: its
                encoding was assumed, or bytes were replaced. Rows of a table were skipped, or its separator, quoting or
                header are not the usual ones. Markup or undivided words would become strange words.
        """
        with text_encoding(encoding):
            return cls._build(source, cache, column, threads, progress, options)

    @classmethod
    def _build(
        cls,
        source: Any,
        cache: str | os.PathLike[str] | None,
        column: str | int | None,
        threads: int | None,
        progress: Progress,
        options: Mapping[str, Any],
    ) -> "Corpus":
        at_once = usable_threads(threads)
        table_options, given = TableOptions.among(options)
        checked = CorpusOptions(**given).checked()
        resolved = resolve(source, column, table_options, markup=checked.markup)
        if ("tokens" not in options or is_learned(checked.tokens)) and holds_token_lists(resolved):
            checked = replace(checked, tokens=GIVEN)
        folder = cache_folder("corpora") if cache is None else Path(cache).expanduser()
        identity = _identity(resolved, checked)
        target_folder = None
        if isinstance(resolved, Files):
            target_folder = folder / f"{resolved.name}-{_place_digest(resolved, checked)}"
        if target_folder is not None and identity is not None and _holds(target_folder, identity, tell=True):
            corpus = cls.open(target_folder)
            if isinstance(resolved, Files) and "asked" not in corpus.origin:  # an earlier version built it
                corpus = replace(corpus, origin={**corpus.origin, **resolved.described()})
            if checked.min_count is None and not is_learned(checked.tokens):
                log_choice({"min_count": corpus.options.min_count}, corpus.vocabulary.total)
            return corpus

        def fill(aside: Path) -> Path:
            before = resolved.states() if isinstance(resolved, Files) else []
            with reporting(progress) as report, with_tokens(resolved, checked, report) as (text, mode):
                facts = _fill(aside, text, mode, identity, report, at_once)
            if isinstance(resolved, Files) and (path := resolved.changed(before)):
                warn_caller(
                    f"{path} changed while it was read: the corpus may hold a part of what it was and a part of what "
                    "it is; build it again when nothing writes there"
                )
            return target_folder or folder / f"{resolved.name}-{place_of(facts)}"

        def is_there(target: Path) -> bool:
            return _holds(target, identity) if target_folder else holds(target, cls.open, tell=True)

        return cls.open(build_in(folder, fill, is_there))

    @classmethod
    @names_files
    def open(cls, path: str | os.PathLike[str]) -> "Corpus":
        """Open a built corpus.

        The first time the whole folder is read and verified, later only whether it has changed; see
        `firth.storage.integrity`.

        Args:
            path: folder of the corpus.

        Raises:
            CorpusError: the folder is not a corpus.
            FormatError: the corpus is damaged; the message names the file.
        """
        return snapshot(Path(path), cls._read)

    @classmethod
    def _read(cls, folder: Path) -> "Corpus":
        facts = storage.open_manifest(folder)
        try:
            options = CorpusOptions(**{**facts["options"], "stop_words": tuple(facts["options"]["stop_words"])})
            total, fingerprint = int(facts["total"]), str(facts["fingerprint"])
            characters = None if facts.get("characters") is None else int(facts["characters"])
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise FormatError(f"{folder / storage.MANIFEST}: damaged ({error}); {storage.AGAIN}") from error
        vocabulary = storage.read_vocabulary(folder, int(facts["words"]), total, storage.AGAIN)
        ids, offsets = storage.read_ids(folder), storage.read_offsets(folder)
        documents = storage.read_documents(folder)
        source = facts.get("source")
        origin = source if isinstance(source, dict) else {}
        return cls(folder, vocabulary, ids, offsets, options, fingerprint, characters, documents, origin)

    @property
    def num_tokens(self) -> int:
        """Number of tokens inside the vocabulary."""
        return len(self.ids)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[list[str]]:
        words = self.vocabulary.words
        for start, end in zip(self.offsets[:-1], self.offsets[1:], strict=True):
            yield [words[i] for i in self.ids[start:end].tolist()]

    def concordance(self, query: str, *, window: int = 8, sort: str = "file", limit: int | None = None) -> Concordance:
        """Return every occurrence of a word, a phrase or a pattern with its context; see `firth.concordance`.

        The files that the corpus was built from are read, so that spelling and punctuation are those of the text. Where
        they are not known, words are shown as the corpus keeps them.

        Args:
            query: a word in any of its forms, a phrase, or a pattern with `*`, `?` and `|`.
            window: words on either side.
            sort: "file", the order of the text; "left" or "right": by the words on that side, the nearest first.
            limit: occurrences at most, the first in this order; None for all.

        Returns:
            An iterable of `firth.corpus.Occurrence` in bounded memory, unless it is sorted.

        Raises:
            CorpusError: a file is not there any more, or the query holds no word.
            OptionError: an option is out of its range.

        Warns:
            UserWarning: the files are not known or not what they were; or the text does not hold a word as often as
                the vocabulary has counted it, and why.
        """
        searched = text_of_corpus(self.origin, self.options, self.vocabulary, self)
        return Concordance(word_query(query, searched.rule), searched, window, sort, limit)

    def to_dataset(self) -> Any:
        """Return the sentences as a Hugging Face `datasets.Dataset` with one column, `tokens`: lists of words.

        Raises:
            MissingExtraError: datasets is not installed.
        """
        try:
            import datasets
        except ImportError as error:
            raise MissingExtraError("datasets", "datasets", "make a Dataset") from error
        features = datasets.Features({"tokens": datasets.Sequence(datasets.Value("string"))})
        return datasets.Dataset.from_generator(_rows, features=features, gen_kwargs={"corpus": self})

    def __reduce__(self) -> tuple[Any, tuple[Path, str]]:
        return _reopened, (self.path, self.fingerprint)

    def __repr__(self) -> str:
        return f"Corpus({self._summary()}; {str(self.path)!r})"

    def _repr_html_(self) -> str:
        words = self.vocabulary
        frequent = zip(words.words[:FREQUENT], words.counts[:FREQUENT].tolist(), strict=True)
        defaults, own = CorpusOptions().described(), self.options.described()
        rows = [
            ("tokens", f"{self.num_tokens:,}"),
            ("sentences", f"{len(self):,}"),
            ("words", f"{len(words):,}"),
            ("outside the vocabulary", f"{100 * words.oov_share:.1f} % of the text"),
            ("most frequent", ", ".join(f"{word} {count:,}" for word, count in frequent)),
            ("options", ", ".join(f"{k}={brief(v)}" for k, v in own.items() if v != defaults.get(k))),
            ("folder", str(self.path)),
        ]
        return facts("Corpus", [row for row in rows if row[1]])

    def _summary(self) -> str:
        return (
            f"{self.num_tokens:,} tokens in {len(self):,} sentences, {len(self.vocabulary):,} words, "
            f"{100 * self.vocabulary.oov_share:.1f} % of the text outside the vocabulary"
        )


def _reopened(path: Path, fingerprint: str) -> Corpus:
    """Open the corpus that was pickled, and no other that is in its place now."""
    corpus = Corpus.open(path)
    if corpus.fingerprint != fingerprint:
        raise CorpusError(
            f"{path}: a corpus with the fingerprint {corpus.fingerprint}; expected {fingerprint}, which was pickled "
            "when it was there: build that again, or pickle the one that is there"
        )
    return corpus


def _rows(corpus: Corpus) -> Iterator[dict[str, list[str]]]:
    return ({"tokens": tokens} for tokens in corpus)


def _place_digest(source: Files, options: CorpusOptions) -> str:
    # Without sizes and times: a corpus built from a former state of the files is replaced.
    reading = [*([] if source.encoding is None else [source.encoding]), *(["markup"] if source.markup else [])]
    key = repr((source.asked, source.column, options.described(), *reading))
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _identity(source: Source, options: CorpusOptions) -> str | None:
    files = source.identity() if isinstance(source, Files) else None
    rules = options.identity()
    if files is None or rules is None:
        return None
    marked = " documents" if isinstance(source, Files) and source.is_divided else ""  # older corpora lack their borders
    return hashlib.blake2b(f"{storage.VERSION}{marked} {files} {rules}".encode("utf-8", "surrogatepass")).hexdigest()[
        :32
    ]


def _holds(target_folder: Path, identity: str | None, *, tell: bool = False) -> bool:
    """Whether a folder holds a complete corpus of the same source; with `tell`, warn of a damaged one."""

    def open_same(folder: Path) -> None:
        origin = storage.read_manifest(folder).get("source")
        if identity is None or not isinstance(origin, dict) or origin.get("identity") != identity:
            raise CorpusError(f"{folder}: built from something else")
        Corpus.open(folder)

    return holds(target_folder, open_same, tell=tell)


def _fill(
    folder: Path, source: Source, options: CorpusOptions, identity: str | None, report: Report, threads: int
) -> dict[str, Any]:
    """Write all files of a corpus into an empty folder; return the manifest."""
    spill = storage.Spill(folder)
    try:
        meter = ReadingProgress(report, source.size() if isinstance(source, Files) else None)
        compiling(lambda: _compile(source, options), report)
        workers = lent()
        parts = Parts(folder, threads) if workers is None else RemoteParts(folder, workers)
        source = look_for_markup(source, options)
        words, counts = count(source, options, spill.write, meter, parts)
        look_for_undivided_words(words, counts, options)
        if not counts.any() and isinstance(source, Files) and len(source.asked) == 1:
            raise CorpusError(no_words(source.asked[0], options))
        report(Status(stage="numbering words"))
        origin = {"name": source.name, "identity": identity}
        if isinstance(source, Files):
            origin |= source.described()
        facts = write_encoded(folder, spill, words, counts, options, origin, meter.characters or None)
    finally:
        spill.close()
    sentences = facts["sentences"]
    if isinstance(source, Items) and not (source.tokenised or options.keep_empty) and 1 < sentences == facts["tokens"]:
        word = max(zip(counts.tolist(), words, strict=True))[1]
        raise CorpusError(
            f"each of the {sentences:,} texts has a single word of the vocabulary, such as {word!r}; expected "
            "sentences or longer texts; the tokens of a sentence go into a list of their own: [['the', 'cat'], ...]"
        )
    return facts


def _compile(source: Source, options: CorpusOptions) -> None:
    storage.compile_kernels()
    if not (isinstance(source, Items) and source.tokenised) and is_compiled(options.tokens):
        Scanner(str(options.tokens), lambda numbers: None).end()
