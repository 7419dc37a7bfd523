"""Train language models, score and generate text."""

from typing import assert_type

import firth

trigrams = firth.NgramLM(order=3).train("novels/", min_count=2)
assert_type(trigrams, firth.NgramModel)
assert_type(trigrams.perplexity("held-out.txt").value, float)
assert_type(trigrams.generate("the", 3, firth.GenerationOptions(temperature=0.8)), list[str])
assert_type(trigrams.next_words("the", topn=3), list[tuple[str, float]])
options = firth.TrainingOptions(epochs=2, lr=0.001)
model = firth.TransformerLM(dim=64, layers=2).train("novels/", held_out="held-out.txt", training=options, min_count=2)
assert_type(model.generate("Once", search=firth.BeamSearch(beams=4)), list[str])
assert_type(firth.Mixture.fit([trigrams, model], "held-out.txt"), firth.Mixture)

firth.TransformerLM(n_layer=2)  # type: ignore[call-arg]
firth.TransformerLM().train("novels/", training={"epochs": 2})  # type: ignore[arg-type]
firth.TransformerLM().train("novels/", lr=0.001)  # type: ignore[call-arg]
trigrams.generate("the", temperature=0.8)  # type: ignore[call-arg]
firth.GenerationOptions(num_beams=4)  # type: ignore[call-arg]
