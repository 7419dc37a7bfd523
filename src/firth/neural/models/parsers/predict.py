"""A trained dependency parser: trees of sentences, scores with gold and with predicted tags, saving."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, ClassVar

from firth.arguments import explained
from firth.errors import ArgumentTypeError, CorpusError, OptionError, brief, warn_caller
from firth.evaluation.dependencies import TreeScores, score_trees
from firth.neural.models.parsers.data import ParserModule, ParserVocabulary, Sentences, read_sentences
from firth.neural.models.tokens.reader import COLUMNS, COUNTS
from firth.neural.models.tokens.treebank_columns import share_filled
from firth.neural.prediction import in_batches
from firth.neural.saved import Field, SavedModel
from firth.neural.training.devices import Runtime, runtime_of
from firth.progress import Progress
from firth.readers.conllu import NONE, TAG_COLUMNS, DependencySentence, check_tags_read
from firth.storage.skipping import SKIP
from firth.text.inputs import check_items

FEW = 10  # words that may have no features
CHUNK = 1000  # sentences parsed between two reports of progress
EXAMPLE = 'sentence, = model.predict([(["She", "eats", "fish"], ["PRON", "VERB", "NOUN"])])\nprint(sentence)\n'


class ParserModel(SavedModel):
    """A trained parser, as `firth.TransitionParser(...).train` returns it.

    Attributes:
        module: in evaluation mode.
        options: of the parser.
        vocabulary: what it knows.
        metadata: JSON values: how it was trained.
    """

    kind: ClassVar = "firth-parser"
    what: ClassVar = "a parser"
    saved_fields: ClassVar = (
        Field("vocabulary", attrgetter("saved"), lambda content, options: options.vocabulary_of(content), (COUNTS,)),
    )
    vocabulary: ParserVocabulary
    module: ParserModule

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {type(self.options).__name__}, {len(self.relations):,} relations>"

    @property
    def relations(self) -> list[str]:
        """The L relations, by number."""
        return self.vocabulary.relations

    @property
    def columns(self) -> tuple[str, ...]:
        """The tags that are read: "upos", "xpos", "feats"."""
        columns: tuple[str, ...] = self.options.columns
        return columns

    @explained
    def predict(
        self,
        sentences: Any,
        *,
        tagger: Any = None,
        beam: int | None = None,
        precision: str | None = None,
        threads: int | None = None,
        progress: Progress = False,
    ) -> list[DependencySentence]:
        """Return sentences with the heads and relations that the parser finds; all else stays as it is.

        Args:
            sentences: N sentences: `firth.readers.conllu.DependencySentence` with tags, or pairs of words and their
                tags. With a tagger, also lists of words, and strings, which are split at white space.
            tagger: a tagger for all tags that the parser reads, as `firth.Tagger(...).train` returns it; None where
                the sentences have tags.
            beam: width of the beam, of a transition parser; None for the one that it was trained with.
            precision: of matrix products, of a biaffine parser: "fp32", "bf16", or "fp16" on a GPU; None for "fp32".

        Raises:
            CorpusError: an item is no sentence, or a sentence has no tags.
            ArgumentTypeError: the tagger is none, or does not give all tags that the parser reads.
            OptionError: the beam or the precision is out of range, or the parser has none.
        """
        settings = self._settings(beam, precision)
        check_tagger(tagger, self.columns)
        items = [
            _sentence(item, f"item {number}", tagger)
            for number, item in enumerate(check_items(sentences, "sentences", "sentence"), 1)
        ]
        if tagger is not None:
            items = with_predicted_tags(items, tagger)
        return self._parsed(items, settings, threads, progress)

    @explained
    def test(
        self,
        source: Any,
        *,
        tagger: Any = None,
        beam: int | None = None,
        precision: str | None = None,
        on_error: str = SKIP,
        threads: int | None = None,
        progress: Progress = None,
    ) -> TreeScores:
        """Compute attachment scores on a treebank, with the treebank's tags and, given a tagger, also with its tags.

        Args:
            source: sentences with tags and trees, as for `train`.
            tagger: as for `predict`; its tags replace those of the treebank.
            beam: as for `predict`.
            precision: as for `predict`.
            on_error: as for `train`.

        Warns:
            UserWarning: sentences were skipped; it gives their number and lines.

        Raises:
            CorpusError: the source is missing or holds no sentence, or a sentence has no tree or no tags.
            FormatError: a file is damaged; the message names the line.
            ArgumentTypeError: the tagger is none, or does not give all tags that the parser reads.
            OptionError: the beam or the precision is out of range, or the parser has none.
        """
        settings = self._settings(beam, precision)
        check_tagger(tagger, self.columns)
        gold = read_sentences(source, on_error=on_error)
        tagged = {"gold": gold}
        if tagger is not None:
            tagged["predicted"] = with_predicted_tags(gold, tagger)
        parsed = {name: self._parsed(part, settings, threads, progress) for name, part in tagged.items()}
        return score_trees(gold, parsed)

    def _settings(self, beam: int | None, precision: str | None) -> tuple[int | None, Runtime]:
        """Return the beam and the precision of parsing.

        Raises:
            OptionError: one is out of range, or is not of this parser.
        """
        given = {"beam": beam, "precision": precision}
        for name, value in given.items():
            if value is not None and name not in self.options.predicts:
                own = " and ".join(self.options.predicts)
                raise OptionError(
                    f"{name}={value!r}: {type(self.options).__name__} has no {name} in parsing; it has {own}"
                )
        if beam is not None:
            options: Any = self.options  # of a class that has a beam
            replace(options, beam=beam)  # which checks it
        return beam, runtime_of(self.device, precision or "fp32")

    def _parsed(
        self, sentences: Sentences, settings: tuple[int | None, Runtime], threads: int | None, progress: Progress
    ) -> list[DependencySentence]:
        check_columns(sentences, self.columns)
        beam, runtime = settings

        def parse(rows: list[int]) -> list[DependencySentence]:
            chunk = sentences[rows[0] : rows[-1] + 1]
            trees = iter(self.module.parse([sentence for sentence in chunk if len(sentence)], beam=beam))
            return [self._with_tree(item, *next(trees)) if len(item) else item for item in chunk]

        shown: dict[str, Any] = {"stage": "parsing", "unit": "sentences", "threads": threads, "progress": progress}
        with runtime.autocast():
            return in_batches(range(len(sentences)), parse, size=CHUNK, by_length=False, **shown)

    def _with_tree(self, sentence: DependencySentence, heads: Any, relations: Any) -> DependencySentence:
        names = [self.relations[number] for number in relations.tolist()]
        return sentence.annotated(heads=heads.tolist(), relations=names)

    def _card(self) -> tuple[str, str, str]:
        return "A dependency parser", f": {len(self.relations):,} relations", EXAMPLE


def check_columns(sentences: Sentences, columns: Collection[str]) -> None:
    """Check that sentences have the tags that a parser reads; warn where none has morphological features."""
    for name in columns:
        for number, sentence in enumerate(sentences, 1):
            if len(sentence) and set(COLUMNS[name](sentence)) == {NONE} and name != "feats":
                raise CorpusError(
                    f"sentence {number} ({brief(' '.join(sentence.words))}) has no {name} tags, which this parser "
                    "reads; expected them in the sentence, or tagger="
                )
    words = sum(map(len, sentences))
    if words >= FEW and "feats" in columns and not share_filled(sentences, "feats"):
        warn_caller(
            f"none of {words:,} words has morphological features, which this parser reads; expected them in the "
            "sentences, a tagger with targets='upos,feats', or a parser that is trained with tag='upos'"
        )


def check_tagger(tagger: Any, columns: Sequence[str]) -> None:
    """Check that a tagger is one, or None, and gives all tags that a parser reads."""
    if tagger is None:
        return
    if not callable(getattr(tagger, "predict", None)) or isinstance(tagger, ParserModel):
        raise ArgumentTypeError(
            f"tagger={brief(tagger)}: expected a tagger, as firth.Tagger(...).train(...) returns it; "
            "firth.load(folder) opens a saved one"
        )
    (probe,) = tagger.predict([DependencySentence.of(["a"])])
    check_tags_read(columns, probe.tags)


def with_predicted_tags(sentences: Sentences, tagger: Any) -> list[DependencySentence]:
    """Return sentences with the tags of a tagger in place of their own."""
    tagged = []
    for sentence, result in zip(sentences, tagger.predict(sentences), strict=True):
        columns_of = {TAG_COLUMNS[target]: tags for target, tags in result.tags.items() if target in TAG_COLUMNS}
        tagged.append(sentence.annotated(**columns_of) if len(sentence) else sentence)
    return tagged


def _sentence(item: Any, where: str, tagger: Any) -> DependencySentence:
    """Return a sentence to parse."""
    if isinstance(item, DependencySentence):
        return item
    if tagger is not None and isinstance(item, str):
        return DependencySentence.of(item.split())
    if tagger is not None and isinstance(item, Sequence) and all(isinstance(word, str) for word in item):
        return DependencySentence.of(item)
    if isinstance(item, tuple) and len(item) == 2 and not any(isinstance(part, str) for part in item):
        words, tags = item
        return DependencySentence.of(words).annotated(tags=[tag or NONE for tag in tags])
    raise CorpusError(
        f"{where} is {brief(item)}; expected a DependencySentence or a pair (words, tags); words alone need tagger="
    )
