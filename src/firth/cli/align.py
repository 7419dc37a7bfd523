"""`firth align`."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.alignment.alignment import Alignment
from firth.alignment.procrustes import Procrustes
from firth.alignment.retrieval import Retrieval, check_held_out, evaluate_retrieval
from firth.alignment.self_learning import SelfLearning
from firth.alignment.strength import WEAK
from firth.cli.arguments import AsJson, Overwrite, Quiet, Seed, Threads, flag, names, output
from firth.cli.flags import Flags, with_flags
from firth.cli.output import complain, print_json, working
from firth.cli.targets import check_folder_target
from firth.cli.vectors import open_word_vectors
from firth.errors import OptionError
from firth.postprocess.word_pairs import read_word_pairs

Source = Annotated[str, names("Vectors of the source language: a folder that firth wrote, or a file.", "SRC")]
Target = Annotated[str, names("Vectors of the target language.", "TGT")]
WITH, WITHOUT = Flags(Procrustes, "With --dictionary"), Flags(SelfLearning, "With --unsupervised")
NAMES = {"cosine": "nearest by cosine", "csls": "nearest by CSLS"}


def _align(
    source: Source,
    target: Target,
    output: Annotated[Path, output("Folder to save the alignment in.", "DIR")],
    dictionary: Annotated[
        Path | None, flag("File of training pairs: a word and its translation per line.", "FILE")
    ] = None,
    unsupervised: Annotated[bool, typer.Option("--unsupervised", help="Learn without a dictionary.")] = False,
    test: Annotated[Path | None, flag("File of test pairs, none of them in the dictionary.", "FILE")] = None,
    spaces: Annotated[
        Path | None, flag("Folder to save the two aligned spaces in, as ordinary vectors.", "DIR")
    ] = None,
    seed: Seed = 0,
    threads: Threads = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Map the vectors of two languages into one space, with a dictionary or without one.

    With --test the command prints precision at 1, 5 and 10 with intervals: the share of words whose translation is
    among the nearest words of the target language. The exit status is 1 if --unsupervised does not converge.
    """
    began = time.monotonic()
    if (dictionary is None) == (not unsupervised):
        raise OptionError("expected either --dictionary FILE or --unsupervised")
    trainer = _trainer(unsupervised, options)
    for folder in (output, *((spaces / "source", spaces / "target") if spaces else ())):
        check_folder_target(folder, overwrite=overwrite)
    training_pairs = [] if dictionary is None else read_word_pairs(dictionary)
    test_pairs = [] if test is None else read_word_pairs(test)
    check_held_out(training_pairs, test_pairs)
    sides = open_word_vectors(source, quiet), open_word_vectors(target, quiet)
    if isinstance(trainer, Procrustes):
        alignment = trainer.align(*sides, training_pairs, threads=threads, progress=not quiet)
    else:
        alignment = trainer.align(*sides, seed=seed, threads=threads, progress=not quiet)
    with working("testing", quiet):
        figures = [] if test is None else evaluate_retrieval(alignment, test_pairs, seed=seed)
    alignment.save(output)
    if spaces:
        alignment.source.save(spaces / "source")
        alignment.target.save(spaces / "target")
    _print(alignment, output, figures, time.monotonic() - began, json)
    if not alignment.metadata.get("converged", True):
        complain(f"{output}: saved, but not reliable: self-learning did not converge")
        raise typer.Exit(1)


align = with_flags(_align, [WITH, WITHOUT])


def _trainer(unsupervised: bool, options: Mapping[str, Any]) -> Procrustes | SelfLearning:
    mine, other = (WITHOUT, WITH) if unsupervised else (WITH, WITHOUT)
    if wrong := other.select(options):
        flag = next(iter(wrong)).replace("_", "-")
        raise OptionError(f"--{flag} without {'--dictionary' if unsupervised else '--unsupervised'}: it does nothing")
    kind = SelfLearning if unsupervised else Procrustes
    trainer: Procrustes | SelfLearning = kind(**mine.select(options))
    return trainer


def _print(alignment: Alignment, output: Path, figures: list[Retrieval], seconds: float, json: bool) -> None:
    source, target, facts = alignment.source, alignment.target, alignment.metadata
    if json:
        sizes = {"alignment": str(output), "source_words": len(source), "target_words": len(target), "dim": source.dim}
        print_json({**sizes, **facts, "seconds": round(seconds, 3), "test": [figure.facts for figure in figures]})
        return
    print(f"{output}: {len(source):,} and {len(target):,} words x {source.dim}, {seconds:.1f} s")
    if pairs := facts.get("pairs"):
        print(f"learned from {pairs['used']:,} of {pairs['given']:,} pairs; the others have a word without a vector")
        if held_out := facts.get("left_out"):
            print(f"check: {facts['left_out_right']:,} of {held_out:,} held-out words are translated correctly")
    else:
        print(_summary(facts))
    print(f"translations stand out by a CSLS margin of {facts['margin']:.3f}; below {WEAK:g} most are wrong")
    if figures:
        print(f"{figures[0].asked:,} of {figures[0].given:,} test words, among {len(target):,} words")
        for retrieval in figures:
            shares = "  ".join(
                f"P@{k} {100 * figure.value:.1f} ({100 * figure.low:.1f} to {100 * figure.high:.1f})"
                for k, figure in retrieval.precision.items()
            )
            print(f"  {NAMES[retrieval.metric]:<18} {shares}  MRR {retrieval.mrr.value:.3f}")


def _summary(facts: Mapping[str, Any]) -> str:
    """How self-learning went, as one line."""
    parts = [
        f"{'converged' if facts['converged'] else 'did not converge'} in {facts['rounds_taken']:,} rounds",
        f"mean cosine {facts['likeness']:.3f}",
        f"best of {facts['runs_taken']} runs",
    ]
    if facts["agreement"] is not None:
        parts.append(f"another run finds {100 * facts['agreement']:.0f} % of its pairs")
    return ", ".join(parts)
