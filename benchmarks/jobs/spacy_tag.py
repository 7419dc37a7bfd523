"""Tag sentences with a blank pipeline of spaCy, as `spacy init config` and `spacy train` make it, a tenth held out."""

import json
import resource
import subprocess
import sys
from pathlib import Path

import spacy
from spacy.tokens import Doc, DocBin

data = json.loads(Path(sys.argv[1]).read_text())
folder, spans = Path(sys.argv[1]).parent, data["spans"]
blank = spacy.blank("xx")
count = max(1, len(data["train"]) // 10)
for name, part in (("dev", data["train"][:count]), ("train", data["train"][count:])):
    docs = DocBin()
    for words, tags in part:
        docs.add(Doc(blank.vocab, words=words, **({"ents": tags} if spans else {"tags": tags})))
    docs.to_disk(folder / f"{name}.spacy")
run = [sys.executable, "-P", "-m", "spacy"]
quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
pipeline = "ner" if spans else "tagger"
subprocess.run([*run, "init", "config", folder / "c.cfg", "--lang", "xx", "--pipeline", pipeline], **quiet)
paths = ["--paths.train", folder / "train.spacy", "--paths.dev", folder / "dev.spacy"]
subprocess.run([*run, "train", folder / "c.cfg", "--output", folder / "model", *paths], **quiet)
seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
model = spacy.load(folder / "model" / "model-best")
found = []
for words in data["test"]:
    doc = model(Doc(model.vocab, words=words))
    found.append(
        [f"{token.ent_iob_}-{token.ent_type_}" if token.ent_type_ else "O" for token in doc]
        if spans
        else [token.tag_ for token in doc]
    )
print(json.dumps({"seconds": round(seconds, 2), "tags": found}))
