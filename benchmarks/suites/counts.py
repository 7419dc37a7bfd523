"""Counts, phrases, factors and GloVe vectors from an encoded corpus.

Each program has already read its vocabulary: GloVe's programs a word list, firth its corpus. gensim reads the text as
it learns phrases; the time of reading alone is subtracted.
"""

from collections.abc import Mapping
from typing import Any

from benchmarks.comparison import Comparison, Contender, Target
from benchmarks.models import MIN_COUNT
from benchmarks.setting import FIRTH, GENSIM, GLOVE, Setting, plural

SCIPY = "SciPy svds"
WINDOW, EPOCHS = 10, 2
GLOVE_MODEL = {"dim": 100, "x_max": 100.0, "lr": 0.05}
WORDS, RANK = 30_000, 100


def comparisons(setting: Setting) -> list[Comparison]:
    """Counting, GloVe, the decomposition of PPMI, and phrases."""
    jobs = (_counting, _glove, _decomposing, _phrases)
    return [job(setting, threads) for job in jobs for threads in setting.threads]


def glove_trainers(setting: Setting) -> tuple[str, ...]:
    """The programs that this setting can train GloVe with."""
    return (FIRTH, GLOVE) if setting.glove else (FIRTH,)


def glove_trainer(
    setting: Setting, name: str, model: Mapping[str, Any], *, threads: int, seed: int = 1, output: str | None = None
) -> Contender:
    """The contender `name`, set to train GloVe on counts of the setting's tokenised text, which are kept.

    Args:
        setting: the call's setting.
        name: `FIRTH` or `GLOVE`.
        model: width, x_max, learning rate and epochs.
        threads: how many.
        seed: of the random draws.
        output: where to leave the vectors, or None to let them go.
    """
    options = {**_common_options(setting, threads), "model": dict(model), "seed": seed, "output": output}
    if name == FIRTH:
        return _firth(setting, "firth_glove.py", options)
    folder = setting.cache / f"glove-{setting.tokenised.path.stem}-{WINDOW}-{MIN_COUNT}"
    theirs = {**options, "programs": str(setting.glove), "phase": "training", "folder": str(folder)}
    return Contender(name=GLOVE, command=setting.firth_job("glove_c.py", theirs))


def _common_options(setting: Setting, threads: int) -> dict[str, object]:
    return {"text": str(setting.tokenised.path), "min_count": MIN_COUNT, "threads": threads, "window": WINDOW}


def _firth(setting: Setting, script: str, options: dict[str, object]) -> Contender:
    command = setting.firth_job(script, options)
    return Contender(name=FIRTH, command=command, environment=setting.firth_cache, warm_up=True)


def _counting(setting: Setting, threads: int) -> Comparison:
    options = _common_options(setting, threads)
    contenders, targets = [_firth(setting, "firth_counts.py", options)], []
    if setting.glove:
        # GloVe's program always counts in one thread.
        theirs = {**options, "programs": str(setting.glove), "phase": "counting"}
        contenders.append(Contender(name=GLOVE, command=setting.firth_job("glove_c.py", theirs)))
        targets.append(Target(FIRTH, GLOVE, 6))
    return Comparison(
        key=f"cooccurrence-{threads}t",
        title=f"co-occurrence, window {WINDOW}, {plural(threads, 'thread')}: counted and tiled (GloVe: shuffled)",
        contenders=tuple(contenders),
        options={"window": WINDOW, "min_count": MIN_COUNT, "threads": threads, **setting.tokenised.described()},
        words=setting.tokenised.words,
        targets=tuple(targets),
    )


def _glove(setting: Setting, threads: int) -> Comparison:
    model = {**GLOVE_MODEL, "epochs": EPOCHS}
    contenders = [glove_trainer(setting, name, model, threads=threads) for name in glove_trainers(setting)]
    targets = [Target(FIRTH, GLOVE, 15)] if setting.glove else []
    return Comparison(
        key=f"glove-{threads}t",
        title=f"GloVe, d = 100, {EPOCHS} epochs, {plural(threads, 'thread')}: training alone",
        contenders=tuple(contenders),
        options={**model, **_common_options(setting, threads), "text": "", **setting.tokenised.described()},
        targets=tuple(targets),
    )


def _decomposing(setting: Setting, threads: int) -> Comparison:
    options = {**_common_options(setting, threads), "max_words": WORDS, "rank": RANK}
    ours, theirs = ({**options, "with": library} for library in ("firth", "scipy"))
    return Comparison(
        key=f"svd-{threads}t",
        title=f"PPMI of {WORDS:,} words, {RANK} components, {plural(threads, 'thread')}: the decomposition",
        contenders=(
            _firth(setting, "decompose.py", ours),
            Contender(name=SCIPY, command=setting.firth_job("decompose.py", theirs), environment=setting.firth_cache),
        ),
        options={**options, "text": "", **setting.tokenised.described()},
        targets=(Target(FIRTH, SCIPY, 3),),
    )


def _phrases(setting: Setting, threads: int) -> Comparison:
    options = {**_common_options(setting, threads), "threshold": 0.5}
    return Comparison(
        key=f"phrases-{threads}t",
        title=f"phrases by npmi found and joined, {plural(threads, 'thread')} (gensim: one)",
        contenders=(
            _firth(setting, "firth_phrases.py", options),
            Contender(name=GENSIM, command=setting.peer_job("gensim_phrases.py", options)),
        ),
        options={"threshold": 0.5, "min_count": MIN_COUNT, "threads": threads, **setting.tokenised.described()},
        words=setting.tokenised.words,
        targets=(Target(FIRTH, GENSIM, 10),),
    )
