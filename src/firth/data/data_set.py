"""What is known of a public file before anybody has it: where it lies, and what it must hold."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """One public file, pinned.

    Attributes:
        name: what to call it by.
        kind: the suite of `firth.evaluate` that reads it, such as "similarity"; "beside" for a file that only goes with
            another, "antonyms" for labelled pairs of `firth.relations`, "bias" for lists of `firth.bias`,
            "language" for text of `firth.language`, "sense-induction" for the key and the contexts of
            `firth.evaluation.sense_induction.score`.
        path: where it lies in a folder of local copies.
        url: where it is downloaded from, at a commit that cannot change.
        sha256: of the file's bytes, unpacked, in hex.
        rows: lines that are not empty.
        licence: what its makers or its host state.
        citation: whom to cite.
        beside: the names of other sets whose files are read along with this one, from places beside it.
    """

    name: str
    kind: str
    path: str
    url: str
    sha256: str
    rows: int
    licence: str
    citation: str
    beside: tuple[str, ...] = ()
