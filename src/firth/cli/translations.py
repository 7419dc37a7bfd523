"""`firth translate-words`."""

from typing import Annotated, Literal, cast

import typer

from firth.alignment.alignment import METRICS, load_alignment
from firth.cli.arguments import AsJson, Quiet, Words, names, number
from firth.cli.output import print_json, print_scores, scored, working
from firth.cli.vectors import refuse_unknown
from firth.errors import OptionError

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
    if metric not in METRICS:
        raise OptionError(f"metric={metric!r}: expected {' or '.join(METRICS)}")
    with working(f"reading {alignment}", quiet):
        spaces = load_alignment(alignment)
    side = spaces.target if back else spaces.source
    known = [word for word in words if word in side]
    with working("translating", quiet):
        answers = spaces.translate(known, number, cast(Literal["csls", "cosine"], metric), back=back)
    for word, answer in zip(known, answers, strict=True):
        if json:
            print_json({"query": word, "metric": metric, "translations": scored(answer)})
            continue
        if len(words) > 1:
            print(word)
        print_scores(answer, indent="  " if len(words) > 1 else "")
    refuse_unknown(words, side)
