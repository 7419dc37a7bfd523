"""`firth semantic-change`: words of one language whose company changed between two texts."""

from typing import Annotated, Any

import typer

from firth.alignment.change import MEASURES, Change, Moved
from firth.cli.flags import Flags, with_flags
from firth.cli.output import AsJson, complain, print_json
from firth.errors import OptionError
from firth.vectors.io import load_words

Old = Annotated[
    str, typer.Argument(help="Vectors of the older text.", show_default=False, metavar="OLD")
]  # fmt: skip
New = Annotated[
    str, typer.Argument(help="Vectors of the newer text, of the same width.", show_default=False, metavar="NEW")
]  # fmt: skip
OPTIONS = Flags(Change, "Comparison")
NEAR = 5  # nearest words shown of each time


def _semantic_change(
    old: Old,
    new: New,
    words: Annotated[
        list[str] | None,
        typer.Argument(help="Words to show; by default those that moved farthest.", show_default=False, metavar="WORD"),
    ] = None,
    number: Annotated[int, typer.Option("--number", "-n", help="How many words to show.")] = 10,
    by: Annotated[
        str,
        typer.Option(help="Order: by a word's own distance, or by its neighbours.", metavar="|".join(MEASURES)),
    ] = "distance",
    json: AsJson = False,
    **options: Any,
) -> None:
    """Show which words moved between two times of one language, with their nearest words then and now.

    Both spaces are brought into one by the words that both have. Distances are 0 for a word that stayed; rare words
    move by chance alone, which --least leaves out.
    """
    if number < 1:
        raise OptionError(f"-n {number}: expected a whole number of at least 1")
    if by not in MEASURES:
        raise OptionError(f"by={by!r}: expected {' or '.join(MEASURES)}")
    how = Change(**OPTIONS.select(options))
    found = how.measure(load_words(old), load_words(new))
    shown = [word for word in words if word in found.new] if words else found.most(number, by)
    for word in shown:
        _print_word(found, word, json)
    unknown = [word for word in words or [] if word not in found.new]
    if unknown:
        for word in unknown[:-1]:
            complain(str(found.new.lexicon.unknown(word)))
        raise found.new.lexicon.unknown(unknown[-1])


semantic_change = with_flags(_semantic_change, [OPTIONS])


def _print_word(found: Moved, word: str, json: bool) -> None:
    facts = found.facts(word, NEAR)
    if json:
        print_json(facts)
        return
    figures = f"distance {facts['distance']:.3f}  neighbourhood {facts['neighbourhood']:.3f}"
    print(f"{word}  {figures}  {100 * facts['kept']:.0f} % of neighbours kept")
    print(f"  then  {' '.join(facts['old'])}")
    print(f"  now   {' '.join(facts['new'])}")
