"""Train with firth from a corpus that is built already; `seconds` is the training alone, compilation apart."""

import json
import sys

import firth

options = json.loads(sys.argv[1])
corpus = firth.Corpus.build(options["text"], tokens="whitespace", min_count=options["min_count"], progress=False)
family = options.get("family", "Word2Vec")
model = getattr(firth, family)(**options["model"])
vectors = model.train(corpus, seed=options["seed"], threads=options["threads"], progress=False)
if options.get("output"):
    # Of a model of documents, the words are judged.
    (vectors.words if family == "ParagraphVectors" else vectors).save(options["output"])

training = vectors.metadata["training"]
report = {"seconds": training["seconds"], "vocabulary": len(corpus.vocabulary)}
if family != "Word2Vec" or model.objective != "negative":
    print(json.dumps(report))
    sys.exit()
tokens = float((corpus.vocabulary.counts * corpus.vocabulary.keep_probabilities(model.sample)).sum())
# A kept word of skip-gram meets window + 1 context words on average, each against one centre and the noise words: a dot
# product and two updates of rows, two flops a number each.
pairs = (model.window + 1 if model.architecture == "skipgram" else 1) * (model.negative + 1)
flops = tokens * model.epochs * pairs * 6 * model.dim
print(json.dumps({**report, "gflops": flops / training["seconds"] / 1e9}))
