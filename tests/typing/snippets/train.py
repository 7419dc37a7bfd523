"""Train word vectors, from a corpus or from a text with its options."""

from typing import assert_type

import firth

corpus = firth.Corpus.build("novels/")
model = firth.Word2Vec(dim=100, window=5, architecture="cbow")
assert_type(model.dim, int)
assert_type(model.train(corpus, seed=1, threads=2, progress=False), firth.WordVectors)
assert_type(firth.GloVe(dim=50).train("novels/", min_count=2, column="body"), firth.WordVectors)
assert_type(firth.FastText().train([["a", "cat"]], checkpoint="state"), firth.SubwordVectors)
assert_type(firth.StructuredWord2Vec().train(corpus), firth.WordVectors)
assert_type(firth.LatentSemanticAnalysis().train(["a text"], min_count=1), firth.WordVectors)
assert_type(firth.AssociationVectors().train(corpus), firth.WordVectors)
assert_type(firth.MultiSenseSkipGram().train(corpus), firth.SenseVectors)
assert_type(firth.AdaGram().train(corpus), firth.SenseVectors)

firth.Word2Vec(vector_size=100)  # type: ignore[call-arg]
firth.Word2Vec(dim="100")  # type: ignore[arg-type]
firth.Word2Vec(corpus)  # type: ignore[call-arg, arg-type]
firth.Word2Vec().train(corpus, workers=4)  # type: ignore[call-arg]
firth.Word2Vec().train(corpus, min_count="2")  # type: ignore[arg-type]
firth.Word2Vec().train(corpus, start="old.firth")  # type: ignore[arg-type]
_ = firth.Word2Vec().wv  # type: ignore[attr-defined]
model.dim = 5  # type: ignore[misc]
