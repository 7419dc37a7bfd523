"""`firth search`, `firth duplicates` and `firth clusters`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from firth.cli.arguments import AsJson, Quiet, Seed, Sources, names, number
from firth.cli.encoders import ENCODING, Model, open_encoder
from firth.cli.flags import with_flags
from firth.cli.output import note, print_json, working
from firth.cli.texts import READ_TABLES, source_of
from firth.errors import FormatError
from firth.sentences.clusters import cluster_texts
from firth.sentences.duplicates import near_duplicates
from firth.sentences.search import TextIndex
from firth.sentences.text_blocks import read_texts
from firth.vectors.index.options import OPTIONS
from firth.vectors.io.npy import mapped

Corpus = Annotated[str, names("Text: a file with one text per line, a table, a folder or a glob.", "CORPUS")]
Encoded = Annotated[
    Path | None,
    typer.Option(help="Vectors of the texts from firth encode, as .npy.", metavar="FILE", show_default=False),
]
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
            found = [{"line": match.row + 1, "score": match.score, "text": match.text} for match in matches]
            print_json({"query": query, "matches": found})
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
    vectors: Encoded = None,
    index: Kind = "exact",
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Show the pairs of lines that say nearly the same: cosine, both lines and both texts, the nearest first."""
    encoder, texts = open_encoder(model, quiet, options), _texts(corpus, options, quiet)
    with working("comparing texts", quiet):
        pairs = near_duplicates(
            encoder, texts, threshold, vectors=_rows(vectors), kind=index, **_reading(options, quiet)
        )
    for pair in pairs:
        lines, both = (pair.first + 1, pair.second + 1), (texts[pair.first], texts[pair.second])
        if json:
            print_json({"score": pair.score, "lines": lines, "texts": both})
        else:
            print(f"{pair.score:.4f}\t{lines[0]}\t{lines[1]}\t{both[0]}\t{both[1]}")
    note(f"{len(pairs):,} pairs among {len(texts):,} texts")


def _clusters(
    model: Model,
    corpus: Sources,
    clusters: Annotated[int, typer.Option("--clusters", "-k", help="Number of clusters.")] = 10,
    number: Annotated[int, number("Texts to show per cluster, those nearest to its centre.")] = 5,
    vectors: Encoded = None,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Group lines by meaning, the largest group first. --json also prints the lines of each cluster."""
    encoder, texts = open_encoder(model, quiet, options), _texts(corpus, options, quiet)
    with working("clustering texts", quiet):
        found = cluster_texts(encoder, texts, clusters, vectors=_rows(vectors), seed=seed, **_reading(options, quiet))
    for cluster in range(len(found)):
        rows = found.rows(cluster)
        central = [texts[row] for row in rows[:number].tolist()]
        if json:
            facts = {"cluster": cluster + 1, "texts": len(rows), "cohesion": found.cohesion(cluster)}
            print_json({**facts, "central": central, "lines": (rows + 1).tolist()})
            continue
        print(f"{cluster + 1}: {len(rows):,} texts, mean cosine {found.cohesion(cluster):.2f}")
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
