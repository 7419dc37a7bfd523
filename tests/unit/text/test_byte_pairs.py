"""Byte pairs in plain Python."""

import json
import random
from collections import Counter
from itertools import pairwise

import pytest

from firth.errors import CorpusError, OptionError
from firth.text.byte_level import CHARACTERS, PATTERN, chunks, to_characters
from firth.text.byte_pairs import BytePairEncoding, apply_merges


def test_first_merges_by_hand():
    """low low lower, a chunk each: "low" 1, " low" 1, " lower" 1 (a space is Ġ).

    Pairs: l+o 3, o+w 3, Ġ+l 2, w+e 1, e+r 1. Of l+o and o+w the first piece of l+o is older (l < o): lo.
    Then lo+w 3, Ġ+lo 2: low. Then Ġ+low 2: Ġlow. What is left occurs once.
    """
    learned = BytePairEncoding.train(["low low lower"], 300)
    assert learned.merges == (("l", "o"), ("lo", "w"), ("Ġ", "low"))
    assert learned.tokenize("lower slow low") == ["low", "e", "r", "Ġ", "s", "low", "Ġlow"]
    assert learned.vocabulary[:2] == ["!", '"']
    assert learned.vocabulary[256:] == ["lo", "low", "Ġlow"]
    assert learned.decode(learned.encode("lower\n")) == "lower\n"


def test_neighbours_that_overlap_are_counted_as_the_library_does():
    """aaa holds a+a twice, side by side; from the left they make aa a."""
    assert BytePairEncoding.train(["aaa"], 300).merges == (("a", "a"),)
    assert BytePairEncoding.train(["aaa"], 300).tokenize("aaaaa") == ["aa", "aa", "a"]


def recounted(texts, size, min_count):
    """The same merges by counting every pair of the text anew for each."""
    words = Counter(chunk for text in texts for chunk in chunks(text))
    words = {tuple(to_characters(word)): count for word, count in words.items()}
    ids = {piece: i for i, piece in enumerate(sorted(CHARACTERS))}
    merges = []
    while len(ids) < size:
        counts = Counter()
        for word, count in words.items():
            for pair in pairwise(word):
                counts[pair] += count
        best = min(counts, key=lambda pair: (-counts[pair], ids[pair[0]], ids[pair[1]]), default=None)
        if best is None or counts[best] < min_count:
            break
        merges.append(best)
        ids.setdefault("".join(best), len(ids))
        joined = Counter()
        for word, count in words.items():
            made, i = [], 0
            while i < len(word):
                step = 2 if word[i : i + 2] == best else 1
                made.append("".join(word[i : i + step]))
                i += step
            joined[tuple(made)] += count
        words = joined
    return tuple(merges)


@pytest.mark.parametrize("seed", range(5))
def test_counts_kept_up_to_date_are_those_of_counting_anew(seed):
    draw = random.Random(seed)
    texts = ["".join(draw.choices("aab é", k=60)) for _ in range(20)]
    assert BytePairEncoding.train(texts, 340).merges == recounted(texts, 340, 2)


def test_merge_for_merge_as_the_library_on_english(english_text):
    """150 kB of documentation, 2,000 pieces, and the pieces of 300 lines."""
    library = pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'firth[subword]'")
    lines = english_text.read_text(encoding="ascii").splitlines(keepends=True)
    theirs = library.Tokenizer(library.models.BPE())
    cut = library.pre_tokenizers
    theirs.pre_tokenizer = cut.Sequence(
        [cut.Split(library.Regex(PATTERN), "isolated"), cut.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    theirs.train_from_iterator(
        lines,
        library.trainers.BpeTrainer(vocab_size=2000, min_frequency=2, initial_alphabet=CHARACTERS, show_progress=False),
    )
    ours = BytePairEncoding.train(lines, 2000)
    assert [list(pair) for pair in ours.merges] == json.loads(theirs.to_str())["model"]["merges"]
    assert all(ours.encode(line) == theirs.encode(line).ids for line in lines[:300])


def test_dropout_of_one_leaves_bytes_and_of_none_all_merges():
    ranks = {("a", "b"): 0, ("ab", "c"): 1}
    draw = random.Random(0)
    assert apply_merges("abc", ranks, 1.0, draw) == ["a", "b", "c"]
    assert apply_merges("abc", ranks, 0.0, draw) == ["abc"]


def test_dropout_has_the_probabilities_of_its_definition():
    """abc with ab before abc, p = 0.5: ab is merged with probability 1/2, then abc with 1/2: abc 1/4, ab c 1/4, a b c
    1/2. Four standard deviations of 4,000 draws are 2.8 % at 1/4 and 3.2 % at 1/2.
    """
    draw = random.Random(1)
    found = Counter(" ".join(apply_merges("abc", {("a", "b"): 0, ("ab", "c"): 1}, 0.5, draw)) for _ in range(4000))
    assert found["abc"] / 4000 == pytest.approx(0.25, abs=0.028)
    assert found["ab c"] / 4000 == pytest.approx(0.25, abs=0.028)
    assert found["a b c"] / 4000 == pytest.approx(0.5, abs=0.032)


def test_what_cannot_be_learned_from():
    with pytest.raises(OptionError, match="size=256: expected at least 257"):
        BytePairEncoding.train(["a"], 256)
    with pytest.raises(CorpusError, match="the texts are empty"):
        BytePairEncoding.train([""], 300)
    with pytest.raises(CorpusError, match="surrogate"):
        BytePairEncoding.train(["\udc80"], 300)
