"""Masks over tokens, words and spans: shares, units, special tokens."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.token_masking import TokenMasking

V, MASK = 50, 4
CONTINUES = torch.arange(V) >= 30


def masks(**options):
    return TokenMasking(MASK, CONTINUES, torch.arange(5), **options)


@pytest.fixture(scope="module")
def ids():
    torch.manual_seed(0)
    ids = torch.randint(5, V, (400, 128))
    ids[:, 0], ids[:, -1] = 2, 3
    return ids


@pytest.mark.parametrize("unit", ["tokens", "words", "spans"])
def test_shares(ids, unit):
    """15 % are hidden, of which 80 % are masks; of the 10 % that are random, one of 45 is the token itself."""
    torch.manual_seed(1)
    replaced, hidden = masks(unit=unit)(ids)
    ordinary = ids > 4
    assert hidden[ordinary].float().mean() == pytest.approx(0.15, abs=0.011)
    assert (replaced[hidden] == MASK).float().mean() == pytest.approx(0.8, abs=0.03)
    assert (replaced[hidden] != ids[hidden]).float().mean() == pytest.approx(0.9, abs=0.03)
    assert bool((replaced[~hidden] == ids[~hidden]).all())


@pytest.mark.parametrize("unit", ["tokens", "words", "spans"])
def test_special_tokens_are_never_hidden_and_never_appear(ids, unit):
    replaced, hidden = masks(unit=unit, rate=0.9, masked=0.0, random=1.0)(ids)
    assert not bool(hidden[:, [0, -1]].any())
    assert bool((replaced[:, 1:-1] > 4).all())


def test_all_pieces_of_a_word_are_hidden_together(ids):
    _, hidden = masks(unit="words")(ids)
    continued = CONTINUES[ids]
    assert bool((hidden[:, 2:] == hidden[:, 1:-1])[continued[:, 2:]].all())
    assert not bool((masks(unit="tokens")(ids)[1][:, 2:] == hidden[:, 1:-1])[continued[:, 2:]].all())


def test_spans_are_long_and_replaced_alike(ids):
    """Spans have 3.8 words on average (Joshi et al. 2020, section 3.1), of 1.8 pieces here."""
    replaced, hidden = masks(unit="spans")(ids)
    begins = hidden & ~torch.nn.functional.pad(hidden, (1, 0))[:, :-1]
    assert 5 < float(hidden.sum() / begins.sum()) < 9
    inside = hidden[:, 1:] & hidden[:, :-1]
    same = (replaced == MASK)[:, 1:] == (replaced == MASK)[:, :-1]
    assert same[inside].float().mean() > 0.95


def test_one_token_is_hidden_at_least():
    _, hidden = masks(rate=1e-9)(torch.tensor([[2, 7, 3], [2, 8, 3]]))
    assert int(hidden.sum()) == 1
    assert not bool(hidden[:, [0, 2]].any())


@pytest.mark.parametrize("options", [{"unit": "letters"}, {"rate": 0.0}, {"rate": 2.0}, {"masked": 0.8, "random": 0.5}])
def test_bad_options(options):
    with pytest.raises(OptionError, match="expected"):
        masks(**options)


def test_a_vocabulary_of_special_tokens():
    with pytest.raises(OptionError, match="all of them special"):
        TokenMasking(MASK, CONTINUES[:5], torch.arange(5))
