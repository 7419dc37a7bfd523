"""Taggers: parts of speech, entities and chunks by a BiLSTM or a window, with a CRF, softmax or a margin.

What: words are vectors from a look-up, from their characters and from given vectors. An encoder, a BiLSTM over the
    sentence or a window of words, gives each word a vector in its context, and a head the scores of its tags. Several
    targets, such as parts of speech and morphology, share one encoder and have a head each.
Objective: the mean per word of, for each target, with features weighted by 1/2 beside parts of speech,

    crf      -log p(y | x) of the tags y of a sentence, with the transitions that mark no spans forbidden
    softmax  -sum_t log p(y_t | x)
    margin   the hinge losses of `firth.neural.models.tagging.network`
Source: Lample et al. 2016, "Neural architectures for named entity recognition" (BiLSTM-CRF, characters by LSTM); Ma and
    Hovy 2016 (characters by CNN); Ling et al. 2015 (parts of speech, C2W); Collobert and Weston 2008, Collobert et al.
    2011 (window); Huang, Xu and Yu 2015, section 2.
Departures:
- Adam in place of SGD, with one dropout mask per sentence, and gradients clipped.
- Rare words are read as unknown with a probability that falls with their count, in place of one half for words seen
    once (`firth.neural.models.tokens.embedder`).
- Tags of spans are scored in BIOES and shown in BIO.
Cost: `python -m benchmarks.tagging` measures words per second.
"""

import abc
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Unpack

import torch

from firth.arguments import explained
from firth.errors import CorpusError, OptionError, brief, counted, warn_caller
from firth.evaluation.baselines import most_frequent, the_label, warn_if_trivial
from firth.evaluation.tags import tag_error
from firth.hints import near_names
from firth.neural.models.tagging.data import (
    LEMMA,
    Reading,
    TagBatch,
    TaggedExamples,
    Tags,
    default_targets,
    encoded,
    listed,
    read_tagged,
    tag_batches,
)
from firth.neural.models.tagging.lemmas import learn_lemmas, learn_scripts, with_scripts
from firth.neural.models.tagging.network import (
    BiLstmEncoder,
    CrfHead,
    SoftmaxHead,
    TagEncoder,
    TaggerModule,
    TagHead,
    WindowEncoder,
)
from firth.neural.models.tagging.predict import TaggerModel
from firth.neural.models.tagging.size_defaults import tagger_defaults
from firth.neural.models.tagging.start import (
    copy_parameters,
    extended_lemmas,
    extended_reader,
    extended_set,
    started_options,
    tell_new,
)
from firth.neural.models.tagging.tag_set import UNKNOWN_TAG, Ids, TagSet, check_notation, check_tags, learn_tag_set
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.embedders import INPUT, Embedders, check_joins, embedders_digest, embedders_of
from firth.neural.models.tokens.features import cached_features
from firth.neural.models.tokens.options import TokenOptions, with_vectors
from firth.neural.models.tokens.reader import MORPHOLOGY, SPELLING, ReadSentence, TokenReader, words_of
from firth.neural.structs.chains import best_tags
from firth.neural.supervised import SupervisedTask, digest, loss_per_token, on_device, split_examples
from firth.neural.training.batching import Buckets
from firth.neural.training.by_size import with_size_defaults
from firth.neural.training.devices import new_module
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig, TrainingOptions
from firth.neural.training.row_updates import sparse_gradients
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.options import BY_SIZE, Preset, option, options_class
from firth.readers.span_tags import OUTSIDE
from firth.storage.skipping import SKIP
from firth.timing import running_clock
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

ENCODERS = ("bilstm", "window")
HEADS = ("crf", "softmax", "margin")
SCHEMES = ("bioes", "bio")
CRF_TAGS = 64  # a CRF compares all pairs of tags
EVAL_BATCH = 100  # sentences per batch of an evaluation
BESIDE_TAGS = 0.5  # weight of features beside parts of speech, which would lose a point of accuracy to an equal one
SELECTING = 20  # held-out sentences that can tell which epoch is best, where nobody gives some
SPLITS = 20  # tenths of the sentences that are tried, until one can select a model


def loss_weights(targets: Sequence[str]) -> list[float]:
    """Return the weights of targets in the loss: 1, and less for features beside parts of speech."""
    return [BESIDE_TAGS if target == "feats" and "upos" in targets else 1.0 for target in targets]


