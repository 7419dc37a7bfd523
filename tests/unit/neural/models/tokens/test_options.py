"""Options of the vectors of words."""

import pytest

from firth.errors import OptionError
from firth.neural.models.tokens.options import TokenOptions


@pytest.mark.parametrize(("name", "value"), [("dim", 0), ("characters", "rnn"), ("word_dropout", -1.0)])
def test_values_out_of_range_are_refused(name, value):
    with pytest.raises(OptionError, match=name):
        TokenOptions(**{name: value})
