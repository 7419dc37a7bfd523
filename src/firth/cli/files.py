"""`firth convert` and `firth info`: what lies on disk."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from firth.cli.output import AsJson, complain, note, print_json
from firth.cli.targets import check_file_target, check_folder_target
from firth.cli.verify import print_table, verify_facts
from firth.errors import OptionError
from firth.vectors.codes import kind_of
from firth.vectors.io import FORMATS, format_of, load, load_vectors, save
from firth.vectors.io.detect import check_file
from firth.vectors.sense_vectors import SenseVectors
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

_WIDEST = 200  # characters of a fact; a tokenizer has some 100,000


def convert(
    source: Annotated[str, typer.Argument(help="Vectors to read, in any format.", metavar="IN", show_default=False)],
    target: Annotated[Path, typer.Argument(help="Folder or file to write.", metavar="OUT", show_default=False)],
    to: Annotated[
        str | None,
        typer.Option(
            help="Format to write; by default by OUT's name: .txt and .vec word2vec, .bin word2vec-binary "
            "(fasttext of vectors with subwords), .ftz fasttext, .floret floret, else firth.",
            metavar="|".join(FORMATS),
            show_default=False,
        ),
    ] = None,
    dtype: Annotated[
        str | None, typer.Option(help="Precision to store; by default the present one.", metavar="float32|float16")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="Read the first so many vectors of a foreign file.")] = None,
    json: AsJson = False,
) -> None:
    """Write vectors in another format: of words, or those of documents.

    A name that ends in .gz, .bz2, .xz or .zip is packed.
    """
    format = to or format_of(target)
    if dtype not in (None, "float32", "float16", "float64"):
        raise OptionError(f"dtype={dtype!r}: expected float32 or float16")
    if format == "firth":
        check_folder_target(target, "vectors")
    else:
        check_file_target(target, check_file)
    vectors = load_vectors(source, limit=limit, documents=True)
    of_words = isinstance(vectors, WordVectors | SubwordVectors)
    format = to or format_of(target, subwords=isinstance(vectors, SubwordVectors))
    if of_words or format != "firth":
        save(vectors if of_words else vectors.documents, target, format=format, dtype=dtype)
    elif dtype is None:
        vectors.save(target)  # with the words, and all that new documents are inferred from
    else:
        raise OptionError(f"dtype={dtype!r}: documents are kept as they were trained; leave it out")
    entries = "words" if of_words else "documents"
    if json:
        print_json({"vectors": str(target), "format": format, entries: len(vectors), "dim": vectors.dim})
    else:
        note(f"{target}: {len(vectors):,} {entries} x {vectors.dim}, as {format}")


def info(
    path: Annotated[
        Path,
        typer.Argument(
            help="Vectors, the folder of a corpus, or a language model.", show_default=False, metavar="PATH"
        ),
    ],
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            help="Read a folder again and say which files are as written; exit status 1 if one is not.",
        ),
    ] = False,
    json: AsJson = False,
) -> None:
    """Say what a file of vectors, a corpus folder or a language model holds."""
    if verify:
        _verify(path, json)
        return
    facts = _corpus_facts(path) if (path / "corpus.json").is_file() else _vector_facts(path)
    if json:
        print_json(facts)
        return
    print_facts(facts)


def _verify(path: Path, json: bool) -> None:
    facts = verify_facts(path)
    if json:
        print_json(facts)
    else:
        print_table(facts)
        if facts["error"]:
            complain(facts["error"])
    if not facts["whole"]:
        raise typer.Exit(1)


def print_facts(facts: Mapping[str, Any], indent: str = "") -> None:
    """Print names with values, those inside others below them and further in."""
    width = max(len(name) for name in facts)
    for name, value in facts.items():
        title = name.replace("_", " ")
        if isinstance(value, dict) and value:
            print(f"{indent}{title}")
            print_facts(value, indent + "  ")
        else:
            print(f"{indent}{title:<{width}}  {_shown(value)}")


def _corpus_facts(path: Path) -> dict[str, Any]:
    # Reading a corpus needs no compiler, but its module brings one along: only a corpus waits for it.
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
    """Return the facts about a language model."""
    facts = {"path": str(path), "kind": type(model).__name__, "words": len(model.vocabulary), **vars(model.rules)}
    return {**facts, "bytes": size_on_disk(path), **{k: v for k, v in model.metadata.items() if k not in facts}}


def _vector_facts(path: Path) -> dict[str, Any]:
    found = load(path)
    if not isinstance(found, WordVectors | SubwordVectors | SenseVectors):
        from firth.language.model import LanguageModel  # brings a compiler along, too

        if isinstance(found, LanguageModel):
            return language_facts(path, found)
    facts: dict[str, Any] = {"path": str(path), "kind": type(found).__name__, "entries": len(found), "dim": found.dim}
    if isinstance(found, WordVectors | SubwordVectors):
        facts = {
            "path": str(path),
            "kind": "vectors",
            "words": len(found),
            "dim": found.dim,
            "dtype": str(found.vectors.dtype),
            "counts": found.counts is not None,
            "output_vectors": found.output_vectors is not None,
            "quantised": None if found.codes is None else kind_of(found.codes),
        }
    if isinstance(found, SenseVectors):
        several = int((found.num_senses > 1).sum())
        facts["kind"], facts["words"] = "senses", facts.pop("entries")
        facts |= {"senses": len(found.vectors), "words_of_several_senses": several}
    if isinstance(found, SubwordVectors):
        how = dataclasses.asdict(found.ngrams.hashing)
        if not how["hashes"]:
            del how["hashes"], how["seed"]
        program = "fasttext" if "hashes" not in how else "floret"
        facts["ngrams"] = {"hashing": program, **how, "rows": found.ngrams.matrix.shape[0]}
    facts["bytes"] = size_on_disk(path)
    return {**facts, **{name: value for name, value in found.metadata.items() if name != "path"}}


def size_on_disk(path: Path) -> int:
    """Return the bytes of a file, or of all files in a folder."""
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return sum(each.stat().st_size for each in files)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return " ".join(_shown(part) for part in value) or "none"
    if isinstance(value, dict):
        return f"({', '.join(f'{name} {_shown(part)}' for name, part in value.items())})"
    text = "none" if value is None else str(value)
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]} ... ({len(text):,} characters)"
