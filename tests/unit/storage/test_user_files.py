import os
import pickle
import sys
import threading

import numpy as np
import pytest

import firth
from firth.errors import FileError, FirthError, FormatError, MissingFileError
from firth.storage.files import lines_of, text_of
from firth.storage.untrusted import VARIABLE, file_bytes
from firth.storage.user_files import check_file, naming, open_file
from tests.fuzz.odd_files import FILES, LONG, as_nobody

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the system has no pipes as files")
READERS = (open_file, check_file, file_bytes, text_of, lambda path: list(lines_of(path)))


@pytest.mark.parametrize("what", FILES)
@pytest.mark.parametrize("read", READERS)
def test_what_is_no_file_is_refused_by_name(what, read, tmp_path):
    tmp_path.chmod(0o777)
    path = tmp_path / "text.txt"
    FILES[what](path)
    with as_nobody(what), pytest.raises(FirthError, match=r"text\.txt: "):
        read(path)


@pytest.mark.parametrize("read", READERS)
def test_a_name_that_is_too_long(read, tmp_path):
    with pytest.raises(FileError, match=f"{LONG}: File name too long; expected a path with names of at most 255 bytes"):
        read(tmp_path / LONG)


@pytest.fixture
def piped():
    """Return a function that gives the name of a pipe that a shell would hand over, with something in it."""
    ends = []

    def pipe(content: bytes) -> str:
        reading, writing = os.pipe()

        def write():
            with os.fdopen(writing, "wb") as file:
                file.write(content)

        ends.append((reading, threading.Thread(target=write)))
        ends[-1][1].start()
        return f"/dev/fd/{reading}"

    yield pipe
    for reading, thread in ends:
        os.close(reading)
        thread.join()


def test_what_a_shell_hands_over_is_read_whole(piped):
    """Also the first bytes, which tell whether a file is packed."""
    content = b"one line\n" * 20_000
    assert text_of(piped(content)) == content.decode()
    assert list(lines_of(piped(content))) == ["one line"] * 20_000
    corpus = firth.Corpus.build(piped(b"the cat sat\n" * 9), min_count=1, progress=False)
    assert corpus.num_tokens == 27
    assert file_bytes(os.devnull) == b""


def test_a_pipe_that_does_not_end_is_read_up_to_a_limit(piped, monkeypatch):
    monkeypatch.setenv(VARIABLE, "1000")
    with pytest.raises(FormatError, match=r"a pipe with more than 1,000 bytes.*set FIRTH_MAX_UNPACKED"):
        file_bytes(piped(b"x" * 1001))


def test_errors_keep_their_numbers_and_travel(tmp_path):
    with pytest.raises(MissingFileError) as found:
        open_file(tmp_path / "nothing")
    again = pickle.loads(pickle.dumps(found.value))
    assert (type(again), str(again), again.errno) == (MissingFileError, str(found.value), found.value.errno)
    with pytest.raises(FileError, match=r"out: No space left on device; free some space") as full, naming("out"):
        raise OSError(28, "No space left on device")
    assert (full.value.errno, full.value.strerror, full.value.filename) == (28, "No space left on device", "out")


def test_a_model_in_a_folder_without_permission(tmp_path):
    tmp_path.chmod(0o777)
    firth.WordVectors(["a", "b"], np.eye(2)).save(tmp_path / "model")
    (tmp_path / "model").chmod(0)
    with as_nobody("no permission"), pytest.raises(FileError, match=r"model.*: Permission denied; choose a place"):
        firth.load(tmp_path / "model")
