"""End-to-end coreference: mentions and their antecedents from words alone.

What: every span of up to L words within a sentence is a candidate mention. A BiLSTM over each sentence gives the words
    vectors; a span's vector has its first and last word, the words inside by an attention that finds its head, and its
    width. A score for each span prunes them to a share of the tokens, and each that is kept chooses an antecedent
    among those before it, or the dummy: no antecedent.
Objective: with g_i the vector of span i, phi features of a pair, and FFNN hidden layers,

    s_m(i)    = w . FFNN(g_i)
    s(i, j)   = s_m(i) + s_m(j) + g_i W g_j + v . phi(i, j) + w' . FFNN(g_i, g_j, g_i * g_j, phi(i, j))
    P(j | i)  = exp s(i, j) / (1 + sum_j' exp s(i, j'))

    the loss is -sum_i log of the sum of P(j | i) over the antecedents j of i's gold chain that were kept, or P(dummy)
    where there is none, plus the cross entropy of s_m over all spans.
Source: Lee, He, Lewis and Zettlemoyer 2017, "End-to-end neural coreference resolution", sections 3 to 5; Lee, He and
    Zettlemoyer 2018, "Higher-order coreference resolution with coarse-to-fine inference", section 4 (the bilinear
    score, which chooses the antecedents that are scored in full).
Departures:
- The cross entropy of mentions: where documents annotate mentions without antecedents, as LitBank does, the pairs
  alone would not learn them. A span is a mention if its probability is above a half.
- Features of pairs: distances, equal words, and quotations (which of the two is quoted, and whether in the same
  quotation), in place of speaker and genre. Vectors of eighty documents do not learn that equal names corefer.
- The first hidden layer over a span is a sum of parts that are computed once per word, not once per span.
- Spans may cross: gold mentions do.
- Gold mentions of more than L words are never found.
Cost: N L F numbers per document for spans, K^2 for the bilinear scores and K A F for pairs, K = kept N.
    `recipes/end_to_end_coreference.py` has time and figures on LitBank.
"""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Unpack

import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from firth.arguments import explained
from firth.documents.document import Document, Span
from firth.evaluation.coreference import score_coreference
from firth.neural.layers.state import State
from firth.neural.models.coreference.pair_module import FEATURES
from firth.neural.models.coreference.sources import has_singletons, split_documents
from firth.neural.models.coreference.span_data import SpanInputs, document_batches, read_document
from firth.neural.models.coreference.span_module import Links, SpanModule, Spans, decode, spans_of, with_dummy
from firth.neural.models.coreference.span_predict import SpanCoreferenceModel
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.options import EMBEDDINGS, TokenOptions, with_vectors
from firth.neural.models.tokens.reader import TokenReader
from firth.neural.supervised import digest
from firth.neural.training.devices import new_parameters
from firth.neural.training.loop import fit_model
from firth.neural.training.options import RunArguments, RunConfig, TrainingOptions
from firth.neural.training.row_updates import sparse_gradients
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.options import Preset, option, options_class
from firth.timing import running_clock
from firth.vectors.word_vectors import WordVectors


