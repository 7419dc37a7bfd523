"""Tag sentences with python-crfsuite: the features of its tutorial without parts of speech, its trainer's defaults."""

import json
import sys
import time
from pathlib import Path

import pycrfsuite


def features(words, i):
    word = words[i]
    found = [
        "bias", "word.lower=" + word.lower(), "word[-3:]=" + word[-3:], "word[-2:]=" + word[-2:],
        f"word.isupper={word.isupper()}", f"word.istitle={word.istitle()}", f"word.isdigit={word.isdigit()}",
    ]  # fmt: skip
    for at, mark in ((i - 1, "-1"), (i + 1, "+1")):
        if 0 <= at < len(words):
            other = words[at]
            found += [
                f"{mark}:word.lower={other.lower()}", f"{mark}:word.istitle={other.istitle()}",
                f"{mark}:word.isupper={other.isupper()}",
            ]  # fmt: skip
        else:
            found.append("BOS" if mark == "-1" else "EOS")
    return found


data = json.loads(Path(sys.argv[1]).read_text())
model = str(Path(sys.argv[1]).with_suffix(".crfsuite"))
began = time.process_time()
trainer = pycrfsuite.Trainer(verbose=False)
for words, tags in data["train"]:
    trainer.append([features(words, i) for i in range(len(words))], tags)
trainer.train(model)
seconds = time.process_time() - began
tagger = pycrfsuite.Tagger()
tagger.open(model)
found = [tagger.tag([features(words, i) for i in range(len(words))]) for words in data["test"]]
print(json.dumps({"seconds": round(seconds, 2), "tags": found}))
