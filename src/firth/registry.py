"""Opens folders of models of every kind.

`firth.storage.kinds` maps the kind in a folder's config.json to the function that rebuilds the model. Its module is
imported when a folder of its kind is opened, so that reading word vectors imports neither Numba nor PyTorch.
`firth.load`, the command line and models that contain models all go through `load_folder`.
"""

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firth.arguments import names_files
from firth.errors import FormatError
from firth.storage import model_folder
from firth.storage.files import check_exists
from firth.storage.kinds import LOADERS
from firth.storage.kinds import resolve as resolve
from firth.storage.model_folder import ModelFolder

FASTTEXT_CLASSIFIER = "firth.classify.files:from_fasttext"  # takes a fastText file and a name
EXPLORE = "firth.plots.map_page:explore"  # takes word vectors
LOAD = "firth.loading:load"  # takes the path of a folder or file of any format
LOAD_AS = "firth.loading:load_as"  # takes a path, the class that it must hold and what a message calls that
RENDER_PICTURE = "firth.plots.still:render"  # takes a picture and "png", "svg" or "pdf"
SAVE_PICTURE = "firth.plots.saving:save"  # takes a picture and a path
TORCH_EMBEDDING = "firth.neural.torch_embedding:embedding"  # takes a matrix and whether it is frozen
TRANSFORMERS = (
    "firth.neural.models.pretraining.encoder_model:read_folder"  # takes a folder of Hugging Face's transformers
)
PLAIN_NAMES = {  # class of a model: what it is, in messages
    "Alignment": "an alignment",
    "AutoencoderModel": "an autoencoder of sentences",
    "BidirectionalLanguageModel": "a bidirectional language model",
    "Classifier": "a text classifier",
    "Composition": "a model of composition",
    "ContextModel": "a model of contexts",
    "PretrainedEncoder": "a contextual encoder",
    "CoreferenceModel": "a model of coreference",
    "PredictorModel": "a latent predictor network",
    "PipelineModel": "a pipeline",
    "PointerModel": "a pointer network",
    "DocumentVectors": "document vectors",
    "LabelModel": "a neural classifier",
    "LinearModel": "a linear classifier",
    "ParserModel": "a parser",
    "ReadingModel": "a reader",
    "TaggerModel": "a tagger",
    "TokeniserModel": "a tokeniser",
    "TreeModel": "a neural classifier",
    "BoltzmannMachine": "a Boltzmann machine",
    "NodeModel": "a graph network",
    "LatticeModel": "a lattice language model",
    "TextGraphModel": "a graph of texts",
    "CaptionModel": "a caption model",
    "Mixture": "a mixture of language models",
    "NeuralLanguageModel": "a neural language model",
    "NgramModel": "an n-gram model",
    "Runs": "runs",
    "SenseVectors": "sense vectors",
    "SentenceEncoder": "a sentence encoder",
    "SpanCoreferenceModel": "a model of coreference",
    "SubwordVectors": "subword vectors",
    "SummaryModel": "a summarizer",
    "TranslationModel": "a translator",
    "WordVectors": "word vectors",
}


def plain_name(model: object) -> str:
    """Return what a model is, for messages: "an n-gram model" for an `NgramModel`."""
    name = type(model).__name__
    return PLAIN_NAMES.get(name, name)


@names_files
def load_folder(path: str | os.PathLike[str], metadata: Mapping[str, Any] | None = None) -> Any:
    """Return the model saved in a folder.

    Args:
        metadata: facts to add to those of the folder.

    Raises:
        FormatError: firth did not write the folder, a newer version did, or the folder is damaged.
        MissingFileError: nothing is there.
        OSError: the folder cannot be read.
    """
    check_exists(Path(path), "a folder that firth wrote")
    return restored(model_folder.read(path), metadata)


def restored(folder: ModelFolder, metadata: Mapping[str, Any] | None = None) -> Any:
    """Return the model of a folder that has been read: one inside another, for one.

    Raises:
        FormatError: a newer version wrote it, or it is damaged.
    """
    if folder.kind not in LOADERS:
        raise FormatError(
            f"{folder.path}: a model of kind {folder.kind!r}, which this version of firth does not know: upgrade"
        )
    if metadata:
        folder = dataclasses.replace(folder, metadata={**folder.metadata, **metadata})
    return resolve(LOADERS[folder.kind])(folder)
