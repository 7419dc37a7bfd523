"""The whole script that a user of gensim writes: from a file to saved vectors."""

import json
import sys

from gensim.models import Word2Vec

options = json.loads(sys.argv[1])
model = Word2Vec(
    corpus_file=options["text"],
    seed=options["seed"],
    workers=options["threads"],
    min_count=options["min_count"],
    **options["model"],
)
model.wv.save(options["output"])
print("{}")
