"""Batches of sentences with what is known of them."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.tokens.reader import learn_token_reader, sentence_batches

SENTENCES = [["a"] * length for length in (3, 1, 2, 5, 4)]


@pytest.mark.parametrize("shuffle", [False, True])
def test_sentences_keep_what_is_known_of_them(shuffle):
    reader = learn_token_reader(SENTENCES)
    read = [reader.read(each) for each in SENTENCES]
    batches = sentence_batches(
        read, [len(each) for each in SENTENCES], lambda some, known: (reader.collate(some), known),
        batch_size=2, shuffle=shuffle,
    )  # fmt: skip
    found = list(batches.epoch(0))
    assert sorted(length for _, known in found for length in known) == [1, 2, 3, 4, 5]
    assert all(inputs.lengths.tolist() == known for inputs, known in found)


def test_batches_may_count_words():
    reader = learn_token_reader(SENTENCES)
    read = [reader.read(each) for each in SENTENCES]
    batches = sentence_batches(read, read, lambda some, _: len(some), batch_size=6, tokens=True, shuffle=False)
    assert list(batches.epoch(0)) == [2, 1, 1, 1]