@options_class
class SpanOptions(TokenOptions):
    """Options of end-to-end coreference."""

    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=20, batch_size=1, optimiser="adam", lr=0.001, warmup=100, clip_norm=5.0, schedule="linear"
    )

    dim: int = option(50, "width of the word vectors that are trained; given vectors decide it if tuned", minimum=1)
    embedding: str = option(
        "static",
        "given word vectors: tuned, they start the trained ones; static, they are kept, beside the trained ones",
        choices=EMBEDDINGS,
    )
    hidden: int = option(200, "width of each LSTM's state", minimum=1)
    layers: int = option(1, "number of LSTM layers", minimum=1)
    max_width: int = option(10, "words of the longest span that can be a mention", minimum=1, maximum=50)
    ffnn: int = option(150, "width of hidden layers over spans and pairs", minimum=1)
    kept: float = option(0.3, "pruning: spans that are kept per token", minimum=0, maximum=1, exclusive=True)
    antecedents: int = option(50, "antecedents of a span that are scored in full", minimum=1)
    matches: bool = option(True, "features of pairs with equal words")
    mention_weight: float = option(1.0, "weight of the loss of mentions", minimum=0)
    singletons: bool | None = option(
        None, "whether mentions without an antecedent or anaphor are chains; default: as in the training documents"
    )
    input_dropout: float = option(0.5, "dropout of the vectors of words", minimum=0, maximum=0.99)
    lstm_dropout: float = option(0.3, "dropout of the outputs of LSTM layers", minimum=0, maximum=0.99)
    dropout: float = option(0.3, "dropout of hidden layers", minimum=0, maximum=0.99)

    def build(
        self, reader: TokenReader, seed: int, vectors: WordVectors | None = None, *, copies: int = 1
    ) -> SpanModule:
        """Return a module with random parameters; torch's own random state is kept."""
        with new_parameters(seed, copies):
            return SpanModule(
                TokenEmbedder(self, reader, vectors, seed=seed),
                hidden=self.hidden,
                layers=self.layers,
                width=self.max_width,
                ffnn=self.ffnn,
                kept=self.kept,
                antecedents=self.antecedents,
                features=[name for name in FEATURES if self.matches or name != "matches"],
                input_dropout=self.input_dropout,
                lstm_dropout=self.lstm_dropout,
                dropout=self.dropout,
            )


