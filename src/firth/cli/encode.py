"""`firth encode`."""

from pathlib import Path
from typing import Annotated, Any

from firth.cli.arguments import AsJson, Quiet, Sources, output
from firth.cli.encoders import ENCODING, Model, open_encoder
from firth.cli.flags import with_flags
from firth.cli.output import note, print_json
from firth.cli.targets import check_file_target
from firth.cli.texts import READ_TABLES, source_of
from firth.errors import OptionError
from firth.sentences.file_encoding import check_target, encode_file, finished_rows


def _encode(
    model: Model,
    texts: Sources,
    output: Annotated[Path | None, output("File to write: .npy, .jsonl or .parquet.", "OUT")] = None,
    quiet: Quiet = False,
    json: AsJson = False,
    **options: Any,
) -> None:
    """Write the vectors of texts, one per line, to a file: .npy, or .jsonl or .parquet with the texts.

    After Ctrl-C the finished rows stay in OUT.part, and the same command continues with them.
    """
    if output is None:
        raise OptionError("no file to write to: give -o OUT, a name that ends in .npy, .jsonl or .parquet")
    check_file_target(output, check_target, texts)
    encoder = open_encoder(model, quiet, options)
    if rows := finished_rows(output):
        note(f"{output}: continuing after {rows:,} texts")
    how = {name: options[name] for name in ("column", "batch_size") if name in options}
    try:
        found = encode_file(encoder, source_of(texts), output, progress=not quiet, **how, **READ_TABLES.select(options))
    except KeyboardInterrupt:
        if rows := finished_rows(output):
            note(f"{output}: {rows:,} texts are finished; the same command continues after them")
        raise
    if json:
        facts = {"texts": found.count, "dim": found.dim, "resumed": found.resumed, "problems": found.problems}
        print_json({"vectors": str(output), **facts})
    else:
        note(f"{output}: {found.count:,} texts x {found.dim}")


encode = with_flags(_encode, [ENCODING])
