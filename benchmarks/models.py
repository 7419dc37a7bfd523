"""One description of a model, and what each program calls its parts."""

from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.comparison import Contender
from benchmarks.setting import FIRTH, GENSIM, WORD2VEC_C, Setting

MIN_COUNT = 5


@dataclass(frozen=True, kw_only=True)
class Model:
    """The options that all contenders share."""

    architecture: str
    dim: int
    epochs: int
    lr: float
    window: int = 5
    negative: int = 5
    sample: float = 1e-4

    def for_firth(self) -> dict[str, Any]:
        """Options of `firth.Word2Vec`."""
        return asdict(self)

    def for_gensim(self) -> dict[str, Any]:
        """Arguments of gensim's `Word2Vec`."""
        return {
            "sg": int(self.architecture == "skipgram"),
            "vector_size": self.dim,
            "window": self.window,
            "negative": self.negative,
            "sample": self.sample,
            "epochs": self.epochs,
            "alpha": self.lr,
        }

    def for_word2vec_c(self) -> dict[str, Any]:
        """Flags of the program, without their dashes."""
        return {
            "cbow": int(self.architecture == "cbow"),
            "size": self.dim,
            "window": self.window,
            "negative": self.negative,
            "hs": 0,
            "sample": self.sample,
            "iter": self.epochs,
            "alpha": self.lr,
        }


def trainer(
    setting: Setting, name: str, model: Model, *, threads: int, seed: int = 1, output: str | None = None
) -> Contender:
    """The contender `name`, set to train `model` on the setting's tokenised text.

    Args:
        setting: the call's setting.
        name: `FIRTH`, `GENSIM` or `WORD2VEC_C`.
        model: the options that all share.
        threads: how many.
        seed: of the random draws; the program of 2013 takes none.
        output: where to leave the vectors, or None to let them go.
    """
    common = {
        "text": str(setting.tokenised.path),
        "threads": threads,
        "seed": seed,
        "min_count": MIN_COUNT,
        "output": output,
    }
    if name == FIRTH:
        command = setting.firth_job("firth_train.py", {**common, "model": model.for_firth()})
        return Contender(name=name, command=command, environment=setting.firth_cache, warm_up=True)
    if name == GENSIM:
        return Contender(
            name=name, command=setting.peer_job("gensim_train.py", {**common, "model": model.for_gensim()})
        )
    options = {**common, "model": model.for_word2vec_c(), "phase": "training", "program": str(setting.word2vec)}
    return Contender(name=name, command=setting.firth_job("word2vec_c.py", options))


def trainers(setting: Setting) -> tuple[str, ...]:
    """The programs that this setting can train with."""
    return (FIRTH, GENSIM) if setting.word2vec is None else (FIRTH, GENSIM, WORD2VEC_C)
