"""`firth convert` and `firth info`, which also verifies checksums."""

import dataclasses
import itertools
import typing
from collections.abc import Mapping, Sequence, Sized
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.arguments import AsJson, Overwrite, Quiet, flag, names
from firth.cli.output import complain, note, print_json, print_table, show, working
from firth.cli.runs import print_stability, runs_facts
from firth.cli.targets import check_file_target, check_folder_target, check_kept, check_writable
from firth.errors import FirthError, OptionError
from firth.loading import load, load_vectors
from firth.registry import plain_name
from firth.storage import checksums
from firth.storage.checksums import FileState
from firth.storage.files import is_arpa
from firth.storage.integrity import files_of, fresh_reads
from firth.storage.snapshots import snapshot
from firth.text.tokenise import is_named
from firth.vectors.codes import kind_of
from firth.vectors.io.detect import check_file
from firth.vectors.io.formats import EXCHANGES, FORMATS, format_of
from firth.vectors.sense_vectors import SenseVectors
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

SENTENCES = "sentences"  # key in the metadata under which `SentenceAverages.save` keeps its settings
ENCODER = "sentence encoder"
_WIDEST = 200  # characters shown of a value; a tokenizer has about 100,000


def convert(
    source: Annotated[str, names("Vectors to read, in any format.", "IN")],
    target: Annotated[Path, names("Folder or file to write.", "OUT")],
    to: Annotated[
        str | None,
        flag(
            f"Format: {', '.join(FORMATS)}. Default: by the name of OUT: .txt and .vec word2vec, .bin "
            "word2vec-binary (fasttext with subwords), .ftz fasttext, .floret floret, .npy npy, .parquet parquet, else "
            "firth.",
            "NAME",
        ),
    ] = None,
    dtype: Annotated[str | None, flag("Precision. Default: that of IN.", "float32|float16")] = None,
    limit: Annotated[int | None, flag("Read only this many vectors, from the start of the file.")] = None,
    language: Annotated[str | None, flag("Language of a spaCy folder. Default: xx.", "CODE")] = None,
    map_: Annotated[
        str | None,
        typer.Option(
            "--map",
            help="Add a map (x, y) and nearest neighbours to a Parquet file, for embedding-atlas.",
            metavar="pca|stress|tsne|umap",
            show_default=False,
        ),
    ] = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Convert vectors of words or documents to another file format.

    Of runs, their consensus is written: their mean, each run rotated onto it. A file whose name ends in .gz, .bz2, .xz
    or .zip is compressed.
    """
    format = to or format_of(target)
    if map_ is not None and format != "parquet":
        raise OptionError(f"--map {map_}: {format} has no place for a map; expected a name that ends in .parquet")
    if dtype not in (None, "float32", "float16", "float64"):
        raise OptionError(f"dtype={dtype!r}: expected float32 or float16")
    if format == "firth":
        check_folder_target(target, "vectors", overwrite=overwrite)
    elif format in EXCHANGES:
        EXCHANGES[format].check(target)
        check_kept(target, overwrite)
        check_writable(target)
    else:
        check_file_target(target, check_file, overwrite=overwrite)
    with working(f"reading {source}", quiet):
        vectors = load_vectors(source, limit=limit, documents=True, runs=True)
        if plain_name(vectors) == "runs":
            vectors = vectors.consensus
    if language is not None:
        vectors.metadata["language"] = language
    of_words = isinstance(vectors, WordVectors | SubwordVectors)
    format = to or format_of(target, subwords=isinstance(vectors, SubwordVectors))
    if not of_words and format == "firth" and dtype is not None:
        raise OptionError(f"dtype={dtype!r}: document vectors keep the precision they were trained in; leave it out")
    with working(f"writing {target}", quiet):
        if of_words and format == "sentence-transformers" and SENTENCES in vectors.metadata:
            from firth.sentences.averages import SentenceAverages  # imports SciPy

            averages = typing.cast(SentenceAverages, SentenceAverages.from_metadata(vectors))
            averages.save(target, "sentence-transformers")  # with the weights and the direction that were learned
        elif map_ is not None:
            from firth.plots.atlas import embedding_atlas

            embedding_atlas(vectors if of_words else vectors.documents, target, method=map_)
        elif of_words or format != "firth":
            (vectors if of_words else vectors.documents).save(target, format=format, dtype=dtype)
        else:
            vectors.save(target)  # with the words, and what inference for new documents needs
    entries = "words" if of_words else "documents"
    show(
        json,
        {"vectors": str(target), "format": format, entries: len(vectors), "dim": vectors.dim},
        f"{target}: {len(vectors):,} {entries} x {vectors.dim}, as {format}",
        to=note,
    )


def info(
    path: Annotated[Path, names("Vectors, the folder of a corpus, or a language model.", "PATH")],
    verify: Annotated[
        bool,
        typer.Option(
            "--verify", help="Check every file of a folder against its checksum; exit status 1 if one is damaged."
        ),
    ] = False,
    quiet: Quiet = False,
    json: AsJson = False,
) -> None:
    """Describe vectors, a corpus or a model: kind, size, options and training."""
    if verify:
        _verify(path, quiet, json)
        return
    with working(f"reading {path}", quiet):
        facts = _described(path)
    if json:
        print_json(facts)
        return
    bands = facts.pop("stability", None)
    print_facts(facts)
    if bands:
        print_stability(bands)


def _verify(path: Path, quiet: bool, json: bool) -> None:
    with working(f"reading {path}", quiet):
        facts = verify_facts(path)
    if json:
        print_json(facts)
    else:
        print_states(facts)
        if facts["error"]:
            complain(facts["error"])
    if not facts["whole"]:
        raise typer.Exit(1)


def print_facts(facts: Mapping[str, Any], indent: str = "") -> None:
    """Print names with values; nested values are indented, and empty ones left out."""
    facts = {name: value for name, value in facts.items() if value != ""}
    width = max(map(len, facts), default=0)
    for name, value in facts.items():
        title = name.replace("_", " ")
        if isinstance(value, dict) and value:
            print(f"{indent}{title}")
            print_facts(value, indent + "  ")
        else:
            print(f"{indent}{title:<{width}}  {_shown(value)}")


def _described(path: Path) -> dict[str, Any]:
    if (path / "corpus.json").is_file():
        return _corpus_facts(path)
    if path.is_file() and is_arpa(path):
        return _ngram_facts(path)
    return _vector_facts(path)


def _ngram_facts(path: Path) -> dict[str, Any]:
    from firth.language.ngram_model import NgramModel  # imports the compiler, too

    model = NgramModel.from_arpa(path)
    sizes = {f"{order}-grams": size for order, size in enumerate(model.trie.sizes.tolist(), 1)}
    return {**language_facts(path, model), "order": model.order, **sizes}


def _corpus_facts(path: Path) -> dict[str, Any]:
    # The module imports the compiler, which takes a second: only a corpus waits for it.
    from firth.corpus.encoded import Corpus

    corpus = Corpus.open(path)
    return {
        "path": str(path),
        "kind": "corpus",
        "tokens": corpus.num_tokens,
        "sentences": len(corpus),
        "words": len(corpus.vocabulary),
        "out_of_vocabulary_share": corpus.vocabulary.oov_share,
        "bytes": size_on_disk(path),
        "options": corpus.options.described(),
        "fingerprint": corpus.fingerprint,
    }


def language_facts(path: Path, model: Any) -> dict[str, Any]:
    """Return the facts about a language model or a sentence encoder."""
    rules = model.rules
    facts = {
        "path": str(path),
        "kind": _kind(model),
        rules.unit: len(model.vocabulary),
        **rules.described(),
        "tokens": rules.tokens if is_named(rules.tokens) else rules.unit,
    }
    return {**facts, "bytes": size_on_disk(path), **{k: v for k, v in model.metadata.items() if k not in facts}}


def _vector_facts(path: Path) -> dict[str, Any]:
    vectors = load(path)
    if _kind(vectors) == "runs":
        return {"path": str(path), **runs_facts(vectors), "bytes": size_on_disk(path)}
    without_vectors = not isinstance(vectors, Sized)
    if not isinstance(vectors, WordVectors | SubwordVectors | SenseVectors):
        from firth.language.model import LanguageModel  # imports the compiler, too

        if isinstance(vectors, LanguageModel):
            return language_facts(path, vectors)
        if _kind(vectors) == ENCODER:  # its class would import PyTorch
            return {**language_facts(path, vectors), "dim": vectors.dim}
        if without_vectors:
            return {
                "path": str(path),
                "kind": _kind(vectors),
                "about": repr(vectors).strip("<>"),
                **_parts(vectors),
                "bytes": size_on_disk(path),
                **vectors.metadata,
            }
    facts: dict[str, Any] = {"path": str(path), "kind": _kind(vectors), "entries": len(vectors), "dim": vectors.dim}
    if isinstance(vectors, WordVectors | SubwordVectors):
        facts = {
            "path": str(path),
            "kind": "vectors",
            "words": len(vectors),
            "dim": vectors.dim,
            "dtype": str(vectors.vectors.dtype),
            "counts": vectors.counts is not None,
            "output_vectors": vectors.output_vectors is not None,
            "quantised": None if vectors.codes is None else kind_of(vectors.codes),
        }
    if isinstance(vectors, SenseVectors):
        several = int((vectors.num_senses > 1).sum())
        facts["kind"], facts["words"] = "senses", facts.pop("entries")
        facts |= {"senses": len(vectors.vectors), "words_of_several_senses": several}
    if isinstance(vectors, SubwordVectors):
        hashing = dataclasses.asdict(vectors.ngrams.hashing)
        if not hashing["hashes"]:
            del hashing["hashes"], hashing["seed"]
        program = "fasttext" if "hashes" not in hashing else "floret"
        facts["ngrams"] = {"hashing": program, **hashing, "rows": vectors.ngrams.matrix.shape[0]}
    facts["bytes"] = size_on_disk(path)
    return {**facts, **{name: value for name, value in vectors.metadata.items() if name != "path"}}


def _parts(model: Any) -> dict[str, Any]:
    """Return the facts about the models of a pipeline, by their folders."""
    if _kind(model) != "pipeline":
        return {}
    return {name: {"about": repr(part).strip("<>"), **part.metadata} for name, part in model.parts().items()}


def _kind(model: object) -> str:
    return plain_name(model).removeprefix("an ").removeprefix("a ")


def size_on_disk(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return _listed([_shown(part) for part in value])
    if isinstance(value, dict):
        return f"({', '.join(f'{name} {_shown(part)}' for name, part in value.items())})"
    text = "none" if value is None else str(value)
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]} ... ({len(text):,} characters)"


def _listed(parts: Sequence[str]) -> str:
    """Return the first parts of a list in a line, and how many there are."""
    ends = itertools.accumulate(len(part) + 1 for part in parts)
    fits = max(1, sum(end <= _WIDEST for end in ends))
    more = f" ... ({len(parts):,} in all)" if fits < len(parts) else ""
    return " ".join(parts[:fits]) + more or "none"


WHOLE, FREE = "as written", "no checksum"


def verify_facts(path: Path) -> dict[str, Any]:
    """Check a folder and return the state of its files.

    Args:
        path: a folder that firth wrote, or one that contains such folders.

    Returns:
        "path", "whole" (nothing is damaged), "checksums" (whether there are any), "files" with "file", "bytes" and
        "state", and "error": what is wrong in one sentence, or None.
    """
    return snapshot(path, _facts)


def _facts(path: Path) -> dict[str, Any]:
    if not path.is_dir():
        raise OptionError(f"{path} is not a folder; expected one that firth wrote: only those have checksums")
    folders = _folders(path)
    if not folders:
        raise OptionError(f"{path} is a folder of something else; expected one that firth wrote")
    states: dict[str, FileState] = {}
    error = None
    with fresh_reads() as examined:
        for folder in folders:
            try:
                _open(folder)
            except (FirthError, OSError) as problem:
                error = error or str(problem)
        for folder, checked in examined.items():
            prefix = folder.relative_to(path)
            states |= {(prefix / state.path).as_posix(): state for state in checked}
    rest = [name for name in files_of(path) if name not in states and Path(name).name != checksums.FILE]
    files = [{"file": name, "bytes": s.size, "state": s.problem or WHOLE} for name, s in sorted(states.items())]
    files += [{"file": name, "bytes": (path / name).stat().st_size, "state": FREE} for name in rest]
    # A folder may open although a part of it is damaged, such as one of several runs.
    error = error or next((f"{path / name}: {state.problem}" for name, state in states.items() if state.problem), None)
    return {"path": str(path), "whole": error is None, "checksums": bool(states), "files": files, "error": error}


def print_states(facts: Mapping[str, Any]) -> None:
    """Print a line per file: its name, bytes and state."""
    rows = [(row["file"], "" if row["bytes"] is None else f"{row['bytes']:,}", row["state"]) for row in facts["files"]]
    print_table([("file", "bytes", "state"), *rows], left=(0, 2))


def _folders(path: Path) -> list[Path]:
    """Return the folder itself if firth wrote it, else the folders inside that firth wrote."""
    if _is_ours(path):
        return [path]
    folders: list[Path] = []
    for inner in sorted(folder for folder in path.rglob("*") if folder.is_dir()):
        if not any(outer in inner.parents for outer in folders) and _is_ours(inner):
            folders.append(inner)
    return folders


def _is_ours(folder: Path) -> bool:
    from firth.storage.model_folder import may_be_model_folder

    return may_be_model_folder(folder) or any(
        (folder / name).is_file() for name in ("corpus.json", "cooccurrence.json")
    )


def _open(folder: Path) -> None:
    # The reader of each kind also checks the contents; some readers import the compiler.
    if any((folder / name).is_file() for name in ("corpus.json", "ids.bin")):
        from firth.corpus.encoded import Corpus

        Corpus.open(folder)
    elif any((folder / name).is_file() for name in ("cooccurrence.json", "rows.bin")):
        from firth.counts.matrix import CooccurrenceMatrix

        CooccurrenceMatrix.open(folder)
    else:
        from firth.loading import load

        load(folder)
