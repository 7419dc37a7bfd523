"""Trained models in folders: each class declares its fields, and is written and read by them.

A folder holds, besides what the fields add:

    model.safetensors    each parameter and buffer of the module by its name; a tied weight once, under its first name
    config.json          the class of the options, and their values

Reading builds the module from its options and fills in the saved numbers. Nothing that a folder names is executed: the
class is looked up among firth's public names, and options are checked like a user's.
"""

import abc
import contextlib
import dataclasses
import functools
import hashlib
import inspect
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import shorten
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt
import torch

import firth
from firth.errors import FirthError, FormatError, OptionError
from firth.hints import Hinted
from firth.language.text import TextRules, check_readable
from firth.neural.training.devices import new_module
from firth.storage import model_folder
from firth.storage.model_folder import ModelFolder
from firth.training_facts import with_training_facts
from firth.vocabulary import Vocabulary

CARD = """# {title}

{about}, trained by firth {version}.

```json
{options}
```

```python
import firth

model = firth.load("this folder")
{example}```
"""
MIN_NUMBERS = 10_000  # options up to this value are always plausible
PARTS, MIN_PARTS = ("layers", "highway"), 20  # options that count parts with tensors of their own; always plausible
COUNTS = "counts"  # array of the counts of words
SHOWN, LONGEST = 4, 300  # tensors, and characters of torch's message, that an error shows

Module = TypeVar("Module", bound=torch.nn.Module)


class SavedApart(torch.nn.ModuleList):
    """Modules of models inside a model, which it trains: subfolders hold their tensors, not the model's own file."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Saved:
    """What a folder holds of one field of a model, by the names of `ModelFolder`."""

    arrays: Mapping[str, npt.NDArray[Any]] = dataclasses.field(default_factory=dict)
    texts: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    config: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    subfolders: Mapping[str, Callable[[Path], None]] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Field:
    """An attribute of a model, and how a folder keeps it.

    Attributes:
        name: of the attribute, and of the model's parameter, which has no leading underscore.
        write: returns what a folder holds of a value.
        read: returns the value from a folder and the model's options. ValueError, KeyError, TypeError and OverflowError
            say that the folder is damaged.
        arrays: names of the arrays that it has in a folder.
        of_module: whether the module has the attribute, and is built with it, in place of the model.
        optional: whether the model may do without: None.
    """

    name: str
    write: Callable[[Any], Saved]
    read: Callable[[ModelFolder, Any], Any]
    arrays: tuple[str, ...] = ()
    of_module: bool = False
    optional: bool = False

    @property
    def parameter(self) -> inspect.Parameter:
        """The model's parameter."""
        return _parameter(self.name.removeprefix("_"), optional=self.optional)


def _parameter(name: str, *, optional: bool = False) -> inspect.Parameter:
    default = None if optional else inspect.Parameter.empty
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)


def size_field(name: str) -> Field:
    """Return the field of a width, in config.json."""

    def read(content: ModelFolder, options: Any) -> int:
        size = int(content.config[name])
        if not 1 <= size <= sum(array.size for array in content.arrays.values()):
            raise ValueError(f"{name}={size}")
        return size

    return Field(name, lambda size: Saved(config={name: size}), read)


def names_field(name: str, minimum: int = 0) -> Field:
    """Return the field of a list of different strings, in a JSON file of its own."""

    def read(content: ModelFolder, options: Any) -> list[str]:
        names = content.words(name)
        if len(set(names)) != len(names) or len(names) < minimum:
            raise ValueError(f"{len(names)} {name}")
        return names

    return Field(name, lambda names: Saved(texts={name: list(names)}), read)


def _read_bos(content: ModelFolder, options: Any) -> int:
    words, bos = len(content.words()), int(content.config["bos"])
    if not 0 <= bos < words:
        raise ValueError(f"bos={bos}, expected the number of one of {words:,} words")
    return bos


BOS_FIELD = Field("bos", lambda bos: Saved(config={"bos": bos}), _read_bos, of_module=True)


def read_rules(content: ModelFolder, options: Any) -> TextRules:
    """Return how the model of a folder reads text."""
    return TextRules.from_config(content.config["rules"])


