"""Options of end-to-end coreference."""

from typing import ClassVar

from firth.neural.models.coreference.pair_codes import FEATURES
from firth.neural.models.coreference.span_module import SpanModule
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.options import EMBEDDINGS, TokenOptions
from firth.neural.models.tokens.reader import TokenReader
from firth.neural.training.devices import new_parameters
from firth.neural.training.options import TrainingOptions
from firth.options import option, options_class
from firth.vectors.word_vectors import WordVectors


@options_class
class SpanOptions(TokenOptions):
    """Options of end-to-end coreference.

    Raises:
        OptionError: an option is out of its range.
    """

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
        """Return a module with random parameters; torch's own random state is kept.

        Args:
            reader: the words.
            seed: of the parameters.
            vectors: given vectors; None for random ones.
            copies: numbers in memory per parameter: 1, or 2 in training.

        Raises:
            OptionError: the model needs more memory than this machine has, or no word has a vector.
        """
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
