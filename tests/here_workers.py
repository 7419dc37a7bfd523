"""Workers that are this process, and a text for them: what runs on a cluster, without one."""

import pickle

import numpy as np


class HereWorkers:
    """Does each piece here, one after the other, with copies of all that would travel; see `firth.workers.Workers`.

    Args:
        count: number of workers that it says it has.

    Attributes:
        pieces: how many it has done.
    """

    def __init__(self, count=2):
        self.count, self.pieces = count, 0

    def map(self, function, pieces, *shared):
        for piece in pieces:
            self.pieces += 1
            sent = pickle.loads(pickle.dumps((function, shared, piece)))
            yield pickle.loads(pickle.dumps(sent[0](*sent[1], *sent[2])))


def zipf_files(folder, *, files, lines, words):
    """Write files of sentences of 15 words by Zipf's law, and return their folder."""
    draw, law = np.random.default_rng(1), 1 / np.arange(1, words + 1)
    for number in range(files):
        rows = draw.choice(words, (lines, 15), p=law / law.sum())
        (folder / f"{number}.txt").write_text("\n".join(" ".join(f"w{i}" for i in row) for row in rows), "utf-8")
    return folder
