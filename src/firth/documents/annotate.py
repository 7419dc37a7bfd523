"""Annotate texts and files: sentences, tokens, tags, entities, trees and coreference chains.

What: `annotate` for texts in memory; `annotate_files` for files of any length, of which a few pieces are in memory at a
    time: pieces of some thousand tokens go through the models of sentences, in one process or several, and whole
    documents through the model of chains.
Cost: that of the models. A document in memory takes some 500 bytes per token.
"""

import os
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

from firth.arguments import explained
from firth.documents.document import Document
from firth.documents.files import (
    BRAT,
    CONFIDENT,
    DOCBIN,
    JSON,
    JSONL,
    PACKINGS,
    RAW,
    TABLE,
    check_path,
    check_written,
    format_of,
    read_documents,
    stem_of,
)
from firth.documents.pieces import Piece, Work, join, pieces_of
from firth.documents.processes import InProcess, Processes
from firth.documents.stages import Stages, described, listed
from firth.documents.unfinished import UnfinishedFile
from firth.documents.worker import DOCUMENT, SENTENCES
from firth.errors import ArgumentTypeError, CorpusError, OptionError, brief, warn_caller
from firth.progress import Progress, Status, reporting
from firth.registry import plain_name
from firth.signals import stopping
from firth.storage.encodings import BLOCK
from firth.storage.files import check_exists, check_replaceable, lines_of
from firth.storage.skipping import SKIP, check_on_error
from firth.storage.user_files import open_file
from firth.text.abbreviations import abbreviations
from firth.text.inputs import check_items
from firth.text.running_text import check_lines
from firth.text.sentence_ends import sentence_spans

LONGEST = 2_000_000  # characters of a raw text that are one document
STRANGE = 0.1  # share of characters that a treebank never had: more are another script, or another spelling
SENTENCE = 5_000  # characters before and after a place in which a sentence begins
# Where a long text without empty lines is cut that has no sentences there: behind a mark, else at white space.
_CUTS = tuple(map(re.compile, ("[.!?][\"'”’)\\]]*\\s+|[。！？][”’」』）]*\\s*", "\\s+")))
_LINE_END = re.compile("\n")


@dataclass(frozen=True)
class AnnotatedFile:
    """What `annotate_files` wrote.

    Attributes:
        resumed: documents and parts of documents that an interrupted call had finished, in tokens.
    """

    path: Path
    documents: int
    sentences: int
    tokens: int
    entities: int
    chains: int
    resumed: int


