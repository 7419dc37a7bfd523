"""Write sentences of 3 to 30 lower-case words, one per line, and random vectors of their words in two formats."""

import collections
import itertools
import json
import re
import sys
from pathlib import Path

import numpy as np

import firth

WORDS = 200_000

options = json.loads(sys.argv[1])
path = Path(options["sentences"])
if not path.exists():
    found = []
    with Path(options["text"]).open(encoding="utf-8", errors="replace") as file:
        for line in file:
            for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z])", line):
                words = re.findall(r"[a-z]+|[0-9]+", sentence.lower())
                if 3 <= len(words) <= 30:
                    found.append(" ".join(words) + "\n")
    with path.open("w", encoding="utf-8") as out:
        out.writelines(itertools.islice(itertools.cycle(found), options["count"]))
counts = collections.Counter(word for line in path.open(encoding="utf-8") for word in line.split())
words = [word for word, _ in counts.most_common(WORDS)]
rows = np.random.default_rng(0).standard_normal((len(words), options["dim"])).astype(np.float32)
vectors = firth.WordVectors(words, rows, counts=np.array([counts[word] for word in words]))
vectors.save(options["vectors"])
vectors.save(options["binary"])
print(json.dumps({"seconds": 0}))
