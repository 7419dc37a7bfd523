"""spaCy's vectors: a pipeline without components that `spacy.load` opens, made of a vocabulary and its vectors.

    vocab/vectors        the matrix, NumPy's .npy
    vocab/key2row        MessagePack: the row of each word, by the word's 64-bit hash
    vocab/vectors.cfg    the mode: "default", or "floret" for a table of hashed n-grams
    vocab/strings.json   the words
    meta.json config.cfg tokenizer    what `spacy.load` and `[initialize] vectors` of a training configuration need

The language of the pipeline is `metadata["language"]` of the vectors, such as "en"; without it "xx", any language.
`nlp.vocab.vectors.from_disk("FOLDER/vocab")` puts the vectors into a pipeline of your own. Several words may share a
row, as in spaCy's pruned vectors; firth gives each its own. The pipeline's tokenizer splits at spaces and punctuation.

Source: spaCy 3, the methods `to_disk` of `Vectors`, `StringStore`, `Vocab`, `Tokenizer` and `Language`.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError, OptionError, brief
from firth.storage.files import json_bytes
from firth.storage.untrusted import file_bytes, parse_json
from firth.vectors import murmur
from firth.vectors.character_ngrams import Hashing, NgramRows
from firth.vectors.io import npy
from firth.vectors.io.foreign_folder import check_folder, replacing
from firth.vectors.io.table import Contents, Reading, check_finite, settle
from firth.vectors.io.text import encoded
from firth.vectors.space import VectorSpace

VOCAB, VECTORS, ROWS, SETTINGS, STRINGS = "vocab", "vectors", "key2row", "vectors.cfg", "strings.json"
OWN = frozenset(
    {"meta.json", "config.cfg", "tokenizer", *(f"{VOCAB}/{name}" for name in (VECTORS, ROWS, SETTINGS, STRINGS))}
)
LAYOUT = "spaCy's vectors"
LANGUAGE, ANY_LANGUAGE, CODE = "language", "xx", re.compile(r"[a-z]{2,3}")
SEED = 1  # of the hash of a string
MARKS = ("<", ">")  # begin and end a word whose n-grams are hashed
_TOKENIZER = {"prefix_search": r"^[^\w\s]", "suffix_search": r"[^\w\s]$", "infix_finditer": r"[^\w\s'’.,]"}
_CONFIG = """[nlp]
lang = "{language}"
pipeline = []
disabled = []
before_creation = null
after_creation = null
after_pipeline_creation = null
batch_size = 1000

[nlp.tokenizer]
@tokenizers = "spacy.Tokenizer.v1"

[nlp.vectors]
@vectors = "spacy.Vectors.v1"

[components]
"""

# Strings that spaCy numbers by a fixed list instead of by their hash, such as "num", "root" and "mark": each has the
# number of its place. The list is spaCy 3's; it grows at its end only.
_FLAGS = """IS_ALPHA IS_ASCII IS_DIGIT IS_LOWER IS_PUNCT IS_SPACE IS_TITLE IS_UPPER LIKE_URL LIKE_NUM LIKE_EMAIL IS_STOP
IS_OOV_DEPRECATED IS_BRACKET IS_QUOTE IS_LEFT_PUNCT IS_RIGHT_PUNCT IS_CURRENCY"""
_ATTRIBUTES = """ID
ORTH LOWER NORM SHAPE PREFIX SUFFIX LENGTH CLUSTER LEMMA POS TAG DEP ENT_IOB ENT_TYPE HEAD SENT_START
SPACY PROB LANG ADJ ADP ADV AUX CONJ CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X EOL SPACE"""
_LABELS = """PERSON NORP FACILITY ORG GPE LOC PRODUCT EVENT WORK_OF_ART LANGUAGE LAW DATE TIME PERCENT MONEY QUANTITY
ORDINAL CARDINAL acomp advcl advmod agent amod appos attr aux auxpass cc ccomp complm conj cop csubj csubjpass dep det
dobj expl hmod hyph infmod intj iobj mark meta neg nmod nn npadvmod nsubj nsubjpass num number oprd obj obl parataxis
partmod pcomp pobj poss possessive preconj prep prt punct quantmod relcl rcmod root xcomp acl ENT_KB_ID MORPH ENT_ID IDX
_"""

SYMBOLS = [
    "",
    *_FLAGS.split(),
    *(f"FLAG{number}" for number in range(19, 64)),
    *_ATTRIBUTES.split(),
    *(f"DEPRECATED{number:03}" for number in range(1, 277)),
    *_LABELS.split(),
]
NUMBERS = {symbol: number for number, symbol in enumerate(SYMBOLS)}


def check(path: Path) -> None:
    """Check that a folder can be written; see `check_folder`."""
    check_folder(path, OWN, LAYOUT)


def write(space: VectorSpace, path: Path, dtype: np.dtype[Any]) -> None:
    """Write a folder with a row per word, in single precision."""
    keys = _keys(space.words, str(path))
    rows = msgpack_table(keys, np.arange(len(keys), dtype=np.uint32))
    matrix = np.asarray(space.vectors, np.float32)
    _write(path, space.words, matrix, rows, {"mode": "default"}, space.metadata)


def write_ngrams(ngrams: NgramRows, words: list[str], metadata: Mapping[str, Any], path: Path) -> None:
    """Write a folder with a table of n-grams hashed by floret's method, which gives every word a vector."""
    hashing = ngrams.hashing
    positions = ngrams.positions(np.arange(hashing.buckets))
    matrix = np.zeros((hashing.buckets, ngrams.matrix.shape[1]), np.float32)
    matrix[positions >= 0] = ngrams.rows(positions[positions >= 0])
    settings = {"mode": "floret", "minn": hashing.min_n, "maxn": hashing.max_n, "hash_count": hashing.hashes}
    settings |= {"hash_seed": hashing.seed, "bow": MARKS[0], "eow": MARKS[1]}
    _write(path, words, matrix, msgpack_strings({}), settings, metadata)


