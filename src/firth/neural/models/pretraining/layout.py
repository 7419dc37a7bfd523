"""Encoders under the names of Hugging Face's transformers: entries of config.json and names of tensors.

A folder of firth and one of transformers are read by the same functions: both have these names. Layouts are BERT's
(`BertModel`, `BertForMaskedLM`) and ELECTRA's (`ElectraModel`, `ElectraForPreTraining`).

model.safetensors    the encoder and its head
tokenizer.json       the word pieces; a folder of transformers may have `vocab.txt` in its place
config.json          sizes

Weights in a pickle are refused: opening one can run any code.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import FormatError, OptionError, warn_caller
from firth.neural.layers.masking import MaskedPrediction
from firth.neural.models.pretraining.corruption import ReplacedPrediction
from firth.neural.models.pretraining.network import EncoderConfig, EncoderNetwork, masked_prediction
from firth.storage import tensors
from firth.storage.files import text_of
from firth.storage.model_folder import CONFIG, MODEL, ModelFolder
from firth.storage.untrusted import file_bytes, parse_json
from firth.text.wordpieces import WordPieces

LAYOUTS = ("bert", "electra")
SIZES = {  # fields of `EncoderConfig`: entries of config.json
    "vocabulary": "vocab_size",
    "dim": "hidden_size",
    "layers": "num_hidden_layers",
    "heads": "num_attention_heads",
    "ffn_dim": "intermediate_size",
    "max_length": "max_position_embeddings",
    "types": "type_vocab_size",
}
EMBEDDINGS = {"word": "word_embeddings", "position": "position_embeddings", "segment": "token_type_embeddings"}
BLOCK = {  # of firth: of transformers
    "attention.out_proj": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "up_proj": "intermediate.dense",
    "down_proj": "output.dense",
    "ffn_norm": "output.LayerNorm",
}
MASKED = {
    "dense.weight": "cls.predictions.transform.dense.weight",
    "dense.bias": "cls.predictions.transform.dense.bias",
    "norm.weight": "cls.predictions.transform.LayerNorm.weight",
    "norm.bias": "cls.predictions.transform.LayerNorm.bias",
    "output.bias": "cls.predictions.bias",
}
REPLACED = {
    f"{name}.{kind}": f"discriminator_predictions.{other}.{kind}"
    for name, other in {"dense": "dense", "score": "dense_prediction"}.items()
    for kind in ("weight", "bias")
}
OUTPUT = "cls.predictions.decoder.weight"  # usually the vectors of tokens, and then often left out
FORMER = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}  # of converted TensorFlow models
MOST_LAYERS = 1000

Arrays = Mapping[str, npt.NDArray[Any]]
Head = MaskedPrediction | ReplacedPrediction
Encoder = tuple[EncoderNetwork, WordPieces, str, Head | None]  # with its pieces, its layout and its head

PICKLES = ("pytorch_model.bin", "model.bin", "tf_model.h5", "flax_model.msgpack")
TOKENIZER, TOKENIZER_CONFIG, VOCABULARY = "tokenizer.json", "tokenizer_config.json", "vocab.txt"


def encoder_of(content: ModelFolder) -> Encoder:
    """Return the encoder of a folder that firth wrote."""
    try:
        pieces = WordPieces(json.dumps(content.texts["tokenizer"]))
    except (KeyError, FormatError) as error:
        raise content.damaged(f"no tokenizer.json of word pieces ({error})") from None
    return _encoder(content.config, content.arrays, pieces, content.path)


def encoder_of_transformers(path: Path) -> Encoder:
    """Return the encoder of a folder of transformers."""
    config = _entries(path / CONFIG)
    if not (path / MODEL).is_file():
        _refuse(path)
    return _encoder(config, tensors.mapped(path / MODEL), _pieces(path), path)


def _encoder(config: Mapping[str, Any], arrays: Any, pieces: WordPieces, path: Path) -> Encoder:
    layout, sizes = read_config(config, str(path / CONFIG))
    if len(pieces) > sizes.vocabulary:
        raise FormatError(
            f"{path}: {len(pieces):,} word pieces, and {sizes.vocabulary:,} vectors: the vocabulary is of another model"
        )
    module, head = read_encoder(arrays, layout, sizes, str(path / MODEL))
    return module, pieces, layout, head


def _refuse(path: Path) -> None:
    pickled = next((name for name in PICKLES if (path / name).is_file()), None)
    if pickled is None:
        raise FormatError(f"{path}: no {MODEL}; expected the weights of the model as safetensors")
    raise FormatError(
        f"{path}: weights in {pickled}, which could run any code when it is opened; expected {MODEL}: on a machine "
        "that may run it, AutoModel.from_pretrained(folder).save_pretrained(new_folder) of transformers writes one"
    )


def _pieces(path: Path) -> WordPieces:
    try:
        if (path / TOKENIZER).is_file():
            return WordPieces(text_of(path / TOKENIZER, encoding="utf-8"))
        if (path / VOCABULARY).is_file():
            lines = text_of(path / VOCABULARY, encoding="utf-8").split("\n")
            settings = _entries(path / TOKENIZER_CONFIG) if (path / TOKENIZER_CONFIG).is_file() else {}
            strip = settings.get("strip_accents")
            return WordPieces.of(
                [line.removesuffix("\r") for line in (lines[:-1] if not lines[-1] else lines)],
                lowercase=bool(settings.get("do_lower_case", True)),
                accents=None if strip is None else not strip,
            )
    except (UnicodeDecodeError, FormatError) as error:
        raise FormatError(f"{path}: {error}") from None
    raise FormatError(f"{path}: neither {TOKENIZER} nor {VOCABULARY}; expected one of them beside the weights")


def _entries(path: Path) -> dict[str, Any]:
    text = file_bytes(path)
    try:
        content = parse_json(text)
    except ValueError as error:
        raise FormatError(f"{path}: damaged JSON ({error}); copy the folder again") from None
    if not isinstance(content, dict):
        raise FormatError(f"{path}: {type(content).__name__}; expected entries by name")
    return content


def described(config: EncoderConfig, layout: str, head: Head | None, pieces: WordPieces) -> dict[str, Any]:
    """Return what config.json says of an encoder."""
    kind = {"bert": "Bert", "electra": "Electra"}[layout]
    suffix = {MaskedPrediction: "ForMaskedLM", ReplacedPrediction: "ForPreTraining"}.get(type(head), "Model")
    return {
        "model_type": layout,
        "architectures": [kind + suffix],
        **{entry: getattr(config, name) for name, entry in SIZES.items()},
        **({"embedding_size": config.embedding_dim} if layout == "electra" else {}),
        "hidden_act": config.activation,
        "hidden_dropout_prob": config.dropout,
        "attention_probs_dropout_prob": config.dropout,
        "layer_norm_eps": config.norm_eps,
        "pad_token_id": pieces.pad_id,
    }


def read_config(content: Mapping[str, Any], where: str) -> tuple[str, EncoderConfig]:
    """Return the layout and the sizes of an encoder.

    Raises:
        FormatError: it is another kind of model, or a value is missing or out of its range.
    """
    layout = content.get("model_type")
    if layout not in LAYOUTS:
        raise FormatError(f"{where}: model_type {layout!r}; expected one of {', '.join(LAYOUTS)}")
    if content.get("is_decoder"):
        raise FormatError(f"{where}: is_decoder: its tokens attend to earlier ones only; expected an encoder")
    if content.get("position_embedding_type", "absolute") != "absolute":
        raise FormatError(f"{where}: positions {content['position_embedding_type']!r}; expected 'absolute'")
    sizes: dict[str, Any] = {name: content.get(entry) for name, entry in SIZES.items()}
    sizes["embedding_dim"] = content.get("embedding_size", sizes["dim"]) if layout == "electra" else sizes["dim"]
    sizes["types"] = 2 if sizes["types"] is None else sizes["types"]
    wrong = [name for name, value in sizes.items() if isinstance(value, bool) or not isinstance(value, int)]
    if wrong:
        entry = SIZES.get(wrong[0], "embedding_size")
        raise FormatError(f"{where}: {entry} is {sizes[wrong[0]]!r}; expected a whole number")
    try:
        return layout, EncoderConfig(
            **sizes,
            dropout=float(content.get("hidden_dropout_prob", 0.1)),
            activation=str(content.get("hidden_act", "gelu")),
            norm_eps=float(content.get("layer_norm_eps", 1e-12)),
        )
    except (OptionError, TypeError, ValueError) as error:
        raise FormatError(f"{where}: {error}") from None


def arrays_of(encoder: EncoderNetwork, layout: str, head: Head | None) -> dict[str, npt.NDArray[Any]]:
    """Return the tensors of an encoder and its head under the names of transformers."""
    state = {name: tensor.detach().float().cpu().numpy() for name, tensor in encoder.state_dict().items()}
    arrays = {}
    for name, names in _names(encoder.config).items():
        for entry, part in zip(names, np.split(state[name], len(names)), strict=True):
            arrays[f"{layout}.{entry}"] = part
    if head is not None:
        own = head.state_dict()
        arrays |= {entry: own[name].detach().float().cpu().numpy() for name, entry in _head_names(head).items()}
    return arrays


def read_encoder(arrays: Arrays, layout: str, config: EncoderConfig, where: str) -> tuple[EncoderNetwork, Head | None]:
    """Return the encoder of tensors, and its head, if there is one.

    Raises:
        FormatError: a tensor is missing, or has another shape than the config says.
    """
    present = {_present(name): array for name, array in arrays.items()}
    plain = {name.removeprefix(f"{layout}."): array for name, array in present.items()}
    layers = len({match[1] for name in plain if (match := re.match(r"encoder\.layer\.(\d+)\.", name))})
    if layers != config.layers or layers > MOST_LAYERS:
        raise FormatError(f"{where}: tensors of {layers:,} layers; config.json says {config.layers:,}")
    numbers = sum(array.size for array in arrays.values())
    large = next((name for name in (*SIZES, "embedding_dim") if getattr(config, name) > numbers), None)
    if large is not None:
        raise FormatError(f"{where}: {numbers:,} numbers; config.json says {large} = {getattr(config, large):,}")
    with torch.device("meta"):
        encoder = EncoderNetwork(config)
    _fill(encoder, _names(config), plain, where)
    head = _read_head(encoder, present, layout, where)
    return encoder.eval(), head


def _read_head(encoder: EncoderNetwork, arrays: Arrays, layout: str, where: str) -> Head | None:
    names = MASKED if layout == "bert" else REPLACED
    if not set(names.values()) <= set(arrays):
        return None
    table = encoder.embeddings.word.weight.detach().numpy()
    output = arrays.get(OUTPUT, table)
    if layout == "bert" and not np.array_equal(output, table):
        warn_caller(
            f"{where}: the output layer has weights of its own, and here it shares the vectors of tokens: the layer "
            "that predicts hidden tokens is left out"
        )
        return None
    head: Head
    with torch.device("meta"):
        head = masked_prediction(encoder) if layout == "bert" else ReplacedPrediction(encoder.config)
    if isinstance(head, MaskedPrediction):
        head.output.weight = cast("torch.nn.Parameter", encoder.embeddings.word.weight)
    _fill(head, {name: (other,) for name, other in names.items()}, arrays, where)
    return head.eval()


def _fill(module: torch.nn.Module, names: Mapping[str, tuple[str, ...]], arrays: Arrays, where: str) -> None:
    """Give a module without memory the numbers of tensors."""
    expected = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    state = {}
    for name, entries in names.items():
        for entry in entries:
            if entry not in arrays:
                raise FormatError(f"{where}: no tensor {entry!r}; expected all of the encoder's; copy the folder again")
            rows, *rest = expected[name]
            shape = (rows // len(entries), *rest)
            if arrays[entry].shape != shape or arrays[entry].dtype.kind != "f":
                raise FormatError(
                    f"{where}: tensor {entry!r} is {arrays[entry].dtype} of shape {arrays[entry].shape}; config.json "
                    f"says {shape}: one of the two is from another model"
                )
        parts = [_single(arrays[entry], f"{where}: tensor {entry!r}") for entry in entries]
        state[name] = torch.from_numpy(np.concatenate(parts) if len(parts) > 1 else parts[0])
    module.load_state_dict(state, strict=False, assign=True)
    for parameter in module.parameters():
        parameter.requires_grad_()


def _single(array: npt.NDArray[Any], what: str) -> npt.NDArray[np.float32]:
    """Return a copy of numbers in single precision."""
    with np.errstate(over="ignore"):
        copy = np.array(array, dtype=np.float32)
    if not np.isfinite(copy).all():
        raise FormatError(
            f"{what} holds NaN, infinity, or numbers beyond float32; expected finite numbers: copy the folder again"
        )
    return copy


def _names(config: EncoderConfig) -> dict[str, tuple[str, ...]]:
    """Return for each tensor of an encoder the tensors of transformers that are its rows, without their prefix."""
    names: dict[str, tuple[str, ...]] = {
        f"embeddings.{name}.weight": (f"embeddings.{other}.weight",) for name, other in EMBEDDINGS.items()
    }
    for kind in ("weight", "bias"):
        names[f"embeddings.norm.{kind}"] = (f"embeddings.LayerNorm.{kind}",)
        if config.embedding_dim != config.dim:
            names[f"project.{kind}"] = (f"embeddings_project.{kind}",)
        for layer in range(config.layers):
            ours, theirs = f"blocks.blocks.{layer}", f"encoder.layer.{layer}"
            names[f"{ours}.attention.in_proj.{kind}"] = tuple(
                f"{theirs}.attention.self.{part}.{kind}" for part in ("query", "key", "value")
            )
            for name, other in BLOCK.items():
                names[f"{ours}.{name}.{kind}"] = (f"{theirs}.{other}.{kind}",)
    return names


def _head_names(head: Head) -> dict[str, str]:
    return MASKED if isinstance(head, MaskedPrediction) else REPLACED


def _present(name: str) -> str:
    for former, present in FORMER.items():
        name = name.replace(former, present)
    return name
