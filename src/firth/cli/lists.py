"""Lists of the commands of `firth lm`, `firth pretrain` and `firth sentences`, each imported when it is named."""

from typing import Any

import typer

from firth.cli.groups import lazy_app


def _language(name: str) -> Any:
    from firth.cli.language import language

    return typer.main.get_group(language).commands[name]


def _pretrain(name: str) -> Any:
    from firth.cli.pretrain import command_of

    return command_of(name)


def _sentences(name: str) -> Any:
    from firth.cli.sentences import sentences

    return typer.main.get_group(sentences).commands[name]


language = lazy_app(
    _language,
    {
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
    },
    help="Language models: train, score, generate, compare and mix.",
)
pretrain = lazy_app(
    _pretrain,
    {
        "masked": "Pretrain by predicting hidden tokens (BERT).",
        "electra": "Pretrain by finding replaced tokens (ELECTRA).",
        "coco": "Pretrain by correcting replaced tokens and contrasting texts (COCO-LM).",
    },
    help="Contextual encoders: pretrain on raw text, for classifiers, taggers and parsers to use.",
    subcommand_metavar="MODEL CORPUS... -o OUT",
)
sentences = lazy_app(
    _sentences, {"train": "Train a sentence encoder on text."}, help="Sentence encoders: train on raw text."
)


@sentences.callback()
def _several() -> None:
    """Make typer expect the name of a command even if there is only one."""
