"""`firth antonyms`."""

from pathlib import Path
from typing import Annotated, Any

from firth import relations
from firth.cli.arguments import AsJson, Cache, Quiet, Seed, SomeWords, Vectors, WordFile, names
from firth.cli.output import note, print_json, working
from firth.cli.queries import Count
from firth.cli.texts import corpus_of
from firth.cli.vectors import open_vectors, read_words, refuse_unknown
from firth.errors import OptionError
from firth.relations.ranking import Candidate

_PATTERNS = 3  # shown per candidate


def antonyms(
    vectors: Vectors,
    words: SomeWords = None,
    corpus: Annotated[
        list[str] | None,
        names(
            "Text or corpus folder in which to count patterns such as 'either X or Y'. May be repeated.",
            "CORPUS",
            "--corpus",
        ),
    ] = None,
    pairs: Annotated[
        list[Path] | None,
        names(
            "File of pairs to learn from: two words and 1 (antonyms) or 0 (synonyms) per line. May be repeated.",
            "FILE",
            "--pairs",
        ),
    ] = None,
    pattern_file: Annotated[
        str | None, names("File with one pattern per line. Default: patterns of English.", "FILE", "--patterns")
    ] = None,
    word_file: WordFile = None,
    number: Count = 10,
    seed: Seed = 0,
    cache: Cache = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Show the most likely antonyms of words, best first.

    Antonyms and synonyms occur in the same contexts, so vectors alone cannot tell them apart. Patterns of contrast,
    counted in --corpus, can; so can a classifier trained on --pairs. Both together work best.
    """
    if pattern_file is not None and not corpus:
        raise OptionError("--patterns without --corpus: give the text to count them in")
    if not corpus and not pairs:
        raise OptionError(
            "vectors do not distinguish antonyms from synonyms: give --corpus TEXT, --pairs FILE, or both"
        )
    queries = list(dict.fromkeys([*(words or []), *(read_words(word_file) if word_file else [])]))
    if not queries:
        raise OptionError("no words: name some, or give --words FILE")
    labelled = relations.read_labelled_pairs(*pairs).checked() if pairs else None
    space = open_vectors(vectors, quiet)
    counts = _counts(corpus, pattern_file, cache, quiet)
    classifier = None
    if labelled is not None:
        with working("training the classifier of pairs", quiet):
            classifier = relations.train_classifier(relations.PairFeatures(space, counts), labelled, seed=seed)
    covered = [word for word in queries if word in space]
    with working("ranking candidates", quiet):
        answers: Any = relations.antonyms(space, covered, patterns=counts, classifier=classifier, topn=number)
    for word, candidates in zip(covered, answers, strict=True):
        _show(word, candidates, headed=len(queries) > 1, json=json)
    refuse_unknown(queries, space)


def _counts(
    corpus: list[str] | None, pattern_file: str | None, cache: Path | None, quiet: bool
) -> relations.PatternCounts | None:
    if not corpus:
        return None
    patterns = read_words(pattern_file) if pattern_file is not None else relations.PATTERNS
    text = corpus_of(corpus, {"cache": cache}, progress=not quiet)
    return relations.count_patterns(text, patterns, progress=not quiet)


def _show(word: str, candidates: list[Candidate], *, headed: bool, json: bool) -> None:
    if json:
        print_json({"query": word, "antonyms": [vars(candidate) for candidate in candidates]})
        return
    if headed:
        print(word)
    if not candidates:
        note(f"{word}: no pattern joins it with another word of the vectors; give more text, or --pairs")
    width = max((len(candidate.word) for candidate in candidates), default=0)
    indent = "  " if headed else ""
    for c in candidates:
        odds = "" if c.log_odds is None else f"  log-odds {c.log_odds:+.2f}"
        patterns = ", ".join(f"{pattern} {count}" for pattern, count in [*c.patterns.items()][:_PATTERNS])
        print(f"{indent}{c.word:<{width}}  {c.score:+.3f}  cosine {c.cosine:+.3f}{odds}  {patterns}".rstrip())
