"""Freezes gensim's files and answers: `python tests/golden/vectors/make.py` with gensim 4.4.0 and POT installed.

Random words around a few centres, so that neighbours, pairs and analogies are not all chance.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
from gensim import __version__
from gensim.models import KeyedVectors

sys.path.insert(0, str(Path(__file__).resolve().parent))
from questions import ANSWERS, BINARY, FOLDER, GLOVE, QUESTIONS, VECTORS, plain

WORDS = [*(f"word{i}" for i in range(50)), "café", "naïve", "東京", "Word1", "WORD2", "</s>"]
DIM = 12


def vectors() -> KeyedVectors:
    rng = np.random.default_rng(7)
    centres = rng.normal(size=(8, DIM))
    made = KeyedVectors(DIM)
    matrix = centres[rng.integers(8, size=len(WORDS))] + 0.6 * rng.normal(size=(len(WORDS), DIM))
    made.add_vectors(WORDS, matrix.astype(np.float32))
    return made


def gold() -> None:
    rng = np.random.default_rng(11)
    lines = ["# a comment\n", "a line that is no pair\n"]
    for _ in range(60):
        one, other = rng.choice([*WORDS, "nowhere"], 2, replace=False)
        lines.append(f"{one}\t{other}\t{rng.integers(0, 100) / 10}\n")
    (FOLDER / "pairs.tsv").write_text("".join(lines), encoding="utf8")
    lines = []
    for section in ("first", "second things"):
        lines.append(f": {section}\n")
        for _ in range(25):
            lines.append(" ".join(rng.choice([*WORDS[:55], "nowhere"], 4, replace=False)) + "\n")
    (FOLDER / "analogies.txt").write_text("".join(lines), encoding="utf8")


def with_answers_right(made: KeyedVectors) -> None:
    """Let a few analogies come out right: the expected word becomes gensim's own answer."""
    path = FOLDER / "analogies.txt"
    lines = path.read_text(encoding="utf8").splitlines()
    for number in range(2, len(lines), 3):
        words = lines[number].split()
        if len(words) == 4 and all(word in made for word in words):
            a, b, c, _ = words
            words[3] = made.most_similar(positive=[b, c], negative=[a], topn=1)[0][0]
            lines[number] = " ".join(words)
    path.write_text("\n".join(lines) + "\n", encoding="utf8")


def main() -> None:
    warnings.simplefilter("ignore")
    made = vectors()
    made.save_word2vec_format(VECTORS)
    made.save_word2vec_format(BINARY, binary=True)
    made.save_word2vec_format(GLOVE, write_header=False)
    gold()
    with_answers_right(made)
    answers = {name: plain(ask(KeyedVectors.load_word2vec_format(VECTORS))) for name, ask in QUESTIONS.items()}
    lines = [f"{json.dumps(name)}: {json.dumps(answer, ensure_ascii=False)}" for name, answer in answers.items()]
    made_with = f'"gensim": "{__version__}", "numpy": "{np.__version__}"'
    ANSWERS.write_text("{" + made_with + ', "answers": {\n' + ",\n".join(lines) + "\n}}\n", encoding="utf8")


if __name__ == "__main__":
    main()
