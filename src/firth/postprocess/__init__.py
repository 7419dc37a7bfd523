"""Post-processing of trained vectors: each function takes `WordVectors` and returns new ones."""

from firth.postprocess.counter_fitting import CounterFitting, counter_fit
from firth.postprocess.ensembles import average, concatenate
from firth.postprocess.fidelity import Fidelity, fidelity
from firth.postprocess.linear import centre, normalise, reduce, remove_components, whiten
from firth.postprocess.retrofitting import retrofit
from firth.postprocess.word_pairs import WordPairs, read_word_pairs

__all__ = [
    "CounterFitting",
    "Fidelity",
    "WordPairs",
    "average",
    "centre",
    "concatenate",
    "counter_fit",
    "fidelity",
    "normalise",
    "read_word_pairs",
    "reduce",
    "remove_components",
    "retrofit",
    "whiten",
]
