import json

import numpy as np
import pytest

import firth
from firth.errors import FormatError, OptionError

VECTORS = firth.WordVectors(["sea", "ship"], np.array([[0.1, 2], [3, -4]], dtype=np.float32))


def test_the_two_files(tmp_path):
    VECTORS.save(tmp_path / "p", format="projector")
    assert (tmp_path / "p" / "vectors.tsv").read_text() == "0.100000001\t2\n3\t-4\n"
    assert (tmp_path / "p" / "metadata.tsv").read_text() == "sea\nship\n"
    assert sorted(path.name for path in (tmp_path / "p").iterdir()) == [
        "metadata.tsv", "projector_config.pbtxt", "vectors.tsv",
    ]  # fmt: skip
    back = firth.load(tmp_path / "p")
    assert back.words == VECTORS.words
    np.testing.assert_array_equal(back.vectors, VECTORS.vectors)


def test_attributes_are_columns_under_their_names(tmp_path):
    space = firth.WordVectors(VECTORS.words, VECTORS.vectors, counts=[7, 5])
    space.set_vecattr("sea", "kind", "water")
    space.save(tmp_path / "p", format="projector")
    assert (tmp_path / "p" / "metadata.tsv").read_text() == "word\tcount\tkind\nsea\t7\twater\nship\t5\t\n"
    back = firth.load(tmp_path / "p")
    assert (back.counts.tolist(), back.attributes["kind"].tolist()) == ([7, 5], ["water", ""])


def test_what_is_no_number_stays_text(tmp_path):
    space = firth.WordVectors(VECTORS.words, VECTORS.vectors)
    for name, pair in {"code": ("01234", "7"), "key": ("1_0", "2"), "share": (0.5, -2e-9)}.items():
        for word, value in zip(space.words, pair, strict=True):
            space.set_vecattr(word, name, value)
    space.save(tmp_path / "p", format="projector")
    back = firth.load(tmp_path / "p").attributes
    assert {name: values.tolist() for name, values in back.items()} == {
        "code": ["01234", "7"], "key": ["1_0", "2"], "share": [0.5, -2e-9],
    }  # fmt: skip


def test_tensorboard_serves_it(tmp_path):
    """TensorBoard's own plugin takes the folder for its log folder, and serves the numbers and the words."""
    from tensorboard.plugins import base_plugin
    from tensorboard.plugins.projector import projector_plugin
    from werkzeug.test import Client

    VECTORS.save(tmp_path / "p", format="projector")
    apps = projector_plugin.ProjectorPlugin(base_plugin.TBContext(logdir=str(tmp_path / "p"))).get_plugin_apps()

    def get(app, query):
        answer = Client(apps[app]).get(f"/?run=.{query}")
        assert answer.status_code == 200, answer.get_data()
        return answer.get_data()

    (embedding,) = json.loads(get("/info", ""))["embeddings"]
    assert (embedding["tensorName"], embedding["metadataPath"]) == ("words", "metadata.tsv")
    numbers = np.frombuffer(get("/tensor", "&name=words"), dtype=np.float32)
    np.testing.assert_array_equal(numbers.reshape(2, 2), VECTORS.vectors)
    assert get("/metadata", "&name=words").decode() == "sea\nship\n"


def test_what_cannot_be_written(tmp_path):
    with pytest.raises(FormatError, match=r"'a\\tb' contains a tab"):
        firth.WordVectors(["a\tb"], [[1.0]]).save(tmp_path / "p", format="projector")
    space = firth.WordVectors(["a"], [[1.0]])
    space.set_vecattr("a", "word", "b")
    with pytest.raises(OptionError, match="attribute 'word': the column of this name is taken"):
        space.save(tmp_path / "p", format="projector")
    assert not (tmp_path / "p").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("x")
    with pytest.raises(OptionError, match=r"folder with other files \(notes\.txt\)"):
        VECTORS.save(tmp_path / "mine", format="projector")
    assert (tmp_path / "mine" / "notes.txt").exists()


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("vectors.tsv", "1\t2\n3\n", "numbers between tabs"),
        ("vectors.tsv", "", "an empty file"),
        ("vectors.tsv", "1\t2\nnan\t1\n", "line 2: number 1 is nan"),
        ("metadata.tsv", "a\n", "2 vectors and 1 lines of metadata"),
        ("metadata.tsv", "word\tcount\na\t1\nb\n", "row 2: 1 cells, expected 2"),
        ("metadata.tsv", "word\tcount\na\t1\nb\tx\n", "column 'count' holds something else than whole numbers"),
        ("metadata.tsv", "word\tcount\na\t1\nb\t1.5\n", "column 'count' holds something else than whole numbers"),
    ],
)
def test_damage(tmp_path, file, content, message):
    VECTORS.save(tmp_path / "p", format="projector")
    (tmp_path / "p" / file).write_text(content)
    with pytest.raises(FormatError, match=message):
        firth.load(tmp_path / "p")
