"""Training: words per second, the whole process from file to vectors, and memory."""

from dataclasses import asdict

from benchmarks.comparison import FRESH_FOLDER, Comparison, Contender, Limit, Target
from benchmarks.models import MIN_COUNT, Model, trainer, trainers
from benchmarks.running import firth_command
from benchmarks.setting import FIRTH, GENSIM, WORD2VEC_C, Setting, plural

# (key, title, architecture, dim, learning rate, times as fast as each peer)
TRAINING = (
    ("skipgram-100", "skip-gram, d = 100", "skipgram", 100, 0.025, {GENSIM: 13, WORD2VEC_C: 20}),
    ("skipgram-300", "skip-gram, d = 300", "skipgram", 300, 0.025, {GENSIM: 6}),
    ("cbow-100", "CBOW, d = 100", "cbow", 100, 0.05, {GENSIM: 4}),
)
MEMORY = 0.25  # GB, for training at d = 100
PROCESS_EPOCHS = 5
COLD, WARM = "firth, cold Numba cache", "firth, warm Numba cache"


def comparisons(setting: Setting) -> list[Comparison]:
    """Every row of the speed table that trains."""
    training = [_training(setting, threads, *row) for row in TRAINING for threads in setting.threads]
    processes = [_process(setting, threads) for threads in setting.threads]
    return [*(_ceiling(setting, threads) for threads in setting.threads), *training, *processes]


def _ceiling(setting: Setting, threads: int) -> Comparison:
    """What a tuned matrix product reaches on this processor, to hold the GFLOP/s of training against."""
    return Comparison(
        key=f"ceiling-{threads}t",
        title=f"matrix product of 2048 x 2048 float32, {plural(threads, 'thread')}: what the processor can do",
        contenders=(Contender(name="NumPy", command=setting.firth_job("matrix_product.py", {})),),
        options={"threads": threads},
    )


def _training(
    setting: Setting, threads: int, key: str, title: str, architecture: str, dim: int, lr: float, owed: dict[str, float]
) -> Comparison:
    model = Model(architecture=architecture, dim=dim, epochs=setting.epochs or 1, lr=lr)
    # At d = 300 nothing is owed against word2vec.c, and its runs would take most of the time.
    names = [name for name in trainers(setting) if name == FIRTH or name in owed or architecture == "cbow"]
    return Comparison(
        key=f"{key}-{threads}t",
        title=f"{title}, {plural(threads, 'thread')}: training alone",
        contenders=tuple(trainer(setting, name, model, threads=threads) for name in names),
        options={**asdict(model), "min_count": MIN_COUNT, "threads": threads, **setting.tokenised.described()},
        words=setting.tokenised.words * model.epochs,
        targets=tuple(Target(FIRTH, peer, ratio) for peer, ratio in owed.items() if peer in names),
        limits=(Limit(FIRTH, "peak_mb", MEMORY * 1000, "MB"),) if dim == 100 else (),
    )


def _process(setting: Setting, threads: int) -> Comparison:
    model = Model(architecture="skipgram", dim=100, epochs=PROCESS_EPOCHS, lr=0.025)
    saved = setting.cache / "saved"
    saved.mkdir(parents=True, exist_ok=True)
    command = (
        "sh",
        "-c",
        # The last line of output has to be JSON; the time is taken outside, of all that runs here.
        '"$@" >/dev/null && echo "{}"',
        "sh",
        firth_command(),
        *("train", "skipgram", str(setting.tokenised.path), "-o", str(saved / "firth")),
        *("--dim", str(model.dim), "--window", str(model.window), "--negative", str(model.negative)),
        *("--sample", str(model.sample), "--epochs", str(model.epochs), "--lr", str(model.lr)),
        *("--min-count", str(MIN_COUNT), "--tokens", "whitespace", "--threads", str(threads), "--seed", "1"),
    )
    script = setting.peer_job(
        "gensim_script.py",
        {
            "text": str(setting.tokenised.path),
            "threads": threads,
            "seed": 1,
            "min_count": MIN_COUNT,
            "model": model.for_gensim(),
            "output": str(saved / "gensim"),
        },
    )
    # The corpus is built anew in every run: its folder is never there before.
    cold = {"FIRTH_CACHE": FRESH_FOLDER, "NUMBA_CACHE_DIR": FRESH_FOLDER}
    warm = {"FIRTH_CACHE": FRESH_FOLDER, "NUMBA_CACHE_DIR": str(setting.cache / "numba")}
    return Comparison(
        key=f"process-{threads}t",
        title=f"skip-gram, d = 100, {plural(threads, 'thread')}: whole process, file to vectors, {model.epochs} epochs",
        contenders=(
            Contender(name=COLD, command=command, environment=cold),
            Contender(name=WARM, command=command, environment=warm, warm_up=True),
            Contender(name=GENSIM, command=script),
        ),
        options={**asdict(model), "min_count": MIN_COUNT, "threads": threads, **setting.tokenised.described()},
        words=setting.tokenised.words * model.epochs,
        targets=(Target(COLD, GENSIM, 8), Target(WARM, GENSIM, 9)),
    )
