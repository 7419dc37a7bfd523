"""The last step of building a corpus: select the vocabulary, replace provisional ids, write all files."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.corpus import storage
from firth.corpus.options import CorpusOptions
from firth.corpus.size_defaults import log_choice, min_count
from firth.corpus.vocabulary_selection import select_vocabulary
from firth.vocabulary import Vocabulary


def write_encoded(
    folder: Path,
    spill: storage.Spill,
    words: Sequence[str],
    counts: npt.NDArray[np.int64],
    options: CorpusOptions,
    source: Mapping[str, Any],
    characters: int | None,
) -> dict[str, Any]:
    """Write the files of a corpus from its text as provisional ids; return the manifest.

    Args:
        spill: the text as provisional ids.
        words: the words of the provisional ids.
        source: description of the source, for the manifest.
        characters: number of characters of the text; None if unknown.
    """
    total = int(counts.sum())
    if options.min_count is None:
        options = replace(options, min_count=min_count(total, unknown=options.unknown is not None))
        log_choice({"min_count": options.min_count}, total)
    vocabulary, final = select_vocabulary(words, counts, options)
    written = spill.renumber(final, keep_empty=options.keep_empty)
    storage.write_vocabulary(folder, vocabulary)
    described = options.described()
    facts = {
        "tokens": written.tokens,
        "sentences": written.sentences,
        **({"documents": written.documents, "division": written.division} if written.documents else {}),
        "words": len(vocabulary),
        "total": vocabulary.total,
        "characters": characters,
        "fingerprint": _fingerprint(written.content, vocabulary, described),
        "options": described,
        "source": dict(source),
    }
    storage.write_manifest(folder, facts)
    return facts


def place_of(facts: Mapping[str, Any]) -> str:
    """Return the part of a folder's name that is that of a corpus with this content, divided into these documents."""
    return "-".join(filter(None, (facts["fingerprint"], facts.get("division"))))


def _fingerprint(content: str, vocabulary: Vocabulary, options: dict[str, Any]) -> str:
    digest = hashlib.blake2b(f"{content} {sorted(options.items())!r} ".encode("utf-8", "surrogatepass"), digest_size=16)
    digest.update(repr(list(vocabulary.words)).encode("utf-8", "surrogatepass"))
    digest.update(vocabulary.counts.tobytes())
    return digest.hexdigest()
