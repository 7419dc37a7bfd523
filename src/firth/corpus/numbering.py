"""The end of every corpus's making: words are chosen and numbered, and all files written."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus import storage
from firth.corpus.options import CorpusOptions
from firth.corpus.ordering import choose
from firth.vocabulary import Vocabulary


def finish(
    folder: Path,
    spill: storage.Spill,
    words: Sequence[str],
    counts: npt.NDArray[np.int64],
    options: CorpusOptions,
    source: Mapping[str, Any],
    characters: int | None,
) -> dict[str, Any]:
    """Write what a corpus's folder lacks but the text; return what its manifest says.

    Args:
        folder: of the corpus.
        spill: the text as provisional numbers.
        words: what those numbers stand for.
        counts: how often each of them stands there.
        options: what the corpus keeps.
        source: what the manifest says of where the text is from.
        characters: of the text; None where they are not known.

    Raises:
        CorpusError: no word is left, or the files cannot be written.
    """
    vocabulary, final = choose(words, counts, options)
    tokens, sentences, content = spill.renumber(final, keep_empty=options.keep_empty)
    storage.write_vocabulary(folder, vocabulary)
    described = options.described()
    facts = {
        "tokens": tokens,
        "sentences": sentences,
        "words": len(vocabulary),
        "total": vocabulary.total,
        "characters": characters,
        "fingerprint": _fingerprint(content, vocabulary, described),
        "options": described,
        "source": dict(source),
    }
    storage.write_manifest(folder, facts)
    return facts


def _fingerprint(content: str, vocabulary: Vocabulary, options: dict[str, Any]) -> str:
    digest = hashlib.blake2b(f"{content} {sorted(options.items())!r} ".encode("utf-8", "surrogatepass"), digest_size=16)
    digest.update(repr(list(vocabulary.words)).encode("utf-8", "surrogatepass"))
    digest.update(vocabulary.counts.tobytes())
    return digest.hexdigest()
