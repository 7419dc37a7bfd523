"""`firth distil`."""

import shlex
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, OneThread, Overwrite, Quiet, Sources, flag, names, output
from firth.cli.flags import with_flags
from firth.cli.output import print_json, working
from firth.cli.targets import check_vectors_target
from firth.cli.texts import CORPUS, READING, corpus_of
from firth.corpus.options import CorpusOptions
from firth.loading import load

Encoder = Annotated[
    Path, names("A pretrained encoder, bidirectional language model or translator: its folder.", "ENCODER")
]


def _distil(
    encoder: Encoder,
    corpus: Sources,
    output: Annotated[
        Path, output("Folder to save the vectors in, or a file; its name gives the format (firth convert).")
    ],
    layer: Annotated[
        int | None, flag("Layer: 0 for the input of the encoder, -1 for the last. Default: the mean of all.")
    ] = None,
    contexts: Annotated[int, typer.Option(help="Maximum number of occurrences of a word that are read.")] = 500,
    threads: OneThread = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Make static word vectors of a contextual encoder: of each word, the mean of its vectors in a text.

    Words that occur less often than --min-count are read, but have no vector.
    """
    began = time.monotonic()
    check_vectors_target(output, True, corpus, overwrite=overwrite)
    limits = {name: options[name] for name in ("min_count", "max_size") if options.get(name) is not None}
    with working(f"reading {encoder}", quiet):
        model: Any = load(encoder)
    reading = {name: value for name, value in options.items() if name not in limits}
    text = corpus_of(corpus, reading, progress=not quiet, every_word=True)
    import firth

    vectors = firth.distil(model, text, layer=layer, contexts=contexts, threads=threads, progress=not quiet, **limits)
    vectors.metadata.setdefault("name", output.stem)
    vectors.save(output)
    seconds = time.monotonic() - began
    if json:
        facts = {"words": len(vectors), "dim": vectors.dim, "tokens": text.num_tokens, "seconds": round(seconds, 3)}
        print_json({"vectors": str(output), **facts})
        return
    print(f"{output}: {len(vectors):,} words x {vectors.dim}, {seconds:.1f} s in total")
    example = next((word for word in vectors.index_to_key if len(word) > 5), vectors.index_to_key[0])
    print(f"next: firth neighbours {shlex.quote(str(output))} {shlex.quote(example)}")


distil = with_flags(_distil, [replace(CORPUS, defaults=CorpusOptions(min_count=5)), READING])