@options_class
class TaggerOptions(TokenOptions, abc.ABC):
    """Options of a tagger.

    Raises:
        OptionError: an option is out of its range, or head="margin" comes without encoder="window".
    """

    training: ClassVar[TrainingOptions]

    targets: str | Sequence[str] | None = option(
        None,
        "what is tagged, with commas between: upos, xpos, feats, lemma or ner of CoNLL-U and documents, or numbers of "
        "columns; default: upos and feats, as far as the words have them, of documents with entities ner, and of "
        "columns the last, which is then called tag",
    )
    encoder: str = option("bilstm", "how words are read in context: bilstm or window", choices=ENCODERS)
    head: str | None = option(
        None,
        "how tags are decided: crf, softmax or margin (with a window); default: crf for tags of spans and for up to "
        f"{CRF_TAGS} tags, softmax for lemmas and for more",
        choices=HEADS,
    )
    hidden: int = option(
        BY_SIZE, "width of each LSTM's state, or of the hidden layer over a window", minimum=1, by_size=True
    )
    layers: int = option(1, "number of LSTM layers", minimum=1)
    window: int = option(2, "words on each side, with encoder=window", minimum=0)
    spelling: bool = option(
        True,
        "look-ups of capitals and of the last two and three letters of a word; with feats or lemma of its last one to "
        "five and its first three and four letters",
    )
    margin: float = option(1.0, "margin, with head=margin", minimum=0)
    dropout: float = option(
        0.5, "dropout of the vectors of words, before and after the encoder", minimum=0, maximum=0.99
    )
    scheme: str = option("bioes", "how tags of spans are scored; they are shown in BIO", choices=SCHEMES)

    def __post_init__(self) -> None:
        if self.targets is not None:
            given: Any = self.targets  # a number of a column may be an int
            names = given.split(",") if isinstance(given, str) else [given] if isinstance(given, int) else list(given)
            object.__setattr__(self, "targets", ",".join(str(name).strip() for name in names))
        self._check_encoder()
        super().__post_init__()
        if not all(self.target_names) or len(set(self.target_names)) != len(self.target_names):
            raise OptionError(f"targets={self.targets!r}: expected different names, such as 'upos,feats'")
        if self.head == "margin" and self.encoder != "window":
            raise OptionError(f"head='margin' with encoder={self.encoder!r}: a margin needs encoder='window'")

    def _check_encoder(self) -> None:
        """Refuse a pretrained encoder, which taggers read beside words."""
        name: Any = self.encoder
        if isinstance(name, str) and name.lower() not in ENCODERS and not near_names(name.lower(), ENCODERS):
            raise OptionError(
                f"encoder={brief(name)}: expected one of {', '.join(ENCODERS)}; a pretrained encoder is given to train "
                f"as embed={brief(name)}"
            )

    @property
    def target_names(self) -> tuple[str, ...]:
        """The targets, one by one; none where they follow from the data."""
        return () if self.targets is None else tuple(str(self.targets).split(","))

    @property
    def read_columns(self) -> tuple[str, ...]:
        """The columns that are read besides words and characters."""
        if not self.spelling:
            return ()
        return MORPHOLOGY if {"feats", LEMMA} & {*self.target_names} else SPELLING

    def head_of(self, target: str, tags: TagSet) -> str:
        """Return how the tags of a target are decided: `head`, or what its default says."""
        if self.head is not None:
            return self.head
        return "crf" if tags.scheme is not None or (len(tags) <= CRF_TAGS and target != LEMMA) else "softmax"

    @abc.abstractmethod
    def build(self, reader: TokenReader, sets: Sequence[TagSet], vectors: WordVectors | None = None) -> TaggerModule:
        """Return a module with random parameters from torch's default generator."""


