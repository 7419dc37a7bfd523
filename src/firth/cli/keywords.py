"""`firth keywords` and `firth collocations`: words in order of a score, with their figures."""

import csv as csv_format
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Quiet, Seed, names
from firth.cli.concordance import READ_COLUMN, WORDS_OF_TEXT, check_order
from firth.cli.flags import with_flags
from firth.cli.output import note, print_json, printable
from firth.cli.texts import READ_TABLES, is_built_corpus, source_of
from firth.corpus.encoded import Corpus
from firth.counts import collocations as collocation_module
from firth.counts import keywords as keyword_module
from firth.counts.collocations import collocations as find_collocations
from firth.counts.keywords import keywords as find_keywords
from firth.counts.ranked_words import RankedWords
from firth.errors import CorpusError, OptionError, counted

_TEXT = "Text: a file, folder or glob; or a corpus folder."
Limit = Annotated[int, typer.Option("--limit", "-n", help="How many words to show.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV.")]


def _keywords(
    text: Annotated[str, names(_TEXT, "TEXT")],
    against: Annotated[str, names("Text to compare with; as TEXT.", "REFERENCE", "--against")],
    limit: Limit = 20,
    min_count: Annotated[int, typer.Option(help="Minimum count in both texts together.")] = 5,
    sort: Annotated[
        str,
        typer.Option(
            help="Order: by G2, how sure the difference is, or by the log ratio, how large it is.",
            metavar="|".join(keyword_module.SORTS),
        ),
    ] = "g2",
    negative: Annotated[bool, typer.Option("--negative", help="Show the words that TEXT has less often.")] = False,
    resamples: Annotated[
        int, typer.Option(help="Bootstrap resamples of the documents, for the intervals; 0 for none.")
    ] = keyword_module.RESAMPLES,
    seed: Seed = 0,
    csv: Csv = False,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Show the words that a text has more often than another.

    The ratio is that of the relative frequencies in powers of 2: 1 is twice as often, 2 four times. Low and high are
    the ends of its 95 % interval over the documents of both texts: their files, or the paragraphs of a single file. DP
    says how evenly a word is spread over those of TEXT: 0 as all words are, nearly 1 all in one place.
    """
    result = find_keywords(
        _source(text), _source(against), limit=limit, min_count=min_count, sort=sort, negative=negative,
        resamples=resamples, seed=seed, progress=not quiet, **_options(options),
    )  # fmt: skip
    if not result.rows:
        raise CorpusError(
            f"{text}: no word of {min_count} occurrences in both texts is {'rarer' if negative else 'more frequent'} "
            f"than in {against}; expected another text, or a smaller --min-count"
        )
    _print(result, csv, json)
    if not quiet:
        sizes = " and ".join(_size(result.facts[side]) for side in ("text", "against"))
        note(f"{len(result):,} of {counted(result.facts['of'], 'word')}; {sizes}")


def _collocations(
    text: Annotated[str, names(_TEXT, "CORPUS")],
    word: Annotated[str, names("Word whose neighbours to count.", "WORD")],
    window: Annotated[int, typer.Option(help="Words on either side.")] = 5,
    limit: Limit = 20,
    min_count: Annotated[int, typer.Option(help="Minimum count near the word.")] = 5,
    sort: Annotated[
        str,
        typer.Option(
            help="Order: log-Dice; PMI, which favours rare words; or t, which favours frequent ones.",
            metavar="|".join(collocation_module.SORTS),
        ),
    ] = "log_dice",
    csv: Csv = False,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Show the words that stand near a word more often than elsewhere.

    "Near" is how often a word stands in a window of WORD, "expected" how often it would by chance, "in all" how often
    it occurs. DP says how evenly what is near is spread over the documents (files, or the paragraphs of a single file):
    0 as all words are, nearly 1 all in one place. Windows end with documents; with --sentences punctuation they end
    with sentences.
    """
    check_order(text, word)
    result = find_collocations(
        _source(text), word, window=window, limit=limit, min_count=min_count, sort=sort, progress=not quiet,
        **_options(options),
    )  # fmt: skip
    facts = result.facts
    if not result.rows:
        raise CorpusError(
            f"{text}: no word stands {counted(min_count, 'time')} near {word!r}, which occurs "
            f"{counted(facts['occurrences'], 'time')}; expected more text, a larger --window or a smaller --min-count"
        )
    _print(result, csv, json)
    if not quiet:
        note(
            f"{len(result):,} of {counted(facts['of'], 'word')} near {facts['word']}, which occurs "
            f"{counted(facts['occurrences'], 'time')}; {_size(facts)}"
        )


def _source(text: str) -> Any:
    if text == "-":
        raise OptionError("- (standard input): expected a file or folder, which can be read by documents")
    return Corpus.open(text) if is_built_corpus([text]) else source_of([text])


def _options(options: dict[str, Any]) -> dict[str, Any]:
    return {**WORDS_OF_TEXT.select(options), **READ_TABLES.select(options), **READ_COLUMN.select(options)}


def _size(facts: Mapping[str, Any]) -> str:
    return f"{counted(facts['tokens'], 'word')} in {counted(facts['documents'], facts['unit'].removesuffix('s'))}"


def _print(result: RankedWords[Any], csv: bool, json: bool) -> None:
    if csv and json:
        raise OptionError("--csv and --json: expected one of both")
    rows = result.to_dicts()
    if csv:
        writer = csv_format.DictWriter(sys.stdout, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    elif json:
        for row in rows:
            print_json({name: None if value != value else value for name, value in row.items()})
    else:
        for line in str(result).splitlines():
            print(printable(line))


keywords = with_flags(_keywords, [WORDS_OF_TEXT, READ_COLUMN])
collocations = with_flags(_collocations, [WORDS_OF_TEXT, READ_COLUMN])
