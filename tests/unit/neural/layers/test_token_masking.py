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
    kept = (hidden & (replaced != MASK)).any(1)
    assert (kept & (hidden & (replaced == MASK)).any(1)).float().mean() > 0.2  # each span on its own


def test_lengths_of_spans_are_those_of_the_formula():
    """Proportional to 0.8^(k - 1), at most 10; so few that hardly any meet."""
    torch.manual_seed(2)
    texts = torch.randint(5, 30, (200, 4000))  # words of one piece
    _, hidden = masks(unit="spans", rate=0.01)(texts)
    assert hidden.float().mean() == pytest.approx(0.01, abs=0.0007)
    edges = torch.nn.functional.pad(hidden.int(), (1, 1)).diff()
    lengths = (edges == -1).nonzero()[:, 1] - (edges == 1).nonzero()[:, 1]
    shares = torch.bincount(lengths, minlength=11)[1:11] / len(lengths)
    expected = torch.tensor([0.2 * 0.8**k / (1 - 0.8**10) for k in range(10)])
    assert len(lengths) > 1500
    torch.testing.assert_close(shares, expected, atol=0.03, rtol=0)


def test_the_first_words_of_a_window_are_hidden_less_often():
    """No span reaches in from before: the first is hidden with probability p, those from the tenth on with rate."""
    torch.manual_seed(3)
    masking = masks(unit="spans", rate=0.3)
    _, hidden = masking(torch.randint(5, 30, (20_000, 14)))
    survival = [(0.8**k - 0.8**10) / (1 - 0.8**10) for k in range(11)]
    free = 1.0  # share of words that no span reaches
    for step, found in enumerate(hidden.float().mean(0).tolist()):
        free *= 1 - masking.start_rate * survival[min(step, 10)]
        assert found == pytest.approx(1 - free, abs=0.015)
    assert 1 - free == pytest.approx(0.3, abs=1e-9)


def test_a_sequence_may_begin_within_a_word():
    """Its first pieces are a word of their own."""
    torch.manual_seed(4)
    ids = torch.tensor([[30, 31, 6, 32]]).repeat(200, 1)
    _, hidden = masks(unit="words", rate=0.5)(ids)
    assert torch.equal(hidden[:, 0], hidden[:, 1])
    assert torch.equal(hidden[:, 2], hidden[:, 3])
    assert not torch.equal(hidden[:, 0], hidden[:, 2])


def test_every_ordinary_token_is_drawn_as_a_replacement(ids):
    torch.manual_seed(5)
    replaced, hidden = masks(rate=0.9, masked=0.0, random=1.0)(ids)
    assert sorted(set(replaced[hidden].tolist())) == list(range(5, V))


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
