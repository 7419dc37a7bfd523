"""`firth align`: two languages, or two texts of one, in one space."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.alignment.alignment import Alignment
from firth.alignment.procrustes import Procrustes
from firth.alignment.retrieval import Retrieval, check_held_out, evaluate
from firth.alignment.self_learning import SelfLearning
from firth.alignment.strength import WEAK
from firth.cli.flags import Flags, with_flags
from firth.cli.output import AsJson, Quiet, complain, note, print_json
from firth.cli.targets import check_folder_target
from firth.errors import OptionError
from firth.postprocess.word_pairs import Pair, read_word_pairs
from firth.vectors.io import load_vectors
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

Source = Annotated[
    str,
    typer.Argument(help="The one side's vectors: a folder of firth's, or a file.", show_default=False, metavar="SRC"),
]
Target = Annotated[str, typer.Argument(help="The other side's.", show_default=False, metavar="TGT")]
WITH, WITHOUT = Flags(Procrustes, "With --dictionary"), Flags(SelfLearning, "With --unsupervised")
NAMES = {"cosine": "nearest by cosine", "csls": "nearest by CSLS"}


def _align(
    source: Source,
    target: Target,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder to save the alignment in.", show_default=False, metavar="DIR")
    ],
    dictionary: Annotated[
        Path | None,
        typer.Option(help="File of pairs to learn from: a word and its translation a line.", metavar="FILE"),
    ] = None,
    unsupervised: Annotated[bool, typer.Option("--unsupervised", help="Learn without any dictionary.")] = False,
    test: Annotated[
        Path | None, typer.Option(help="File of pairs to ask for, none of them in the dictionary.", metavar="FILE")
    ] = None,
    spaces: Annotated[
        Path | None,
        typer.Option(help="Folder for the two placed spaces as ordinary vectors, source and target.", metavar="DIR"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of what self-learning leaves out, and of intervals.")] = 0,
    threads: Annotated[int | None, typer.Option(help="Threads; by default one a processor.")] = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Bring two spaces of words into one, by a dictionary or without any.

    With --test the share of words is printed whose translation is the nearest, among the five and among the ten nearest
    words of the other side, with its interval. The exit status is 1 where --unsupervised did not converge.
    """
    began = time.monotonic()
    if (dictionary is None) == (not unsupervised):
        raise OptionError("expected either --dictionary FILE or --unsupervised, one of the two")
    trainer = _trainer(unsupervised, options)
    for folder in (output, *((spaces / "source", spaces / "target") if spaces else ())):
        check_folder_target(folder)
    pivots = [] if dictionary is None else read_word_pairs(dictionary)
    asked = None if test is None else read_word_pairs(test)
    check_held_out(pivots, asked or ())
    sides = _words_of(source), _words_of(target)
    if isinstance(trainer, Procrustes):
        found = trainer.align(*sides, pivots, threads=threads, progress=not quiet)
    else:
        found = trainer.align(*sides, seed=seed, threads=threads, progress=not quiet)
    figures = _judged(found, asked, seed)
    found.save(output)
    if spaces:
        found.source.save(spaces / "source")
        found.target.save(spaces / "target")
    _tell(found, output, figures, time.monotonic() - began, json)
    if not found.metadata.get("converged", True):
        complain(f"{output}: saved, but not to be trusted: self-learning did not converge")
        raise typer.Exit(1)


align = with_flags(_align, [WITH, WITHOUT])


def _trainer(unsupervised: bool, options: Mapping[str, Any]) -> Procrustes | SelfLearning:
    mine, other = (WITHOUT, WITH) if unsupervised else (WITH, WITHOUT)
    if wrong := other.select(options):
        flag = next(iter(wrong)).replace("_", "-")
        raise OptionError(f"--{flag} without {'--dictionary' if unsupervised else '--unsupervised'}: it does nothing")
    kind = SelfLearning if unsupervised else Procrustes
    made: Procrustes | SelfLearning = kind(**mine.select(options))
    return made


def _words_of(path: str) -> WordVectors:
    space: WordVectors | SubwordVectors = load_vectors(path)
    if isinstance(space, SubwordVectors):
        note(f"{path}: its n-grams are left behind; the {len(space):,} known words are aligned")
        return space.known
    return space


def _judged(found: Alignment, asked: list[Pair] | None, seed: int) -> list[Retrieval]:
    return [] if asked is None else evaluate(found, asked, seed=seed)


def _tell(found: Alignment, output: Path, figures: list[Retrieval], seconds: float, json: bool) -> None:
    facts = {"alignment": str(output), "source_words": len(found.source), "target_words": len(found.target)}
    if json:
        made = {"dim": found.source.dim, **found.metadata, "seconds": round(seconds, 3)}
        print_json({**facts, **made, "test": [each.facts for each in figures]})
        return
    print(f"{output}: {len(found.source):,} and {len(found.target):,} words x {found.source.dim}, {seconds:.1f} s")
    if pairs := found.metadata.get("pairs"):
        print(f"learned from {pairs['used']:,} of {pairs['given']:,} pairs; the others have a word without a vector")
        if asked := found.metadata.get("left_out"):
            right = found.metadata["left_out_right"]
            print(f"{right:,} of {asked:,} words that were left out for a check are translated rightly by the others")
    else:
        print(_course(found.metadata))
    print(f"translations stand out by a CSLS of {found.metadata['margin']:.3f}; below {WEAK:g} most are wrong")
    if figures:
        print(f"{figures[0].asked:,} of {figures[0].given:,} words asked for, among {len(found.target):,}")
        for each in figures:
            shares = "  ".join(
                f"P@{k} {100 * figure.value:.1f} ({100 * figure.low:.1f} to {100 * figure.high:.1f})"
                for k, figure in each.precision.items()
            )
            print(f"  {NAMES[each.metric]:<18} {shares}  MRR {each.mrr.value:.3f}")


def _course(facts: Mapping[str, Any]) -> str:
    """How self-learning went, as one line."""
    parts = [
        f"{'converged' if facts['converged'] else 'did not converge'} in {facts['rounds_taken']:,} rounds",
        f"mean cosine {facts['likeness']:.3f}",
        f"best of {facts['runs_taken']} runs",
    ]
    if facts["agreement"] is not None:
        parts.append(f"{100 * facts['agreement']:.0f} % of its pairs found by another run")
    return ", ".join(parts)
