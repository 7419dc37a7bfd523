"""`firth encode`, `firth search`, `firth duplicates` and `firth clusters`: texts by their vectors."""

import dataclasses
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from firth.cli.arguments import TEXT, AsJson, Column, Quiet, Seed, Sources, flag, names, number, output
from firth.cli.flags import Flags, with_flags
from firth.cli.output import note, print_json, scored, show, working
from firth.cli.targets import check_file_target
from firth.cli.texts import READ_TABLES, source_of
from firth.corpus.table_options import TableOptions
from firth.errors import FormatError, OptionError, counted
from firth.loading import load
from firth.options import check_whole
from firth.registry import plain_name
from firth.runs.runs import Runs
from firth.sentences.averages import SentenceAverages
from firth.sentences.clusters import cluster_texts
from firth.sentences.duplicates import duplicate_groups, near_duplicates
from firth.sentences.encoded_texts import TextEncoder, as_encoder
from firth.sentences.file_encoding import check_target, encode_file, finished_rows
from firth.sentences.search import TextIndex
from firth.sentences.text_blocks import read_texts
from firth.storage.files import replacing_file
from firth.vectors.index.options import OPTIONS
from firth.vectors.io import sentence_transformers
from firth.vectors.io.npy import mapped

Model = Annotated[
    Path,
    names(
        "Encoder: word vectors or runs, document vectors, a sentence encoder, a classifier or a neural language model.",
        "MODEL",
    ),
]


@dataclass(frozen=True)
class EncodingOptions(TableOptions):
    """How texts are read and encoded."""

    column: Column = None
    tokens: Annotated[
        str | None,
        flag(
            "With word vectors: how texts are split into words. Default: as saved with the vectors, else unicode.",
            "unicode|whitespace|text8",
            panel=TEXT,
        ),
    ] = None
    pooling: Annotated[
        str | None,
        flag(
            "With a language model, or a contextual encoder (mean, cls): pooling of hidden states. Default: mean.",
            "mean|last|max|attention|cls",
        ),
    ] = None
    max_length: Annotated[int | None, flag("With a language model: tokens that are read of a text. Default: 512.")] = (
        None
    )
    batch_size: Annotated[int | None, flag("Texts that are read at once.")] = None


ENCODING = Flags(EncodingOptions, TEXT)


def open_encoder(path: Path, quiet: bool, options: dict[str, Any]) -> TextEncoder:
    """Return the encoder at a path, with the flags of `ENCODING` that concern it."""
    with working(f"reading {path}", quiet):
        is_static = sentence_transformers.is_folder(path)
        model = SentenceAverages.load(path) if is_static else load(path)
    if isinstance(model, Runs):
        note(f"{path} holds {len(model)} runs: texts have means of their consensus, without intervals")
        model = model.consensus
    encoder = as_encoder(model)
    tokens = options.get("tokens")
    pooling = {name: options[name] for name in ("pooling", "max_length") if options.get(name) is not None}
    if tokens is not None:
        if not isinstance(encoder, SentenceAverages):
            raise OptionError(f"--tokens {tokens}: {path} holds {plain_name(encoder)}, which splits texts its own way")
        encoder = dataclasses.replace(encoder, tokens=tokens)
    if pooling:
        encoder = _with_pooling(path, encoder, pooling)
    return encoder


def _with_pooling(path: Path, encoder: TextEncoder, pooling: dict[str, Any]) -> TextEncoder:
    from firth.language.model import LanguageModel

    if not isinstance(encoder, LanguageModel) and plain_name(encoder) != "a contextual encoder":
        name, value = next(iter(pooling.items()))
        flag = name.replace("_", "-")
        raise OptionError(
            f"--{flag} {value}: {path} holds {plain_name(encoder)}; expected a neural language model or a contextual "
            "encoder"
        )
    from firth.neural.hidden_states import HiddenStates

    return HiddenStates(cast(Any, encoder), **pooling)


_BREAK = re.compile(r"\r?\n|\r")
Corpus = Annotated[str, names("Text: a file with one text per line, a table, a folder or a glob.", "CORPUS")]
Encoded = Annotated[Path | None, flag("Vectors of the texts from firth encode, as .npy.", "FILE")]
Kind = Annotated[str, typer.Option("--index", help="Search method.", metavar="|".join(OPTIONS))]


