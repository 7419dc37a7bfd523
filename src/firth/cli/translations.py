"""`firth translate-words`: words of one language to those of another, by an alignment."""

from typing import Annotated

import typer

from firth.alignment.alignment import METRICS, load_alignment
from firth.cli.output import AsJson, complain, print_json, print_scores, scored
from firth.errors import OptionError

Folder = Annotated[
    str, typer.Argument(help="A folder of firth align.", show_default=False, metavar="DIR")
]  # fmt: skip


def translate_words(
    alignment: Folder,
    words: Annotated[list[str], typer.Argument(help="Words to translate.", show_default=False, metavar="WORD")],
    number: Annotated[int, typer.Option("--number", "-n", "-k", help="How many translations to show.")] = 5,
    metric: Annotated[
        str, typer.Option(help="How to rank: csls takes the advantage from words near to many.", metavar="csls|cosine")
    ] = "csls",
    back: Annotated[bool, typer.Option("--back", help="From the target's language to the source's.")] = False,
    json: AsJson = False,
) -> None:
    """Show the words of the other side that are nearest to each word."""
    if number < 1:
        raise OptionError(f"-n {number}: expected a whole number of at least 1")
    if metric not in METRICS:
        raise OptionError(f"metric={metric!r}: expected {' or '.join(METRICS)}")
    found = load_alignment(alignment)
    side = found.target if back else found.source
    known = [word for word in words if word in side]
    answers = found.translate(known, number, "csls" if metric == "csls" else "cosine", back=back)
    for word, answer in zip(known, answers, strict=True):
        if json:
            print_json({"query": word, "metric": metric, "translations": scored(answer)})
            continue
        if len(words) > 1:
            print(word)
        print_scores(answer, indent="  " if len(words) > 1 else "")
    unknown = [word for word in words if word not in side]
    if unknown:
        for word in unknown[:-1]:
            complain(str(side.lexicon.unknown(word)))
        raise side.lexicon.unknown(unknown[-1])
