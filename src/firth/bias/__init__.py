"""Social bias in vectors: metrics, debiasing methods, and recovery of the bias after debiasing."""

from firth.bias.direction import bias_direction, direct_bias, indirect_bias
from firth.bias.double_hard_debiasing import double_hard_debias
from firth.bias.effects import DebiasingEffects, ScoreChange, effects
from firth.bias.half_sibling import half_sibling_regression
from firth.bias.hard_debiasing import equalise, hard_debias
from firth.bias.measure import METRICS, measure
from firth.bias.methods import METHODS, BiasLists, debias
from firth.bias.metrics import ect, mac, ripa, rnd, rnsb, sc_weat, weat
from firth.bias.null_space_projection import inlp
from firth.bias.query import BiasScore, Coverage, Query
from firth.bias.recovery import Recovery, recovery
from firth.bias.word_lists import (
    WEAT_TESTS,
    definitional_pairs,
    equalise_pairs,
    gender_specific,
    professions,
    query_of,
    read_pairs,
    read_sets,
    read_words,
    weat_queries,
)

__all__ = [
    "METHODS",
    "METRICS",
    "WEAT_TESTS",
    "BiasLists",
    "BiasScore",
    "Coverage",
    "DebiasingEffects",
    "Query",
    "Recovery",
    "ScoreChange",
    "bias_direction",
    "debias",
    "definitional_pairs",
    "direct_bias",
    "double_hard_debias",
    "ect",
    "effects",
    "equalise",
    "equalise_pairs",
    "gender_specific",
    "half_sibling_regression",
    "hard_debias",
    "indirect_bias",
    "inlp",
    "mac",
    "measure",
    "professions",
    "query_of",
    "read_pairs",
    "read_sets",
    "read_words",
    "recovery",
    "ripa",
    "rnd",
    "rnsb",
    "sc_weat",
    "weat",
    "weat_queries",
]
