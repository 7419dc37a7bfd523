"""What a decoder of characters sees of the source: by hand, and without padding."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.attended_characters import REACH, AttendedCharacters
from firth.neural.layers.characters import CharacterCNN
from firth.neural.layers.spelling import BEGIN, END, PADDING, UNKNOWN, Spelling

KNOWN = ["a", "abba", "b"]
IDS = torch.tensor([[0, 1, 3], [2, 4, 1]])  # 3 and 4 are the words "ba" and "x", which are outside the vocabulary
WEIGHTS = torch.tensor([[0.1, 0.3, 0.6], [0.5, 0.2, 0.3]], dtype=torch.float64)
ATTENDED = [["ba", "abba"], ["b", "abba"]]  # the two words of each row that have most of its attention


def layers():
    torch.manual_seed(0)
    source = CharacterCNN(KNOWN, char_dim=3, filters=(2, 2), width=4, longest=9).double()
    attended = AttendedCharacters(3, 5).double()
    for parameter in [*source.parameters(), *attended.parameters()]:
        torch.nn.init.normal_(parameter)
    source.characters.clear()
    return source, attended, source.character_ids(["ba", "x"])


def test_characters_and_embeddings_of_attended_words():
    source, attended, unknown = layers()
    embedded = source(IDS, unknown)
    found = attended(source, IDS, unknown, embedded, WEIGHTS)
    assert torch.allclose(found.vectors, torch.einsum("ns,nsd->nd", WEIGHTS, embedded))
    table = source.characters.weight
    for row, words in enumerate(ATTENDED):
        real = found.prior[row] > -math.inf
        expected, priors = [], []
        for word, weight in zip(words, WEIGHTS[row].sort(descending=True)[0], strict=False):
            codes = [BEGIN, *(code for code in source.character_ids([word])[0].tolist() if code > END), END]
            wide = torch.cat([table.new_zeros(REACH, 3), table[codes], table.new_zeros(REACH, 3)])
            expected += [wide[place : place + 2 * REACH + 1].flatten() for place in range(len(codes))]
            priors += [math.log(weight)] * len(codes)
        states = torch.tanh(torch.stack(expected) @ attended.window.weight.T + attended.window.bias)
        assert torch.allclose(found.characters[row][real], states)
        assert found.prior[row][real].tolist() == pytest.approx(priors)


def test_padding_of_sources_changes_nothing():
    source, attended, unknown = layers()
    embedded = source(IDS, unknown)
    found = attended(source, IDS, unknown, embedded, WEIGHTS)
    wide = torch.cat([IDS, IDS.new_full((2, 3), 1)], 1)
    weights = torch.cat([WEIGHTS, WEIGHTS.new_zeros(2, 3)], 1)
    other = attended(source, wide, unknown, source(wide, unknown), weights)
    for one, padded in zip(found[:3], other[:3], strict=True):
        assert torch.allclose(one, padded)


def test_a_source_of_one_word():
    source, attended, _ = layers()
    ids = torch.tensor([[1]])
    found = attended(source, ids, None, source(ids), torch.ones(1, 1, dtype=torch.float64))
    assert found.characters.shape == (1, len("abba") + 2, 5)
    assert torch.allclose(found.vectors, source(ids)[0])


def test_no_target_words():
    source, attended, _ = layers()
    found = attended(source, IDS[:0], None, source(IDS[:0]), WEIGHTS[:0])
    length = 2 * source.get_buffer("codes").shape[1]
    assert [tuple(each.shape) for each in found[:3]] == [(0, 4), (0, length, 5), (0, length)]


def test_characters_to_copy_have_the_ids_of_the_target():
    """Those of the two most attended words, with their ends; "a" is no character of the target."""
    source, _, unknown = layers()
    target = Spelling("_b")
    attended = AttendedCharacters(3, 5, target.ids_of(source.spelling)).double()
    found = attended(source, IDS, unknown, source(IDS, unknown), WEIGHTS)
    b = target.character_ids(["b"])[0, 1].item()
    ids = {"a": UNKNOWN, "b": b}
    for row, words in enumerate(ATTENDED):
        real = found.prior[row] > -math.inf
        assert found.copied[row][real].tolist() == [
            code for word in words for code in (BEGIN, *(ids[letter] for letter in word), END)
        ]
        assert (found.copied[row][~real] == PADDING).all()
