"""Neural language models: kinds, outputs, optimisers, schedules, checkpoints, searches."""

import dataclasses
import functools
from typing import Any

import numpy as np

import firth
from tests.hashes import seeds
from tests.hashes.language import of_model
from tests.hashes.registry import case, digest, variants

TRAIN, TEST = seeds.LINES[:60], seeds.HELD_OUT[:15]
TRAINING: dict[str, Any] = {"epochs": 2, "batch_size": 4, "bptt": 8, "lr": 0.01}


def fit(model: Any, training: dict[str, Any] | None = None, **how: Any) -> Any:
    """A model trained for two epochs."""
    import torch

    torch.set_num_threads(1)
    held_out = None if model.output.startswith("negative") else list(TEST)  # that output gives no probabilities
    options = {**TRAINING, **(training or {})}
    model = dataclasses.replace(model, bptt=options.pop("bptt"), vary_bptt=options.pop("vary_bptt", False))
    return model.train(
        list(TRAIN), held_out=held_out, training=firth.TrainingOptions(**options), min_count=2, **{**seeds.HOW, **how}
    )


def of_neural(model: Any) -> dict[str, Any]:
    """Parameters, and what the model answers."""
    answer = of_model(model) if model.options.output.partition(":")[0] != "negative" else {}
    answer["parameters"] = _parameters(model)
    answer["vectors"] = np.asarray(model.word_vectors().vectors)
    return answer


def _parameters(model: Any) -> list[str]:
    """Digests of the parameters, whatever their order."""
    return sorted(digest(np.asarray(value.detach().float())) for value in model.module.parameters())


def parameters(model: Any) -> dict[str, Any]:
    """Parameters alone, and scores of a sentence."""
    return {"parameters": _parameters(model), "scores": np.asarray(model.score([TEST[0]])[0].log_probs)}


OUTPUTS = {
    "full": "full",
    "tree": "tree",
    "tree-balanced": "tree:tree=balanced",
    "tree-random": "tree:tree=random:codes=2",
    "tree-learned": "tree:tree=learned:overlap=0.1",
    "tree-learned-balanced": "tree:tree=learned:rule=balanced:bootstrap=1",
    "classes": "classes",
    "classes-5": "classes:classes=5",
    "adaptive": "adaptive:cutoffs=20,60",
    "importance": "importance:samples=20",
    "nce": "nce:samples=20:learn_z=true",
    "negative": "negative:samples=20",
}
variants(
    "log-bilinear",
    lambda **options: of_neural(fit(firth.LogBilinearLM(**{"order": 3, "dim": 8, **options}))),
    {
        **{f"output-{name}": {"output": spec} for name, spec in OUTPUTS.items()},
        "diagonal": {"context_matrices": "diagonal"},
        "tied": {"tie_weights": True, "dropout": 0.2},
    },
)
variants(
    "feedforward",
    lambda **options: of_neural(fit(firth.FeedForwardLM(**{"order": 3, "dim": 8, "hidden": 10, **options}))),
    {"plain": {}, "direct": {"direct": True, "dropout": 0.0}, "adaptive": {"output": "adaptive:cutoffs=20"}},
)
RECURRENT = {
    **{cell: {"cell": cell.replace("plain", "rnn")} for cell in ("plain", "lstm", "gru", "qrnn")},
    **{f"lstm-{connect}": {"connection": connect, "layers": 3} for connect in ("residual", "highway", "dense")},
    **{f"qrnn-{connect}": {"cell": "qrnn", "connection": connect} for connect in ("residual", "highway", "dense")},
    **{f"{cell}-{noise}": {"cell": cell.replace("plain", "rnn"), "dropout_kind": noise, "dropout": 0.3, "zoneout": 0.1}
       for cell in ("plain", "lstm", "gru") for noise in ("variational", "weights")},
    "qrnn-zoneout": {"cell": "qrnn", "zoneout": 0.1},
    "lstm-words": {"word_dropout": 0.2, "tie_weights": True},
    "lstm-adaptive": {"output": "adaptive:cutoffs=20,60"},
    "lstm-tree": {"output": "tree:tree=learned"},
    "lstm-importance": {"output": "importance:samples=20", "tie_weights": True},
    "char-aware": {"embedding": "char-cnn", "char_dim": 5, "connection": "highway"},
    "c2w": {"embedding": "c2w", "char_dim": 5},
}  # fmt: skip
variants(
    "recurrent",
    lambda **options: of_neural(fit(firth.RecurrentLM(**{"dim": 8, "hidden": 8, "layers": 2, **options}))),
    RECURRENT,
)
variants(
    "transformer",
    lambda **options: of_neural(
        fit(firth.TransformerLM(**{"dim": 8, "layers": 2, "heads": 2, "context": 16, "dropout": 0.1, **options}))
    ),
    {
        **{
            positions: {"positions": positions} for positions in ("learned", "sinusoidal", "relative", "rotary", "none")
        },
        "post": {"norm": "post", "activation": "relu", "ffn_dim": 12, "tie_weights": False},
        "adaptive": {"tie_weights": False, "output": "adaptive:cutoffs=20,60"},
        "importance": {"output": "importance:samples=20"},
    },
)