def _write(
    path: Path,
    words: list[str],
    matrix: npt.NDArray[Any],
    rows: bytes,
    settings: dict[str, Any],
    metadata: Mapping[str, Any],
) -> None:
    language = metadata.get(LANGUAGE, ANY_LANGUAGE)
    if not isinstance(language, str) or not CODE.fullmatch(language):
        raise OptionError(f"metadata {LANGUAGE}={brief(language)}: expected the code of a language, such as 'en'")
    facts = {"width": matrix.shape[1], "vectors": len(matrix), "keys": len(words), "name": "firth_vectors"}
    meta = {"lang": language, "name": "firth_vectors", "version": "0.0.0", "vectors": facts, "pipeline": []}
    with replacing(path, OWN, LAYOUT) as folder:
        vocab = folder / VOCAB
        vocab.mkdir()
        with (vocab / VECTORS).open("wb") as file:
            np.save(file, matrix, allow_pickle=False)
        (vocab / ROWS).write_bytes(rows)
        (vocab / SETTINGS).write_text(json.dumps(settings), encoding="ascii")
        (vocab / STRINGS).write_bytes(json_bytes(sorted(words)))
        (folder / "meta.json").write_text(json.dumps(meta, indent=2), encoding="ascii")
        (folder / "config.cfg").write_text(_CONFIG.format(language=language), encoding="ascii")
        (folder / "tokenizer").write_bytes(msgpack_strings(_TOKENIZER))


def _keys(words: list[str], path: str) -> npt.NDArray[np.uint64]:
    """Return the number by which spaCy knows each word: its place in the fixed list, or its hash."""
    pieces = [encoded(word, path) for word in words]
    ends = np.cumsum([len(piece) for piece in pieces], dtype=np.int64)
    starts = ends - np.array([len(piece) for piece in pieces], dtype=np.int64)
    keys = murmur.murmur64(np.frombuffer(b"".join(pieces), np.uint8), starts, ends, SEED)
    for row, word in enumerate(words):
        if word in NUMBERS:
            keys[row] = NUMBERS[word]
    return keys


def vocabulary_in(path: Path) -> Path | None:
    """Return the folder of the vocabulary with vectors: the path itself or `vocab` inside; None if neither is one."""
    for folder in (path, path / VOCAB):
        if (folder / VECTORS).is_file() and (folder / STRINGS).is_file():
            return folder
    return None


def is_folder(path: Path) -> bool:
    """Return whether a folder is a spaCy vocabulary with vectors, or a pipeline with one."""
    return vocabulary_in(path) is not None


def read_ngrams(path: Path) -> NgramRows | None:
    """Return the table of n-grams of a folder in floret mode; None in the default mode.

    Raises:
        FormatError: the folder is damaged.
    """
    folder = vocabulary_in(path) or path
    settings = _json(folder / SETTINGS, dict) if (folder / SETTINGS).is_file() else {}
    if settings.get("mode") != "floret":
        return None
    matrix = npy.mapped(folder / VECTORS)
    numbers: list[Any] = [settings.get(name) for name in ("minn", "maxn", "hash_count", "hash_seed")]
    if not all(isinstance(number, int) and 0 <= number < 2**32 for number in numbers):
        raise FormatError(f"{folder / SETTINGS}: damaged settings of n-grams; copy the folder again")
    if (settings.get("bow"), settings.get("eow")) != MARKS:
        raise FormatError(f"{folder / SETTINGS}: words between other marks than < and >, which firth's hashing expects")
    min_n, max_n, hashes, seed = numbers
    check_finite(matrix, lambda row: f"{folder / VECTORS} row {row}")
    return NgramRows(Hashing(max(min_n, 1), max_n, len(matrix), hashes, seed), matrix.astype(np.float32))


