"""Every other way to predict a word, a document or a label, against the program that made it known.

The text is a part of the tokenised file: the peers' slowest would take an hour over the whole. Each line is a document
where documents are trained.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.comparison import Comparison, Contender, Target
from benchmarks.inputs import TextFile, classified, first_lines
from benchmarks.models import MIN_COUNT
from benchmarks.setting import FASTTEXT, FIRTH, GENSIM, WANG2VEC, WORD2VEC_C, Setting, plural

LINES = 40_000
COMMON = {"window": 5, "dim": 100, "sample": 1e-4}
GENSIM_COMMON = {"window": 5, "vector_size": 100, "sample": 1e-4}
WORD2VEC_COMMON = {"window": 5, "size": 100, "sample": 1e-4}
FASTTEXT_COMMON = {"ws": 5, "dim": 100, "t": 1e-4}


@dataclass(frozen=True, kw_only=True)
class Job:
    """One model as every program calls it, and the ratio owed to each peer.

    Attributes:
        key: the name in the results.
        title: as the tables show it.
        family: firth's class.
        firth: its options.
        owed: peer -> times as fast; 0 where only quality is compared.
        gensim: gensim's class and arguments.
        word2vec: flags of word2vec.c or of wang2vec.
        fasttext: arguments of `train_unsupervised`.
        line_by_line: whether gensim is handed documents, and not the file.
    """

    key: str
    title: str
    family: str
    firth: dict[str, Any]
    owed: dict[str, float]
    gensim: tuple[str, dict[str, Any]] = ("", {})
    word2vec: dict[str, Any] | None = None
    fasttext: dict[str, Any] | None = None
    line_by_line: bool = False


JOBS = (
    Job(
        key="hierarchical",
        title="skip-gram, hierarchical softmax, d = 100",
        family="Word2Vec",
        firth={"objective": "hierarchical", "lr": 0.025, **COMMON},
        owed={GENSIM: 3.5, WORD2VEC_C: 3.5},
        gensim=("Word2Vec", {"sg": 1, "hs": 1, "negative": 0, "alpha": 0.025, **GENSIM_COMMON}),
        word2vec={"cbow": 0, "hs": 1, "negative": 0, "alpha": 0.025, **WORD2VEC_COMMON},
    ),
    Job(
        key="subwords",
        title="skip-gram with subwords of 3 to 6 characters, d = 100",
        family="FastText",
        firth={"lr": 0.05, **COMMON},
        owed={FASTTEXT: 6},
        fasttext={"model": "skipgram", "lr": 0.05, "minn": 3, "maxn": 6, **FASTTEXT_COMMON},
    ),
    Job(
        key="dbow",
        title="paragraph vectors, PV-DBOW, d = 100",
        family="ParagraphVectors",
        firth={"architecture": "dbow", "lr": 0.025, **COMMON},
        owed={GENSIM: 8},
        gensim=("Doc2Vec", {"dm": 0, "alpha": 0.025, **GENSIM_COMMON}),
    ),
    Job(
        key="dm",
        title="paragraph vectors, PV-DM, d = 100",
        family="ParagraphVectors",
        firth={"architecture": "dm", "lr": 0.025, **COMMON},
        owed={GENSIM: 4},
        gensim=("Doc2Vec", {"dm": 1, "alpha": 0.025, **GENSIM_COMMON}),
    ),
    Job(
        key="structured",
        title="structured skip-gram, d = 100",
        family="StructuredWord2Vec",
        firth={"architecture": "skipgram", "lr": 0.025, **COMMON},
        owed={WANG2VEC: 10},
        word2vec={"type": 3, "negative": 5, "alpha": 0.025, **WORD2VEC_COMMON},
    ),
)


# No peer's speed is owed here, and of documents only the words beside them are judged.
ONLY_JUDGED = (
    Job(
        key="nce",
        title="skip-gram, noise-contrastive estimation, d = 100",
        family="Word2Vec",
        firth={"objective": "nce", "lr": 0.025, **COMMON},
        owed={},
    ),
    Job(
        key="importance",
        title="skip-gram, importance-sampled softmax, d = 100",
        family="Word2Vec",
        firth={"objective": "importance", "lr": 0.025, **COMMON},
        owed={},
    ),
    Job(
        key="cwindow",
        title="continuous window, d = 100",
        family="StructuredWord2Vec",
        firth={"architecture": "cwindow", "lr": 0.05, **COMMON},
        owed={WANG2VEC: 0},
        word2vec={"type": 2, "negative": 5, "alpha": 0.05, **WORD2VEC_COMMON},
    ),
    Job(
        key="dm-words",
        title="words beside paragraph vectors, PV-DM, d = 100",
        family="ParagraphVectors",
        firth={"architecture": "dm", "lr": 0.025, **COMMON},
        owed={GENSIM: 0},
        gensim=("Doc2Vec", {"dm": 1, "alpha": 0.025, **GENSIM_COMMON}),
        # Given the file, gensim counts each thread's part of it against the whole, and its rate falls half as far.
        line_by_line=True,
    ),
    Job(
        key="dbow-words",
        title="words beside paragraph vectors, PV-DBOW, d = 100",
        family="ParagraphVectors",
        firth={"architecture": "dbow", "words": True, "lr": 0.025, **COMMON},
        owed={GENSIM: 0},
        gensim=("Doc2Vec", {"dm": 0, "dbow_words": 1, "alpha": 0.025, **GENSIM_COMMON}),
    ),
)
JUDGED = (*(job for job in JOBS if job.key not in {"dbow", "dm"}), *ONLY_JUDGED)


@dataclass(frozen=True, kw_only=True)
class Call:
    """How a model is trained once.

    Attributes:
        text: what is trained on.
        threads: how many.
        epochs: passes over the text.
        seed: of the random draws; the C programs take none.
        output: where to leave the vectors, or None to let them go.
    """

    text: TextFile
    threads: int
    epochs: int = 1
    seed: int = 1
    output: str | None = None


def programs(setting: Setting, job: Job) -> tuple[str, ...]:
    """The programs that can train a model here."""
    there = {WORD2VEC_C: setting.word2vec, WANG2VEC: setting.wang2vec}
    return (FIRTH, *(peer for peer in job.owed if there.get(peer, "a package") is not None))


def trainer(setting: Setting, job: Job, name: str, call: Call) -> Contender:
    """The contender `name`, set to train a model."""
    common = {
        "text": str(call.text.path),
        "threads": call.threads,
        "seed": call.seed,
        "min_count": MIN_COUNT,
        "output": call.output,
    }
    if name == FIRTH:
        options = {**common, "family": job.family, "model": {**job.firth, "epochs": call.epochs}}
        command = setting.firth_job("firth_train.py", options)
        return Contender(name=name, command=command, environment=setting.firth_cache, warm_up=True)
    if name == GENSIM:
        family, arguments = job.gensim
        options = {**common, "family": family, "model": {**arguments, "epochs": call.epochs}}
        script = "gensim_lines.py" if job.line_by_line else "gensim_train.py"
        return Contender(name=name, command=setting.peer_job(script, options))
    if name == FASTTEXT:
        options = {**common, "model": job.fasttext, "epochs": call.epochs}
        return Contender(name=name, command=setting.peer_job("fasttext_train.py", options))
    program = setting.word2vec if name == WORD2VEC_C else setting.wang2vec
    model = {**(job.word2vec or {}), "iter": call.epochs}
    options = {**common, "model": model, "phase": "training", "program": str(program)}
    return Contender(name=name, command=setting.firth_job("word2vec_c.py", options))


def comparisons(setting: Setting) -> list[Comparison]:
    """Every job at every number of threads."""
    text = first_lines(setting.cache, setting.tokenised, LINES)
    trainings = [_training(setting, text, job, threads) for job in JOBS for threads in setting.threads]
    labelled_text, lines = classified(setting.cache)
    classifiers = [
        _classifier(setting, labelled_text, lines, phase, threads) for phase in PHASES for threads in setting.threads
    ]
    return [*trainings, *classifiers]


def _training(setting: Setting, text: TextFile, job: Job, threads: int) -> Comparison:
    call = Call(text=text, threads=threads)
    names = programs(setting, job)
    return Comparison(
        key=f"{job.key}-{threads}t",
        title=f"{job.title}, {plural(threads, 'thread')}: training alone",
        contenders=tuple(trainer(setting, job, name, call) for name in names),
        options={**job.firth, "epochs": call.epochs, "min_count": MIN_COUNT, "threads": threads, **text.described()},
        words=text.words,
        targets=tuple(Target(FIRTH, peer, ratio) for peer, ratio in job.owed.items() if peer in names),
    )


PHASES = ("training", "predicting")
CLASSIFIER = {"dim": 100, "lr": 0.5, "word_ngrams": 2, "epochs": 5}
FASTTEXT_CLASSIFIER = {"dim": 100, "lr": 0.5, "wordNgrams": 2, "epoch": 5}


def _classifier(setting: Setting, labelled: TextFile, lines: TextFile, phase: str, threads: int) -> Comparison:
    text = labelled if phase == "training" else lines
    options = {"text": str(text.path), "phase": phase, "threads": threads}
    ours = {**options, "model": CLASSIFIER, "saved": str(_saved(setting, "firth"))}
    theirs = {**options, "model": FASTTEXT_CLASSIFIER, "saved": str(_saved(setting, "fasttext"))}
    return Comparison(
        key=f"classifier-{phase}-{threads}t",
        title=f"fastText classifier, {phase} of {text.name}, {plural(threads, 'thread')}",
        contenders=(
            Contender(
                name=FIRTH,
                command=setting.firth_job("firth_classify.py", ours),
                environment=setting.firth_cache,
                warm_up=True,
            ),
            Contender(name=FASTTEXT, command=setting.peer_job("fasttext_classify.py", theirs)),
        ),
        options={**CLASSIFIER, "threads": threads, **text.described()},
        words=text.words,
        targets=(Target(FIRTH, FASTTEXT, 2),),
    )


def _saved(setting: Setting, name: str) -> Path:
    folder = setting.cache / "saved"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"classifier-{name}"
