"""WordNet's files, small ones written by hand and the whole one."""

import os
import tarfile

import pytest

from firth.errors import FormatError
from firth.readers.wordnet import hypernym_groups

ENTRIES = """\
'cat':
  n:
    sense:
    - id: 'cat%1:05:00::'
      synset: 3-n
    - id: 'cat%1:18:00::'
      synset: 1-n
  v:
    sense:
    - id: 'cat%2:29:00::'
      synset: 8-v
dog:
  v:
    sense:
    - id: 'dog%2:38:00::'
      synset: 8-v
  n:
    sense:
    - id: 'dog%1:05:00::'
      synset: 2-n
being:
  n:
    sense:
    - id: 'being%1:03:00::'
      synset: 1-n
chase:
  v:
    pronunciation:
    - value: tʃeɪs
    sense:
    - id: 'chase%2:38:00::'
      synset: 8-v
"""
NOUNS = """\
1-n:
  definition:
  - a living thing
  members:
  - being
  partOfSpeech: n
2-n:
  definition:
  - the hypernym: of
    barking
  hypernym:
  - 1-n
  - 3-n
  members:
  - dog
3-n:
  hypernym:
  - 2-n
"""
VERBS = """\
8-v:
  members:
  - chase
  hypernym:
  - 9-v
9-v:
  hypernym:
  - 8-v
"""
FILES = {"entries-a.yaml": ENTRIES, "noun.animal.yaml": NOUNS, "verb.motion.yaml": VERBS, "frames.yaml": "x:\n  - y\n"}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def paths(group, above=()):
    """Each word and the places of the groups that it stands in, from the outermost."""
    for place, member in enumerate(group):
        if isinstance(member, str):
            yield member, above
        else:
            yield from paths(member, (*above, place))


def test_words_hang_on_their_first_sense_below_its_first_hypernym(folder):
    """Cat and dog are nouns first; a cat is a dog and a dog a being; two verbs above each other end somewhere."""
    found = dict(paths(hypernym_groups(folder)))
    assert found["being"] == found["dog"][:-1] == found["cat"][:-2]
    assert found.keys() == {"being", "dog", "cat", "chase"}
    assert found["chase"][0] != found["being"][0]


def test_an_archive_is_read_like_a_folder(folder, tmp_path):
    with tarfile.open(tmp_path / "wordnet.tar.gz", "w:gz") as archive:
        for name in FILES:
            archive.add(folder / name, f"yaml/{name}")
    assert hypernym_groups(tmp_path / "wordnet.tar.gz") == hypernym_groups(folder)


@pytest.mark.parametrize("content", [b"", b"no archive", b"\x1f\x8b\x08 damaged"])
def test_what_is_no_archive_is_refused(content, tmp_path):
    (tmp_path / "broken.tar.gz").write_bytes(content)
    with pytest.raises(FormatError, match=r"broken\.tar\.gz.*expected"):
        hypernym_groups(tmp_path / "broken.tar.gz")


def test_an_absent_path_and_an_empty_folder_are_refused(tmp_path):
    with pytest.raises(FormatError, match="not readable as WordNet"):
        hypernym_groups(tmp_path / "nowhere")
    with pytest.raises(FormatError, match="0 words and 0 synsets;"):
        hypernym_groups(tmp_path)


def test_the_whole_of_wordnet(shared_data):
    """Every word stands once; those of animals stand together."""
    listed = list(paths(hypernym_groups(shared_data / "wordnet" / "oewn_yaml.tar.gz")))
    words = dict(listed)
    assert len(words) == len(listed) > 120_000

    def shared(one, other):
        return sum(1 for a, b in zip(words[one], words[other], strict=False) if a == b)

    assert shared("horse", "dog") > shared("horse", "table") > 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
@pytest.mark.parametrize("make", [getattr(os, "mkfifo", None), lambda path: path.symlink_to("/dev/zero")])
def test_what_never_ends_is_refused_before_it_is_read(make, tmp_path):
    make(tmp_path / "entries-a.yaml")
    with pytest.raises(FormatError, match=r"entries-a\.yaml: a device or a pipe"):
        hypernym_groups(tmp_path)
