"""`firth antonyms`: the opposites of words, with what speaks for each."""

from pathlib import Path
from typing import Annotated, Any

import typer

from firth import relations
from firth.cli.output import AsJson, Quiet, complain, note, print_json
from firth.cli.queries import Count, Vectors
from firth.cli.texts import Cache, corpus_of
from firth.cli.word_lists import read_words
from firth.errors import OptionError
from firth.relations.ranking import Candidate
from firth.vectors.io import load_vectors

_SHOWN = 3  # patterns of a candidate


def antonyms(
    vectors: Vectors,
    words: Annotated[
        list[str] | None, typer.Argument(help="Words to find the antonyms of.", show_default=False, metavar="WORD")
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            help="Text, or a corpus folder, in which patterns such as 'either X or Y' are counted. May be repeated.",
            show_default=False,
            metavar="CORPUS",
        ),
    ] = None,
    pairs: Annotated[
        list[Path] | None,
        typer.Option(
            help="File of labelled pairs to learn from: two words and 1 (antonyms) or 0 (synonyms). May be repeated.",
            show_default=False,
            metavar="FILE",
        ),
    ] = None,
    pattern_file: Annotated[
        str | None,
        typer.Option(
            "--patterns", help="File of patterns, one a line, in the place of the English ones.", metavar="FILE"
        ),
    ] = None,
    word_file: Annotated[
        str | None, typer.Option("--words", help="File of words, one a line; - for standard input.", metavar="FILE")
    ] = None,
    number: Count = 10,
    seed: Annotated[int, typer.Option(help="Of the words on which the classifier's penalty is chosen.")] = 0,
    cache: Cache = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Show the likeliest antonyms of words, best first.

    Antonyms stand where synonyms stand, so that vectors alone cannot tell them apart: patterns that opposites fill,
    counted in --corpus, can, and so can a classifier that learns from --pairs; best together.
    """
    if number < 1:
        raise OptionError(f"-n {number}: expected a whole number of at least 1")
    if pattern_file is not None and not corpus:
        raise OptionError("--patterns without --corpus: nowhere to count them")
    if not corpus and not pairs:
        raise OptionError("nothing to tell antonyms from synonyms by: give --corpus TEXT, --pairs FILE, or both")
    given = list(dict.fromkeys([*(words or []), *(read_words(word_file) if word_file else [])]))
    if not given:
        raise OptionError("no words: name some, or give --words FILE")
    labelled = relations.read_labelled_pairs(*pairs).checked() if pairs else None
    space = load_vectors(vectors)
    known = [word for word in given if word in space]
    counts = _counts(corpus, pattern_file, cache, quiet)
    classifier = None
    if labelled is not None:
        classifier = relations.train_classifier(relations.PairFeatures(space, counts), labelled, seed=seed)
    found: Any = relations.antonyms(space, known, patterns=counts, classifier=classifier, topn=number)
    for word, candidates in zip(known, found, strict=True):
        _show(word, candidates, headed=len(given) > 1, json=json)
    unknown = [word for word in given if word not in space]
    if unknown:
        for word in unknown[:-1]:
            complain(str(space.lexicon.unknown(word)))
        raise space.lexicon.unknown(unknown[-1])


def _counts(
    corpus: list[str] | None, pattern_file: str | None, cache: Path | None, quiet: bool
) -> relations.PatternCounts | None:
    if not corpus:
        return None
    patterns = read_words(pattern_file) if pattern_file is not None else relations.PATTERNS
    text = corpus_of(corpus, {}, stop_words=None, column=None, cache=cache, progress=not quiet)
    return relations.count_patterns(text, patterns, progress=not quiet)


def _show(word: str, candidates: list[Candidate], *, headed: bool, json: bool) -> None:
    if json:
        print_json({"query": word, "antonyms": [vars(one) for one in candidates]})
        return
    if headed:
        print(word)
    if not candidates:
        note(f"{word}: no pattern holds it beside another word with a vector; give more text, or --pairs")
    width = max((len(one.word) for one in candidates), default=0)
    for one in candidates:
        odds = "" if one.log_odds is None else f"  log-odds {one.log_odds:+.2f}"
        seen = ", ".join(f"{pattern} {times}" for pattern, times in [*one.patterns.items()][:_SHOWN])
        indent = "  " if headed else ""
        print(f"{indent}{one.word:<{width}}  {one.score:+.3f}  cosine {one.cosine:+.3f}{odds}  {seen}".rstrip())
