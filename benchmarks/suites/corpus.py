"""From a file to an encoded corpus, on one thread."""

from benchmarks.comparison import Comparison, Contender, Limit, Target
from benchmarks.inputs import TextFile
from benchmarks.models import MIN_COUNT
from benchmarks.setting import FIRTH, GENSIM, WORD2VEC_C, Setting

REGEX = "Python: compiled regex, Counter, dictionary"


def comparisons(setting: Setting) -> list[Comparison]:
    """Counting and encoding, of words between spaces and of raw text."""
    return [_whitespace(setting), _default(setting)]


def _build(setting: Setting, text: TextFile, tokens: str) -> Contender:
    options = {"text": str(text.path), "tokens": tokens, "min_count": MIN_COUNT}
    command = setting.firth_job("firth_corpus.py", options)
    return Contender(name=FIRTH, command=command, environment=setting.firth_cache, warm_up=True)


def _seconds_at(words: int, millions_a_second: float) -> float:
    return words / (millions_a_second * 1e6)


def _whitespace(setting: Setting) -> Comparison:
    text = setting.tokenised
    options = {"text": str(text.path), "min_count": MIN_COUNT, "threads": 1}
    contenders = [
        _build(setting, text, "whitespace"),
        Contender(name=GENSIM, command=setting.peer_job("gensim_scan.py", options)),
    ]
    targets = [Target(FIRTH, GENSIM, 4)]
    if setting.word2vec:
        counting = {**options, "phase": "counting", "program": str(setting.word2vec)}
        contenders.append(Contender(name=WORD2VEC_C, command=setting.firth_job("word2vec_c.py", counting)))
        targets.append(Target(FIRTH, WORD2VEC_C, 2))
    return Comparison(
        key="corpus-whitespace",
        title="corpus from whitespace-tokenised text: count, encode, write (peers: count)",
        contenders=tuple(contenders),
        options={"min_count": MIN_COUNT, "threads": 1, **text.described()},
        words=text.words,
        targets=tuple(targets),
        limits=(Limit(FIRTH, "seconds", _seconds_at(text.words, 20), "s"),),
    )


def _default(setting: Setting) -> Comparison:
    text = setting.written
    options = {"text": str(text.path), "min_count": MIN_COUNT}
    return Comparison(
        key="corpus-words",
        title="corpus from raw UTF-8 with the default tokeniser: count, encode, write (Python: count, encode)",
        contenders=(
            _build(setting, text, "words"),
            Contender(name=REGEX, command=setting.firth_job("regex_loop.py", options)),
        ),
        options={"min_count": MIN_COUNT, "threads": 1, **text.described()},
        words=text.words,
        targets=(Target(FIRTH, REGEX, 5),),
        limits=(Limit(FIRTH, "seconds", _seconds_at(text.words, 8), "s"),),
    )
