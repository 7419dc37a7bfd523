"""Language models in files: folders of firth's, and ARPA files of n-grams."""

import os
from pathlib import Path

from firth import registry
from firth.errors import FormatError, OptionError
from firth.language.model import LanguageModel
from firth.language.ngram_model import NgramModel
from firth.storage import model_folder

ARPA = (".arpa", ".lm")  # what names of ARPA files end in, but for a .gz behind


def is_arpa(path: str | os.PathLike[str]) -> bool:
    """Return whether a name is that of an ARPA file."""
    return str(path).lower().removesuffix(".gz").endswith(ARPA)


def load_language_model(path: str | os.PathLike[str]) -> LanguageModel:
    """Read a language model.

    Args:
        path: a folder that a model of firth's was saved in, or a file of n-grams whose name ends in .arpa or .lm,
            packed with gzip or not.

    Raises:
        OptionError: the folder holds something else.
        FormatError: there is no language model in the path, or it is damaged.
        OSError: the path does not exist or cannot be read.
    """
    place = Path(path)
    if not place.exists():
        raise FileNotFoundError(2, "no such file or folder; expected a language model of firth lm train", str(place))
    if place.is_file() and is_arpa(place):
        return NgramModel.from_arpa(place)
    if not model_folder.may_be_model_folder(place):
        raise FormatError(f"{place}: no language model; expected a folder of firth lm train, or an ARPA file (.arpa)")
    found: object = registry.load_folder(place)
    if not isinstance(found, LanguageModel):
        raise OptionError(
            f"{place} holds {type(found).__name__}, expected a language model: train one by firth lm train"
        )
    return found


def save_language_model(model: LanguageModel, path: str | os.PathLike[str]) -> None:
    """Write a language model: as an ARPA file where the name ends in .arpa or .lm, else as a folder of firth's.

    Args:
        model: any, for a folder; of n-grams, for an ARPA file.
        path: where to; a name that ends in .gz is packed.

    Raises:
        OptionError: the model is no n-gram model and the name that of an ARPA file; or as in `LanguageModel.save` and
            `NgramModel.to_arpa`.
        OSError: it cannot be written.
    """
    if not is_arpa(path):
        model.save(path)
    elif isinstance(model, NgramModel):
        model.to_arpa(path)
    else:
        raise OptionError(f"{path}: an ARPA file holds n-grams, and this is a {type(model).__name__}; give a folder")
