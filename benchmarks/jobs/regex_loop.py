"""What a Python programmer writes to encode raw text: a compiled regular expression, a Counter, a dictionary."""

import json
import re
import sys
import time
from array import array
from collections import Counter
from pathlib import Path

options = json.loads(sys.argv[1])
text = Path(options["text"])
word = re.compile(r"\w+(?:['’]\w+)*")
start = time.perf_counter()
counts: Counter[str] = Counter()
with text.open(encoding="utf-8", errors="replace") as file:
    for line in file:
        counts.update(word.findall(line.casefold()))
vocabulary = sorted((w for w, n in counts.items() if n >= options["min_count"]), key=lambda w: (-counts[w], w))
numbers = {w: i for i, w in enumerate(vocabulary)}
ids = array("i")
with text.open(encoding="utf-8", errors="replace") as file:
    for line in file:
        ids.extend([numbers[w] for w in word.findall(line.casefold()) if w in numbers])
seconds = time.perf_counter() - start
print(json.dumps({"seconds": seconds, "tokens": counts.total(), "vocabulary": len(vocabulary)}))
