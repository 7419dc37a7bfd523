"""The kinds of models that firth saves in folders, one line per kind.

A folder of another kind, such as one of a newer version, is never replaced.
"""

import functools
import importlib
from collections.abc import Callable
from typing import Any

PREFIX = "firth-"  # every kind begins with it
LOADERS = {  # kind: "module:function", which takes a ModelFolder and returns the model
    "firth-alignment": "firth.alignment.alignment:restore",
    "firth-bidirectional-language-model": (
        "firth.neural.models.bidirectional.predict:BidirectionalLanguageModel.restore"
    ),
    "firth-boltzmann-machine": "firth.latent.boltzmann_machine:restore",
    "firth-captioner": "firth.neural.models.captions.predict:CaptionModel.restore",
    "firth-classifier": "firth.classify.files:restore",
    "firth-composition": "firth.embeddings.compositional:restore",
    "firth-context2vec": "firth.neural.models.context2vec.predict:ContextModel.restore",
    "firth-coreference": "firth.neural.models.coreference.predict:restore",
    "firth-documents": "firth.vectors.document_vectors:restore",
    "firth-graph-model": "firth.neural.models.graphs.predict:NodeModel.restore",
    "firth-label-model": "firth.neural.models.classification.predict:LabelModel.restore",
    "firth-encoder": "firth.neural.models.pretraining.encoder_model:PretrainedEncoder.restore",
    "firth-linear-classifier": "firth.classify.linear_model:restore",
    "firth-lattice-language-model": "firth.neural.models.lattices.predict:LatticeModel.restore",
    "firth-language-model": "firth.neural.models.language.predict:NeuralLanguageModel.restore",
    "firth-mixture": "firth.language.mixture:restore",
    "firth-ngrams": "firth.language.ngram_model:restore",
    "firth-sentence-autoencoder": "firth.neural.models.autoencoders.predict:AutoencoderModel.restore",
    "firth-sentence-encoder": "firth.neural.models.sentences.predict:SentenceEncoder.restore",
    "firth-pipeline": "firth.pipeline.pipeline:restore",
    "firth-predictor-network": "firth.neural.models.predictors.predict:PredictorModel.restore",
    "firth-pointer-network": "firth.neural.models.pointers.predict:PointerModel.restore",
    "firth-reader": "firth.neural.models.reading.predict:ReadingModel.restore",
    "firth-parser": "firth.neural.models.parsers.predict:ParserModel.restore",
    "firth-runs": "firth.runs.runs:restore",
    "firth-senses": "firth.vectors.sense_vectors:restore",
    "firth-subwords": "firth.vectors.restore:restore_subwords",
    "firth-summarizer": "firth.neural.models.summaries.predict:SummaryModel.restore",
    "firth-tagger": "firth.neural.models.tagging.predict:TaggerModel.restore",
    "firth-text-graph": "firth.neural.models.graphs.text_predict:restore",
    "firth-tokeniser": "firth.pipeline.tokeniser:restore",
    "firth-translator": "firth.neural.models.translation.predict:TranslationModel.restore",
    "firth-tree-model": "firth.neural.models.trees.predict:TreeModel.restore",
    "firth-vectors": "firth.vectors.restore:restore_words",
}
CHECKS = {  # kind: "module:function", a check of the contents of a ModelFolder that takes long, done once a folder
    "firth-ngrams": "firth.language.ngram_model:check_trie"
}


def resolve(location: str) -> Callable[..., Any]:
    """Import and return the function at a location of the form "module:function" or "module:class.method"."""
    module, _, names = location.partition(":")
    home: Any = importlib.import_module(module)
    function: Callable[..., Any] = functools.reduce(getattr, names.split("."), home)
    return function