def read_vocabulary(content: ModelFolder, options: Any, needed: Collection[str] = ()) -> Vocabulary:
    """Return the words of a folder with their counts.

    Raises:
        ValueError: its rules do not fit the words, or one that is needed is missing.
    """
    words = content.words()
    vocabulary = Vocabulary(words, content.counts(COUNTS, len(words)), int(content.config["total"]))
    check_readable(vocabulary, read_rules(content, options))
    missing = set(needed) - set(words)
    if missing:
        raise ValueError(f"no word {min(missing)!r}")
    return vocabulary


def write_vocabulary(vocabulary: Vocabulary) -> Saved:
    """Return what a folder holds of words with their counts."""
    return Saved(
        arrays={COUNTS: np.asarray(vocabulary.counts)},
        texts={"vocab": list(vocabulary.words)},
        config={"total": vocabulary.total},
    )


def text_fields(needed: Collection[str] = ()) -> tuple[Field, Field]:
    """Return the fields of a model of text: `vocabulary` and `rules`."""
    read = functools.partial(read_vocabulary, needed=needed)
    rules = Field("rules", lambda rules: Saved(config={"rules": rules.described()}), read_rules)
    return Field("vocabulary", write_vocabulary, read, (COUNTS,)), rules


@contextlib.contextmanager
def describing(content: ModelFolder, what: str, files: str = "config.json does") -> Iterator[None]:
    """Turn errors of reading a folder into one that says that it does not describe a model.

    Raises:
        FormatError: it does not.
    """
    try:
        yield
    except FormatError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise content.damaged(f"{files} not describe {what} ({error})") from error


