"""Speed of decoding with a neural language model: beam search, greedy search and sampling.

    python -m benchmarks.decoding model.lm          # a model is trained for some seconds where there is none
    python -m benchmarks.decoding model.lm --rounds 3

The model is an LSTM over 32,000 words, hardly trained. A round generates up to 20 words for 64 prompts of four words:
beam search with 5 beams, diverse beam search, greedy search, and top-k sampling. A digest of the generated words and
their scores shows whether two versions of firth agree.
"""

import argparse
import hashlib
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import firth
from firth.inference.generation_options import GenerationOptions
from firth.inference.sampling import greedy_search, sample
from firth.inference.search import BeamSearch, beam_search

WORDS, PROMPTS, LENGTH = 32_000, 64, 20


def trained(path: Path) -> Any:
    """Return the model in a folder; train it on random words first where there is none."""
    if not path.exists():
        random = np.random.default_rng(0)
        ids = np.concatenate([np.arange(WORDS), random.zipf(1.3, 60_000) % WORDS])
        random.shuffle(ids)
        lines = [" ".join(f"w{i}" for i in row) for row in np.array_split(ids, 4_000)]
        options = firth.RecurrentLM(cell="lstm", dim=100, hidden=100, layers=1)
        training = firth.TrainingOptions(minutes=0.5, batch_size=20)
        options.train(lines, training=training, tokens="words", min_count=1, progress=False).save(path)
    return firth.load(path)


def main() -> None:
    """Print one JSON object per round."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, help="folder of the model")
    parser.add_argument("--rounds", type=int, default=1)
    arguments = parser.parse_args()
    model = trained(arguments.model)
    prompts = np.random.default_rng(1).integers(2, len(model.vocabulary), (PROMPTS, 4)).tolist()
    options = GenerationOptions(max_length=LENGTH)
    top_k = GenerationOptions(max_length=LENGTH, top_k=50)
    diverse = BeamSearch(beams=6, groups=3)
    stop = [model.vocabulary.ids["</s>"]]
    searches = {
        "beam": lambda: beam_search(model, prompts, options, BeamSearch(beams=5), n=5, stop=stop),
        "diverse": lambda: beam_search(model, prompts, options, diverse, n=6, stop=stop),
        "greedy": lambda: [greedy_search(model, prompts, options, stop=stop)],
        "sample": lambda: [sample(model, prompts, top_k, stop=stop, seed=1)],
    }
    for round_ in range(arguments.rounds):
        row: dict[str, Any] = {"round": round_, "words": len(model.vocabulary), "version": firth.__version__}
        for name, search in searches.items():
            started = time.process_time()
            results = search()
            row[name] = round(time.process_time() - started, 3)
            text = json.dumps([[(each.ids, each.log_prob, each.score) for each in texts] for texts in results])
            row[f"{name}-digest"] = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
