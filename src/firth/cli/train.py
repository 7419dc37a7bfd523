"""`firth train`: a command per model. The list of models imports none of them."""

from collections.abc import Callable

from firth.cli.groups import model_app
from firth.comparison.models import Model, vector_models


def _command(model: Model) -> Callable[..., None]:
    from firth.cli.train_vectors import command

    return command(model)


def _is_sense_model(model: Model) -> bool:
    return model.home.startswith("firth.senses.")


train = model_app(
    # Word vectors first: vector_models() is in the order of the classes' names.
    sorted(vector_models().values(), key=lambda model: (_is_sense_model(model), model.name)),
    _command,
    help="Train word vectors on text. firth train MODEL --help shows the options of a model.",
    panel=lambda model: "Sense vectors" if _is_sense_model(model) else "Word and document vectors",
)
