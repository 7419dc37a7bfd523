"""Counting that was ended goes on from its checkpoint, to the same bits; nothing else is taken for one."""

import numpy as np
import pytest

import firth
from firth.counts import cooccurrence, counting
from firth.counts.cooccurrence import Cooccurrence
from firth.counts.unfinished import UnfinishedRows
from firth.errors import CorpusError, FormatError, OptionError
from firth.storage.checkpoints import FILE, FORMER

EVERY = "0s"  # a state after each chunk of rows


class GoneError(Exception):
    """The process is killed."""


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    """300 sentences by Zipf's law over 200 words; chunks of some rows each."""
    monkeypatch.setattr(counting, "CELLS", 400)
    law = 1 / np.arange(1, 201)
    rows = np.random.default_rng(1).choice(200, (300, 12), p=law / law.sum())
    lines = [" ".join(f"w{i}" for i in row) for row in rows]
    return firth.Corpus.build(lines, min_count=1, cache=tmp_path / "corpora", progress=False)


def bits(counts):
    return [np.asarray(getattr(counts, name)).tobytes() for name in ("rows", "columns", "values")]


def ended(corpus, folder, error, *, after=5, every=EVERY, **options):
    """Count, and end in the middle."""
    seen = []

    def progress(status):
        if status.stage == "counting co-occurrences":
            seen.append(status.done)
            if len(seen) == after:
                raise error

    with pytest.raises(type(error)):
        Cooccurrence(window=3, **options).count(
            corpus,
            threads=1,
            cache=folder / "none",
            checkpoint=firth.Checkpoint(folder / "state", every),
            progress=progress,
        )
    return seen


def counted(corpus, folder, name, *, words=None, **options):
    """Count to the end; note how much there was to do."""

    def progress(status):
        if words is not None and status.stage == "counting co-occurrences":
            words.append((status.done, status.total))

    given = {"checkpoint": folder / "state"} if words is not None else {}
    return Cooccurrence(window=3, **options).count(corpus, cache=folder / name, progress=progress, **given)


@pytest.mark.parametrize("sides", ["both", "left"])
@pytest.mark.parametrize("error", [GoneError(), KeyboardInterrupt()], ids=["killed", "ctrl-c"])
def test_it_goes_on_to_the_same_bits(sides, error, corpus, tmp_path):
    all_words = []
    whole = counted(corpus, tmp_path, "first", sides=sides, words=all_words)
    seen = ended(corpus, tmp_path, error, sides=sides, every=EVERY if isinstance(error, GoneError) else "1h")
    assert (tmp_path / "state" / FILE).is_file()
    words = []
    assert bits(counted(corpus, tmp_path, "on", sides=sides, words=words)) == bits(whole)
    assert words[0][0] > seen[-1]  # the rest only
    assert {total for _, total in words} == {corpus.num_tokens}
    assert len(words) < len(all_words)
    assert not (tmp_path / "state").exists()


def test_what_a_kill_has_left_behind_a_state_is_cut_off(corpus, tmp_path):
    whole = counted(corpus, tmp_path, "whole")
    ended(corpus, tmp_path, GoneError())
    for name in ("counting.columns.bin", "counting.values.bin"):
        with (tmp_path / "state" / name).open("ab") as file:
            file.write(b"12345")
    assert bits(counted(corpus, tmp_path, "on", words=[])) == bits(whole)


def test_another_corpus_or_other_options_are_refused(corpus, tmp_path):
    ended(corpus, tmp_path, GoneError())
    with pytest.raises(OptionError, match=r"its options have window=3, this run's have window=4"):
        Cooccurrence(window=4).count(corpus, cache=tmp_path / "other", checkpoint=tmp_path / "state", progress=False)
    other = firth.Corpus.build(["a b c", "b c"], min_count=1, cache=tmp_path / "corpora", progress=False)
    with pytest.raises(OptionError, match="had not the same corpus"):
        counted(other, tmp_path, "other", words=[])


def test_damage_is_found(corpus, tmp_path):
    """In the state: the one before it is taken. In what was counted: neither can be."""
    whole = counted(corpus, tmp_path, "whole")
    ended(corpus, tmp_path, GoneError())
    state = tmp_path / "state"
    assert (state / FORMER).is_file()
    (state / FILE).write_bytes((state / FILE).read_bytes()[:-3])
    with pytest.warns(UserWarning, match="goes on from the checkpoint before it"):
        assert bits(counted(corpus, tmp_path, "on", words=[])) == bits(whole)
    ended(corpus, tmp_path, GoneError())
    content = bytearray((state / "counting.values.bin").read_bytes())
    content[0] ^= 1
    (state / "counting.values.bin").write_bytes(content)
    with pytest.raises(FormatError, match=r"not a whole checkpoint \(counting.values.bin is not what was written\)"):
        counted(corpus, tmp_path, "again", words=[])


