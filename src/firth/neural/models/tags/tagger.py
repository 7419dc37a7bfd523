"""Taggers: parts of speech, entities and chunks by a BiLSTM or a window, with a CRF, softmax or a margin.

What: words are vectors from a look-up, from their characters and from given vectors. An encoder, a BiLSTM over the
    sentence or a window of words, gives each word a vector in its context, and a head the scores of its tags. Several
    targets, such as parts of speech and morphology, share one encoder and have a head each.
Objective: the mean per word of, for each target,

    crf      -log p(y | x) of the tags y of a sentence, with the transitions that mark no spans forbidden
    softmax  -sum_t log p(y_t | x)
    margin   the hinge losses of `firth.neural.models.tags.margin`
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

from collections.abc import Sequence
from typing import ClassVar

from firth.neural.models.tags.encoders import BiLstmEncoder, TagEncoder, WindowEncoder
from firth.neural.models.tags.heads import CrfHead, SoftmaxHead, TagHead
from firth.neural.models.tags.module import TaggerModule
from firth.neural.models.tags.options import TaggerOptions
from firth.neural.models.tags.tag_set import TagSet
from firth.neural.models.tags.train import train_tagger
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.models.tokens.embedders import INPUT, check_places
from firth.neural.models.tokens.reader import TokenReader
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, options_class
from firth.vectors.word_vectors import WordVectors


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
        epochs=30, batch_size=16, optimiser="adam", lr=0.002, clip_norm=5.0, patience=5, schedule="linear"
    )

    def build(self, reader: TokenReader, sets: Sequence[TagSet], vectors: WordVectors | None) -> TaggerModule:
        """Return a module with random parameters; see `TaggerOptions.build`."""
        embedder = TokenEmbedder(self, reader, vectors)
        encoder: TagEncoder
        if self.encoder == "window":
            check_places(reader.embedders, (INPUT,), "a tagger with a window")
            encoder = WindowEncoder(embedder, window=self.window, hidden=self.hidden, dropout=self.dropout)
        else:
            encoder = BiLstmEncoder(embedder, hidden=self.hidden, layers=self.layers, dropout=self.dropout)
        margin = self.margin if self.head == "margin" else None
        heads: list[TagHead] = [
            CrfHead(encoder.width, tags)
            if self.head == "crf"
            else SoftmaxHead(encoder.width, tags, probabilities=margin is None)
            for tags in sets
        ]
        return TaggerModule(encoder, heads, margin=margin)
