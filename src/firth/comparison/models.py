"""Models by name, found in the options classes among the public names of firth: a new family adds nothing here.

An options class names its models in the attribute `presets`; those of `firth train` and `firth compare` live in
`firth.embeddings` and `firth.senses`. Names and descriptions are read from the source, without importing it: lists of
models need neither Numba nor PyTorch.
"""

import ast
import dataclasses
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import firth
from firth import options
from firth.errors import OptionError
from firth.storage.untrusted import file_bytes


@dataclass(frozen=True)
class Model:
    """An options dataclass with some options set; the class is imported when it is needed.

    Attributes:
        name: of the model, such as "skipgram".
        description: one sentence on the model, with its paper.
        class_name: public name of the dataclass, such as "Word2Vec".
        home: module of the dataclass.
    """

    name: str
    description: str
    class_name: str
    home: str

    @property
    def kind(self) -> Any:
        """The dataclass."""
        return getattr(firth, self.class_name)

    @property
    def preset(self) -> Mapping[str, Any]:
        """The options that are set; they have no flags."""
        options: Mapping[str, Any] = self.kind.presets[self.name].options
        return options

    @property
    def unused(self) -> frozenset[str]:
        """Options that do nothing for this model; they have no flags either."""
        names: frozenset[str] = self.kind.presets[self.name].unused
        return names


def models_in(homes: Sequence[str]) -> dict[str, Model]:
    """Return the models whose options classes live in some parts of the package, by name.

    Args:
        homes: module prefixes, such as "firth.embeddings.".
    """
    return {
        model: Model(model, description, name, home)
        for name, home in firth._MODULES.items()
        if home.startswith(tuple(homes))
        for model, description in _presets(home, name)
    }


def _presets(home: str, class_name: str) -> Iterator[tuple[str, str]]:
    """Yield the names and descriptions in the attribute `presets` of a class."""
    path = Path(firth.__file__).parent.joinpath(*home.split(".")[1:]).with_suffix(".py")
    if not path.exists():
        path = path.with_suffix("") / "__init__.py"
    source = file_bytes(path)
    for node in ast.parse(source).body if b"presets" in source else ():
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            for statement in node.body:
                if isinstance(statement, ast.AnnAssign) and getattr(statement.target, "id", "") == "presets":
                    assert isinstance(statement.value, ast.Dict)
                    for key, preset in zip(statement.value.keys, statement.value.values, strict=True):
                        assert key is not None
                        assert isinstance(preset, ast.Call)
                        yield ast.literal_eval(key), ast.literal_eval(preset.args[0])


TRAINERS = ("firth.embeddings.", "firth.senses.")


@functools.cache
def vector_models() -> dict[str, Model]:
    """Return the models that learn vectors of words, documents or senses, by name."""
    return models_in(TRAINERS)


def trainer(spec: str, common: Mapping[str, Any]) -> Any:
    """Return the options object that a spec names, such as `skipgram` or `skipgram:window=10:sample=0`.

    Args:
        spec: a name of `vector_models`, and options of that model behind colons.
        common: options for every model that has them; those of the spec go before.

    Raises:
        OptionError: there is no such model, or a value is out of its range.
    """
    name, models = spec.partition(":")[0], vector_models()
    if name not in models:
        raise OptionError(f"model {name!r}: expected one of {', '.join(sorted(models))}")
    model = models[name]
    names = {field.name for field in dataclasses.fields(model.kind) if field.metadata} - set(model.preset)
    arguments = {key: value for key, value in common.items() if key in names and value is not None}
    for key, value in options.parse_spec(spec, names).items():
        arguments[key] = options.parsed(model.kind, key, value)
    return model.kind(**arguments, **model.preset)