@overload
def annotate(  # type: ignore[overload-overlap]  # a text is an iterable of texts, too
    texts: str | Document,
    *,
    tagger: Any = None,
    parser: Any = None,
    coref: Any = None,
    tokeniser: Any = None,
    language: str | None = None,
    lines: str | None = None,
    pipeline: Any = None,
    confidences: bool = False,
) -> Document: ...
@overload
def annotate(
    texts: Iterable[str | Document],
    *,
    tagger: Any = None,
    parser: Any = None,
    coref: Any = None,
    tokeniser: Any = None,
    language: str | None = None,
    lines: str | None = None,
    pipeline: Any = None,
    confidences: bool = False,
) -> list[Document]: ...
@explained
def annotate(
    texts: Any,
    *,
    tagger: Any = None,
    parser: Any = None,
    coref: Any = None,
    tokeniser: Any = None,
    language: str | None = None,
    lines: str | None = None,
    pipeline: Any = None,
    confidences: bool = False,
) -> Any:
    """Return texts as documents with tags, entities, trees and coreference chains.

    Args:
        texts: a raw text, a `firth.Document`, or several of them.
        tagger: a tagger or several, or the folders that they were saved in. The targets upos, xpos, feats and
            lemma become columns of sentences; tags of spans become entities.
        parser: a parser, or its folder.
        coref: a coreference model, or its folder.
        tokeniser: how sentences of raw text become tokens: a trained tokeniser of `firth.LearnedTokeniser`, or a
            function, see `Document.from_text`.
        language: of raw text, such as "de", for its abbreviations and ordinals; see `Document.from_text`.
        lines: what a line of raw text is: "sentence" or "word"; None for running text.
        pipeline: a pipeline of `firth.Pipeline`, or its folder: its tokeniser, tagger and parser.
        confidences: whether entities have confidences, the products of the probabilities of their tags.

    Returns:
        A document, or a list of them.

    Warns:
        UserWarning: the texts have many characters that the treebank of a trained tokeniser never had.

    Raises:
        ArgumentTypeError: a model is of another task, the texts are a table or no texts, or an item is none; or the
            taggers give only some of the tags that the parser reads.
        OptionError: the language is no code, `lines` is something else, or confidences are asked for and no tagger
            marks entities, or its scores are no probabilities.
        FirthError: a model cannot annotate a text.
    """
    if isinstance(texts, str | Document):
        given: dict[str, Any] = {"tokeniser": tokeniser, "language": language, "lines": lines, "pipeline": pipeline}
        return annotate([texts], tagger=tagger, parser=parser, coref=coref, confidences=confidences, **given)[0]
    if pipeline is not None:
        model = _pipeline(pipeline, parser=parser, language=language, tokeniser=tokeniser)
        tokeniser, parser = model.tokeniser, model.parser
        tagger = [*listed(model.tagger), *listed(tagger)]
    stages = Stages.of(tagger, parser, coref, confidences=confidences)
    texts = list(check_items(texts))
    _check_text("\n".join(text for text in texts if isinstance(text, str)), "", tokeniser)
    documents = [document_of(text, tokeniser=tokeniser, language=language, lines=lines) for text in texts]
    here, works = InProcess(stages), deque[Work]()
    pieces = pieces_of((Work(number, document) for number, document in enumerate(documents)), works)
    results = here.map(SENTENCES, pieces, _joined)
    entities = stages.tags_entities
    finished = (work.whole(entities=entities) for work in join(results, works, lambda work, part: None))
    return [document for _, document in here.map(DOCUMENT, finished, lambda document: document)]


def _pipeline(given: Any, **own: Any) -> Any:
    """Return a pipeline, opened where its folder is given.

    Args:
        own: arguments that a pipeline has of its own, by name.
    """
    if odd := [name for name, value in own.items() if value is not None]:
        raise OptionError(f"{odd[0]} with a pipeline, which has its own: leave one of them out")
    named, model = f"pipeline={brief(given)}", given
    if isinstance(given, str | os.PathLike):
        if Path(given).is_file():
            raise ArgumentTypeError(f"{given}: a file; expected the folder of a pipeline, of firth pipeline train")
        from firth.loading import load

        model = load(given)
        named = f"{given}: found {brief(model)}"
    if (kind := plain_name(model)) != "a pipeline":
        advice = f"; give it as {kind[2:]}=" if kind in ("a tagger", "a parser") else ""
        raise ArgumentTypeError(
            f"{named}: expected a pipeline, of firth.Pipeline().train or firth pipeline train{advice}"
        )
    return model


def document_of(text: Any, *, tokeniser: Any = None, name: str = "", **given: Any) -> Document:
    """Return the document of a raw text; a document as it is.

    Args:
        tokeniser: a trained one, or as for `Document.from_text`.
        given: further arguments of `Document.from_text`.
    """
    if isinstance(text, Document):
        return text
    if not isinstance(text, str):
        raise ArgumentTypeError(f"{brief(text)}: expected a text or a firth.Document")
    if hasattr(tokeniser, "document"):  # a trained one
        trained: Document = tokeniser.document(text, name=name, lines=given.get("lines"))
        return trained
    return Document.from_text(text, name=name, tokeniser=tokeniser, **given)


