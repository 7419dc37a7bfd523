"""A process that annotates: it reads the models, then documents as JSON, one a line, and answers each with one."""

import json
import os
import sys
from typing import Any, BinaryIO

from firth.documents.document import Document
from firth.documents.jsonl import document_from_json, document_json
from firth.documents.stages import Stages
from firth.errors import FirthError
from firth.signals import ignoring_interrupts

SENTENCES, DOCUMENT = b"sentences", b"document"  # before a tab and a document: which stages


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer until there are no more requests.

    Args:
        requests: the models, as JSON with the arguments of `Stages.of`; then lines of a stage, a tab and a document.
        answers: a line per request: an empty one for the models, a document, or a JSON string that says what is wrong.
    """
    stages: Stages | None = None
    for line in requests:
        try:
            if stages is None:
                stages = Stages.of(**json.loads(line))
                answer = b""
            else:
                answer = document_json(_annotated(stages, line))
        except (FirthError, OSError, MemoryError) as error:
            answer = json.dumps(str(error) or type(error).__name__).encode()
        answers.write(answer + b"\n")
        answers.flush()


def _annotated(stages: Stages, line: bytes) -> Document:
    stage, _, content = line.partition(b"\t")
    document = document_from_json(content, "a request")
    if stage == SENTENCES:
        return stages.sentence_stages(document.sentences)
    return stages.document_stages(document)


def main() -> int:
    """Serve standard input until it is closed."""
    answers: Any = sys.stdout.buffer
    sys.stdout = sys.stderr  # what a library prints is no answer
    try:
        with ignoring_interrupts():
            serve(sys.stdin.buffer, answers)
    except BrokenPipeError:  # the process that reads the answers was killed
        os._exit(1)  # without another attempt to write
    return 0