class SavedModel(Hinted, abc.ABC):
    """A trained model that is saved as a folder.

    A class sets `kind` and `what`, and either `saved_fields` with `_card`, or `_content` and a `restore` of its own.

    Args:
        module: with trained parameters.
        values: of the fields that are not of the module, in their order, and the metadata. The metadata and optional
            fields may be left out, and come last.
        named: likewise, by name.

    Attributes:
        kind: of the folder, as in `firth.storage.kinds`.
        what: it is, for messages: "a pointer network".
        saved_fields: what the folder holds besides the module and the options.
        described_by: the files, and a verb, for messages.
        config_order: entries of config.json that come before those of other fields.
        resized: as for `read_module`.
        module: with trained parameters.
        options: of the model.
        metadata: JSON values to save with the model.
    """

    kind: ClassVar[str]
    what: ClassVar[str]
    saved_fields: ClassVar[tuple[Field, ...]] = ()
    described_by: ClassVar[str] = "config.json does"
    config_order: ClassVar[tuple[str, ...]] = ()
    resized: ClassVar[tuple[str, ...]] = ()
    __signature__: ClassVar[inspect.Signature]
    module: Any
    options: Any
    metadata: dict[str, Any]

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if cls.__init__ is SavedModel.__init__:
            own = [field.parameter for field in cls.saved_fields if not field.of_module]
            first, last = map(_parameter, ("module", "options")), _parameter("metadata", optional=True)
            cls.__signature__ = inspect.Signature([*first, *own, last])

    def __init__(self, module: Any, options: Any, *values: Any, **named: Any) -> None:
        try:
            given = self.__signature__.bind(module, options, *values, **named)
        except TypeError as error:
            raise TypeError(f"{type(self).__name__}: {error}; expected {self.__signature__}") from None
        given.apply_defaults()
        self.module, self.options = module.eval(), options
        self.metadata = with_training_facts(given.arguments["metadata"])
        for field in self.saved_fields:
            if not field.of_module:
                setattr(self, field.name, given.arguments[field.parameter.name])

    @property
    def device(self) -> torch.device:
        """Device of the parameters; `model.module.to("cuda")` moves them."""
        device: torch.device = next(self.module.parameters()).device
        return device

    def _card(self) -> tuple[str, str, str]:
        """Return what the model card says: the title, what follows the name of the model, and an example."""
        return self.what, "", ""

    @classmethod
    def _build(cls, options: Any, *values: Any) -> torch.nn.Module:
        """Return a new module for options and the values of the fields."""
        module: torch.nn.Module = new_module(0, options.build, *values)
        return module

    @classmethod
    def restore(cls, content: ModelFolder) -> Self:
        """Return the model of a folder.

        Raises:
            FormatError: the folder is damaged, or holds a model that this version does not know.
        """
        with describing(content, cls.what, cls.described_by):
            options = read_options(content, cls.__module__.rpartition(".")[0])
            values = [field.read(content, options) for field in cls.saved_fields]
        other = [name for field in cls.saved_fields for name in field.arrays]
        build = functools.partial(cls._build, options, *values)
        module = read_module(content, options, build, other=other, resized=cls.resized)
        own = [value for field, value in zip(cls.saved_fields, values, strict=True) if not field.of_module]
        return cls(module, options, *own, content.metadata)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as a folder that `firth.load` opens; `this module says what it holds.

        Args:
            path: of the folder; a firth folder at the path is replaced.

        Raises:
            OptionError: the path is a folder of something else, which is never replaced, or JSON cannot represent the
                metadata.
            OSError: the folder cannot be written.
        """
        model_folder.write(path, self._content())

    def fingerprint(self) -> str:
        """Return a digest of all that determines what the model computes: 32 hexadecimal digits."""
        content = self._content()
        config = {name: value for name, value in content.config.items() if name != "metadata"}
        digest = hashlib.blake2b(digest_size=16)
        digest.update(json.dumps([content.kind, config, content.texts], sort_keys=True, default=str).encode())
        for name, array in sorted(content.arrays.items()):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(array).view(np.uint8).data)
        return digest.hexdigest()

    def _content(self) -> ModelFolder:
        """Return what `save` writes: the module, the options, the fields, and a card."""
        owners = [self.module if field.of_module else self for field in self.saved_fields]
        parts = [field.write(getattr(own, field.name)) for own, field in zip(owners, self.saved_fields, strict=True)]

        def merged(name: str) -> dict[str, Any]:
            return {key: value for part in parts for key, value in getattr(part, name).items()}

        arrays, texts, config, subfolders = map(merged, ("arrays", "texts", "config", "subfolders"))
        config = {**{name: config[name] for name in self.config_order}, **config}
        return self._model_folder(self.kind, arrays, texts, config, self._card(), subfolders)

    def _model_folder(
        self,
        kind: str,
        arrays: Mapping[str, npt.NDArray[Any]],
        texts: Mapping[str, Any],
        config: Mapping[str, Any],
        card: Sequence[str],
        subfolders: Mapping[str, Callable[[Path], None]] | None = None,
    ) -> ModelFolder:
        """Return a folder with the module, its options, what a kind adds, and a card: title, model, example."""
        facts = {"model": type(self.options).__name__, "options": dataclasses.asdict(self.options)}
        return ModelFolder(
            kind=kind,
            arrays={**module_arrays(self.module), **arrays},
            texts=texts,
            config={**facts, **config},
            metadata=self.metadata,
            subfolders=subfolders or {},
            card=CARD.format(
                title=card[0],
                about=f"{facts['model']}{card[1]}",
                version=firth.__version__,
                options=json.dumps(facts["options"], indent=2),
                example=card[2],
            ),
        )


def module_arrays(module: torch.nn.Module) -> dict[str, npt.NDArray[Any]]:
    """Return parameters and buffers by name; a tied weight appears once, under its first name."""
    tied = _tied_names(module) | _apart(module)
    return {name: tensor.detach().cpu().numpy() for name, tensor in module.state_dict().items() if name not in tied}


def _apart(module: torch.nn.Module) -> set[str]:
    """Return the names of tensors that subfolders hold."""
    return {
        f"{prefix}.{name}"
        for prefix, part in module.named_modules()
        if isinstance(part, SavedApart)
        for name in part.state_dict()
    }


def read_options(content: ModelFolder, package: str) -> Any:
    """Return the options of a folder.

    Args:
        package: that defines the classes which are allowed, such as "firth.neural.models.language".

    Raises:
        OptionError: the class is none of them, or a value is out of its range.
        KeyError: config.json lacks an entry.
    """
    name = content.config["model"]
    names = sorted(name for name, home in firth._MODULES.items() if home.startswith(f"{package}."))
    if name not in names:
        raise OptionError(f"model {name!r}, expected one of {', '.join(names)}")
    return getattr(firth, name)(**content.config["options"])


def read_module(
    content: ModelFolder,
    options: Any,
    build: Callable[[], Module],
    *,
    other: Collection[str] = (),
    resized: tuple[str, ...] = (),
) -> Module:
    """Return the module of a folder.

    Args:
        options: as `read_options` returned them; sizes that exceed the folder, and layers without tensors, are refused
            before memory is allocated.
        build: returns a new module.
        other: arrays of the folder that are not the module's.
        resized: tensors, by the ends of their names, that may differ from those of a new module in shape, and integer
            buffers that may differ in value. All other integer buffers must be equal: they follow from the options and
            the vocabulary.

    Raises:
        FormatError: the folder does not fit the module.
    """
    numbers = max(sum(array.size for array in content.arrays.values()), MIN_NUMBERS)
    for name, value in dataclasses.asdict(options).items():
        if isinstance(value, int) and value > numbers:
            raise content.damaged(f"the option {name}={value:,} in config.json for {numbers:,} numbers")
        if name in PARTS and isinstance(value, int) and value > max(len(content.arrays), MIN_PARTS):
            raise content.damaged(f"the option {name}={value:,} in config.json for {len(content.arrays):,} tensors")
    try:
        module = build()
    except (FirthError, RuntimeError, MemoryError) as error:  # RuntimeError: torch lacks memory
        raise content.damaged(f"config.json does not describe a model ({error})") from error
    arrays = {name: array for name, array in content.arrays.items() if name not in other}
    _fill(module, arrays, content, resized)
    return module


def _fill(
    module: torch.nn.Module, arrays: Mapping[str, npt.NDArray[Any]], content: ModelFolder, resized: tuple[str, ...]
) -> None:
    state = module.state_dict()
    expected = set(state) - _tied_names(module) - _apart(module)
    if set(arrays) != expected:
        odd = sorted(set(arrays) ^ expected)
        more = f" and {len(odd) - SHOWN:,} more" if len(odd) > SHOWN else ""
        raise content.damaged(f"missing or unknown tensors: {', '.join(odd[:SHOWN])}{more}")
    whole = next(
        (name for name in arrays if state[name].is_floating_point() and arrays[name].dtype.kind in "iub"), None
    )
    if whole is not None:
        raise content.damaged(f"tensor {whole!r} holds {arrays[whole].dtype} numbers; expected floating point")
    large = next((name for name in arrays if not _fits(arrays[name], state[name].dtype)), None)
    if large is not None:
        raise content.damaged(f"tensor {large!r} holds numbers too large for {state[large].dtype}")
    computed = {name: buffer.clone() for name, buffer in module.named_buffers() if buffer.dtype == torch.int64}
    try:
        module.load_state_dict(
            {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}, strict=False
        )
    except (RuntimeError, FirthError) as error:  # RuntimeError: another shape
        raise content.damaged(f"tensors of other shapes ({shorten(str(error), LONGEST)})") from error
    for name, buffer in computed.items():
        if name in arrays and not name.endswith(resized) and not torch.equal(module.get_buffer(name), buffer):
            raise content.damaged(f"tensor {name!r} does not fit the vocabulary and its counts")


def _fits(array: npt.NDArray[Any], dtype: torch.dtype) -> bool:
    """Return whether numbers stay finite in the precision of a parameter."""
    if array.dtype != np.float64 or not dtype.is_floating_point or not array.size:
        return True
    return max(abs(float(array.min())), abs(float(array.max()))) <= torch.finfo(dtype).max


def _tied_names(module: torch.nn.Module) -> set[str]:
    first = {name for name, _ in module.named_parameters()}
    return {name for name, _ in module.named_parameters(remove_duplicate=False)} - first
