"""The description of a public data set: where to get its file, and how to verify it."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """One public file with a pinned content.

    Attributes:
        name: name of the data set.
        kind: the suite of `firth.evaluate` that uses it, such as "similarity". Other kinds: "beside" for a file that
            only accompanies another, "antonyms" for labelled pairs of `firth.relations`, "bias" for lists of
            `firth.bias`, "language" for text of `firth.language`, "sense-induction" for the key and the contexts of
            `firth.evaluation.score_sense_induction`.
        path: relative path in a folder of local copies.
        url: download address, of a commit that cannot change.
        sha256: SHA-256 of the uncompressed file, in hex.
        rows: number of lines that are not empty.
        bytes: size of the uncompressed file.
        licence: the licence stated by the authors or the host.
        citation: the publication to cite.
        beside: names of the data sets whose files accompany this one.
    """

    name: str
    kind: str
    path: str
    url: str
    sha256: str
    rows: int
    bytes: int
    licence: str
    citation: str
    beside: tuple[str, ...] = ()
