import json
import zipfile

import pytest

from firth.errors import FormatError
from firth.readers.word_properties import RelatedPairs, WordLabels, WordNumbers, read_word_property


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def animals(separator="\t"):
    return "".join(f"w{i}{separator}{'animate' if i % 2 else 'not'}\n" for i in range(12))


@pytest.mark.parametrize("separator", ["\t", " ", ",", ";"])
@pytest.mark.parametrize("title", ["", "word{}label\n"])
def test_labels(tmp_path, separator, title):
    gold = read_word_property(write(tmp_path / "x.tsv", "# remark\n" + title.format(separator) + animals(separator)))
    assert isinstance(gold, WordLabels)
    assert gold.names == ["animate", "not"]
    assert gold.words == [f"w{i}" for i in range(12)]
    assert gold.labels.tolist() == [1, 0] * 6


def test_labels_may_be_whole_numbers_and_hold_spaces(tmp_path):
    gold = read_word_property(write(tmp_path / "x.tsv", "".join(f"w{i}\t{i % 3}\n" for i in range(30))))
    assert isinstance(gold, WordLabels)
    assert gold.names == ["0", "1", "2"]
    gold = read_word_property(write(tmp_path / "y.tsv", "".join(f"w{i}\tnot it {i % 2}\n" for i in range(30))))
    assert gold.names == ["not it 0", "not it 1"]


def test_numbers(tmp_path):
    gold = read_word_property(
        write(tmp_path / "x.tsv", "word\tconcreteness\n" + "".join(f"w{i}\t{i / 4}\n" for i in range(11)))
    )
    assert isinstance(gold, WordNumbers)
    assert gold.numbers.tolist() == [i / 4 for i in range(11)]
    assert isinstance(
        read_word_property(write(tmp_path / "y.tsv", "".join(f"w{i}\t{i}\n" for i in range(11)))), WordNumbers
    )


def test_pairs(tmp_path):
    gold = read_word_property(write(tmp_path / "x.tsv", "cat\tcats\ndog\tdogs\nfish\tfish\ncat\tcats\n"))
    assert gold == RelatedPairs([("cat", "cats"), ("dog", "dogs"), ("fish", "fish")], [""] * 3)


def test_pairs_of_analogy_questions(tmp_path):
    """Each question holds two pairs; a pair that several questions ask counts once a relation."""
    plural = ": plural\ncat cats dog dogs\ncat cats cow cows\ndog dogs cat cats\n"
    young = ": young\ncat kitten dog puppy\ncow calf cat kitten\n"
    gold = read_word_property(write(tmp_path / "x.txt", plural + young))
    assert gold == RelatedPairs(
        [("cat", "cats"), ("dog", "dogs"), ("cow", "cows"), ("cat", "kitten"), ("dog", "puppy"), ("cow", "calf")],
        ["plural"] * 3 + ["young"] * 3,
    )


def test_lists_in_a_zip(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as packed:
        packed.writestr("x/README.txt", "words of two kinds")
        packed.writestr("x/good.txt", "; a remark\n\na\nb\r\nc\nd\ne\nboth\n")
        packed.writestr("x/bad.txt", "f\ng\nh\ni\nj\nBOTH\n")
    gold = read_word_property(tmp_path / "x.zip")
    assert gold.names == ["bad", "good"]
    assert dict(zip(gold.words, gold.labels.tolist(), strict=True)) == dict.fromkeys("abcde", 1) | dict.fromkeys(
        "fghij", 0
    )


def test_animacy_of_supersenses(tmp_path):
    """0.9 of "cat" is for animals; "bank" is 0.5 of a group and 0.5 of an artifact, and neither."""
    senses = {
        **{
            f"cat{i}": {"semcor.noun.animal": 0.6, "semcor.noun.person": 0.3, "semcor.verb.motion": 0.1}
            for i in range(5)
        },
        **{f"cup{i}": {"semcor.noun.artifact": 1.0} for i in range(5)},
        "bank": {"semcor.noun.group": 0.5, "semcor.noun.artifact": 0.5},
    }
    gold = read_word_property(write(tmp_path / "x.en", "".join(f"{w}\t{json.dumps(s)}\n" for w, s in senses.items())))
    assert gold.names == ["animate", "inanimate"]
    assert gold.words == [f"cat{i}" for i in range(5)] + [f"cup{i}" for i in range(5)]
    assert gold.labels.tolist() == [0] * 5 + [1] * 5


def test_words_that_stand_twice(tmp_path):
    """A word with one label counts once, whatever its case; one with two labels does not count."""
    text = animals() + "W1\tanimate\nW2\tanimate\nw3\tanimate\n"
    assert read_word_property(write(tmp_path / "x.tsv", text)).words == ["w0", "w1", *(f"w{i}" for i in range(3, 12))]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        (
            "".join(f"w{i}\tanimate\n" for i in range(9)),
            "every word has the label 'animate', expected at least two labels",
        ),
        (animals() + "x\trare\ny\trare\n", "2 of 14 words have the label 'rare', expected at least 5, one per fold"),
        (animals() + "alone\n", "line 13: 'alone', expected a word and a label, number or other word"),
        (animals(",") + "a,b,c\n", "line 13: 'a,b,c', expected"),
        ("".join(f"w{i}\t{i / 2}\n" for i in range(6)), "6 different numbers for 6 words, expected at least 10 words"),
        ("".join(f"w{i}\t0.5\n" for i in range(20)), "1 different numbers for 20 words"),
        ("".join(f"w{i}\t{i / 2}\n" for i in range(20)) + "x\tnan\n", "line 21: 'nan', expected a finite number"),
        ("a\tb\nc\td\n", "2 pairs of words, expected at least 3; if the second column holds labels"),
        (": few\na b c d\n", "2 pairs of words under 'few', expected at least 3"),
        (": bad\na b c\n", "line 2: 3 words, expected 4"),
        ("x\t{half\n", "line 1: '{half', expected supersenses with their shares"),
        ('x\t["a"]\ny\t["a"]\n', "every word has the label"),
        ("w\ta\nw\tb\n" * 4, "no word has one label"),
        ("œuvre\tplace\n".encode() + b"caf\xe9\tplace\n", "line 2: not UTF-8"),
    ],
)
def test_what_is_no_property(tmp_path, text, said):
    (tmp_path / "gold.tsv").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FormatError, match=r"gold\.tsv") as caught:
        read_word_property(tmp_path / "gold.tsv")
    assert said in str(caught.value)


def test_a_zip_that_is_none(tmp_path):
    (tmp_path / "x.zip").write_bytes(b"PK is not enough")
    with pytest.raises(FormatError, match="not a readable zip archive"):
        read_word_property(tmp_path / "x.zip")


@pytest.mark.parametrize(
    ("path", "kind", "items"),
    [
        ("lexicons/opinion_lexicon/opinion_lexicon.zip", WordLabels, 6783),
        ("lexicons/names/names.zip", WordLabels, 7210),
        ("relations/qvec-lexsub/qvec/oracles/semcor_noun_verb.supersenses.en", WordLabels, 771),
        ("analogy/questions-words.txt", RelatedPairs, 573),
    ],
)
def test_published_sets(shared_data, path, kind, items):
    """The opinion lexicon has 2,006 and 4,783 words, three of them in both lists: 6,789 less 6."""
    gold = read_word_property(shared_data / path)
    assert isinstance(gold, kind)
    assert len(gold.pairs if isinstance(gold, RelatedPairs) else gold.words) == items
