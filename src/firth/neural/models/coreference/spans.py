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

from typing import ClassVar

from firth.neural.models.coreference.span_options import SpanOptions
from firth.neural.models.coreference.span_train import train_span_model
from firth.options import Preset, options_class


@options_class
class SpanCoreference(SpanOptions):
    """End-to-end coreference.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Lee et al. 2017; the module's docstring has the formulas and every departure.
    """

    presets: ClassVar = {"spans": Preset("End-to-end: mentions and antecedents from words alone (Lee et al. 2017).")}
    common_options: ClassVar = ("hidden", "max_width", "kept", "antecedents", "dropout", "embedding", "singletons")
    train = train_span_model
