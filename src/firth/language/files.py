"""Language models in files: folders of firth's, and ARPA files of n-grams."""

import os
from pathlib import Path

from firth.errors import FormatError, OptionError
from firth.language.model import LanguageModel
from firth.vectors.io import saved


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
    if not saved.is_ours(place):
        raise FormatError(f"{place}: no language model; expected a folder of firth lm train, or an ARPA file (.arpa)")
    found: object = saved.restored(saved.read(place))
    if not isinstance(found, LanguageModel):
        raise OptionError(
            f"{place} holds {type(found).__name__}, expected a language model: train one by firth lm train"
        )
    return found
