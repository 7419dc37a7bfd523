"""Names of options that are not known: what was meant, and where it is given.

Someone who comes from gensim, fastText or PyTorch writes `vector_size=100, workers=4`; a script for an earlier firth
writes `final_lr`. Every place that reads names of options answers through this file.
"""

import difflib
import inspect
import re
import reprlib
import typing
from collections.abc import Iterable, Mapping
from dataclasses import Field, fields
from typing import Any

RENAMED = {"final_lr": "lr_end_factor", "ends": "eos", "out": "output"}  # names that options of firth had before
SYNONYMS = {  # names that options have in gensim, fastText, scikit-learn, PyTorch and Hugging Face
    "vector_size": "dim",
    "size": "dim",
    "n_components": "dim",
    "embedding_dim": "dim",
    "d_model": "dim",
    "alpha": "lr",
    "learning_rate": "lr",
    "min_alpha": "lr_end_factor",
    "iter": "epochs",
    "epoch": "epochs",
    "num_train_epochs": "epochs",
    "ws": "window",
    "window_size": "window",
    "sg": "architecture",
    "dm": "architecture",
    "model": "architecture",
    "hs": "objective",
    "loss": "objective",
    "neg": "negative",
    "ns_exponent": "noise_exponent",
    "cbow_mean": "combine",
    "dbow_words": "words",
    "t": "sample",
    "minn": "min_n",
    "maxn": "max_n",
    "bucket": "buckets",
    "wordNgrams": "word_ngrams",
    "minCount": "min_count",
    "max_vocab_size": "max_size",
    "max_final_vocab": "max_size",
    "workers": "threads",
    "thread": "threads",
    "n_jobs": "threads",
    "random_state": "seed",
    "optimizer": "optimiser",
    "seq_len": "bptt",
    "max_grad_norm": "clip_norm",
    "hidden_size": "hidden",
    "num_layers": "layers",
    "num_heads": "heads",
    "nhead": "heads",
    "dim_feedforward": "ffn_dim",
    "d_ff": "ffn_dim",
    "tied": "tie_weights",
    "tie_word_embeddings": "tie_weights",
    "max_new_tokens": "max_length",
    "num_beams": "beams",
}
_BRITISH = {"neighbor": "neighbour", "center": "centre", "color": "colour"} | {
    f"{stem}iz": f"{stem}is"
    for stem in ("categor", "equal", "factor", "initial", "neutral", "normal", "optim", "quant", "summar", "token")
}
_AMERICAN = re.compile("|".join(_BRITISH))
TEXTS = ("sentences", "corpus_iterable", "corpus_file", "documents", "corpus", "texts")  # gensim's names of a text
TEXT_OPTIONS = (  # of `Corpus.build`, which everything that trains on a text takes, too
    "min_count", "max_size", "stop_words", "unknown", "tokens", "sentences", "keep_empty", "column", "cache",
)  # fmt: skip


def one_spelling(name: str) -> str:
    """Return the name of a command or flag in the spelling that firth shows: `optimizer` as `optimiser`."""
    return _AMERICAN.sub(lambda match: _BRITISH[match[0]], name)


def synonym(name: str, known: Iterable[str]) -> str | None:
    """Return which of the known names is meant by one that it had earlier or has in another library, or None.

    Args:
        name: that is not known.
        known: the names there are.
    """
    other = RENAMED.get(name) or SYNONYMS.get(name)
    return other if other is not None and other in known else None


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return the end of a sentence about a name that is not known: the nearest ones, or all that are.

    Args:
        name: that is not known.
        known: the names there are.
    """
    names = list(known)
    other = synonym(name, names)
    if other is not None:
        return f"use {other}"
    near = difflib.get_close_matches(name, names)
    return f"did you mean {' or '.join(near)}?" if near else f"expected one of {', '.join(names) or 'none'}"


def explained(kind: Any, unnamed: Iterable[Any], wrong: Mapping[str, Any]) -> str:
    """Return the message about arguments that an options class does not take, a line each.

    Args:
        kind: the class; its fields are made by `firth.options.option`.
        unnamed: values that were given without a name.
        wrong: values that were given with a name that is no field.
    """
    known = {field.name: field for field in fields(kind)}
    train = inspect.signature(kind.train).parameters if hasattr(kind, "train") else {}
    lines = [
        f"{name}={reprlib.repr(value)}: {_place(kind.__name__, name, value, known, train)}"
        for name, value in wrong.items()
    ]
    example = next((f"{name}={field.default!r}" for name, field in known.items()), "")
    for value in unnamed:
        text = f"; {_given_to_train(kind.__name__)}" if train else ""
        lines.append(f"{reprlib.repr(value)}: {kind.__name__} takes options by name, such as {example}{text}")
    return "\n".join(lines)


def _place(
    kind: str, name: str, value: Any, known: Mapping[str, Field[Any]], train: Mapping[str, inspect.Parameter]
) -> str:
    """Where an option is that a class lacks: under another name, in `train`, in the text, or nowhere."""
    other = RENAMED.get(name) or SYNONYMS.get(name, name)
    if other in known:
        answer = f"renamed to {other}" if name in RENAMED else f"{kind} has no such option; use {other}"
        return f"{answer} ({_meaning(known[other])})"
    if name in TEXTS and train and not (name in TEXT_OPTIONS and isinstance(value, str)):
        return _given_to_train(kind)
    if other in list(train)[2:]:  # after self and the text
        return f"an argument of train: {kind}(...).train(text, {other}=...)"
    for parameter in train.values():
        for part in typing.get_args(parameter.annotation) or (parameter.annotation,):
            field = getattr(part, "__dataclass_fields__", {}).get(other)
            if field is not None and field.metadata:
                inner = f"{parameter.name}={part.__name__}({other}=...)"
                return f"an option of {part.__name__}: {kind}(...).train(text, {inner})"
    if other in TEXT_OPTIONS and any(parameter.kind is parameter.VAR_KEYWORD for parameter in train.values()):
        return f"an option of the text: {kind}(...).train(text, {other}=...) or Corpus.build(text, {other}=...)"
    return f"{kind} has no such option; {suggestion(name, known)}"


def _given_to_train(kind: str) -> str:
    return f"a text is given to train: {kind}(...).train(text)"


def _meaning(field: Field[Any]) -> str:
    if field.metadata.get("choices"):
        return " or ".join(map(repr, field.metadata["choices"]))
    what: str = field.metadata.get("help", "")
    return what.partition(";")[0]
