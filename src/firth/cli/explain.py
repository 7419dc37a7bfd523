"""`firth explain`."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from firth.cli.arguments import AsJson, Quiet, flag, names
from firth.cli.output import print_json, print_table, working
from firth.errors import OptionError
from firth.explanation.explain import check_method, explainable_text, explanation_of
from firth.explanation.explanation import ExplainableText, Explanation, html_page
from firth.explanation.methods import METHODS
from firth.loading import load
from firth.plots.saving import PAGE, check_target
from firth.storage.files import replacing_file

ALL = "all"
FAINTEST = 0.05  # opacity below which a word is not coloured


def explain(
    model: Annotated[Path, names("A classifier or a neural language model.", "MODEL")],
    text: Annotated[str, names("The text; for a language model the beginning, whose next word is explained.", "TEXT")],
    target: Annotated[str | None, flag("Label, or next word, to explain. Default: the most probable one.")] = None,
    method: Annotated[
        str, typer.Option(help="Attribution method, or all to compare them.", metavar="|".join([*METHODS, ALL]))
    ] = "integrated-gradients",
    norm: Annotated[int, typer.Option(help="Norm of the method jacobian: 1 or 2.")] = 2,
    output: Annotated[
        Path | None,
        names(
            "File for the explanation: .html for coloured text, .png, .svg or .pdf for bars.", "FILE", "-o", "--output"
        ),
    ] = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Show which words of a text a model's answer comes from.

    On a terminal the words are coloured: green for the answer, red against it.
    """
    if output is not None:
        check_target(output)
    if method != ALL:
        check_method(method, norm)
    with working("explaining", quiet):
        source = explainable_text(load(model), text, target)
        explanations = (
            _all_methods(source, text, norm) if method == ALL else [explanation_of(source, text, method, norm)]
        )
    if output is not None:
        _write(explanations, output)
    if json:
        for explanation in explanations:
            print_json(explanation.described())
    elif method == ALL:
        _print_all(explanations)
    elif sys.stdout.isatty():
        _print_coloured(explanations[0])
    else:
        print(explanations[0])


def _all_methods(source: ExplainableText, text: str, norm: int) -> list[Explanation]:
    explanations = []
    for name in METHODS:
        try:
            explanations.append(explanation_of(source, text, name, norm))
        except OptionError:
            if name != "attention":  # which not every model has
                raise
    return explanations


def _write(explanations: Sequence[Explanation], output: Path) -> None:
    if output.suffix.lower() == PAGE:
        with replacing_file(output) as file:
            file.write(html_page(explanations).encode("utf-8", "backslashreplace"))
        return
    from firth.plots.explanation import token_scores

    token_scores(explanations).save(output)


def _print_all(explanations: Sequence[Explanation]) -> None:
    first = explanations[0]
    print(f"{first.target} (p = {first.probability:.4f})")
    scores = zip(*(explanation.scores for explanation in explanations), strict=True)
    rows = [[token, *(f"{score:.4f}" for score in row)] for token, row in zip(first.tokens, scores, strict=True)]
    print_table([["", *(explanation.method for explanation in explanations)], *rows], left=(0,))


def _print_coloured(explanation: Explanation) -> None:
    from rich.console import Console
    from rich.text import Text

    line = Text()
    for token, (red, green, blue), opacity in explanation.coloured():
        shades = [round(255 - opacity * (255 - shade)) for shade in (red, green, blue)]
        line.append(token, style=f"black on rgb({','.join(map(str, shades))})" if opacity > FAINTEST else "")
        line.append(" ")
    print(explanation.title)
    Console(highlight=False).print(line)