def trained(**training: Any) -> Any:
    """A tiny model trained in some way."""
    return parameters(fit(firth.FeedForwardLM(order=3, dim=6, hidden=6, dropout=0.1), training))


variants(
    "training",
    trained,
    {
        **{
            f"optimiser-{name}": {"optimiser": name}
            for name in (
                "sgd", "nesterov", "adagrad", "rmsprop", "adadelta", "adam", "amsgrad", "adamw", "adamax", "nadam",
                "radam",
            )
        },
        **{
            f"schedule-{name}": {"schedule": name, "warmup": 0 if name == "one-cycle" else 3}
            for name in (
                "constant", "inverse-time", "exponential", "linear", "cosine", "one-cycle", "inverse-square-root"
            )
        },
        "momentum": {"optimiser": "sgd", "momentum": 0.9, "weight_decay": 0.01, "clip_norm": 0.5},
        "plateau": {"epochs": 4, "plateau_factor": 0.5, "patience": 1, "lr": 0.5},
        **{
            f"rollback-{name}": {"rollback": name, "epochs": 4, "plateau_factor": 0.5, "lr": 0.5}
            for name in ("best", "reset", "current")
        },
        "evaluate-every": {"evaluate_every": 5},
        "vary-steps": {"vary_bptt": True},
        "bf16": {"precision": "bf16"},
    },
)  # fmt: skip


@case("training/lstm-vary-steps")
def vary_steps() -> Any:
    """Parts of the text of lengths that vary, through a state."""
    return parameters(fit(firth.RecurrentLM(dim=8, hidden=8, layers=1), {"vary_bptt": True, "clip_norm": 1.0}))


@case("training/resumed")
def resumed() -> Any:
    """Training broken off and resumed from its checkpoint, and the same in one go."""
    from firth.neural.training import checkpoints

    class StoppedError(Exception):
        pass

    def stop(status: Any) -> None:
        if (folder / "state" / "training.safetensors").exists():
            raise StoppedError

    ratio, checkpoints.COST_RATIO = checkpoints.COST_RATIO, 0
    training = {"schedule": "cosine", "epochs": 3}
    model = firth.RecurrentLM(dim=8, hidden=8, layers=1, dropout_kind="weights")
    try:
        with seeds.folder() as folder:
            try:
                fit(model, training, checkpoint=folder / "state", progress=stop)
            except StoppedError:
                pass
            else:
                raise AssertionError("not stopped")
            again = fit(model, training, checkpoint=folder / "state")
    finally:
        checkpoints.COST_RATIO = ratio
    return {"resumed": parameters(again), "whole": parameters(fit(model, training))}


@case("training/callbacks")
def rows() -> Any:
    """Rows that a run reports, without its times."""
    kept: list[dict[str, Any]] = []
    fit(firth.FeedForwardLM(order=3, dim=6, hidden=6), callbacks=[kept.append])
    timed = ("second", "time", "per", "memory", "bytes")
    return [{name: value for name, value in row.items() if not any(each in name for each in timed)} for row in kept]


@functools.cache
def lstm() -> Any:
    """A recurrent model."""
    return fit(firth.RecurrentLM(dim=8, hidden=8, layers=2, tie_weights=True))


@functools.cache
def transformer() -> Any:
    """A transformer."""
    return fit(firth.TransformerLM(dim=8, layers=2, heads=2, context=12))


@case("neural/generation")
def generation() -> Any:
    """Every search with a model whose state is tensors."""
    answer = {}
    for name, model in (("lstm", lstm()), ("transformer", transformer())):
        controls = firth.GenerationOptions(max_length=20, no_repeat_ngram=3)
        answer[f"{name} greedy"] = model.generate("the", options=controls, search="greedy")
        answer[f"{name} sample"] = model.generate("the", n=3, options=controls, seed=2)
        answer[f"{name} top"] = model.generate(
            "the", n=3, options=firth.GenerationOptions(max_length=9, top_k=9, top_p=0.9, temperature=0.8), seed=2
        )
        answer[f"{name} beam"] = model.generate("the", n=3, options=controls, search=firth.BeamSearch(beams=4))
        answer[f"{name} diverse"] = model.generate(
            "a", n=4, options=controls, search=firth.BeamSearch(beams=4, groups=2)
        )
    return answer


@case("neural/mixture")
def mixture() -> Any:
    """A neural model and one of n-grams, mixed and searched as one."""
    ngrams = firth.NgramLM(order=2, discount_fallback=True).train(list(TRAIN), threads=1, progress=False, min_count=2)
    fitted = firth.Mixture.fit([lstm(), ngrams], TEST, progress=False)
    beams = fitted.generate("the", n=3, options=firth.GenerationOptions(max_length=6), search=firth.BeamSearch(beams=4))
    return {"weights": np.asarray(fitted.weights), "beams": beams, **of_model(fitted)}


@case("neural/monte-carlo")
def monte_carlo() -> Any:
    """Scores under dropout."""
    return np.asarray(lstm().monte_carlo_log_probs(lstm().encode(TEST), samples=3, seed=4, progress=False))