def test_ctrl_c_says_how_to_go_on(corpus, tmp_path, caplog):
    caplog.set_level("INFO", "firth.checkpoints")
    ended(corpus, tmp_path, KeyboardInterrupt(), every="1h")
    assert caplog.messages == [
        f"counting was interrupted: the same call goes on from the checkpoint in {tmp_path / 'state'}"
    ]


@pytest.mark.parametrize("where", ["write", "save"])
def test_a_full_disk_of_the_checkpoint_is_named(where, corpus, tmp_path, monkeypatch):
    """Not that of the cache, which may have room; what was saved before goes on."""
    whole = counted(corpus, tmp_path, "whole")
    ended(corpus, tmp_path, GoneError())
    usual = UnfinishedRows.__enter__

    def enter(self):
        usual(self)
        self._files[1] = FullDisk(self._files[1], where)
        return self

    with monkeypatch.context() as patched:
        patched.setattr(UnfinishedRows, "__enter__", enter)
        with pytest.raises(
            CorpusError, match=r"checkpoint='.*state': what is counted cannot be written there \(No space"
        ):
            ended(corpus, tmp_path, GoneError(), after=10_000)
    assert bits(counted(corpus, tmp_path, "on", words=[])) == bits(whole)


class FullDisk:
    """A file whose disk is full at its third use."""

    def __init__(self, file, where):
        self._file, self._where, self._left = file, where, 2

    def _use(self, name):
        self._left -= name == self._where
        if self._left < 0:
            raise OSError(28, "No space left on device")

    def write(self, data):
        self._use("write")
        self._file.write(data)

    def flush(self):
        self._use("save")
        self._file.flush()

    def fileno(self):
        return self._file.fileno()


def test_two_at_once_are_refused(corpus, tmp_path):
    """Both would write to the same files."""

    def progress(status):
        if status.stage == "counting co-occurrences":
            counted(corpus, tmp_path, "other", words=[])

    with pytest.raises(OptionError, match="another process counts there now; expected a folder for each"):
        Cooccurrence(window=3).count(corpus, cache=tmp_path / "one", checkpoint=tmp_path / "state", progress=progress)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["disk", "ctrl-c"])
@pytest.mark.parametrize("where", ["write_manifest", "copy"])
def test_what_fails_after_the_last_row_loses_none(error, where, corpus, tmp_path, monkeypatch):
    whole = counted(corpus, tmp_path, "whole")
    before = cooccurrence.write_manifest

    def fail(*arguments):
        raise error

    with monkeypatch.context() as patched:
        if where == "copy":
            patched.setattr("shutil.copyfile", fail)
        else:
            patched.setattr(cooccurrence, "write_manifest", fail)
        with pytest.raises((firth.FirthError, KeyboardInterrupt)):
            counted(corpus, tmp_path, "on", words=[])
    assert cooccurrence.write_manifest is before
    words = []
    assert bits(counted(corpus, tmp_path, "on", words=words)) == bits(whole)
    assert words == []  # all rows were there
    assert not (tmp_path / "state").exists()


def test_other_files_of_the_folder_stay(corpus, tmp_path):
    """Whatever they are called: a checkpoint's own names are its own."""
    (tmp_path / "state").mkdir()
    for name in ("columns.bin", "values.bin", "thesis.txt"):
        (tmp_path / "state" / name).write_text(name, encoding="utf-8")
    ended(corpus, tmp_path, GoneError())
    counted(corpus, tmp_path, "on", words=[])
    left = {path.name: path.read_text("utf-8") for path in (tmp_path / "state").iterdir()}
    assert left == {name: name for name in ("columns.bin", "values.bin", "thesis.txt")}


def test_going_on_is_logged(corpus, tmp_path, caplog):
    caplog.set_level("INFO", "firth.checkpoints")
    ended(corpus, tmp_path, GoneError())
    counted(corpus, tmp_path, "on", words=[])
    assert caplog.messages == [f"going on from the checkpoint in {tmp_path / 'state'}"]


def test_models_of_counts_hand_their_checkpoint_on(corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))

    def progress(status):
        if status.stage == "counting co-occurrences":
            raise GoneError

    for model in (firth.GloVe(dim=4, epochs=1), firth.AssociationVectors(dim=4)):
        folder = tmp_path / type(model).__name__
        with pytest.raises(GoneError):
            model.train(corpus, checkpoint=firth.Checkpoint(folder, EVERY), progress=progress)
        assert (folder / "counting" / FILE).is_file()
        assert len(model.train(corpus, checkpoint=folder, progress=False)) == len(corpus.vocabulary)
        assert not (folder / "counting").exists()
