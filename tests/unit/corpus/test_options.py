from functools import partial
from typing import Any

import pytest

from firth.corpus.options import CorpusOptions
from firth.errors import OptionError


def words_of(text: str) -> list[str]:
    return text.split()


def closing_over(separator: str) -> Any:
    return lambda text: text.split(separator)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_count": 0}, "min_count=0: expected a whole number of at least 1"),
        ({"min_count": 2.5}, "min_count=2.5"),
        ({"max_size": 0}, "max_size=0"),
        ({"max_size": 10.0}, "max_size=10.0"),
        ({"tokens": "word"}, "tokens='word': expected one of words, unicode, whitespace, text8"),
        ({"tokens": "words:de"}, "tokens='words:de': expected one of words"),
        ({"language": "Turkish"}, "language='Turkish': expected a code of ISO 639, such as 'de' for German, or 'tr'"),
        ({"language": "az", "tokens": "words:tr"}, "language='az' with tokens='words:tr': expected the same language"),
        ({"join_hyphens": True}, "join_hyphens=True with sentences='line'"),
        ({"sentences": "page"}, "sentences='page': expected one of line, paragraph, text"),
        ({"stop_words": "the of"}, "stop_words='the of': expected a list of words"),
        ({"stop_words": [1]}, "stop_words"),
    ],
)
def test_options_out_of_range(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        CorpusOptions(**options).checked()


def test_functions_are_recorded_by_name() -> None:
    described = CorpusOptions(tokens=words_of, sentences=str.splitlines, stop_words=("b", "a", "b")).described()
    assert described["tokens"].endswith("test_options.words_of")
    assert described["stop_words"] == ["a", "b"]


def test_what_can_be_pinned_down_has_an_identity() -> None:
    plain = CorpusOptions(tokens=words_of).identity()
    assert plain is not None
    assert plain == CorpusOptions(tokens=words_of).identity() != CorpusOptions().identity()
    assert CorpusOptions(tokens=str.split).identity() != CorpusOptions(tokens=str.splitlines).identity()
    changed = {"__name__": __name__}
    exec("def words_of(text):\n    return text.lower().split()", changed)  # the same name, another behaviour
    assert CorpusOptions(tokens=changed["words_of"]).identity() not in (plain, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("tokens", [closing_over("-"), partial(words_of), "a b".split])
def test_what_may_change_unseen_has_none(tokens: Any) -> None:
    assert CorpusOptions(tokens=tokens).identity() is None
