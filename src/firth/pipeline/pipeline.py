"""Pipeline: one treebank trains a tokeniser, a tagger with lemmas, and a parser, which annotate raw text together.

What: sentences, tokens and multiword tokens by `firth.pipeline.tokeniser`; universal and language tags, morphological
    features and lemmas by one tagger, whose targets share an encoder; trees by a parser that reads these tags. What the
    treebank does not have is not learned.
Source: Straka, Hajic and Strakova 2016, "UDPipe: trainable pipeline for processing CoNLL-U files"; Straka 2018, "UDPipe
    2.0 prototype at CoNLL 2018 UD shared task", for one encoder of all tags and lemmas.
Departures: the parser is trained with the treebank's own tags, and reads predicted ones.
Cost: that of its models.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

from firth.arguments import explained
from firth.documents.annotate import annotate
from firth.documents.document import Document
from firth.errors import CorpusError, warn_caller
from firth.evaluation.conll2018 import PipelineScores, score_pipeline
from firth.hints import Hinted
from firth.options import Preset, check, option, options_class
from firth.pipeline.raw_text import raw_text
from firth.pipeline.tokeniser import LearnedTokeniser, TokeniserModel
from firth.pipeline.treebank import filled, read_treebank
from firth.progress import Progress
from firth.randomness import check_seed
from firth.readers.conllu import TAG_COLUMNS, DependencySentence
from firth.registry import restored
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.storage.skipping import SKIP
from firth.training_facts import with_training_facts
from firth.vectors.word_vectors import WordVectors

KIND = "firth-pipeline"
Sentences = Sequence[DependencySentence]
PARSERS = ("biaffine", "transition", "none")
TOKENISER, TAGGER, PARSER = "model-0", "model-1", "model-2"  # subfolders
HELD_OUT = 10  # one sentence of so many selects the epochs, where none are given


@options_class
class Pipeline:
    """From raw text to trees: options of a pipeline that one treebank trains, and `train`.

    Source:
        Straka, Hajic and Strakova 2016; the module's docstring has every departure.
    """

    presets: ClassVar = {"pipeline": Preset("Tokeniser, tagger and parser of one treebank (as UDPipe).")}
    common_options: ClassVar = ("parser", "epochs")

    parser: str = option("biaffine", "parser: biaffine, transition (faster), or none", choices=PARSERS)
    epochs: int | None = option(
        None, "passes over the treebank, of the tagger and of the parser; default: by its size", minimum=1
    )

    def __post_init__(self) -> None:
        check(self)

    @explained
    def train(
        self,
        source: Any,
        *,
        held_out: Any = None,
        vectors: WordVectors | None = None,
        seed: int = 0,
        threads: int | None = None,
        on_error: str = SKIP,
        progress: Progress = None,
    ) -> "PipelineModel":
        """Train a pipeline on a treebank.

        Args:
            source: a CoNLL-U file, plain or `.gz`, several, or a list of `firth.readers.conllu.DependencySentence`.
            held_out: sentences that select the epochs of tagger and parser, in any form of `source`. Without them the
                last tenth of the treebank is held out.
            vectors: word vectors that tagger and parser start from.
            seed: random seed of all models.
            threads: number of threads; by default 1.
            on_error: "skip" damaged sentences of files, or "stop" at the first.
            progress: None for a bar on a terminal, True, False, or a function of `firth.progress.Status`.

        Returns:
            The pipeline.

        Warns:
            UserWarning: the treebank lacks tags, lemmas, features or trees, which are then not learned; no held-out
                sentence has a tree; or training was interrupted before the parser's turn.

        Raises:
            CorpusError: the source is missing or holds no sentence, or neither tags nor trees.
            FormatError: a file is damaged; the message names the line.
            MissingExtraError: PyTorch is not installed.
        """
        check_seed(seed)
        sentences = read_treebank(source, on_error=on_error)
        if held_out is None:
            last = max(1, len(sentences) // HELD_OUT)
            if len(sentences) < 2:
                raise CorpusError("one sentence; expected two or more, one of them to select the epochs")
            train, validation = sentences[:-last], sentences[-last:]
        else:
            train, validation = sentences, read_treebank(held_out, on_error=on_error)
        targets = [target for target, column in TAG_COLUMNS.items() if filled(train, column)]
        trees = self.parser != "none" and any(sentence.heads for sentence in train)
        _say_missing(targets, trees or self.parser == "none")
        if not targets and not trees:
            raise CorpusError("a treebank with neither tags nor trees; expected UPOS, XPOS, FEATS, lemmas or heads")
        run: dict[str, Any] = {"vectors": vectors, "seed": seed, "threads": threads, "progress": progress}
        tokeniser = LearnedTokeniser().train(sentences if held_out is None else train, seed=seed)
        tagger = self._tagger(train, validation, targets, run) if targets else None
        interrupted = _ends(tagger)["interrupted"]
        if interrupted and trees:
            warn_caller("interrupted while the tagger was trained: the pipeline has no parser")
        parser = self._parser(train, validation, targets, run) if trees and not interrupted else None
        facts = {"sentences": len(train), "held_out_sentences": len(validation), "targets": targets, "seed": seed}
        return PipelineModel(tokeniser, tagger, parser, {"training": {**facts, **_ends(tagger, parser)}})

    def _tagger(self, train: Sentences, validation: Sentences, targets: Sequence[str], run: dict[str, Any]) -> Any:
        from firth.neural.models.tagging.tagger import Tagger

        options = Tagger(targets=",".join(targets), spelling=True)
        return options.train(train, held_out=validation, **self._with_epochs(options, run))

    def _parser(self, train: Sentences, validation: Sentences, targets: Sequence[str], run: dict[str, Any]) -> Any:
        from firth.neural.models.parsers.biaffine import BiaffineParser
        from firth.neural.models.parsers.transition import TransitionParser

        kind = BiaffineParser if self.parser == "biaffine" else TransitionParser
        tag = "features" if {"upos", "feats"} <= set(targets) else "upos" if "upos" in targets else "none"
        options = kind(tag=tag)
        parsed, held_out = ([sentence for sentence in part if sentence.heads] for part in (train, validation))
        if not held_out:
            last = max(1, len(parsed) // HELD_OUT)
            warn_caller(
                f"no held-out sentence has a tree: the last {last:,} of {len(parsed):,} select the parser's epoch"
            )
            parsed, held_out = parsed[:-last] or parsed, parsed[-last:]
        return options.train(parsed, held_out=held_out, **self._with_epochs(options, run))

    def _with_epochs(self, options: Any, run: dict[str, Any]) -> dict[str, Any]:
        if self.epochs is None:
            return run
        return {**run, "training": replace(options.training, epochs=self.epochs)}


def _ends(*models: Any) -> dict[str, Any]:
    """Return how the trainings of models ended, as the facts of one."""
    ends = [model.metadata["training"]["ended"] for model in models if model is not None]
    early = [end for end in ("interrupted", "diverged") if end in ends]
    return {"ended": (early or ["epochs"])[0], "interrupted": "interrupted" in early}


def _say_missing(targets: Sequence[str], trees: bool) -> None:
    """Warn of what a treebank does not have."""
    missing = [name for name in TAG_COLUMNS if name not in targets] + ([] if trees else ["trees"])
    if missing:
        warn_caller(f"the treebank has no {', '.join(missing)}: the pipeline does not learn them")


@dataclass(frozen=True)
class PipelineModel(Hinted):
    """A trained pipeline, as `Pipeline().train` returns it.

    Attributes:
        tokeniser: from raw text to sentences and words.
        tagger: tags, features and lemmas; or None.
        parser: trees; or None.
        metadata: JSON values: how it was trained.
    """

    tokeniser: TokeniserModel
    tagger: Any
    parser: Any
    metadata: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "metadata", with_training_facts(self.metadata))

    def __repr__(self) -> str:
        parts = [part for part in (self.tokeniser, self.tagger, self.parser) if part is not None]
        return f"<PipelineModel: {', '.join(type(part).__name__ for part in parts)}>"

    @property
    def targets(self) -> tuple[str, ...]:
        """What the tagger gives: upos, xpos, feats, lemma."""
        return () if self.tagger is None else tuple(self.tagger.targets)

    @explained
    def annotate(self, texts: Any) -> Any:
        """Return raw texts as documents with words, tags, lemmas and trees.

        Args:
            texts: a raw text, a `firth.Document` whose words are kept, or several of them.

        Returns:
            A document, or a list of them.

        Raises:
            ArgumentTypeError: the texts are no texts.
        """
        return annotate(texts, tokeniser=self.tokeniser, tagger=self.tagger, parser=self.parser)

    @explained
    def test(self, gold: Any, *, seed: int = 0, on_error: str = SKIP) -> PipelineScores:
        """Annotate the raw text of a treebank, and compare as the CoNLL 2018 shared task does.

        Args:
            gold: a CoNLL-U file, several, or a list of sentences. Their raw text is that of the tokens, with spaces
                between them but after `SpaceAfter=No`.
            seed: of the resamples of the confidence intervals.
            on_error: "skip" damaged sentences of files, or "stop" at the first.

        Raises:
            CorpusError: the source is missing or holds no sentence.
            FormatError: a file is damaged.
        """
        sentences = read_treebank(gold, on_error=on_error)
        document: Document = self.annotate(raw_text(sentences).text)
        return score_pipeline(sentences, document.sentences, seed=seed)

    def parts(self) -> dict[str, Any]:
        """Return the models by the name of their subfolder."""
        parts = {TOKENISER: self.tokeniser, TAGGER: self.tagger, PARSER: self.parser}
        return {name: part for name, part in parts.items() if part is not None}

    def folders(self, path: str | os.PathLike[str]) -> tuple[str | None, str | None]:
        """Return the folders of tagger and parser in that of the pipeline, for processes that open their own."""
        tagger, parser = (str(Path(path) / name) if name in self.parts() else None for name in (TAGGER, PARSER))
        return tagger, parser

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save as a folder that `firth.load` opens; the models inside can be opened alone.

        Raises:
            OptionError: the path is a folder of another kind, which is never replaced.
            OSError: the folder cannot be written.
        """
        content = ModelFolder(
            kind=KIND,
            arrays={},
            metadata=self.metadata,
            card=f"# Pipeline\n\n{repr(self)[1:-1]}. Made by firth.\n",
            subfolders={name: part.save for name, part in self.parts().items()},
        )
        model_folder.write(path, content)


def restore(content: ModelFolder) -> PipelineModel:
    """Return the pipeline of a folder."""
    parts = {name: restored(content.part(name)) for name in (TOKENISER, TAGGER, PARSER) if name in content.parts}
    kinds = {name: type(part).__name__ for name, part in parts.items()}
    expected = {TOKENISER: "TokeniserModel", TAGGER: "TaggerModel", PARSER: "ParserModel"}
    if TOKENISER not in parts or any(kinds[name] != expected[name] for name in parts):
        raise content.damaged(f"models {kinds}; expected a tokeniser, and a tagger, a parser or both")
    return PipelineModel(parts[TOKENISER], parts.get(TAGGER), parts.get(PARSER), dict(content.metadata))
