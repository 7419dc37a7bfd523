"""Batches of tagged sentences; the part that selects the model."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.tagging.data import encoded, read_tagged, tag_batches
from firth.neural.models.tagging.tag_set import learn_tag_set
from firth.neural.models.tokens.reader import learn_token_reader

EXAMPLES = read_tagged([(["a"] * n, {"x": ["X"] * n, "y": [str(n)] * n}) for n in (1, 3, 2)], ["x", "y"])


def test_tags_stay_with_their_sentences():
    sets = [learn_tag_set(tags, "bio") for tags in EXAMPLES.tags.values()]
    reader = learn_token_reader(EXAMPLES.sentences)
    read = [reader.read(sentence) for sentence in EXAMPLES.sentences]
    (batch,) = tag_batches(reader, read, encoded(EXAMPLES, sets), batch_size=3, shuffle=False).epoch(0)
    assert batch.inputs.lengths.tolist() == [1, 2, 3]
    names = [sets[1].names[row[0]] for row in batch.tags[1].tolist()]
    assert names == ["1", "2", "3"]