def _check_text(text: str, where: str, tokeniser: Any) -> None:
    """Warn of a raw text with many characters that the treebank of a trained tokeniser never had.

    Args:
        where: begins the message.
    """
    if not hasattr(tokeniser, "unseen"):
        return
    unseen, written = tokeniser.unseen(text), sum(map(len, text.split()))
    if unseen.total() > STRANGE * written:
        examples = ", ".join(repr(character) for character, _ in unseen.most_common(3))
        warn_caller(
            f"{where}{unseen.total() / written:.1%} of the characters ({examples}) are in no token of the pipeline's "
            "treebank; expected text of its language and script"
        )


def _joined(piece: Piece) -> Document:
    return Document(tuple(piece.sentences))


@explained
def annotate_files(
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    tagger: Any = None,
    parser: Any = None,
    coref: Any = None,
    processes: int = 1,
    longest: int = LONGEST,
    language: str | None = None,
    lines: str | None = None,
    on_error: str = SKIP,
    shape: str | None = None,
    pipeline: Any = None,
    confidences: bool = False,
    progress: Progress = None,
) -> AnnotatedFile:
    """Annotate files, and write their documents to one file.

    Ctrl-C, and any other end, leave what is finished beside `output`, in files whose names begin with it and .part. The
    same call goes on after it, also in the middle of a document.

    Args:
        files: raw text, CoNLL-U (.conllu) or JSONL (.jsonl), plain or packed. What documents of CoNLL-U and JSONL have
            stays, where no model finds it anew.
        output: the file to write; its name ends as for `firth.write_documents`.
        tagger: as for `annotate`.
        parser: as for `annotate`.
        coref: as for `annotate`.
        processes: how many work at the same time. Several load the models themselves, each its own, from their folders.
        longest: characters of a raw text that are one document; a longer one becomes several, split at an empty line,
            and no chain goes from one to the next. Where no empty line comes within twice as many, it is split behind a
            sentence.
        language: of raw text, as for `annotate`.
        lines: of raw text, as for `annotate`.
        on_error: "skip" damaged sentences of CoNLL-U and lines of JSONL, or "stop" at the first.
        shape: as in `firth.write_documents`.
        pipeline: as for `annotate`.
        confidences: as for `annotate`; in firth's JSONL, and in the shapes of Prodigy, doccano and Label Studio.

    Returns:
        What was written, in numbers.

    Warns:
        UserWarning: sentences or lines were skipped, or heads form no tree; it gives their number. Or a long raw
            text has no empty lines, or many characters that the pipeline's treebank never had.

    Raises:
        ArgumentTypeError: a model is of another task, or the taggers give only some of the tags that the parser
            reads.
        CorpusError: there are no files.
        MissingFileError: a file is not there.
        FormatError: a file does not hold what its name says; the message gives the line. Or CoNLL-U cannot hold the
            annotation.
        OptionError: the name of the file has another ending, it holds something else, or what is finished is of another
            call, or the language is no code; or `lines` is something else, or comes without raw text.
        OSError: the file cannot be written.
    """
    abbreviations(language)
    check_lines(lines)
    paths = [Path(file) for file in _listed(files)]
    check_path(output, "a name that ends in .conllu or .jsonl")
    target = Path(output)
    if processes < 1 or longest < 1:
        raise OptionError(f"processes={processes}, longest={longest}: expected at least 1")
    check_on_error(on_error)
    format = check_written(target, shape)
    check_target(target, paths)
    if confidences and format not in CONFIDENT:
        raise OptionError(
            f"confidences=True: {target} has no place for them; expected a file named .jsonl, or the shape prodigy, "
            "doccano or label-studio-predictions"
        )
    if lines is not None and not any(format_of(path) == RAW for path in paths):
        raise OptionError(f"lines={lines!r}: of raw text, and {paths[0]} is none; expected a file of raw text")
    tokeniser, models = None, {"tagger": tagger, "parser": parser, "coref": coref}
    facts = [[os.path.realpath(path), path.stat().st_size, path.stat().st_mtime_ns] for path in paths]
    identity = {"files": facts, "models": described(models), "longest": longest}
    described_pipeline = None if pipeline is None else described({"pipeline": pipeline})
    given = {
        "language": language, "shape": shape, "lines": lines, "pipeline": described_pipeline,
        "confidences": confidences or None,
    }  # fmt: skip
    identity |= {name: value for name, value in given.items() if value is not None}
    unfinished = UnfinishedFile(target, format, identity)
    folders = dict(models)
    if pipeline is not None:
        model = _pipeline(pipeline, parser=parser, language=language)
        tokeniser, models["parser"] = model.tokeniser, model.parser
        models["tagger"] = [*listed(model.tagger), *listed(tagger)]
        if processes > 1 and isinstance(pipeline, str | os.PathLike):
            own, folders["parser"] = model.folders(pipeline)
            folders["tagger"] = [*listed(own), *listed(tagger)]
        else:
            folders = models
    stages = Stages.of(**models, confidences=confidences)
    if any(format_of(path) == RAW for path in paths):
        stages.check_raw_text()
    runner = InProcess(stages) if processes == 1 else Processes(folders, processes, confidences=confidences)
    try:
        with unfinished.writing(), reporting(progress) as report, stopping() as request:
            resumed = unfinished.counts.tokens + sum(len(part) for parts in unfinished.parts.values() for part in parts)
            run = _Run(unfinished, runner, stages, report, lambda: request.stop, _raw_size(paths))
            reading = {"tokeniser": tokeniser, "language": language, "lines": lines}
            run.all(_works(paths, longest, on_error, reading, run))
    finally:
        runner.close()
    return AnnotatedFile(target, **vars(unfinished.counts), resumed=resumed)