def tag_task(
    module: TaggerModule,
    batches: Batches,
    held_out: Buckets[Any],
    *,
    gold: Sequence[Sequence[Tags]],
    sets: Sequence[TagSet],
    selects: bool = True,
) -> SupervisedTask:
    """Return a module to train on sentences, with its loss per word and its figures.

    The error is 1 - F1 of spans, or the share of wrong tags; of several targets the mean. Sentences with a tag that the
    training data lack are left out of the loss.

    Args:
        gold: tags of the held-out sentences for each target.
        selects: whether the held-out sentences select the best epoch; otherwise the last one is kept.
    """

    def loss(batch: TagBatch, progress: TrainingProgress) -> StepOutput:
        return loss_per_token(module.losses(batch.inputs, batch.tags).sum(), int(batch.inputs.lengths.sum()))

    def figures() -> dict[str, float]:
        predicted: list[list[list[Tags]]] = [[] for _ in sets]
        loss, words, right, ranked = 0.0, 0, 0, 0
        for batch in on_device(held_out, module):
            inputs, lengths = batch.inputs, batch.inputs.lengths
            has_known_tags = torch.stack([(tags != UNKNOWN_TAG).all(1) for tags in batch.tags]).all(0)
            tags = tuple(column.clamp(min=0) for column in batch.tags)
            loss += float(module.losses(inputs, tags)[has_known_tags].sum())
            words += int(lengths[has_known_tags.cpu()].sum())
            if module.margin is not None:
                higher, compared = module.ranked(inputs, tags)
                right, ranked = right + higher, ranked + compared
            for column, head, scores, of_target in zip(
                predicted, module.target_heads, module(inputs), sets, strict=True
            ):
                chain, shown = head.sequences(scores, lengths, of_target)
                column.append([shown.decode(path) for path in best_tags(chain)])
        errors = [
            tag_error(true, held_out.in_item_order(column), spans=of_target.scheme is not None)
            for true, column, of_target in zip(gold, predicted, sets, strict=True)
        ]
        result = {"error": sum(errors) / len(errors), **({"loss": loss / max(words, 1)} if selects else {})}
        return {**result, **({"ranking": right / ranked} if ranked else {})}

    return SupervisedTask(
        module=module,
        batches=batches,
        loss=loss,
        figures=figures,
        unit="words",
        eval_predictions=int(held_out.lengths.sum()),
    )


