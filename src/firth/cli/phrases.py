"""`firth phrases`."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from firth.cli.arguments import AsJson, Quiet, Sources, Threads, flag, output
from firth.cli.flags import Flags, with_flags
from firth.cli.output import print_json
from firth.cli.targets import check_file_target
from firth.cli.texts import CORPUS, READING, corpus_of
from firth.counts.phrases import ENGLISH_CONNECTORS, Phrases, check_target
from firth.storage.files import text_of

SHOWN = 20
ENGLISH = "english"


def _phrases(
    corpus: Sources,
    output: Annotated[Path, output("File to write the phrases to.")],
    connectors: Annotated[
        Path | None, flag("File of words that may occur inside a phrase; english for a built-in list.", "FILE")
    ] = None,
    threads: Threads = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Find phrases in text, such as new york.

    firth train MODEL CORPUS --phrases OUT trains on the text with each phrase as one word.
    """
    check_file_target(output, check_target, corpus, overwrite=True)
    words: tuple[str, ...] = ()
    if connectors is not None:
        words = ENGLISH_CONNECTORS if str(connectors) == ENGLISH else tuple(text_of(connectors).split())
    detection = Phrases(connectors=words, **_OPTIONS.select(options))
    text = corpus_of(corpus, options, progress=not quiet, every_word=True)
    table = detection.learn(text, threads=threads, progress=not quiet)
    table.save(output)
    if json:
        for phrase, count, score in table:
            print_json({"phrase": phrase, "count": count, "score": score})
        return
    print(f"{output}: {len(table):,} phrases")
    for phrase, count, score in list(table)[:SHOWN]:
        print(f"  {score:12.4g}  {count:9,}  {phrase}")


_OPTIONS = Flags(Phrases, "Phrases", frozenset({"connectors"}))
phrases = with_flags(_phrases, [_OPTIONS, replace(CORPUS, without=frozenset({"min_count", "max_size"})), READING])