def _listed(files: Any) -> Sequence[str | os.PathLike[str]]:
    if isinstance(files, str | os.PathLike):
        return [files]
    listed = list(files) if isinstance(files, Iterable) else [files]
    for file in listed:
        check_path(file, "the path of a file of raw text, CoNLL-U or JSONL; firth.annotate takes texts and documents")
    return listed


def check_target(target: Path, paths: Sequence[Path]) -> None:
    """Check that documents of files can be written to a path without replacing something else."""
    if not paths:
        raise CorpusError("no files to annotate; expected at least one")
    for path in paths:
        check_exists(path, "a file of raw text, CoNLL-U or JSONL")
        if path.is_dir() and not any(path.rglob(f"*{BRAT}")):
            raise OptionError(f"{path} is a folder; expected files, such as {path}/*.txt")
        if target.exists() and path.samefile(target):
            raise OptionError(f"{target} is a file to read; expected another name to write to")
    check_written(target)
    if target.is_dir():
        raise OptionError(f"{target} is a folder; expected the name of a file to write")
    check_replaceable(target, _is_ours, "files of documents")


def _is_ours(path: Path) -> bool:
    with open_file(path) as file:
        start = file.read(1)
    starts = {JSONL: (b"{", b"["), JSON: (b"[",), TABLE: (b"w",), BRAT: (b"T", b"#", b""), DOCBIN: (b"\x78",)}
    return start in starts.get(path.suffix, (b"#", b"1"))


@dataclass
class _Run:
    """Documents on their way through the stages into a file.

    Attributes:
        left: bytes of raw text to annotate, about; 0 where they are not known.
    """

    unfinished: UnfinishedFile
    runner: InProcess | Processes
    stages: Stages
    report: Any
    stopped: Any
    left: float
    tokens: int = 0
    size: float = 0

    def all(self, works: Iterator[Work]) -> None:
        """Annotate and write all documents."""
        import time

        began, queue = time.monotonic(), deque[Work]()
        entities = self.stages.tags_entities

        def shown() -> Iterator[tuple[Piece, Document]]:
            for piece, document in self.runner.map(SENTENCES, pieces_of(works, queue), _joined):
                self.tokens += len(document)
                self.size += piece.size
                self.report(self._status(time.monotonic() - began))
                yield piece, document
                self._check()

        finished = join(shown(), queue, lambda work, part: self.unfinished.add_part(work.number, part))
        whole = (work.whole(entities=entities) for work in finished)
        for _, document in self.runner.map(DOCUMENT, whole, lambda document: document):
            self.unfinished.add(document)
            self._check()

    def _status(self, seconds: float) -> Status:
        """Return the progress; how many tokens there are in all is estimated from the size of the text."""
        total = round(self.tokens * max(1, self.left / self.size)) if self.left > 0 and self.size else None
        figures = {"documents": self.unfinished.counts.documents}
        return Status(
            stage="annotating", done=self.tokens, total=total, unit="tokens", seconds=seconds, figures=figures
        )

    def _check(self) -> None:
        if self.stopped():
            raise KeyboardInterrupt


