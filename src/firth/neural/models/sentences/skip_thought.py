"""Skip-thought vectors: an encoder that learns to predict the sentences around a sentence.

What: a GRU reads a sentence, and its last state is the vector of the sentence. From that vector one GRU writes the
    sentence before, and another the sentence after. Texts with similar neighbours get similar vectors. The encoder
    reads in one direction, in both with half the width each, or the vectors of both kinds of model are joined.
Objective: for each triple of adjacent sentences, with h the vector of the one in the middle,

    sum_t log p(w_t of the next | words before it, h) + sum_t log p(w_t of the previous | words before it, h)

where p is a softmax over the output of a decoder whose gates see h at every step (`layers.conditional`). The decoders
share the words' input and output vectors, and nothing else.
Source: Kiros et al. 2015, "Skip-thought vectors", section 2.1, equations 1 to 10; section 3 for the bidirectional and
    the combined model; section 2.2 for `expand`.
Departures:
- The softmax is estimated from a sample of words in training, one sample for both decoders (Jean et al. 2015); the
  paper computes all 20,000 words. `output="full"` does so here.
- The combined model is trained as one: two models without a common parameter, on the same batches. Only clipping looks
  at the gradients of both.
- The mean loss per word is minimised, not the sum over a batch. Sentences of a batch have similar lengths.
- The authors' program starts the decoders at h; the paper, and this module, give h to the gates instead.
Cost: about 18 H (3 E + 3 H) operations per word of the text, and 12 H K for K sampled words; a full softmax has
    12 H V.
"""

import abc
from collections.abc import Mapping
from typing import Any, ClassVar, Unpack, cast

import torch
from torch import nn

from firth.arguments import explained
from firth.corpus.encoded import Corpus
from firth.errors import OptionError
from firth.neural.layers.conditional import ConditionalLayer
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.output.base import OutputLayer
from firth.neural.layers.packed import Packing
from firth.neural.models.language.language_model import learned_tree, output_layer
from firth.neural.models.sentences.data import SentenceText, TokenBatch, Triples, triples
from firth.neural.models.sentences.options import SentenceModule, SentenceOptions, long_sentences, look_up
from firth.neural.models.sentences.predict import SentenceEncoder
from firth.neural.supervised import SupervisedTask, digest, mean_figures, mean_loss, perplexity_of
from firth.neural.training.devices import new_module
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunConfig, TextRunArguments, TrainingOptions, text_options
from firth.options import Preset, check_kind, option, options_class
from firth.timing import running_clock
from firth.vectors.word_vectors import WordVectors
from firth.vocabulary import Vocabulary

EVAL_BATCH = 64  # sentences
ENCODERS = ("uni", "bi", "combine")


class NeighbourModule(SentenceModule, abc.ABC):
    """A sentence encoder that also predicts the words of the neighbours."""

    @abc.abstractmethod
    def forward(self, batch: Triples) -> torch.Tensor:
        """Return the (N,) losses of the words of both neighbours."""

    @abc.abstractmethod
    def log_prob_of(self, batch: Triples) -> torch.Tensor:
        """Return the (N,) exact log-probabilities of the words of both neighbours."""


def neighbour_task(
    module: NeighbourModule,
    text: SentenceText,
    held_out: SentenceText | None = None,
    *,
    limit: int,
    batch_size: int,
    seed: int = 0,
) -> SupervisedTask:
    """Return a sentence encoder with its text as a task: losses per word of both neighbours, and the perplexity."""
    test = None if held_out is None else triples(held_out, limit=limit, batch_size=EVAL_BATCH, shuffle=False)

    def figures() -> Mapping[str, float]:
        if test is None:
            return {}
        mean = mean_figures(test, module, lambda batch: -module.log_prob_of(batch))["loss"]
        return {"loss": mean, "perplexity": perplexity_of(mean)}

    return SupervisedTask(
        module=module,
        batches=triples(text, limit=limit, batch_size=batch_size, seed=seed),
        loss=lambda batch, progress: mean_loss(module(batch)),
        figures=figures,
        unit=text.rules.unit,
        # neighbours are as long, on average
        eval_predictions=0 if test is None else int(2 * (test.lengths + 1).sum()),
    )


