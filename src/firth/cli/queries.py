"""`firth neighbours`, `firth similarity`, `firth analogy` and `firth translate-words`."""

from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer

from firth.cli.arguments import AsJson, Quiet, Vectors, Words, flag, names, number
from firth.cli.output import note, print_json, print_scores, scored, show, working
from firth.cli.runs import print_neighbours, print_similarity
from firth.cli.vectors import keys_of_shown, open_vectors, refuse_unknown, shown_words
from firth.errors import OptionError
from firth.loading import load_index
from firth.registry import plain_name
from firth.vectors.csls import NEIGHBOURS
from firth.vectors.index.index import Answer, Index
from firth.vectors.index.options import OPTIONS

A = Annotated[str, names("A word.", "A")]
B = Annotated[str, names("Another word.", "B")]
C = Annotated[str, names("A third word.", "C")]
Count = Annotated[int, number("How many words to show.")]


def neighbours(
    vectors: Vectors,
    words: Words,
    number: Count = 10,
    index: Annotated[
        str | None,
        flag("Search method: exact, lsh, hnsw, or the file of an index from firth index. Default: exact.", "NAME|FILE"),
    ] = None,
    csls: Annotated[
        bool, typer.Option("--csls", help="Rank by CSLS, which corrects for hubs: words that are near to many.")
    ] = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Show the nearest neighbours of words by cosine similarity; of runs, with intervals."""
    space = open_vectors(vectors, quiet, documents=True, runs=True)
    show = shown_words(space)
    words = keys_of_shown(space, words)
    covered = [word for word in words if word in space]
    if plain_name(space) == "runs":
        print_neighbours(space, covered, number, show, {"--index": index, "--csls": csls}, json)
        refuse_unknown(words, space)
        return
    with working("searching neighbours", quiet):
        answers = _neighbours(space, covered, number, index, csls)
    for word, answer in zip(covered, answers, strict=True):
        if json:
            print_json({"query": word, "neighbours": scored(answer)})
        else:
            if len(words) > 1:
                print(show(word))
            print_scores([(show(near), score) for near, score in answer], indent="  " if len(words) > 1 else "")
    if covered and number > len(space) - 1:
        note(f"{number:,} neighbours requested; there are {len(space) - 1:,} other words")
    refuse_unknown(words, space)


def _neighbours(space: Any, words: list[str], number: int, index: str | None, csls: bool) -> list[Answer]:
    if csls and index not in (None, "exact"):
        raise OptionError(f"--csls with --index {index}: expected exact; firth index --kind exact --csls keeps it")
    if not words:
        return []
    if index is None and not csls:
        answers: list[Answer] = space.similar_by_word(words, topn=number)
        return answers
    return _index(space, index or "exact", csls).query(words, number).answers


def _index(space: Any, index: str, csls: bool) -> Index:
    if index in OPTIONS:
        new_index: Index = space.index(index, **({"csls": NEIGHBOURS} if csls else {}))
        return new_index
    if not Path(index).exists():
        raise OptionError(f"--index {index}: expected {', '.join(OPTIONS)} or a file; firth index makes one")
    return load_index(index, space)


def similarity(vectors: Vectors, a: A, b: B, quiet: Quiet = False, json: AsJson = False) -> None:
    """Show the cosine similarity of two words: 1 for the same direction, 0 for nothing in common.

    Of runs, the mean with its interval.
    """
    space = open_vectors(vectors, quiet, documents=True, runs=True)
    keys = keys_of_shown(space, [a, b])
    if plain_name(space) == "runs":
        print_similarity(space, a, b, keys, json)
        return
    cosine = float(space.similarity(*keys))
    show(json, {"a": a, "b": b, "similarity": cosine}, f"{cosine:.4f}")


def analogy(
    vectors: Vectors,
    a: A,
    b: B,
    c: C,
    number: Count = 10,
    method: Annotated[str, typer.Option(help="3CosAdd (add) or 3CosMul (mul).", metavar="add|mul")] = "add",
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Complete an analogy: A is to B as C is to which word?"""
    if method not in ("add", "mul"):
        raise OptionError(f"method={method!r}: expected add or mul")
    space = open_vectors(vectors, quiet, documents=True)
    keys = keys_of_shown(space, [a, b, c])
    answers = space.analogy(*keys, n=number, method=cast(Literal["add", "mul"], method))
    if json:
        print_json({"a": a, "b": b, "c": c, "method": method, "answers": scored(answers)})
    else:
        show = shown_words(space)
        print_scores([(show(word), score) for word, score in answers])


Folder = Annotated[str, names("Folder of an alignment, from firth align.", "DIR")]


def translate_words(
    alignment: Folder,
    words: Words,
    number: Annotated[int, number("How many translations to show.")] = 5,
    metric: Annotated[
        str, typer.Option(help="Rank by cosine, or by csls, which corrects for hubs.", metavar="csls|cosine")
    ] = "csls",
    back: Annotated[bool, typer.Option("--back", help="Translate from the target language to the source.")] = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Translate words: show the nearest words of the other language."""
    from firth.alignment.alignment import METRICS, load_alignment

    if metric not in METRICS:
        raise OptionError(f"metric={metric!r}: expected {' or '.join(METRICS)}")
    with working(f"reading {alignment}", quiet):
        spaces = load_alignment(alignment)
    side = spaces.target if back else spaces.source
    covered = [word for word in words if word in side]
    with working("translating", quiet):
        answers = spaces.translate(covered, number, cast(Literal["csls", "cosine"], metric), back=back)
    for word, answer in zip(covered, answers, strict=True):
        if json:
            print_json({"query": word, "metric": metric, "translations": scored(answer)})
            continue
        if len(words) > 1:
            print(word)
        print_scores(answer, indent="  " if len(words) > 1 else "")
    refuse_unknown(words, side)