def _works(paths: Sequence[Path], longest: int, on_error: str, reading: Mapping[str, Any], run: _Run) -> Iterator[Work]:
    """Yield the documents that are not finished, with their parts that are.

    Args:
        reading: of raw text, for `document_of`.
        run: whose finished documents and parts are left out.
    """
    number, done = 0, run.unfinished.counts.documents
    for path in paths:
        for position, content in enumerate(_contents(path, longest, on_error, reading["lines"], reading["language"])):
            size = len(content.encode(errors="replace")) if isinstance(content, str) else 0
            if number >= done:
                name = stem_of(path) + (f"-{position + 1}" if position else "")
                if isinstance(content, str):
                    if not position:
                        _check_text(content, f"{path}: ", reading["tokeniser"])
                    content = document_of(content, name=name, **reading)
                document = content if content.name else replace(content, name=name)
                work = Work(number, document, run.unfinished.parts.pop(number, []), size)
                run.left -= size * work.sentences_finished / max(1, len(document.sentences))
                yield work
            else:
                run.left -= size
            number += 1


def _raw_size(paths: Sequence[Path]) -> int:
    """Return the bytes of raw texts; 0 where files hold something else, too, or are packed."""
    raw = all(format_of(path) == RAW and path.suffix not in PACKINGS for path in paths)
    return sum(path.stat().st_size for path in paths) if raw else 0


def _contents(
    path: Path, longest: int, on_error: str, lines_are: str | None, language: str | None
) -> Iterator[str | Document]:
    """Yield the documents of a file; raw text as it is, in parts of `longest` characters or a little more.

    Where no empty line comes within another `longest` characters, a part ends behind a sentence, by the rules for
    sentences, or at white space; where lines are sentences or words, at the end of one.
    """
    if format_of(path) != RAW:
        yield from read_documents(path, on_error=on_error)
        return
    lines, length, count = list[str](), 0, 0
    for line in lines_of(path, ends=True, longest=max(longest, BLOCK)):
        lines.append(line)
        length += len(line)
        if length > longest and not line.strip() and any(map(str.strip, lines)):
            yield "".join(lines)
            lines, length, count = [], 0, count + 1
        while length > 2 * longest:  # a line, or a part of one, may be much longer
            text = "".join(lines)
            end = _line_end(text, longest) if lines_are is not None else _sentence_end(text, longest, language)
            if not count:
                warn_caller(f"{path}: no empty line in {length:,} characters; it is cut behind sentences, see longest=")
            yield text[:end]
            lines, length, count = [text[end:]], length - end, count + 1
    if not count or any(map(str.strip, lines)):
        yield "".join(lines)


def _line_end(text: str, longest: int) -> int:
    """Return where a text whose lines are sentences or words is cut."""
    match = _LINE_END.search(text, longest)
    return match.end() if match else _mark_end(text, longest)


def _sentence_end(text: str, longest: int, language: str | None) -> int:
    """Return where running text is cut: before the first sentence after `longest` characters, not behind "Mr."."""
    start = max(0, longest - SENTENCE)
    spans = sentence_spans(text[start : longest + SENTENCE], language)
    return next((start + first for first, _ in spans if start + first > longest), 0) or _mark_end(text, longest)


def _mark_end(text: str, longest: int) -> int:
    """Return where a text without sentences is cut: behind the first mark, else white space, after `longest`."""
    for pattern in _CUTS:
        if match := pattern.search(text, longest):
            return match.end()
    return longest
