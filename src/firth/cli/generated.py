"""What `firth translate predict` and `firth summarize predict` share: texts line by line, and what is generated."""

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

import typer

from firth.cli.output import following, on_a_line, print_json
from firth.cli.texts import line_batches

LINES = 256  # texts that are sorted by length and searched together before they are printed

Beam = Annotated[int, typer.Option(help="Number of beams; 1 for greedy search.")]
Attention = Annotated[bool, typer.Option("--attention", help="With --json: attention of each token.")]
Together = Annotated[int, typer.Option(help="Texts that are searched together.")]


def print_generated(
    texts: str, generate: Callable[..., Sequence[Any]], doing: str, *, seed: int, n_best: int, quiet: bool, json: bool
) -> None:
    """Print what is generated from the lines of a file as it is finished, in their order.

    Args:
        generate: texts and a seed to translations or summaries.
        doing: what the progress says, such as "translating".
    """
    number = 0
    for lines in following(_lines_of(texts), doing, quiet):
        for source, best in zip(lines, generate(lines, seed=seed + number), strict=True):
            number += 1
            _show(number, source, best, n_best, json)
        sys.stdout.flush()


def _lines_of(texts: str) -> Iterator[list[str]]:
    """Yield the texts of a file in batches; of a terminal one by one."""
    many = 1 if texts == "-" and sys.stdin.isatty() else LINES
    return line_batches(texts, many)


def _show(number: int, source: str, best: Any, n_best: int, json: bool) -> None:
    """Print what was generated from a text."""
    several = (best, *best.others)
    if json:
        shown = [
            {"text": each.text, "score": each.score, "log_prob": each.log_prob, "tokens": each.tokens}
            | ({} if each.attention is None else {"attention": each.attention.round(4).tolist()})
            for each in several
        ]
        tokens = {"source_tokens": best.source_tokens} if best.attention is not None else {}
        print_json({"source": source, **tokens, **(shown[0] if n_best == 1 else {"translations": shown})})
    elif n_best == 1:
        print(on_a_line(best.text))
    else:
        for each in several:
            print(f"{number}\t{each.score:.4f}\t{on_a_line(each.text)}")
