"""Speed of vectors of words in context, on one thread: computed by an encoder, and read again from disk.

    python -m benchmarks.contextual_features FILE                 random parameters, the usual sizes
    python -m benchmarks.contextual_features FILE --encoder DIR   a trained encoder

FILE holds sentences in columns, a word per line. "First" computes the vectors of all sentences and writes them,
"second" reads them as the next run does: the digests of encoder and sentences, the checksum of all vectors, and every
batch of one epoch. "later" is the median of runs after it, for which the checksum is remembered. The cache is a folder
that is deleted; what is written stays in the page cache of the system, as it does between runs.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import firth
from firth.language.text import training_text
from firth.neural.models.bidirectional.predict import BidirectionalLanguageModel
from firth.neural.models.tokens.features import features_of
from firth.neural.training.devices import new_module, torch_threads
from firth.readers.columns import read_columns
from firth.storage.integrity import MTIME_RESOLUTION

BATCH, ROUNDS = 16, 3


def untrained(sentences: list[tuple[str, ...]]) -> Any:
    """Return a language model of the usual sizes with random parameters."""
    options = firth.BidirectionalLM()
    text = training_text([list(words) for words in sentences], {"min_count": 1}, spelled=True, progress=False)
    assert text.eos_id is not None
    module = new_module(0, options.build, text.vocabulary)
    return BidirectionalLanguageModel(module, options, text.vocabulary, text.rules)


def seconds(encoder: Any, sentences: list[tuple[str, ...]], cache: Path) -> float:
    """Return the time until every batch has been read once."""
    start = time.perf_counter()
    features = features_of(encoder, sentences, cache=cache)
    assert features is not None
    for first in range(0, len(sentences), BATCH):
        features.batch(sentences[first : first + BATCH])
    return time.perf_counter() - start


def main(arguments: list[str]) -> None:
    """Measure, and print a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--encoder", type=Path)
    parser.add_argument("--sentences", type=int, default=10_000)
    given = parser.parse_args(arguments)
    sentences = [tuple(each.words) for each in read_columns(given.file)][: given.sentences]
    encoder = untrained(sentences) if given.encoder is None else firth.load(given.encoder)
    with torch_threads(1), tempfile.TemporaryDirectory() as folder:
        first = seconds(encoder, sentences, Path(folder))
        time.sleep(MTIME_RESOLUTION)  # checksums of files that are younger are not remembered
        second = seconds(encoder, sentences, Path(folder))
        later = statistics.median(seconds(encoder, sentences, Path(folder)) for _ in range(ROUNDS))
    words = sum(map(len, sentences))
    row = {"words": words, "words_per_second": round(words / first), "first": round(first, 2)}
    row |= {"second": round(second, 3), "second_ratio": round(first / second, 1)}
    print(json.dumps({**row, "later": round(later, 3), "later_ratio": round(first / later, 1)}))


if __name__ == "__main__":
    main(sys.argv[1:])
