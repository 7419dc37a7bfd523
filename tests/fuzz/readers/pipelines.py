"""Tokenisers that learned from a treebank, and pipelines."""

import dataclasses
import functools
import shutil
from pathlib import Path
from typing import Any

import firth
from tests.fuzz.outcomes import Reader
from tests.fuzz.readers.language import make_tagger
from tests.unit.pipeline.treebanks import treebank

TEXT = "M. Blanc voit le chat du parc!\n\nLe livre des jardins."


@functools.cache
def tokeniser() -> Any:
    """A tokeniser with 64 rows of weights in place of 262,144."""
    model = firth.LearnedTokeniser(epochs=2).train(treebank(12), seed=1)
    return dataclasses.replace(model, weights=model.weights[:64].copy())


def use_tokeniser(path: Path) -> Any:
    """Divide a text."""
    document = firth.load(path).document(TEXT)
    return [list(map(str, document.sentences)), document.offsets]


def make_pipeline(path: Path) -> None:
    """A pipeline whose tagger is as its seed draws it."""
    make_tagger(path.with_name("tagger"))
    firth.PipelineModel(tokeniser(), firth.load(path.with_name("tagger")), None).save(path)
    shutil.rmtree(path.with_name("tagger"))


def use_pipeline(path: Path) -> Any:
    """Words and tags of a text."""
    pipeline = firth.load(path)
    document = pipeline.tokeniser.document(TEXT)
    return [[sentence.words for sentence in document.sentences], pipeline.targets]


READERS = (
    Reader(name="tokeniser", make=lambda path: tokeniser().save(path), use=use_tokeniser, own=True),
    Reader(name="pipeline", make=make_pipeline, use=use_pipeline, own=True, cost=0.02, needs="torch"),
)