def read(path: Path, reading: Reading) -> Contents:
    """Return the words that have a row, in the order of spaCy's table, and their vectors.

    Raises:
        FormatError: the folder is damaged.
    """
    folder = vocabulary_in(path) or path
    matrix = npy.mapped(folder / VECTORS)
    if not (folder / ROWS).is_file():
        raise FormatError(f"{folder}: no {ROWS}; expected vectors of spaCy 2.3 or later: save the pipeline again")
    table = read_msgpack_table(file_bytes(folder / ROWS), str(folder / ROWS))
    strings = _json(folder / STRINGS, list)
    if not all(isinstance(string, str) for string in strings):
        raise FormatError(f"{folder / STRINGS}: expected a list of strings; copy the folder again")
    names = dict(zip(_keys(strings, str(folder)).tolist(), strings, strict=True))
    names.update(enumerate(SYMBOLS))
    named = [(names[key], row) for key, row in table if key in names]
    if not named and table:
        raise FormatError(f"{folder}: none of the {len(table):,} keys belongs to a string of {STRINGS}; copy it again")
    rows = np.array([row for _, row in named], dtype=np.int64)
    if len(rows) and int(rows.max()) >= len(matrix):
        raise FormatError(f"{folder / ROWS}: row {int(rows.max()):,}, expected at most {len(matrix) - 1:,}")
    words = [word for word, _ in named]
    every = len(rows) == len(matrix) and bool((rows == np.arange(len(rows))).all())
    return settle(words, matrix if every else matrix[rows], lambda row: f"{path}: {words[row]!r}", reading)


def _json(path: Path, kind: type) -> Any:
    content = file_bytes(path)
    try:
        value = parse_json(content)
    except ValueError as error:
        raise FormatError(f"{path}: damaged JSON ({error}); copy the folder again") from None
    if not isinstance(value, kind):
        raise FormatError(f"{path}: expected a JSON {kind.__name__}; copy the folder again")
    return value


# The part of MessagePack that these files need: maps of strings, and of whole numbers (specification, "Formats").
MAP16, MAP32, UINT64, UINT32, STR16 = 0xDE, 0xDF, 0xCF, 0xCE, 0xDA
_SIZES = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}  # bytes of an unsigned number behind its mark


def msgpack_strings(values: Mapping[str, str]) -> bytes:
    """Return a map of strings, fewer than 16."""
    assert len(values) < 16
    return bytes([0x80 | len(values)]) + b"".join(_text(text) for pair in values.items() for text in pair)


def _text(text: str) -> bytes:
    content = text.encode()
    return bytes([STR16]) + len(content).to_bytes(2, "big") + content


def msgpack_table(keys: npt.NDArray[np.uint64], values: npt.NDArray[np.uint32]) -> bytes:
    """Return a map from keys of 64 bits to values of 32 bits."""
    entries = np.empty(len(keys), dtype=[("m", "u1"), ("key", ">u8"), ("n", "u1"), ("value", ">u4")])
    entries["m"], entries["n"], entries["key"], entries["value"] = UINT64, UINT32, keys, values
    return bytes([MAP32]) + len(keys).to_bytes(4, "big") + entries.tobytes()


def read_msgpack_table(data: bytes, where: str) -> list[tuple[int, int]]:
    """Return the entries of a map of whole numbers that are not negative.

    Raises:
        FormatError: it holds something else, or is cut short.
    """
    if not data:
        raise FormatError(f"{where}: an empty file, expected a table of rows")
    mark = data[0]
    size, offset = (mark & 0x0F, 1) if mark & 0xF0 == 0x80 else (0, 1)
    if mark in (MAP16, MAP32):
        offset = 3 if mark == MAP16 else 5
        size = int.from_bytes(data[1:offset], "big")
    elif mark & 0xF0 != 0x80:
        raise FormatError(f"{where}: byte {mark:#x}, expected a MessagePack map; copy the file again")
    numbers: list[int] = []
    for _ in range(2 * size):
        head = data[offset] if offset < len(data) else -1
        width = _SIZES.get(head, 0)
        if not 0 <= head < 0x80 and not width:
            raise FormatError(f"{where}: damaged or cut short at byte {offset:,}; copy the file again")
        numbers.append(int.from_bytes(data[offset + 1 : offset + 1 + width], "big") if width else head)
        offset += 1 + width
    if offset != len(data):
        raise FormatError(f"{where}: {len(data):,} bytes, expected {offset:,}; copy the file again")
    return list(zip(numbers[::2], numbers[1::2], strict=True))