@explained
def train_tagger(
    options: TaggerOptions,
    source: Any,
    *,
    held_out: Any = None,
    vectors: WordVectors | SubwordVectors | None = None,
    embed: Any = None,
    start: TaggerModel | None = None,
    on_error: str = SKIP,
    word_column: int | str | None = None,
    **run: Unpack[RunArguments],
) -> TaggerModel:
    """Train a tagger on sentences with tags.

    Args:
        options: of the tagger.
        source: a path or several: CoNLL-U if named .conllu, documents if named .jsonl, else columns with a word per
            line and an empty line between sentences. Or a list of `firth.readers.conllu.DependencySentence`, of
            `firth.Document`, of tuples (words, tags), or of lists of (word, tag); the tags of several targets are a
            dict.
        held_out: sentences that select the best epoch, in any form of `source`. Without them a tenth of the training
            sentences is held out; test data never select a model. Less than 20 of these are too few: the last epoch is
            kept, unless training goes by them (`patience`).
        vectors: word vectors to start from, or to keep (`embedding`), such as those of raw text:
            `firth.FastText().train("texts/")`. How many of the training words they know is logged.
        embed: vectors of words in context, beside those of the tagger's own: `firth.ELMo(model)`, `firth.TagLM(model)`,
            `firth.CoVe(translator)`, several in a list, or a trained encoder or its folder.
        start: trained tagger to go on from, with its options. Words and tags that it lacks are added, which is logged.
        on_error: "skip" damaged sentences and documents of files, count and list them; or "stop" at the first. Heads
            of CoNLL-U do not matter.
        word_column: number, from 1, or name of the column of words in files of columns. None is the first, or the
            second where the first one counts words.
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The tagger of the best evaluation on held-out sentences, by F1 where tags mark spans, else by accuracy; of the
        last epoch where they are too few.

    Warns:
        UserWarning: tags of spans break the rules of their scheme, damaged sentences were skipped, or sentences of
            CoNLL-U are left out, for their words have no tags; `vectors` know less than half of the words; or the
            tagger is no better than the most frequent tag.

    Raises:
        CorpusError: the source is missing or holds no sentence, a target has one tag only, or `held_out` has others.
        FormatError: a file is damaged; the message names the line.
        OptionError: an option is out of its range, the data have no such target, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    vectors = vectors.known if isinstance(vectors, SubwordVectors) else vectors
    options = (
        with_vectors(options, vectors)
        if start is None
        else started_options(options, start, vectors=vectors, embed=embed)
    )
    config, reading = RunConfig.of(options.training, run), Reading(on_error, word_column)
    with running_clock():
        source = listed(source)
        targets = options.target_names or default_targets(source)
        examples = read_tagged(source, targets, reading)
        size = len(examples), sum(len(words_of(sentence)) for sentence in examples.sentences)
        if held_out is None:
            examples, validation = _split(examples, config.seed)
        else:
            validation = read_tagged(held_out, targets, reading)
        selects = held_out is not None or len(validation) >= SELECTING
        chosen = {"targets": ",".join(targets), **tagger_defaults(size[0])}
        shown = f"{counted(size[0], 'sentence')}, {counted(size[1], 'word')}"
        options, config = with_size_defaults(options, config, chosen, shown)
        return _trained(options, examples, validation, config, vectors, embedders_of(embed), start, selects)


def _reacts(training: TrainingOptions) -> bool:
    """Return whether training goes by the evaluations on held-out sentences."""
    return bool(training.patience) or training.plateau_factor != 1 or training.rollback != "no"


def _split(examples: TaggedExamples, seed: int) -> tuple[TaggedExamples, TaggedExamples]:
    """Return the sentences to train on, and a tenth of all that selects the model: one with tags that are learned."""
    for attempt in range(SPLITS):
        name = f"{examples.name}: {len(examples)} sentence"
        train, held_out = split_examples(examples, seed + attempt, name)
        if all(_tells(train.tags[target], held_out.tags[target]) for target in examples.tags):
            return train, held_out
    if all(len({tag for tags in column for tag in tags}) > 1 for column in examples.tags.values()):
        warn_caller(
            f"{examples.name}: in no tenth of {counted(len(examples), 'sentence')} are tags that the others have: all "
            "are trained on and select the epoch; give more sentences, or others as held_out"
        )
    return examples, examples


def _tells(trained: Sequence[Tags], held_out: Sequence[Tags]) -> bool:
    """Return whether held-out sentences have a tag, besides that of words outside spans, that is trained."""
    learned, present = ({tag for tags in part for tag in tags} - {OUTSIDE} for part in (trained, held_out))
    return bool(learned & present)


def _trained(
    options: TaggerOptions,
    examples: TaggedExamples,
    validation: TaggedExamples,
    config: RunConfig,
    vectors: WordVectors | None,
    embedders: Embedders,
    start: TaggerModel | None,
    selects: bool,
) -> TaggerModel:
    lemmas = learn_lemmas(examples) if start is None else extended_lemmas(start, learn_lemmas(examples))
    examples, validation = with_scripts(examples), with_scripts(validation)
    sets = [
        _tag_set(options, target, tags, examples.name, None if start is None else start.sets[number])
        for number, (target, tags) in enumerate(examples.tags.items())
    ]
    notations = {target: check_notation(tags, target, examples.name) for target, tags in examples.tags.items()}
    for target, tags in zip(examples.tags, sets, strict=True):
        if target == LEMMA:
            continue  # new scripts are as common as new words
        check_tags(tags, validation.tags[target], target, validation.name, held_out=True)
    columns = options.read_columns if start is None else tuple(start.reader.columns)
    reader = options.learn_reader(examples.sentences, vectors, columns=columns, embedders=embedders)
    reader = reader if start is None else extended_reader(start.reader, reader)
    train, held_out = (list(map(reader.read, part.sentences)) for part in (examples, validation))
    numbers, held_out_numbers = encoded(examples, sets), encoded(validation, sets)
    module = new_module(config.seed, options.build, reader, sets, vectors, copies=2)
    added = {}
    if start is not None:
        copy_parameters(module, start.module)
        added["start"] = tell_new(start, reader, sets)
    task = tag_task(
        module,
        tag_batches(reader, train, numbers, batch_size=config.training.batch_size, seed=config.seed),
        tag_batches(reader, held_out, held_out_numbers, batch_size=EVAL_BATCH, shuffle=False),
        gold=[list(map(tags.normal, column)) for tags, column in zip(sets, validation.tags.values(), strict=True)],
        sets=sets,
        selects=selects or _reacts(config.training),
    )
    content = _digest([(train, numbers), (held_out, held_out_numbers)], reader, vectors, start)
    data = {"examples": content, "sentences": len(train)}
    sentences = (sentence.forms for sentence in (*train, *held_out))
    with cached_features(module, sentences, config.progress), sparse_gradients(module, config.training):
        facts = fit_model(task, options, config, data)
    facts |= {
        "best": facts["best"] or next(iter(facts["rows"][-1:]), None),
        **added,
        "held_out_sentences": len(held_out),
        "words": sum(map(len, train)),
        "broken_spans": sum(tags.broken for tags in sets),
        "notations": {target: notation for target, notation in notations.items() if notation},
    }
    _warn_if_trivial(facts["best"], examples, validation, sets)
    return TaggerModel(module, options, reader, sets, lemmas, {"training": facts})


def _warn_if_trivial(
    best: dict[str, Any] | None, examples: TaggedExamples, validation: TaggedExamples, sets: Sequence[TagSet]
) -> None:
    """Warn where the tagger is no better than the most frequent tag, or than no span at all."""
    if best is None:
        return
    scores, baselines = [], []
    for target, tags in zip(examples.tags, sets, strict=True):
        tag, _ = most_frequent(tag for sentence in examples.tags[target] for tag in sentence)
        gold = [gold_tag for sentence in validation.tags[target] for gold_tag in sentence]
        scores.append(0.0 if tags.scheme else gold.count(tag) / max(len(gold), 1))
        baselines.append("finding no span" if tags.scheme else the_label(tag))
    warn_if_trivial(
        1 - best["held_out_error"],
        sum(scores) / len(scores),
        measure="F1 of spans" if sets[0].scheme else "accuracy",
        data=counted(len(validation), "held-out sentence"),
        baseline=" and ".join(dict.fromkeys(baselines)),
        remedy="give more sentences, more epochs or a smaller batch_size",
    )


def _tag_set(
    options: TaggerOptions, target: str, tags: Sequence[Sequence[str]], name: str, start: TagSet | None
) -> TagSet:
    """Return the tags of a target, behind those of a start."""
    if target == LEMMA:
        learned = learn_scripts(tags, all_known=options.head not in (None, "softmax"))
        return learned if start is None else extended_set(start, learned, target, name)
    learned = learn_tag_set(tags, options.scheme)
    learned = learned if start is None else extended_set(start, learned, target, name)
    if len(learned) < 2:
        raise CorpusError(
            f"{name}: all words have the tag {learned.names[0]!r} of the target {target!r}; expected two tags or more"
        )
    return learned


def _digest(
    parts: Iterable[tuple[Sequence[ReadSentence], Sequence[tuple[Ids, ...]]]],
    reader: TokenReader,
    vectors: WordVectors | None,
    start: TaggerModel | None,
) -> str:
    """Return a digest of the data of a run."""
    weights = [] if start is None else [tensor.cpu().numpy() for tensor in start.module.state_dict().values()]
    sentences = (
        ("\n".join(sentence.forms), sentence.columns, numbers)
        for part in parts
        for sentence, numbers in zip(*part, strict=True)
    )
    return digest(
        sentences, "\n".join([*reader.words, *reader.given]), vectors, weights, embedders_digest(reader.embedders)
    )


@options_class
class Tagger(TaggerOptions):
    """Tagger of the words of sentences.

    Raises:
        OptionError: an option is out of its range, or head="margin" comes without encoder="window".

    Source:
        Lample et al. 2016; the module's docstring has the formulas and every departure.
    """

    presets: ClassVar = {
        "bilstm-crf": Preset("BiLSTM with a CRF over words and their characters (Lample et al. 2016)."),
        "window": Preset(
            "Window of words with a hidden layer (Collobert et al. 2011).",
            unused=("layers",),
            encoder="window",
            characters="none",
            spelling=True,
            head="margin",
        ),
    }
    common_options: ClassVar = ("targets", "encoder", "head", "characters", "dim", "hidden", "dropout", "embedding")
    train = train_tagger
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=BY_SIZE,
        batch_size=BY_SIZE,
        optimiser="adam",
        lr=BY_SIZE,
        clip_norm=5.0,
        patience=BY_SIZE,
        schedule="linear",
    )

    def build(self, reader: TokenReader, sets: Sequence[TagSet], vectors: WordVectors | None = None) -> TaggerModule:
        """Return a module with random parameters; see `TaggerOptions.build`."""
        embedder = TokenEmbedder(self, reader, vectors)
        encoder: TagEncoder
        if self.encoder == "window":
            check_joins(reader.embedders, (INPUT,), "a tagger with a window")
            encoder = WindowEncoder(embedder, window=self.window, hidden=self.hidden, dropout=self.dropout)
        else:
            encoder = BiLstmEncoder(embedder, hidden=self.hidden, layers=self.layers, dropout=self.dropout)
        margin = self.margin if self.head == "margin" else None
        heads: list[TagHead] = [
            CrfHead(encoder.width, tags)
            if self.head_of(target, tags) == "crf"
            else SoftmaxHead(encoder.width, tags, probabilities=margin is None)
            for target, tags in zip(self.target_names, sets, strict=True)
        ]
        return TaggerModule(encoder, heads, margin=margin, weights=loss_weights(self.target_names))
