"""Load and save language models: folders, and ARPA files of n-gram models."""

import os
from pathlib import Path

from firth import registry
from firth.arguments import names_files
from firth.errors import FormatError, OptionError
from firth.language.model import LanguageModel
from firth.language.ngram_model import NgramModel
from firth.language.text import tokens_of
from firth.storage import model_folder
from firth.storage.files import check_exists, is_arpa
from firth.text.subwords import Subwords


@names_files
def load_language_model(path: str | os.PathLike[str], *, tokens: str | Subwords | None = None) -> LanguageModel:
    """Load a language model.

    Args:
        path: a folder saved by firth, or an ARPA file whose name ends in .arpa, .lm, .arpa.gz or .lm.gz.
        tokens: how text is split, as in `Corpus.build`, for an ARPA file that does not say.

    Raises:
        OptionError: the path holds something else, or `tokens` is not the rule of the model.
    """
    location = Path(path)
    check_exists(location, "a language model saved by `firth lm train`")
    if location.is_file() and is_arpa(location):
        return NgramModel.from_arpa(location, tokens=tokens)
    if not model_folder.may_be_model_folder(location):
        raise FormatError(
            f"{location}: not a language model; expected a folder saved by `firth lm train`, or an ARPA file (.arpa)"
        )
    model: object = registry.load_folder(location)
    if not isinstance(model, LanguageModel):
        raise OptionError(f"{location} holds {registry.plain_name(model)}, expected a language model{_instead(model)}")
    tokens_of(str(path), model.rules, tokens)
    return model


def save_language_model(model: LanguageModel, path: str | os.PathLike[str]) -> None:
    """Save a language model: as an ARPA file if the name ends in .arpa or .lm, otherwise as a folder.

    Args:
        model: the model; an ARPA file needs an n-gram model.
        path: the folder or file; with .gz at the end of its name the file is compressed.
    """
    if not is_arpa(path):
        model.save(path)
    elif isinstance(model, NgramModel):
        model.to_arpa(path)
    else:
        raise OptionError(
            f"{path}: an ARPA file holds an n-gram model, and this is {registry.plain_name(model)}; name a folder"
        )


def _instead(model: object) -> str:
    """Return advice on other kinds of models, for the message that one is not a language model."""
    if type(model).__name__ == "BidirectionalLanguageModel":
        return (
            " that reads one way: this one reads both, and gives texts no probability; `firth tag train --embed` and "
            "others read its states"
        )
    return ": train one with `firth lm train`"
