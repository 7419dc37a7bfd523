"""`firth neighbours`, `similarity`, `analogy`: questions to vectors."""

from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.output import AsJson, complain, note, print_json, print_scores, scored
from firth.errors import OptionError
from firth.vectors.csls import NEIGHBOURS
from firth.vectors.index.files import load_index
from firth.vectors.index.index import Answer, Index
from firth.vectors.index.options import OPTIONS
from firth.vectors.io import load_vectors

Vectors = Annotated[
    str,
    typer.Argument(
        help="Vectors: a folder of firth's, or a file of word2vec, GloVe, fastText or floret.",
        show_default=False,
        metavar="VECTORS",
    ),
]
A = Annotated[str, typer.Argument(help="A word.", show_default=False, metavar="A")]
B = Annotated[str, typer.Argument(help="Another word.", show_default=False, metavar="B")]
C = Annotated[str, typer.Argument(help="A third word.", show_default=False, metavar="C")]
Count = Annotated[int, typer.Option("--number", "-n", help="How many words to show.")]


def neighbours(
    vectors: Vectors,
    words: Annotated[list[str], typer.Argument(help="Words to ask for.", show_default=False, metavar="WORD")],
    number: Count = 10,
    index: Annotated[
        str | None,
        typer.Option(
            help="How to search: exactly, or by an index made now or by firth index.",
            show_default=False,
            metavar="exact|lsh|hnsw|FILE",
        ),
    ] = None,
    csls: Annotated[
        bool, typer.Option("--csls", help="Rank by CSLS: cosine without the advantage of words near to many.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Show the words nearest to each word, by cosine."""
    _check_number(number)
    space = load_vectors(vectors, documents=True)
    known = [word for word in words if word in space]
    for word, answers in zip(known, _neighbours(space, known, number, index, csls), strict=True):
        if json:
            print_json({"query": word, "neighbours": scored(answers)})
        else:
            if len(words) > 1:
                print(word)
            print_scores(answers, indent="  " if len(words) > 1 else "")
    if known and number > len(space) - 1:
        note(f"{number:,} neighbours asked for; there are {len(space) - 1:,} other words")
    unknown = [word for word in words if word not in space]
    if unknown:
        # The answers that exist are out by now: one misspelt word does not cost the others theirs.
        for word in unknown[:-1]:
            complain(str(space.lexicon.unknown(word)))
        raise space.lexicon.unknown(unknown[-1])


def _neighbours(space: Any, words: list[str], number: int, index: str | None, csls: bool) -> list[Answer]:
    if csls and index not in (None, "exact"):
        raise OptionError(f"--csls with --index {index}: expected exact; firth index --kind exact --csls keeps it")
    if not words:
        return []
    if index is None and not csls:
        answers: list[Answer] = space.similar_by_word(words, topn=number)
        return answers
    made = _index(space, index or "exact", csls)
    return made.query(words, number).answers


def _index(space: Any, index: str, csls: bool) -> Index:
    if index in OPTIONS:
        made: Index = space.index(index, **({"csls": NEIGHBOURS} if csls else {}))
        return made
    if not Path(index).exists():
        raise OptionError(f"--index {index}: neither {', '.join(OPTIONS)} nor a file; firth index makes one")
    return load_index(index, space)


def similarity(vectors: Vectors, a: A, b: B, json: AsJson = False) -> None:
    """Show the cosine of two words: 1 for the same direction, 0 for nothing in common."""
    cosine = float(load_vectors(vectors, documents=True).similarity(a, b))
    if json:
        print_json({"a": a, "b": b, "similarity": cosine})
    else:
        print(f"{cosine:.4f}")


def analogy(
    vectors: Vectors,
    a: A,
    b: B,
    c: C,
    number: Count = 10,
    method: Annotated[str, typer.Option(help="How to combine: 3CosAdd or 3CosMul.", metavar="add|mul")] = "add",
    json: AsJson = False,
) -> None:
    """Complete the analogy: A is to B as C is to which word?"""
    _check_number(number)
    if method not in ("add", "mul"):
        raise OptionError(f"method={method!r}: expected add or mul")
    answers = load_vectors(vectors, documents=True).analogy(
        a, b, c, n=number, method="add" if method == "add" else "mul"
    )
    if json:
        print_json({"a": a, "b": b, "c": c, "method": method, "answers": scored(answers)})
    else:
        print_scores(answers)


def _check_number(number: int) -> None:
    if number < 1:
        raise OptionError(f"-n {number}: expected a whole number of at least 1")
