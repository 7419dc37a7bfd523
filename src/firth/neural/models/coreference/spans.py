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
Cost: N L F numbers per document for spans, K^2 for the bilinear scores and K A F for pairs, K = spans_per_token N.
    `recipes/end_to_end_coreference.py` has time and figures on LitBank.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any, ClassVar, Unpack

import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from firth.arguments import explained
from firth.documents.document import Document, Span
from firth.evaluation.coreference import score_coreference
from firth.neural.models.coreference.pair_module import FEATURES
from firth.neural.models.coreference.predict import SpanCoreferenceModel
from firth.neural.models.coreference.sources import has_singletons, split_documents
from firth.neural.models.coreference.span_data import SpanInputs, document_batches, read_document
from firth.neural.models.coreference.span_module import Links, SpanModule, Spans, decode, spans_of, with_dummy
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.options import EMBEDDINGS, TokenOptions, with_vectors
from firth.neural.models.tokens.reader import TokenReader
from firth.neural.supervised import SupervisedTask, digest, on_device
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
    spans_per_token: float = option(0.3, "pruning: spans that are kept per token", minimum=0, maximum=1, exclusive=True)
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
                spans_per_token=self.spans_per_token,
                antecedents=self.antecedents,
                features=[name for name in FEATURES if self.matches or name != "matches"],
                input_dropout=self.input_dropout,
                lstm_dropout=self.lstm_dropout,
                dropout=self.dropout,
            )


def span_task(
    module: SpanModule,
    batches: Batches,
    held_out: Batches,
    gold: Sequence[Sequence[Sequence[Span]]],
    *,
    mention_weight: float,
    singletons: bool,
) -> SupervisedTask:
    """Return a module to train on documents, with its loss per span that was kept and its figures.

    The error is what the mean F1 of MUC, B-cubed and CEAF-e lacks to 1, given the gold chains of held-out documents.
    """

    def loss(batch: SpanInputs, progress: TrainingProgress) -> StepOutput:
        spans, kept, links = module(batch)
        linking = antecedent_loss(links, batch.chains[kept.starts, kept.widths])
        total, count = linking + mention_weight * mention_loss(spans, batch), len(kept.starts)
        return StepOutput(total / count, linking.detach().sum(dtype=torch.float64), count)

    def figures() -> dict[str, float]:
        predicted = []
        for batch in on_device(held_out, module):
            _, kept, links = module(batch)
            spans = spans_of(kept)
            predicted.append([[spans[row] for row in chain] for chain in decode(kept, links, singletons=singletons)])
        scores = score_coreference(gold, predicted)
        return {"error": 1 - scores.conll, "mention_error": 1 - scores.mentions.f1}

    mentions = sum(len(chain) for chains in gold for chain in chains)
    return SupervisedTask(
        module=module, batches=batches, loss=loss, figures=figures, unit="spans", eval_predictions=mentions
    )


def antecedent_loss(links: Links, chains: torch.Tensor) -> torch.Tensor:
    """Return the marginal likelihood of gold antecedents: minus its logarithm, summed over the kept spans.

    Args:
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
        documents: documents, or files of them, in any form that `firth.Coreference.train` reads.
        held_out: documents that select the best epoch. Without them a tenth of the training documents is held out.
        vectors: word vectors that are kept, or to start from (`embedding`).
        **run: training options and circumstances of the run; see `RunConfig`.

    Returns:
        The model of the best evaluation on held-out documents: by the mean F1 of MUC, B-cubed and CEAF-e.

    Raises:
        CorpusError, FormatError, OptionError, DivergenceError: as `firth.Coreference.train`.
    """
    config = RunConfig.of(options.training, run)
    with running_clock():
        train, validation = split_documents(documents, held_out, config.seed)
        options = with_vectors(options, vectors, needed=False)
        if options.singletons is None:
            options = dataclasses.replace(options, singletons=has_singletons(train))
        reader = options.learn_reader((sentence for document in train for sentence in document.sentences), vectors)
        return _trained(options, train, validation, reader, config, vectors)


def _trained(
    options: SpanOptions,
    train: Sequence[Document],
    validation: Sequence[Document],
    reader: TokenReader,
    config: RunConfig,
    vectors: WordVectors | None,
) -> SpanCoreferenceModel:
    width = options.max_width
    read, held_out = ([read_document(document, reader, width) for document in part] for part in (train, validation))
    module = options.build(reader, config.seed, vectors, copies=2)
    task = span_task(
        module,
        document_batches(read, reader, width, batch_size=1, seed=config.seed),
        document_batches(held_out, reader, width, batch_size=1, shuffle=False),
        [document.clusters for document in validation],
        mention_weight=options.mention_weight,
        singletons=bool(options.singletons),
    )
    data = {"documents": _digest([*train, *validation], reader, vectors)}
    with sparse_gradients(module, config.training):
        facts = fit_model(task, options, config, data)
    facts |= {
        "documents": len(read),
        "mentions": sum(document.mentions for document in read),
        "mentions_left_out": sum(document.mentions - len(document.chains) for document in read),
        "held_out_documents": len(held_out),
    }
    return SpanCoreferenceModel(module, options, reader, {"training": facts})


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
    common_options: ClassVar = (
        "hidden",
        "max_width",
        "spans_per_token",
        "antecedents",
        "dropout",
        "embedding",
        "singletons",
    )
    train = train_span_model