def _search(
    model: Model,
    corpus: Corpus,
    queries: Annotated[list[str], names("Texts to search for.", "QUERY")],
    number: Annotated[int, number("Texts per query.")] = 10,
    vectors: Encoded = None,
    index: Kind = "exact",
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Search the lines of a text for those nearest in meaning to a query: cosine, line and text, the nearest first."""
    encoder, texts = open_encoder(model, quiet, options), _texts([corpus], options, quiet)
    text_index = TextIndex(encoder, texts, vectors=_rows(vectors), kind=index, **_reading(options, quiet))
    with working("searching", quiet):
        answers = text_index.search(list(queries), number)
    for query, matches in zip(queries, answers, strict=True):
        if json:
            facts = [{"line": match.row + 1, "score": match.score, "text": match.text} for match in matches]
            print_json({"query": query, "matches": facts})
            continue
        if len(queries) > 1:
            print(query)
        if not matches:
            note(f"{query!r}: nothing found, since none of its words is known")
        for match in matches:
            print(f"{match.score:.4f}\t{match.row + 1}\t{match.text}")


def _duplicates(
    model: Model,
    corpus: Sources,
    threshold: Annotated[float, typer.Option(help="Smallest cosine of a pair.")] = 0.95,
    output: Annotated[
        Path | None, output("File for the texts without duplicates, one per line: the first of each group.", "FILE")
    ] = None,
    vectors: Encoded = None,
    index: Kind = "exact",
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Show the pairs of lines that say nearly the same: cosine, both lines, group and both texts, the nearest first.

    Pairs that share a line are in one group, and so on. -o FILE keeps the first line of each group, and all lines that
    are in none.
    """
    if output is not None:
        check_file_target(output, lambda path: None, corpus, overwrite=True)
    encoder, texts = open_encoder(model, quiet, options), _texts(corpus, options, quiet)
    with working("comparing texts", quiet):
        pairs = near_duplicates(
            encoder, texts, threshold, vectors=_rows(vectors), kind=index, **_reading(options, quiet)
        )
    groups = duplicate_groups(pairs)
    if output is not None:  # before the pairs, of which `| head` may read the first only
        _write_without(texts, {row for rows in groups for row in rows[1:]}, output)
    group_of = {row: number for number, rows in enumerate(groups, 1) for row in rows}
    for pair in pairs:
        lines, both = (pair.first + 1, pair.second + 1), (texts[pair.first], texts[pair.second])
        group = group_of[pair.first]
        show(
            json,
            {"score": pair.score, "lines": lines, "group": group, "texts": both},
            f"{pair.score:.4f}\t{lines[0]}\t{lines[1]}\t{group}\t{both[0]}\t{both[1]}",
        )
    note(f"{counted(len(pairs), 'pair')} among {len(texts):,} texts, in {counted(len(groups), 'group')}")


def _write_without(texts: Sequence[str], left_out: Collection[int], path: Path) -> None:
    """Write texts but for some of them, one per line, and say how many."""
    kept = [text for row, text in enumerate(texts) if row not in left_out]
    lines = [_BREAK.sub(" ", text) for text in kept]
    joined = sum(line != text for line, text in zip(lines, kept, strict=True))
    with replacing_file(path) as file:
        file.writelines(f"{line}\n".encode("utf-8", "backslashreplace") for line in lines)
    note(f"{path}: {len(kept):,} of {len(texts):,} texts; {counted(len(left_out), 'duplicate')} left out")
    if joined:
        note(f"{path}: {counted(joined, 'text')} had line breaks, which are spaces there")


def _clusters(
    model: Model,
    corpus: Sources,
    clusters: Annotated[int, typer.Option("--clusters", "-k", help="Number of clusters.")] = 10,
    number: Annotated[int, number("Texts to show per cluster, those nearest to its centre.")] = 5,
    keywords: Annotated[int, typer.Option(help="Keywords to show per cluster.")] = 8,
    vectors: Encoded = None,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Group lines by meaning, the largest group first, with its keywords and the texts nearest to its centre.

    Keywords are the words that set a group apart from the others, by class-based TF-IDF. --json also prints their
    weights and the lines of each cluster.
    """
    check_whole("keywords", keywords)
    encoder, texts = open_encoder(model, quiet, options), _texts(corpus, options, quiet)
    with working("clustering texts", quiet):
        groups = cluster_texts(encoder, texts, clusters, vectors=_rows(vectors), seed=seed, **_reading(options, quiet))
    for cluster in range(len(groups)):
        rows, words, cohesion = groups.rows(cluster), groups.keywords(cluster, keywords), groups.cohesion(cluster)
        central = groups.examples(cluster, number)
        if json:
            facts = {"cluster": cluster + 1, "texts": len(rows), "cohesion": cohesion, "keywords": scored(words)}
            print_json({**facts, "central": central, "lines": (rows + 1).tolist()})
            continue
        print(f"{cluster + 1}: {counted(len(rows), 'text')}, mean cosine {cohesion:.2f}: {', '.join(dict(words))}")
        for text in central:
            print(f"  {text}")


def _texts(sources: Sequence[str], options: dict[str, Any], quiet: bool) -> list[str]:
    return read_texts(
        source_of(sources), column=options.get("column"), progress=not quiet, **READ_TABLES.select(options)
    )


def _reading(options: dict[str, Any], quiet: bool) -> dict[str, Any]:
    return {"batch_size": options.get("batch_size"), "progress": not quiet}


def _rows(path: Path | None) -> Any:
    """Return the mapped vectors of a file."""
    if path is None:
        return None
    if path.suffix != ".npy":
        raise FormatError(f"{path}: expected a .npy file from firth encode")
    return cast(Any, mapped(path))


search = with_flags(_search, [ENCODING])
duplicates = with_flags(_duplicates, [ENCODING])
clusters = with_flags(_clusters, [ENCODING])


def _encode(
    model: Model,
    texts: Sources,
    output: Annotated[Path | None, output("File to write: .npy, .jsonl or .parquet.", "OUT")] = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Write the vectors of texts, one per line, to a file: .npy, or .jsonl or .parquet with the texts.

    After Ctrl-C the finished rows stay in OUT.part, and the same command continues with them.
    """
    if output is None:
        raise OptionError("no file to write to: give -o OUT, a name that ends in .npy, .jsonl or .parquet")
    check_file_target(output, check_target, texts, overwrite=True)
    encoder = open_encoder(model, quiet, options)
    if rows := finished_rows(output):
        note(f"{output}: continuing after {rows:,} texts")
    reading: dict[str, Any] = {name: options[name] for name in ("column", "batch_size") if name in options}
    reading |= READ_TABLES.select(options)
    try:
        result = encode_file(encoder, source_of(texts), output, progress=not quiet, **reading)
    except KeyboardInterrupt:
        if rows := finished_rows(output):
            note(f"{output}: {rows:,} texts are finished; the same command continues after them")
        raise
    if json:
        facts = {"texts": result.count, "dim": result.dim, "resumed": result.resumed, "problems": result.problems}
        print_json({"vectors": str(output), **facts})
    else:
        note(f"{output}: {result.count:,} texts x {result.dim}")


encode = with_flags(_encode, [ENCODING])
