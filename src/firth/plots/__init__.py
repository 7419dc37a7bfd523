"""Pictures of vectors and results: each function returns a `Picture`, which can be saved.

>>> from firth import plots
>>> plots.word_map(vectors, ["red", "green", "house"]).save("map.html")      # doctest: +SKIP
"""

from firth.plots.analogy import analogy_arrows
from firth.plots.atlas import embedding_atlas
from firth.plots.attention import attention_heat_map
from firth.plots.axis import word_axis
from firth.plots.bias import bias_summary
from firth.plots.by_size import scores_by_size
from firth.plots.contrast import contrast_summary
from firth.plots.contrast_series import contrast_course
from firth.plots.curve import training_curves
from firth.plots.explanation import token_scores
from firth.plots.frequency import word_frequency
from firth.plots.lattice import lattice
from firth.plots.map import word_map
from firth.plots.models import models_by_set, models_by_time
from firth.plots.neighbours import neighbour_network
from firth.plots.picture import Picture
from firth.plots.semantic_change import word_path
from firth.plots.sense_words import sense_words
from firth.plots.senses import sense_map
from firth.plots.similarity import similarity_heat_map
from firth.plots.spans import coreference_chains, entity_spans
from firth.plots.stability import neighbour_stability
from firth.plots.translations import translation_map
from firth.plots.trees import dependency_arcs

__all__ = [
    "Picture",
    "analogy_arrows",
    "attention_heat_map",
    "bias_summary",
    "contrast_course",
    "contrast_summary",
    "coreference_chains",
    "dependency_arcs",
    "embedding_atlas",
    "entity_spans",
    "lattice",
    "models_by_set",
    "models_by_time",
    "neighbour_network",
    "neighbour_stability",
    "scores_by_size",
    "sense_map",
    "sense_words",
    "similarity_heat_map",
    "token_scores",
    "training_curves",
    "translation_map",
    "word_axis",
    "word_frequency",
    "word_map",
    "word_path",
]
