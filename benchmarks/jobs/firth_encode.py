"""Average the word vectors of sentences with firth, from the file of text to the array on disk."""

import json
import sys
import time
import warnings
from pathlib import Path

import firth

options = json.loads(sys.argv[1])
warnings.simplefilter("ignore")  # sentences without a known word
encoder = firth.SentenceAverages(firth.load(options["vectors"]), "mean", tokens="whitespace")
firth.encode_file(encoder, ["a warm up"], Path(options["output"]))  # loads the compiler
start, processor = time.perf_counter(), time.process_time()
found = firth.encode_file(encoder, Path(options["sentences"]), Path(options["output"]))
figures = {"seconds": time.perf_counter() - start, "processor_seconds": time.process_time() - processor}
Path(options["output"]).unlink()
print(json.dumps({**figures, "texts": found.count}))
