"""What vectors hold against groups of people: measured, removed, and looked for again after the removal."""

from firth.bias.association import sc_weat, weat
from firth.bias.coherence import ect
from firth.bias.direction import bias_direction, direct_bias, indirect_bias
from firth.bias.double_hard import double_hard_debias
from firth.bias.effects import Change, Effects, effects
from firth.bias.half_sibling import half_sibling_regression
from firth.bias.inner_product import ripa
from firth.bias.mean_cosine import mac
from firth.bias.methods import METHODS, Lists, debias
from firth.bias.metrics import METRICS, measure
from firth.bias.neutralise import equalise, hard_debias
from firth.bias.norm_distance import rnd
from firth.bias.null_space import null_space_projection
from firth.bias.query import Coverage, Measured, Query
from firth.bias.recovery import Recovery, recovery
from firth.bias.sentiment import rnsb
from firth.bias.word_lists import (
    WEAT_TESTS,
    definitional_pairs,
    equalize_pairs,
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
    "Change",
    "Coverage",
    "Effects",
    "Lists",
    "Measured",
    "Query",
    "Recovery",
    "bias_direction",
    "debias",
    "definitional_pairs",
    "direct_bias",
    "double_hard_debias",
    "ect",
    "effects",
    "equalise",
    "equalize_pairs",
    "gender_specific",
    "half_sibling_regression",
    "hard_debias",
    "indirect_bias",
    "mac",
    "measure",
    "null_space_projection",
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
