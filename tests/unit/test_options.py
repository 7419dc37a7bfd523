"""Each option checks itself, and says what was found and what was expected."""

import dataclasses
import inspect
import json

import numpy as np
import pytest

from firth.errors import FirthError, OptionError
from firth.options import check, option, options_class, parse_spec


@options_class
class Sample:
    count: int = option(5, "a count", minimum=1)
    few: int = option(2, "a count with an upper bound", minimum=1, maximum=3)
    share: float = option(0.5, "a share", minimum=0, maximum=1)
    rate: float | None = option(None, "a rate", minimum=0, exclusive=True)
    strict: float = option(0.5, "a share that is not 0", minimum=0, maximum=1, exclusive=True)
    most: float = option(0.0, "a number with an upper bound alone", maximum=10)
    kind: str = option("red", "a name", choices=("red", "blue"))
    free: str = option("anything", "no bounds")
    flag: bool = option(True, "a switch")
    bare: int = 3


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"count": 1},
        {"count": 10**18},
        {"few": 3},
        {"share": 0},
        {"share": 1},
        {"share": 0.25},
        {"rate": None},
        {"rate": 1e-300},
        {"strict": 1},
        {"most": -1e300},
        {"kind": "blue"},
        {"free": "x"},
        {"flag": False},
        {"bare": "not checked"},
    ],
)
def test_allowed(values):
    check(Sample(**values))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"count": 0}, "count=0: expected a whole number of at least 1"),
        ({"count": 1.0}, "count=1.0: expected a whole number of at least 1"),
        ({"count": True}, "count=True: expected a whole number of at least 1"),
        ({"count": "5"}, "count='5': expected a whole number of at least 1"),
        ({"count": [5]}, "count=[5]: expected a whole number of at least 1"),
        ({"few": 4}, "few=4: expected a whole number from 1 to 3"),
        ({"few": 0}, "few=0: expected a whole number from 1 to 3"),
        ({"share": -0.1}, "share=-0.1: expected a finite number from 0 to 1"),
        ({"share": 1.1}, "share=1.1: expected a finite number from 0 to 1"),
        ({"share": float("nan")}, "share=nan: expected a finite number from 0 to 1"),
        ({"share": False}, "share=False: expected a finite number from 0 to 1"),
        ({"rate": 0}, "rate=0: expected a finite number above 0"),
        ({"rate": -1e-9}, "rate=-1e-09: expected a finite number above 0"),
        ({"rate": float("inf")}, "rate=inf: expected a finite number above 0"),
        ({"rate": "slow"}, "rate='slow': expected a finite number above 0"),
        ({"strict": 0}, "strict=0: expected a finite number above 0 and at most 1"),
        ({"most": 10.5}, "most=10.5: expected a finite number of at most 10"),
        ({"most": float("-inf")}, "most=-inf: expected a finite number of at most 10"),
        ({"count": None}, "count=None: expected a whole number of at least 1"),
        ({"kind": None}, "kind=None: expected one of red, blue"),
        ({"flag": "no"}, "flag='no': expected True or False"),
        ({"flag": 1}, "flag=1: expected True or False"),
        ({"kind": "green"}, "kind='green': expected one of red, blue"),
        ({"kind": 3}, "kind=3: expected one of red, blue"),
        ({"kind": ["red"]}, "kind=['red']: expected one of red, blue"),
    ],
)
def test_refused(values, message):
    with pytest.raises(OptionError) as caught:
        check(Sample(**values))
    assert str(caught.value) == message
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, FirthError)


@pytest.mark.parametrize("number", [np.int64(3), np.uint8(3)])
def test_whole_numbers_of_numpy_become_pythons(number):
    options = Sample(count=number, few=number)
    check(options)
    assert (type(options.count), type(options.few)) == (int, int)
    assert json.loads(json.dumps(dataclasses.asdict(options)))["count"] == 3
    with pytest.raises(OptionError, match="few=4: expected a whole number from 1 to 3"):
        check(Sample(few=number + 1))


@pytest.mark.parametrize("number", [np.float64(0.5), np.float32(0.5), np.float16(0.5)])
def test_numbers_of_numpy_become_pythons(number):
    options = Sample(share=number)
    check(options)
    assert json.loads(json.dumps(dataclasses.asdict(options)))["share"] == 0.5
    with pytest.raises(OptionError, match=r"count=0\.5|count=np\.float64\(0\.5\)"):
        check(Sample(count=number))


@pytest.mark.parametrize("value", [1.5, None, ["red"], True])
def test_text_is_text(value):
    with pytest.raises(OptionError, match=r"free=.*: expected a text"):
        check(Sample(free=value))


def test_a_spec_is_split_into_its_options():
    assert parse_spec("full", []) == {}
    assert parse_spec("skipgram:window=10:min-count=2", ["window", "min_count"]) == {"window": "10", "min_count": "2"}
    assert parse_spec("reduce:50", ["dim"], first="dim") == {"dim": "50"}
    assert parse_spec("whiten:ridge=0.1", ["method", "ridge"], first="method") == {"ridge": "0.1"}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("cbow:10", "'10' in 'cbow:10': expected OPTION=VALUE with one of lr, window"),
        ("cbow:lr=", "'lr=' in 'cbow:lr=': expected OPTION=VALUE with one of lr, window"),
        ("cbow:windw=1", "'windw=1' in 'cbow:windw=1': cbow has no such option; did you mean window?"),
    ],
)
def test_a_spec_with_a_mistake_is_refused(spec, message):
    with pytest.raises(OptionError) as caught:
        parse_spec(spec, {"window", "lr"})
    assert str(caught.value) == message


@options_class
class Plain:
    """Options without checks of their own.

    Source:
        A paper.
    """

    count: int = option(1, "a count", minimum=1)


def test_options_without_checks_of_their_own_are_checked_and_say_so():
    with pytest.raises(OptionError, match="count=0: expected a whole number of at least 1"):
        Plain(count=0)
    text = inspect.getdoc(Plain)
    assert text.index("Raises:\n    OptionError: an option is out of its range.\n\nSource:") < text.index("Options:")