@explained(max_size=20_000, unknown="<unk>", sentences="punctuation", keep_empty=True)
def train_on_neighbours(
    options: SentenceOptions,
    corpus: Corpus | Any,
    *,
    held_out: Any = None,
    vectors: WordVectors | None = None,
    **arguments: Unpack[TextRunArguments],
) -> SentenceEncoder:
    """Train a sentence encoder on running text.

    The order of the sentences is what it learns from. The end of a file or of a text ends a document: sentences on its
    two sides are no neighbours.

    Args:
        options: of the model.
        corpus: training text: anything that `Corpus.build` takes, which is split into sentences at punctuation and at
            blank lines; or a corpus built with `unknown="<unk>"`, whose empty sentences (`keep_empty=True`) end
            documents.
        held_out: text of the same kind, which selects the best epoch. Without it, the last epoch is kept.
        vectors: word vectors of width `dim` at which the input vectors start; training changes them.
        **arguments: of the run (`RunConfig`), and options of `Corpus.build`, for a text that is no
            corpus yet.

    Returns:
        The model of the best evaluation on held-out text, or the last.

    Raises:
        CorpusError: the text is empty, no sentence has neighbours, the corpus has left words out, or no word of the
            held-out text is known.
        OptionError: an option is out of its range, the vectors have another width, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    if vectors is not None:
        check_kind("vectors", vectors, WordVectors)
    config, given = RunConfig.of(options.training, arguments), text_options(arguments)
    with running_clock():
        text = SentenceText.of(corpus, given, defaults=options.text, progress=config.progress)
        test = None if held_out is None else text.read(held_out, given, config.progress)
        module = cast("NeighbourModule", new_module(config.seed, options.build_module, text.vocabulary, copies=2))
        if vectors is not None:
            start_at(module, vectors, text.vocabulary, config.seed)
        limit, size = options.max_length, config.training.batch_size
        truncated = long_sentences(text.lengths, limit, text.rules)
        task = neighbour_task(module, text, test, limit=limit, batch_size=size, seed=config.seed)
        start = None if vectors is None else digest(vectors, "\n".join(vectors.words))
        data = {"text": text.corpus.fingerprint, "sentences": len(text), "vectors": start}
        facts = fit_model(task, options, config, data)
        metadata = {"training": {**facts, "truncated": truncated}}
        return SentenceEncoder(module, options, text.vocabulary, text.rules, metadata=metadata)


def start_at(module: torch.nn.Module, vectors: WordVectors, vocabulary: Vocabulary, seed: int = 0) -> None:
    """Set the input vectors of a module to those of the words; words without a vector get random ones like them.

    Raises:
        OptionError: the vectors have another width, or no word has one.
    """
    for layer in module.modules():
        if isinstance(layer, WordEmbedding):
            if vectors.dim != layer.width:
                raise OptionError(
                    f"vectors of width {vectors.dim} for dim={layer.width}: expected the same; use dim={vectors.dim}"
                )
            table = WordEmbedding.from_vectors(vectors, vocabulary, seed=seed)
            with torch.no_grad():
                layer.weight.copy_(table.weight)


@options_class
class SkipThought(SentenceOptions):
    """Skip-thought vectors: a sentence encoder that learns from the order of sentences.

    Source:
        Kiros et al. 2015; the module's docstring has the formula and every departure.
    """

    presets: ClassVar = {
        "skip-thought": Preset("Skip-thought: a GRU that learns to write the sentences around one (Kiros et al. 2015).")
    }
    common_options: ClassVar = ("encoder", "dim", "hidden", "max_length")
    train = train_on_neighbours
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=2, batch_size=128, lr=0.001, schedule="linear", clip_norm=5.0
    )
    text: ClassVar[dict[str, Any]] = {"max_size": 20_000, "sentences": "punctuation", "keep_empty": True}

    encoder: str = option(
        "uni", "encoder: reads forward; both ways, half the width each; or both models joined", choices=ENCODERS
    )
    dim: int = option(300, "width of word vectors", minimum=1)
    hidden: int = option(600, "width of the vector of a text; twice that with encoder=combine", minimum=1)
    output: str = option(
        "importance:samples=1024", "output layer, as of language models: importance, nce, negative, full and others"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if learned_tree(self.output) is not None:
            raise OptionError(f"output={self.output!r}: a tree is learned by language models only; use another output")
        if self.encoder != "uni" and self.hidden % 2:
            raise OptionError(f"hidden={self.hidden} with encoder={self.encoder!r}: expected an even number")

    def build_module(self, vocabulary: Vocabulary) -> "SkipThoughts":
        """Return a module with random parameters; see `SentenceOptions.build_module`."""
        return SkipThoughts(self, vocabulary)


class SkipThoughts(NeighbourModule):
    """Module of skip-thought vectors: one model, or two side by side; arguments as in `SentenceOptions.build_module`.

    Attributes:
        models: uni-directional, bidirectional, or both.
    """

    def __init__(self, options: SkipThought, vocabulary: Vocabulary) -> None:
        super().__init__()
        both = {"uni": [False], "bi": [True], "combine": [False, True]}[options.encoder]
        self.models = nn.ModuleList(EncoderDecoders(options, vocabulary, bidirectional=parts) for parts in both)
        self.width = options.hidden * len(both)

    @property
    def input_table(self) -> torch.Tensor:
        """(V, E) input vectors; the columns of two models stand side by side, E = 2 dim."""
        return torch.cat([model.embedding.weight for model in self.parts], dim=1)

    @property
    def parts(self) -> list["EncoderDecoders"]:
        """The models."""
        return [cast("EncoderDecoders", model) for model in self.models]

    def encode(self, ids: torch.Tensor, lengths: torch.Tensor, added: torch.Tensor | None = None) -> torch.Tensor:
        """Return (B, D) vectors; see `SentenceModule.encode`."""
        packing, count = Packing(lengths), len(self.models)
        parts = [None] * count if added is None else added.chunk(count, dim=1)
        packed = packing.pack(ids)
        return torch.cat(
            [model.encode(packed, packing, part) for model, part in zip(self.parts, parts, strict=True)], dim=1
        )

    def forward(self, batch: Triples) -> torch.Tensor:
        """Return the (N,) losses of the words of both neighbours, averaged over the models."""
        return torch.stack([model(batch) for model in self.parts]).mean(0)

    def log_prob_of(self, batch: Triples) -> torch.Tensor:
        """Return (N,) exact log-probabilities of the words of both neighbours, averaged over the models."""
        return torch.stack([model.output.log_prob_of(*model.hidden(batch)) for model in self.parts]).mean(0)


class EncoderDecoders(nn.Module):
    """One encoder with its two decoders.

    Attributes:
        embedding: of all three networks.
        encoders: forward; and backward, if bidirectional.
        previous, following: decoders of the sentence before and the one after.
        output: of both decoders.
    """

    def __init__(self, options: SkipThought, vocabulary: Vocabulary, *, bidirectional: bool) -> None:
        super().__init__()
        directions = 2 if bidirectional else 1
        self.embedding = WordEmbedding(len(vocabulary), options.dim)
        self.encoders = nn.ModuleList(
            ConditionalLayer("gru", options.dim, options.hidden // directions) for _ in range(directions)
        )
        self.previous, self.following = (
            ConditionalLayer("gru", options.dim, options.hidden, condition=options.hidden) for _ in range(2)
        )
        self.output: OutputLayer = output_layer(options.output, options.hidden, vocabulary)

    def encode(self, packed: torch.Tensor, packing: Packing, added: torch.Tensor | None = None) -> torch.Tensor:
        """Return (B, H) vectors of sentences with (N,) packed ids: the last states of the encoders."""
        x, ends = look_up(self.embedding.weight, packed, added), packing.ends.to(packed.device)
        lasts = []
        for encoder, order in zip(self.encoders, (None, packing.backward), strict=False):
            read = x if order is None else x[order.to(x.device)]
            lasts.append(encoder(read, packing)[ends])
        return torch.cat(lasts, dim=1)

    def hidden(self, batch: Triples) -> tuple[torch.Tensor, torch.Tensor]:
        """Return (N, H) states of both decoders, and the (N,) words that they predict."""
        packing = Packing(batch.current.lengths)
        vector = self.encode(packing.pack(batch.current.ids), packing)
        before, before_words = self._decoded(self.previous, batch.previous, vector)
        after, after_words = self._decoded(self.following, batch.following, vector)
        return torch.cat([before, after]), torch.cat([before_words, after_words])

    def _decoded(
        self, decoder: nn.Module, sentences: TokenBatch, vector: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        packing = Packing(sentences.lengths - 1)
        read, words = packing.pack(sentences.ids[:, :-1]), packing.pack(sentences.ids[:, 1:])
        return decoder(self.embedding(read), packing, vector), words

    def forward(self, batch: Triples) -> torch.Tensor:
        """Return (N,) losses of the words of both neighbours; a sampled output draws one sample for all of them."""
        return self.output.loss(*self.hidden(batch))
