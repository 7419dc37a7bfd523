"""`firth semantic-change`."""

from typing import Annotated, Any

import typer

from firth.alignment.semantic_change import MEASURES, SemanticChange, SemanticChanges
from firth.cli.arguments import AsJson, Quiet, names, number
from firth.cli.flags import Flags, with_flags
from firth.cli.output import print_json, working
from firth.cli.vectors import refuse_unknown
from firth.errors import OptionError
from firth.loading import load_words

Old = Annotated[str, names("Vectors of the older text.", "OLD")]
New = Annotated[str, names("Vectors of the newer text, with the same dimension.", "NEW")]
OPTIONS = Flags(SemanticChange, "Comparison")
NEIGHBOURS = 5  # per word and time


def compare_times(old: str, new: str, **options: Any) -> SemanticChanges:
    """Return how the words changed between two times; see `firth.SemanticChange`."""
    return SemanticChange(**options).measure(load_words(old), load_words(new))


def _semantic_change(
    old: Old,
    new: New,
    words: Annotated[list[str] | None, names("Words to show. Default: those that changed most.", "WORD")] = None,
    number: Annotated[int, number("How many words to show.")] = 10,
    order: Annotated[
        str,
        typer.Option(
            "--by", help="Order: by the word's own distance, or by that of its neighbours.", metavar="|".join(MEASURES)
        ),
    ] = "distance",
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Show which words changed their meaning between two times, with their neighbours then and now.

    The two spaces are aligned by the words that they share. The distance of a word that did not change is 0. Rare words
    move by chance; --min-count leaves them out.
    """
    if order not in MEASURES:
        raise OptionError(f"by={order!r}: expected {' or '.join(MEASURES)}")
    settings = OPTIONS.select(options)
    with working("comparing the two times", quiet):
        change = compare_times(old, new, **settings)
    for word in [word for word in words if word in change.new] if words else change.most_changed(number, order):
        _print_word(change, word, json)
    refuse_unknown(words or [], change.new)


semantic_change = with_flags(_semantic_change, [OPTIONS])


def _print_word(change: SemanticChanges, word: str, json: bool) -> None:
    facts = change.facts(word, NEIGHBOURS)
    if json:
        print_json(facts)
        return
    figures = f"distance {facts['distance']:.3f}  neighbourhood {facts['neighbourhood']:.3f}"
    print(f"{word}  {figures}  {100 * facts['kept']:.0f} % of neighbours kept")
    print(f"  then  {' '.join(facts['old'])}")
    print(f"  now   {' '.join(facts['new'])}")
