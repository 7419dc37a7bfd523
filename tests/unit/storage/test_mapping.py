"""Maps of files, and copies in memory that stay as they were."""

import numpy as np
import pytest

import firth
from firth.storage.files import release_pages
from firth.storage.mapping import in_memory


def saved(folder, name):
    """Save vectors in a format; return the file that holds their numbers."""
    vectors = firth.WordVectors(["a", "b", "c"], np.arange(12, dtype=np.float32).reshape(3, 4) + 1)
    if name == "v.ftz":
        labelled = [("good film", "yes"), ("bad film", "no")] * 20
        firth.TextClassifier(epochs=2, dim=4, min_count=1).train(labelled, progress=False, threads=1).save(
            folder / name, format="fasttext"
        )
    else:
        vectors.save(folder / name)
    return folder / name / "model.safetensors" if name == "v.firth" else folder / name


def numbers(path):
    model = firth.load(path)
    return model.vectors if isinstance(model, firth.WordVectors) else model.encode(["good film"])


@pytest.mark.parametrize("name", ["v.firth", "v.npy", "v.ftz"])
def test_a_copy_in_memory_stays_as_it_was(tmp_path, name):
    file = saved(tmp_path, name)
    expected = np.array(numbers(tmp_path / name))
    with in_memory():
        model = firth.load(tmp_path / name)
    size = file.stat().st_size
    with file.open("r+b") as overwritten:
        overwritten.write(bytes(size))
    if name == "v.ftz":
        np.testing.assert_array_equal(model.encode(["good film"]), expected)
        return
    assert not model.vectors.flags.writeable or name == "v.npy"
    release_pages(model.vectors)
    np.testing.assert_array_equal(model.vectors, expected)
    file.write_bytes(b"")  # behind whose end a map would have ended this process
    np.testing.assert_array_equal(model.vectors, expected)


def test_a_map_shows_what_is_in_the_file(tmp_path):
    file = saved(tmp_path, "v.firth")
    mapped = firth.load(tmp_path / "v.firth")
    with file.open("r+b") as overwritten:
        overwritten.seek(-16, 2)
        overwritten.write(bytes(16))
    assert mapped.vectors[2].tolist() == [0, 0, 0, 0]
