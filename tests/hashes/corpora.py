"""Corpora, co-occurrences, phrases and tokenisers."""

import gzip
import json
from typing import Any

import numpy as np

import firth
from tests.hashes import seeds
from tests.hashes.registry import case, variants


def of_corpus(corpus: Any) -> dict[str, Any]:
    """Words, counts, ids and ends of sentences."""
    return {
        "words": list(corpus.vocabulary.words),
        "counts": np.asarray(corpus.vocabulary.counts),
        "ids": np.asarray(corpus.ids),
        "offsets": np.asarray(corpus.offsets),
        "tokens": corpus.num_tokens,
        "sentences": [list(sentence) for sentence in corpus][:50],
    }


variants(
    "corpus",
    lambda **options: of_corpus(seeds.build(**options)),
    {
        "unicode": {},
        "whitespace": {"tokens": "whitespace"},
        "text8": {"tokens": "text8"},
        "function": {"tokens": str.split},
        "paragraphs": {"sentences": "paragraph"},
        "texts": {"sentences": "text", "keep_empty": True},
        "pruned": {"min_count": 3, "max_size": 100, "stop_words": ("the", "of")},
        "unknown": {"min_count": 3, "unknown": "<unk>", "keep_empty": True},
        "token-lists": {"source": [line.split() for line in seeds.LINES]},
    },
)


@case("corpus/files")
def files() -> Any:
    """Texts, packed or not, tables, and a folder of files."""
    answer: dict[str, Any] = {}
    with seeds.folder() as folder:
        (folder / "texts").mkdir()
        plain, packed = folder / "texts" / "one.txt", folder / "texts" / "two.txt.gz"
        plain.write_text("\n".join(seeds.LINES[:100]), encoding="utf-8")
        packed.write_bytes(gzip.compress("\n".join(seeds.LINES[100:]).encode(), mtime=0))
        rows = folder / "rows.jsonl"
        rows.write_text("".join(json.dumps({"text": line, "n": 1}) + "\n" for line in seeds.LINES), encoding="utf-8")
        table = folder / "rows.csv"
        quoted = [line.replace('"', '""') for line in seeds.LINES]
        table.write_text("n,text\n" + "".join(f'1,"{line}"\n' for line in quoted), encoding="utf-8")
        for name, source, how in (
            ("text", plain, {}),
            ("gz", packed, {}),
            ("folder", folder / "texts", {}),
            ("glob", str(folder / "texts" / "*"), {}),
            ("jsonl", rows, {"column": "text"}),
            ("csv", table, {"column": "text"}),
        ):
            corpus = firth.Corpus.build(source, cache=folder / "cache", min_count=2, progress=False, **how)
            answer[name] = list(of_corpus(corpus).values())
    return answer


@case("corpus/subwords")
def of_pieces() -> Any:
    """A corpus of byte-pair pieces."""
    pieces = firth.Subwords.train(seeds.LINES, 500, kind="bpe", min_count=2)
    return of_corpus(seeds.build(tokens=pieces))


@case("vocabulary")
def vocabulary() -> Any:
    """Words with their counts, and the probabilities drawn from them."""
    words = seeds.corpus().vocabulary
    return {
        "words": list(words.words),
        "counts": np.asarray(words.counts),
        "outside": words.oov_share,
        "kept": np.asarray(words.keep_probabilities(1e-3)),
        "shares": np.asarray(words.subsampled_shares(1e-3)),
        "noise": np.asarray(words.noise_probabilities(0.75)),
    }


def cells(**options: Any) -> Any:
    """A matrix of co-occurrences."""
    with seeds.folder() as folder:
        matrix = firth.Cooccurrence(**options).count(seeds.corpus(), threads=1, cache=folder, progress=False)
        words = list(matrix.vocabulary.words)
        return {
            "words": words,
            "rows": np.asarray(matrix.rows),
            "columns": np.asarray(matrix.columns),
            "values": np.asarray(matrix.values),
            "totals": np.asarray(matrix.totals()),
            "contexts": matrix.contexts(words[0], 5),
            "sum": float(matrix.to_scipy().sum()),
        }


variants(
    "cooccurrence",
    cells,
    {
        "harmonic": {"window": 4},
        "flat": {"window": 3, "weights": "flat"},
        "ramped-left": {"window": 3, "weights": "ramped", "sides": "left"},
        "most-words": {"window": 2, "max_words": 50},
    },
)


def phrases(**options: Any) -> Any:
    """Phrases and the corpus that holds them as words."""
    table = firth.Phrases(min_count=2, **options).learn(seeds.corpus(), threads=1, progress=False)
    joined = [table.join(line.lower().split()) for line in seeds.LINES[:50]]
    with seeds.folder() as folder:
        made = of_corpus(table.apply(seeds.corpus(), cache=folder, min_count=2, progress=False))
    return {"passes": [dict(each) if hasattr(each, "keys") else repr(each) for each in table.passes], "joined": joined,
            **made}  # fmt: skip


variants(
    "phrases",
    phrases,
    {
        "count": {"threshold": 5.0},
        "pmi": {"scoring": "pmi", "threshold": 2.0},
        "npmi": {"scoring": "npmi", "threshold": 0.4, "passes": 2, "connectors": ("of", "the")},
    },
)


def subwords(kind: str, size: int) -> Any:
    """A tokeniser of pieces of words."""
    tokeniser = firth.Subwords.train(seeds.LINES, size, kind=kind, min_count=2)
    ids = [tokeniser.encode(line) for line in seeds.HELD_OUT]
    return {
        "pieces": list(tokeniser.vocabulary),
        "ids": ids,
        "decoded": [tokeniser.decode(each) for each in ids],
        "tokens": tokeniser.tokenize("unseen café words"),
        "sampled": [] if kind == "wordpiece" else tokeniser.tokenize(seeds.HELD_OUT[0], sample=0.1, seed=1),
        "json": tokeniser.to_str(),
    }


variants("subwords", subwords, {"bpe": {"kind": "bpe", "size": 600}, "wordpiece": {"kind": "wordpiece", "size": 800}})


@case("subwords/unigram")
def unigram() -> Any:
    """Unigram pieces; their training depends on the order of a hash table, so that only the round trip is compared."""
    tokeniser = firth.Subwords.train(seeds.LINES, 500, kind="unigram", min_count=2)
    return [tokeniser.decode(tokeniser.encode(line)) for line in seeds.HELD_OUT]


@case("tokenisers")
def tokenisers() -> Any:
    """The reference tokenisers on awkward text."""
    from firth.text.tokenise import tokeniser

    texts = [*seeds.LINES[:30], "Don't stop: 3.14 café naïve — “quoted” 日本語 e-mail\tx_y İI ß ﬁ 12,000"]
    return [[tokeniser(name)(text) for text in texts] for name in ("unicode", "whitespace", "text8")]
