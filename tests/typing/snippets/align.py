"""Map one space into another, and look for bias."""

from typing import assert_type

import firth

source, target = firth.load("en.vec", firth.WordVectors), firth.load("de.vec", firth.WordVectors)
alignment = firth.Procrustes(refine=2).align(source, target, [("cat", "Katze")])
assert_type(alignment, firth.Alignment)
assert_type(firth.SelfLearning().align(source, target), firth.Alignment)
centred = firth.postprocess.centre(source)
assert_type(centred, firth.WordVectors)

firth.Procrustes().align("en.vec", target, [("cat", "Katze")])  # type: ignore[arg-type]
firth.Procrustes(iterations=2)  # type: ignore[call-arg]