class SpanTask:
    """A module with its documents; implements `firth.neural.training.task.Task`.

    Attributes:
        unit: "spans".
        eval_predictions: gold mentions of `held_out`.
    """

    def __init__(
        self,
        module: SpanModule,
        batches: Batches,
        held_out: Batches,
        gold: Sequence[Sequence[Sequence[Span]]],
        *,
        mention_weight: float,
        singletons: bool,
    ) -> None:
        self.module: torch.nn.Module = module
        self.batches, self.unit = batches, "spans"
        self._held_out, self._gold = held_out, gold
        self._weight, self._singletons = mention_weight, singletons
        self.eval_predictions = sum(len(chain) for chains in gold for chain in chains)

    def step(self, batch: SpanInputs, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the loss of a document per span that was kept; see `Task.step`."""
        spans, kept, links = self.module(batch)
        linking = antecedent_loss(links, batch.chains[kept.starts, kept.widths])
        mentions = mention_loss(spans, batch)
        count = len(kept.starts)
        return StepOutput((linking + self._weight * mentions) / count, linking.detach().sum(dtype=torch.float64), count)

    def evaluate(self) -> Mapping[str, float]:
        """Return what the mean F1 of MUC, B-cubed and CEAF-e, and the F1 of mentions, lack to 1."""
        device = next(self.module.parameters()).device
        found = []
        for batch in self._held_out.epoch(0):
            _, kept, links = self.module(batch.to(device))
            spans = spans_of(kept)
            chains = decode(kept, links, singletons=self._singletons)
            found.append([[spans[number] for number in chain] for chain in chains])
        scores = score_coreference(self._gold, found)
        return {"error": 1 - scores.conll, "mention_error": 1 - scores.mentions.f1}


def antecedent_loss(links: Links, chains: torch.Tensor) -> torch.Tensor:
    """Return the marginal likelihood of gold antecedents: minus its logarithm, summed over the kept spans.

    Args:
        links: antecedents of K spans.
        chains: (K,) number of each span's gold chain; -1 for no mention.
    """
    same = (chains.unsqueeze(1) == chains[links.antecedents]) & (chains >= 0).unsqueeze(1)
    same &= links.scores > -torch.inf
    scores, gold = with_dummy(links.scores), torch.cat([~same.any(1, keepdim=True), same], 1)
    return (scores.logsumexp(1) - scores.masked_fill(~gold, -torch.inf).logsumexp(1)).sum()


def mention_loss(spans: Spans, inputs: SpanInputs) -> torch.Tensor:
    """Return the cross entropy of all valid spans, mention or not, summed."""
    scores = spans.scores[inputs.valid]
    target = (inputs.chains[inputs.valid] >= 0).to(scores.dtype)
    return binary_cross_entropy_with_logits(scores, target, reduction="sum")


@explained
def train_span_model(
    options: SpanOptions,
    documents: Any,
    *,
    held_out: Any = None,
    vectors: WordVectors | None = None,
    **run: Unpack[RunArguments],
) -> SpanCoreferenceModel:
    """Train an end-to-end model on documents with coreference chains; it finds mentions and their antecedents.

    Args:
        options: of the model.
        documents: documents, or files of them: CoNLL-U, JSONL, or the columns of CoNLL-2012 (a file, a folder, a tar
            archive).
        held_out: documents that select the best epoch, likewise. Without them a tenth of the training documents is held
            out; test data never select a model.
        vectors: word vectors that are kept, or to start from (`embedding`).
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The model of the best evaluation on held-out documents: by the mean F1 of MUC, B-cubed and CEAF-e.

    Raises:
        CorpusError: the source is missing or holds no chain of two mentions.
        FormatError: a file is damaged; the message names the line.
        OptionError: an option is out of its range, or the checkpoint is of another run.
        DivergenceError: training diverged.
    """
    config = RunConfig.of(options.training, run)
    with running_clock():
        train, judged = split_documents(documents, held_out, config.seed)
        options = _settled(options, train, vectors)
        reader = options.learn_reader((sentence for document in train for sentence in document.sentences), vectors)
        return _trained(options, train, judged, reader, config, vectors)


def _trained(
    options: SpanOptions,
    train: Sequence[Document],
    judged: Sequence[Document],
    reader: TokenReader,
    config: RunConfig,
    vectors: WordVectors | None,
) -> SpanCoreferenceModel:
    width = options.max_width
    read, held_out = ([read_document(document, reader, width) for document in each] for each in (train, judged))
    module = options.build(reader, config.seed, vectors, copies=2)
    task = SpanTask(
        module,
        document_batches(read, reader, width, seed=config.seed),
        document_batches(held_out, reader, width, shuffle=False),
        [document.clusters for document in judged],
        mention_weight=options.mention_weight,
        singletons=bool(options.singletons),
    )
    data = {"documents": _digest([*train, *judged], reader, vectors)}
    with sparse_gradients(module, config.training):
        facts = fit_model(task, options, config, data)
    facts |= {
        "documents": len(read),
        "mentions": sum(each.mentions for each in read),
        "mentions_left_out": sum(each.mentions - len(each.chains) for each in read),
        "held_out_documents": len(held_out),
    }
    return SpanCoreferenceModel(module, options, reader, {"training": facts})


def _settled(options: SpanOptions, documents: Sequence[Document], vectors: WordVectors | None) -> SpanOptions:
    """Return the options with the width of given vectors, and with what the documents say of singletons."""
    options = with_vectors(options, vectors, needed=False)
    if options.singletons is not None:
        return options
    return dataclasses.replace(options, singletons=has_singletons(documents))


def _digest(documents: Sequence[Document], reader: TokenReader, vectors: WordVectors | None) -> str:
    """Return a digest of the data of a run."""
    content = (f"{document}\n{document.clusters}\n" for document in documents)
    return digest(content, "\n".join([*reader.words, *reader.given]), vectors)


@options_class
class SpanCoreference(SpanOptions):
    """End-to-end coreference.

    Source:
        Lee et al. 2017; the module's docstring has the formulas and every departure.
    """

    presets: ClassVar = {"spans": Preset("End-to-end: mentions and antecedents from words alone (Lee et al. 2017).")}
    common_options: ClassVar = ("hidden", "max_width", "kept", "antecedents", "dropout", "embedding", "singletons")
    train = train_span_model
