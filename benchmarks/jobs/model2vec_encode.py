"""Average the word vectors of sentences with model2vec, from the file of text to the array on disk."""

import json
import sys
import time
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors
from model2vec import StaticModel
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

options = json.loads(sys.argv[1])
words = KeyedVectors.load_word2vec_format(options["binary"], binary=True)
table = np.concatenate([np.zeros((1, words.vector_size), np.float32), words.vectors])
tokenizer = Tokenizer(WordLevel({"[UNK]": 0, **{w: i + 1 for w, i in words.key_to_index.items()}}, unk_token="[UNK]"))
tokenizer.pre_tokenizer = WhitespaceSplit()
model = StaticModel(table, tokenizer, normalize=False)
start, processor = time.perf_counter(), time.process_time()
texts = Path(options["sentences"]).read_text(encoding="utf-8").splitlines()
rows = model.encode(texts, use_multiprocessing=False)
np.save(options["output"], rows)
figures = {"seconds": time.perf_counter() - start, "processor_seconds": time.process_time() - processor}
Path(options["output"]).unlink()
print(json.dumps({**figures, "texts": len(rows)}))
