"""How a model was trained, as `metadata["training"]` holds it: a dictionary that a notebook shows as a table."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from firth.notebook import Markup, curve, facts, note, table

ROWS = 20  # epochs or evaluations shown: the last ones
OPTIONS = "options"
PLAIN = (
    "seed", "threads", "deterministic", "freeze", "texts", "documents", "tokens", "sentences", "ended", "interrupted",
    "error",
)  # fmt: skip


class TrainingFacts(dict[str, Any]):
    """The facts of a training: an ordinary dictionary of JSON values, with a table for notebooks."""

    def _repr_html_(self) -> str:
        options = self.get(OPTIONS)
        named = options if isinstance(options, Mapping) else {}
        course = Markup(_course(self))
        rows = [
            ("options", ", ".join(f"{name}={value!r}" for name, value in named.items() if name != "model")),
            ("trained on", self._amount()),
            *((name, self.get(name)) for name in PLAIN),
            ("loss", Markup(self._curve())),
        ]
        shown = [(name, value) for name, value in rows if value is not None and value is not False and value != ""]
        return facts(f"Training of {named.get('model') or self.get('model') or 'a model'}", shown, more=course)

    @property
    def losses(self) -> list[float]:
        """The training loss of each epoch or evaluation, in nats per prediction, without values that are not finite."""
        losses = self.get("loss")
        if not isinstance(losses, Sequence) or isinstance(losses, str):
            losses = [row.get("loss") for row in _rows(self)]
        return _finite(losses)

    def _curve(self) -> str:
        """Return the curve of the loss that says most: on a fixed sample or held-out data, otherwise of training."""
        samples = self.get("sample_loss")
        curves = {
            "loss on a fixed sample": samples if isinstance(samples, list) else [],
            "loss on held-out data": [row.get("held_out_loss") for row in _rows(self)],
            "training loss": self.losses,
        }
        drawn = (curve(_finite(values), name) for name, values in curves.items())
        return next(filter(None, drawn), "")

    def _amount(self) -> str:
        unit = str(self.get("unit", "words"))
        number, seconds = self.get(unit), self.get("seconds")
        parts = [f"{number:,} {unit}"] if isinstance(number, int) else []
        return " in ".join([*parts, f"{seconds:,.1f} s"] if isinstance(seconds, int | float) else parts)


def _finite(losses: Sequence[Any]) -> list[float]:
    return [float(loss) for loss in losses if isinstance(loss, int | float) and math.isfinite(loss)]


def text_facts(corpus: Any) -> dict[str, Any]:
    """Return what a model keeps of the rules by which its text became words: names of `tokens` and `language`.

    Learned tokens have the name of their unit: "subwords" or "characters".

    Args:
        corpus: a `firth.Corpus`; or counts of one, which keep its rules; or the text of another model, which has none.
    """
    kept = getattr(corpus, "rules", None)
    if isinstance(kept, Mapping) and kept:
        return {"rules": dict(kept)}
    options = getattr(corpus, "options", None)
    values = {name: getattr(options, name, None) for name in ("tokens", "language")}
    values["tokens"] = getattr(options, "unit", None) or values["tokens"]
    rules = {name: value for name, value in values.items() if isinstance(value, str) and not value.startswith("{")}
    return {"rules": rules} if rules else {}


def rule_of(metadata: Mapping[str, Any]) -> str | None:
    """Return the name of the rule that made a model's words, which `text_facts` put into its metadata; or None."""
    training = metadata.get("training")
    rules = training.get("rules") if isinstance(training, Mapping) else None
    tokens = rules.get("tokens") if isinstance(rules, Mapping) else None
    return tokens if isinstance(tokens, str) else None


def check_whole(model: Any) -> Any:
    """Return a trained model that is a part of larger work, which ends where its training was interrupted.

    Raises:
        KeyboardInterrupt: the training was interrupted.
    """
    if model.metadata["training"].get("interrupted"):
        raise KeyboardInterrupt
    return model


def with_training_facts(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a copy of a model's metadata whose facts about the training a notebook shows as a table."""
    copy = dict(metadata or {})
    if isinstance(copy.get("training"), dict):
        copy["training"] = TrainingFacts(copy["training"])
    return copy


def _rows(training: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The evaluations of a neural model."""
    rows = training.get("rows")
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []


def _course(training: Mapping[str, Any]) -> str:
    """Return a table of epochs or evaluations; "" if there are none."""
    rows = _rows(training)
    if not rows and isinstance(losses := training.get("loss"), list):
        samples = training.get("sample_loss")
        rows = [{"epoch": number, "loss": loss} for number, loss in enumerate(losses, 1)]
        if isinstance(samples, list) and len(samples) == len(losses):
            rows = [{**row, "loss on a fixed sample": sample} for row, sample in zip(rows, samples, strict=True)]
    if not rows:
        return ""
    names = list(dict.fromkeys(name for row in rows for name in row))
    left_out = note(f"The first {len(rows) - ROWS:,} rows are left out.") if len(rows) > ROWS else ""
    return table([name.replace("_", " ") for name in names], list(_cells(rows[-ROWS:], names)), words=0, more=left_out)


def _cells(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Iterator[list[str]]:
    for row in rows:
        yield [f"{row[name]:,.5g}" if isinstance(row.get(name), float) else str(row.get(name, "")) for name in names]
