"""Corpora in folders that all machines of a cluster see."""

from pathlib import Path

from firth.corpus.encoded import Corpus
from firth.corpus.parts import check_seen
from firth.errors import CorpusError


def opened_by_worker(path: Path, fingerprint: str) -> Corpus:
    """Open a corpus in a worker."""
    check_seen(path)
    corpus = Corpus.open(path)
    if corpus.fingerprint != fingerprint:
        raise CorpusError(f"{path}: another corpus on a machine of the cluster; share one folder")
    return corpus
