"""`firth lm`: the list of its commands. A command is imported when it is named."""

from typing import Any

import typer

from firth.cli.lazy_group import lazy_group, listed

COMMANDS = {  # name: line of help
    "train": "Train a language model on text.",
    "generate": "Generate texts that continue a prompt.",
    "next": "Show the most likely next words with their probabilities.",
    "score": "Score sentences: log-probability, perplexity and the tokens.",
    "perplexity": "Measure the perplexity of a text, with its interval.",
    "compare": "Compare language models on one text.",
    "mix": "Mix language models with the weights that predict a held-out text best.",
    "report": "Write a page that compares language models.",
    "convert": "Convert an n-gram model to an ARPA file, or an ARPA file to a folder.",
    "info": "Describe a language model: kind, size, options and training.",
}


def _command(name: str) -> Any:
    from firth.cli.language import language

    return typer.main.get_group(language).commands[name]


language = typer.Typer(cls=lazy_group(_command), help="Language models: train, score, generate, compare and mix.")
for _name, _line in COMMANDS.items():
    language.command(_name, short_help=_line)(listed)
