"""Workers that are this process: what runs on a cluster, without one."""

import pickle


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
