"""`firth summarize`: train summarizers, summarize texts, test summaries."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from firth.cli.annotators import Training, commands, open_model
from firth.cli.arguments import AsJson, OneThread, Quiet, TextFile, names
from firth.cli.generated import Attention, Beam, Least, NoRepeat, Together, print_generated
from firth.cli.output import working
from firth.cli.translate import Pairs, summary

Summarizer = Annotated[Path, names("A summarizer: a folder that firth wrote.", "MODEL")]
Longest = Annotated[int, typer.Option(help="Maximum length in tokens.")]

train = Training(
    group="summarize",
    what="summarizer",
    kind="firth-summarizer",
    homes=("firth.neural.models.summaries.",),
    default="pointer-generator",
    source=Pairs,
    held_out="Pairs that choose the best epoch; repeat it for two files. Default: a tenth of the pairs.",
    about="Train a summarizer on texts with their summaries.",
    summary=lambda model: summary(model.translator),
    vectors=False,
    several=True,
).command()


def _predict(
    model: Summarizer,
    texts: TextFile,
    beam: Beam = 4,
    n_best: Annotated[int, typer.Option(help="Summaries per text; each with its line and score.")] = 1,
    max_length: Longest = 60,
    min_length: Least = 0,
    no_repeat_ngram: NoRepeat = None,
    attention: Attention = False,
    batch_size: Together = 64,
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Summarize texts, one a line: a line each, in the same order.

    Lines are printed as they are finished; Ctrl-C keeps them. With --n-best, a line holds the number of the text, the
    score and the summary, between tabs.
    """
    from firth.inference.generation_options import GenerationOptions

    with working(f"reading {model}", quiet):
        summarizer = open_model(model, "a summarizer")
    options = GenerationOptions(max_length=max_length, min_length=min_length, no_repeat_ngram=no_repeat_ngram)
    generate = partial(
        summarizer.summarize,
        beam=beam,
        n_best=n_best,
        options=options,
        return_attention=attention,
        batch_size=batch_size,
        threads=threads,
    )
    print_generated(texts, generate, "summarizing", seed=0, n_best=n_best, quiet=quiet, json=json)


def _test(
    model: Summarizer,
    source: Pairs,
    beam: Beam = 4,
    metrics: Annotated[str, typer.Option(help="Metrics with commas between; all for all.")] = "rouge",
    batch_size: Together = 64,
    threads: OneThread = None,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Summarize the texts of pairs and score the summaries: ROUGE, with intervals."""
    with working(f"reading {model}", quiet):
        summarizer = open_model(model, "a summarizer")
    report = summarizer.test(
        source, beam=beam, metrics=metrics.split(","), batch_size=batch_size, threads=threads, progress=not quiet
    )
    print(report.to_json() if json else report)


summarize = commands(
    "Summarizers: train on texts with summaries, summarize, test.", train=train, predict=_predict, test=_test
)
