"""Tags as they are read, scored and shown."""

import numpy as np

from firth.neural.models.tagging.tag_set import TagSet, learn_tag_set

SENTENCES = [["B-PER", "I-PER", "O"], ["O", "B-LOC"]]


def test_parts_of_speech_are_scored_as_they_are():
    known = learn_tag_set([["N", "V", "N"], ["D"]], "bioes")
    assert (known.names, known.scheme, known.shown) == (["N", "D", "V"], None, ["N", "D", "V"])
    assert known.encode(["V", "X", "N"]).tolist() == [2, -1, 0]
    assert all(each.all() for each in known.allowed)


def test_bio_is_scored_in_bioes_and_shown_in_bio():
    known = learn_tag_set(SENTENCES, "bioes")
    assert known.names == ["O", "B-LOC", "I-LOC", "E-LOC", "S-LOC", "B-PER", "I-PER", "E-PER", "S-PER"]
    ids = known.encode(["B-PER", "I-PER", "I-PER", "O", "B-LOC"])
    assert [known.names[i] for i in ids] == ["B-PER", "I-PER", "E-PER", "O", "S-LOC"]
    assert known.decode(ids) == ("B-PER", "I-PER", "I-PER", "O", "B-LOC")
    assert known.shown == ["O", "B-LOC", "I-LOC", "B-PER", "I-PER"]
    assert (known.groups.sum(0).tolist(), known.groups.sum(1).tolist()) == ([1, 2, 2, 2, 2], [1] * 9)


def test_iob1_and_broken_tags_are_read_as_conlleval_does():
    known = learn_tag_set([["I-PER", "I-PER", "B-PER", "O", "I-LOC"]], "bio")
    assert (known.shown_scheme, known.broken) == ("bio", 0)
    assert known.normal(["I-PER", "I-PER", "B-PER", "O"]) == ("B-PER", "I-PER", "B-PER", "O")
    broken = learn_tag_set([["B-PER", "O", "I-PER"]], "bio")
    assert broken.broken == 1
    assert broken.decode(broken.encode(["O", "I-PER"])) == ("O", "B-PER")


def test_bioes_stays_bioes():
    known = learn_tag_set([["S-A", "B-A", "E-A"]], "bio")
    assert (known.scheme, known.shown_scheme) == ("bioes", "bioes")
    assert known.decode(known.encode(["S-A", "O"])) == ("S-A", "O")


def test_types_without_names():
    known = learn_tag_set([["B", "I", "O"]], "bioes")
    assert known.names == ["O", "B", "I", "E", "S"]
    assert known.decode(known.encode(["B", "O", "B"])) == ("B", "O", "B")


def test_every_sequence_of_spans_is_allowed_and_no_other_one():
    """All sequences of three of the tags: those that the constraints allow are those that tags of spans make."""
    known = learn_tag_set(SENTENCES, "bioes")
    pairs, first, last = known.allowed
    K = len(known)
    grid = np.stack(np.meshgrid(*[np.arange(K)] * 3, indexing="ij"), -1).reshape(-1, 3)
    valid = first[grid[:, 0]] & pairs[grid[:, 0], grid[:, 1]] & pairs[grid[:, 1], grid[:, 2]] & last[grid[:, 2]]
    for row, allowed in zip(grid, valid, strict=True):
        tags = [known.names[i] for i in row]
        assert allowed == (known.encode(tags).tolist() == row.tolist())


def test_a_set_is_its_names():
    assert len(TagSet(["a", "b"])) == 2


def test_attributes_of_tags():
    tags = learn_tag_set([["_", "Case=Nom|Number=Sing", "Case=Acc", "Case=Acc|Number=Sing", "_"]], "bio")
    assert tags.names == ["_", "Case=Acc", "Case=Acc|Number=Sing", "Case=Nom|Number=Sing"]
    assert tags.attributes.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    assert learn_tag_set([["NOUN", "a|b", "Case=Nom"]], "bio").attributes.shape == (3, 0)
