"""Gold files of every suite, judged."""

import gzip
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import firth
from tests.fuzz.outcomes import Reader
from tests.fuzz.readers import seeds

W = seeds.WORDS
PAIRS = "".join(f"{W[i]}\t{W[i + 1]}\t{i * 0.5}\n" for i in range(9))
CONTEXTS = f"{W[0]}\tN\t0-1\t{W[0]} {W[1]} .\t{W[2]} {W[0]} .\n{W[1]}\tN\t0-0\t{W[1]} {W[3]} .\t{W[1]} .\n" * 3
FILES: Mapping[str, tuple[str, Mapping[str, str]]] = {  # the suite; the files, the one that is named first
    "similarity": ("similarity", {"pairs.txt": PAIRS}),
    "similarity-csv": ("similarity", {"pairs.csv": "word1,word2,mean\n" + PAIRS.replace("\t", ",")}),
    "analogies": (
        "analogies",
        {"questions.txt": f": one\n{W[0]} {W[1]} {W[2]} {W[3]}\n: two\n{W[4]} {W[5]} {W[6]} {W[7]}\n"},
    ),
    "categories": (
        "categorisation",
        {"c.csv": "word,category\n" + "".join(f"{w},{'pq'[i % 2]}\n" for i, w in enumerate(W))},
    ),
    "outliers": (
        "outliers",
        {
            "groups.csv": f"category,words,outliers\nx,\"{list(W[:4])}\",\"{list(W[5:8])}\"\n"
            f"y,\"{list(W[4:7])}\",\"['w0']\"\n"
        },
    ),
    "qvec": (
        "qvec",
        {"features.txt": "".join(f'{w}\t{{"p": {i / 20}, "q": {1 - i / 20}}}\n' for i, w in enumerate(W))},
    ),
    "probing-labels": ("probing", {"p.txt": "".join(f"{w}\t{'pq'[i % 2]}\n" for i, w in enumerate(W))}),
    "probing-numbers": ("probing", {"p.txt": "".join(f"{w}\t{i * 1.25}\n" for i, w in enumerate(W))}),
    "probing-pairs": ("probing", {"p.txt": "".join(f"{W[i]}\t{W[i + 7]}\n" for i in range(7))}),
    "probing-animacy": (
        "probing",
        {
            "p.txt": "".join(
                f'{w}\t{{"semcor.noun.{("person", "object")[i % 2]}": 0.9, "x": 0.1}}\n' for i, w in enumerate(W)
            )
        },
    ),
    "sentences": ("sentences", {"labelled.txt": "".join(f"{i % 2} {line}\n" for i, line in enumerate(seeds.LINES))}),
    "sentence-pairs": (
        "sentence-pairs",
        {
            "pairs.test.tsv": "".join(
                f"{line}\t{seeds.LINES[i - 1]}\t{'xy'[i % 2]}\n" for i, line in enumerate(seeds.LINES[:12])
            ),
            "pairs.train.tsv": "".join(
                f"{line}\t{seeds.LINES[i - 2]}\t{'xy'[i % 2]}\n" for i, line in enumerate(seeds.LINES)
            ),
        },
    ),
    "sts": (
        "sts",
        {"pairs.tsv": "".join(f"{line}\t{seeds.LINES[i - 1]}\t{i % 7}.5\n" for i, line in enumerate(seeds.LINES))},
    ),
    "context": (
        "context",
        {
            "dev.data.txt": CONTEXTS,
            "dev.gold.txt": "T\nF\n" * 3,
            "train.data.txt": CONTEXTS,
            "train.gold.txt": "T\nF\n" * 3,
        },
    ),
    "context-scores": (
        "context",
        {
            "scws.txt": "".join(
                f"{i}\tw0\tn\tw{i}\tn\tthe <b> w0 </b> a\t<b> w{i} </b> the\t{i}.5\t1\n" for i in range(1, 8)
            )
        },
    ),
    "substitution": (
        "substitution",
        {
            "words.gold": "w0.n 1 :: w1 3;w2 1;\nw0.n 2 :: w2 2;w3 1;\nthe.a 3 :: a 1;w4 1;\n",
            "words.preprocessed": "w0.n\t1\t0\tw0 w5 .\nw0.n\t2\t1\tw6 w0 .\nthe.a\t3\t0\tthe w1 .\n",
        },
    ),
}  # fmt: skip


def gold(name: str, suite: str, files: Mapping[str, str]) -> Reader:
    """A gold file, and how vectors do on it."""
    first = next(iter(files))

    def make(path: Path) -> None:
        path.mkdir()
        for each, text in files.items():
            (path / each).write_text(text, encoding="utf-8")

    def use(path: Path) -> Any:
        return judged(path / first, suite)

    cost = {"categorisation": 0.04, "sentences": 0.05, "sentence-pairs": 0.1, "probing": 0.1}.get(suite, 0.004)
    return Reader(name=f"gold-{name}", make=make, use=use, cost=cost)


def judged(path: Path, suite: str) -> Any:
    """Figures of the small vectors."""
    report = firth.evaluate(seeds.vectors(), suites={suite: path}, resamples=20, progress=False)
    return [line for line in str(report.to_json()).splitlines() if line][:50]


def make_packed(path: Path) -> None:
    """Pairs, packed with gzip."""
    path.write_bytes(gzip.compress(PAIRS.encode(), mtime=0))


def make_zip(path: Path) -> None:
    """Lists of words in an archive."""
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("x/README.txt", "words of two kinds")
        packed.writestr("x/good.txt", "; a remark\n" + "\n".join(W[:7]) + "\n")
        packed.writestr("x/bad.txt", "\n".join(W[7:]) + "\n")


def make_key(path: Path) -> None:
    """Gold senses of occurrences."""
    path.write_text("bank.n bank.n.1 money\nbank.n bank.n.2 river/0.3 money/0.7\nbank.v bank.v.1 plane/1\n")


PAIR_FILES: Mapping[str, str] = {
    "pairs.tsv": "".join(f"{i % 5}.5\t{line}\t{seeds.LINES[i - 1]}\n" for i, line in enumerate(seeds.LINES[:9])),
    "pairs.csv": "sentence1,sentence2,label\n"
    + "".join(f'"{line}, and",{seeds.LINES[i - 1]},{"xy"[i % 2]}\n' for i, line in enumerate(seeds.LINES[:9])),
    "pairs.jsonl": "".join(
        f'{{"sentence1": "{line}", "sentence2": "{line}", "gold_label": "{"-xy"[i % 3]}"}}\n'
        for i, line in enumerate(seeds.LINES[:9])
    ),
}  # fmt: skip


def sentence_pairs(name: str, text: str) -> Reader:
    """Pairs of sentences with labels or scores."""

    def make(path: Path) -> None:
        path.write_text(text, encoding="utf-8")

    def use(path: Path) -> Any:
        from firth.readers.sentence_pairs import read_sentence_pairs

        pairs = read_sentence_pairs(path)
        scores = None if pairs.scores is None else pairs.scores.tolist()
        return [list(pairs.first), list(pairs.second), pairs.labels and list(pairs.labels), scores, pairs.dropped]

    return Reader(name=f"gold-sentence-{name.replace('.', '-')}", make=make, use=use, path=name)


PARALLEL_FILES: Mapping[str, str] = {
    "parallel.tsv": "".join(f"{line}\t{seeds.LINES[i - 1]}\n" for i, line in enumerate(seeds.LINES[:9])),
    "parallel.jsonl": "".join(
        f'{{"source": "{line}", "target": "{seeds.LINES[i - 1]}"}}\n' for i, line in enumerate(seeds.LINES[:9])
    ),
    "parallel.tmx": "<tmx><body>"
    + "".join(
        f'<tu><tuv xml:lang="de"><seg>{line}</seg></tuv><tuv xml:lang="en"><seg>{line}</seg></tuv></tu>\n'
        for line in seeds.LINES[:9]
    )
    + "</body></tmx>",
}  # fmt: skip


def parallel(name: str, text: str) -> Reader:
    """Texts with their translations."""

    def make(path: Path) -> None:
        path.write_text(text, encoding="utf-8")

    def use(path: Path) -> Any:
        from firth.readers.parallel import read_parallel

        texts = read_parallel(path, languages=("de", "en"))
        return [list(texts.sources), list(texts.targets), dict(texts.dropped)]

    return Reader(name=f"gold-{name.replace('.', '-')}", make=make, use=use, path=name)


def make_groups(path: Path) -> None:
    """Groups of texts that mean the same, one with a hard negative."""
    lines = [f'{{"texts": ["{line}", "{seeds.LINES[i]} too"]}}\n' for i, line in enumerate(seeds.LINES[:6])]
    lines.append(f'{{"texts": ["{seeds.LINES[6]}", "that"], "negatives": ["{seeds.LINES[7]}"]}}\n')
    path.write_text("".join(lines), encoding="utf-8")


def use_groups(path: Path) -> Any:
    """All groups."""
    from firth.readers.text_groups import read_text_groups

    return [[list(group.texts), list(group.negatives)] for group in read_text_groups(path)]


def use_key(path: Path) -> Any:
    """Read, and set against itself."""
    from firth.readers.words_in_context import read_sense_key

    return read_sense_key(path)


def use_brackets(path: Path) -> Any:
    """Trees of constituents, and their brackets again."""
    from firth.readers.brackets import bracketed, read_bracketed

    return [bracketed(tree) for tree in read_bracketed(path)]


def use_conllu(path: Path) -> Any:
    """Sentences with their trees."""
    from firth.readers.conllu import read_conllu

    return [[sentence.tokens, sentence.tree.children(), sentence.tags] for sentence in read_conllu(path)]


def use_columns(path: Path) -> Any:
    """Sentences in columns."""
    from firth.readers.columns import read_columns

    return [[sentence.columns, sentence.document] for sentence in read_columns(path)]


def use_documents(path: Path) -> Any:
    """Documents with all of their annotation, and as they would be written."""
    from firth.documents.files import read_documents
    from firth.documents.jsonl import document_json

    return [document_json(document).decode() for document in read_documents(path)]


def use_coreference(path: Path) -> Any:
    """Documents with chains, as they would be written, and the chains of a rule."""
    from firth.coreference.rules import link_by_string
    from firth.documents.coreference_files import read_coreference
    from firth.documents.jsonl import document_json

    found = list(read_coreference(path))
    return [[document_json(document).decode(), link_by_string(document).clusters] for document in found]


CHAINS = """#begin document (a/b); part 000
a/b 0 0 Ada NNP * - - - - * (1)
a/b 0 1 saw VBD * - - - - * -
a/b 0 2 her PRP$ * - - - - * (2|(1)
a/b 0 3 dog NN * - - - - * 2)

a/b 0 0 It PRP * - - - - * (2)

#end document
"""
DOCUMENT = (
    '{"name": "d", "text": "Ada left.", "offsets": [[0, 3], [4, 8], [8, 9]], "sentences": [{"words": ["Ada", "left", '
    '"."], "tags": ["X", "Y", "Z"], "heads": [2, 0, 2]}], "entities": [[0, 1, "PER"]], "clusters": [[[0, 1], [0, 2]]]}'
)
MARKED = "".join(
    f"# newdoc id = {number}\n"
    "1-2\tal\t_\t_\t_\t_\t_\t_\t_\tstart_char=1|end_char=3|SpacesBefore=\\s\n"
    "1\ta\ta\tADP\tIN\t_\t_\tcase\t_\tEntity=(e1(e2-x-1)|NER=B-PER\n"
    "2\tel\tel\tDET\t_\tNumber=Sing\t_\tdet\t_\tNER=I-PER\n"
    "3\tmar\tmar\tNOUN\t_\t_\t_\troot\t_\tstart_char=4|end_char=7|Entity=e1)(e2)\n\n"
    for number in range(2)
)
COLUMNS = "-DOCSTART- -X- O\n\nEU NNP I-ORG\nrejects VBZ O\n\n-DOCSTART- -X- O\n\nGerman JJ I-MISC\n"
BRACKETS = "(3 (2 It) (4 (2 is) (4 good)))\n( (S (NP (DT a) (NN 1\\/2))\n  (VP (VBD fell) ) ))\n"
CONLLU = "".join(
    f"# text = {number}\n"
    "1-2\tal\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\ta\ta\tADP\tIN\t_\t3\tcase\t_\t_\n"
    "2\tel\tel\tDET\t_\tNumber=Sing\t3\tdet\t_\t_\n"
    "2.1\te\t_\t_\t_\t_\t_\t_\t0:root\t_\n"
    "3\tmar\tmar\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    for number in range(2)
)
MARKED_TEXT = {"text": "Ada met Zoe.", "label": [[0, 3, "PER"], [8, 11, "PER"]]}
TASK = {
    "data": {"text": "Ada left."},
    "annotations": [{"result": [{"value": {"start": 0, "end": 3, "labels": ["A"]}}]}],
}
ENTITY_FILES = {
    "e.jsonl": json.dumps(MARKED_TEXT) + "\n" + json.dumps({"tokens": ["Ada", "left"], "ner_tags": ["B-PER", "O"]}),
    "e.json": json.dumps([TASK, ["Ada left.", {"entities": [[0, 3, "PER"]]}]]),
    "words.csv": "sentence,word,tag\n1,Ada,B-PER\n1,left,O\n2,Rome,B-LOC\n",
    "spans.csv": "text,start,end,label\nAda met Zoe.,0,3,PER\nAda met Zoe.,8,11,PER\nNobody.,,,\n",
}


def entities(name: str, text: str) -> Reader:
    """Named entities of another program."""
    return Reader(
        name=f"documents-{name}",
        make=lambda path: path.write_text(text, encoding="utf-8"),  # type: ignore[func-returns-value]
        use=use_documents,
        path=name,
    )


def make_brat(path: Path) -> None:
    """A folder with a text and its annotations, as brat has them."""
    path.mkdir()
    (path / "e.txt").write_text("Ada Byron met\nZoe.", encoding="utf-8")
    (path / "e.ann").write_text(
        "T1\tPER 0 9\tAda Byron\nT2\tX 10 13;14 17\tmet Zoe\nR1\tKnows Arg1:T1 Arg2:T2\n", encoding="utf-8"
    )


READERS = (
    *(gold(name, *how) for name, how in FILES.items()),
    Reader(
        name="gold-similarity-gz",
        make=make_packed,
        use=lambda path: judged(path, "similarity"),
        path="pairs.txt.gz",
        cost=0.004,
    ),
    Reader(name="gold-probing-zip", make=make_zip, use=lambda path: judged(path, "probing"), path="p.zip", cost=0.1),
    *(sentence_pairs(name, text) for name, text in PAIR_FILES.items()),
    *(parallel(name, text) for name, text in PARALLEL_FILES.items()),
    Reader(name="gold-text-groups", make=make_groups, use=use_groups, path="groups.jsonl"),
    Reader(name="gold-senses-key", make=make_key, use=use_key, path="key.txt"),
    Reader(
        name="gold-brackets",
        make=lambda path: path.write_text(BRACKETS, encoding="utf-8"),  # type: ignore[func-returns-value]
        use=use_brackets,
        path="trees.txt",
    ),
    Reader(
        name="gold-conllu",
        make=lambda path: path.write_text(CONLLU, encoding="utf-8"),  # type: ignore[func-returns-value]
        use=use_conllu,
        path="a.conllu",
    ),
    Reader(
        name="gold-columns",
        make=lambda path: path.write_text(COLUMNS, encoding="utf-8"),  # type: ignore[func-returns-value]
        use=use_columns,
        path="a.conll",
    ),
    Reader(
        name="documents-coreference",
        make=lambda path: path.write_text(CHAINS, encoding="utf-8"),  # type: ignore[func-returns-value]
        use=use_coreference,
        path="c.conll",
    ),
    Reader(
        name="documents-conllu",
        make=lambda path: path.write_text(MARKED, encoding="utf-8"),  # type: ignore[func-returns-value]
        use=use_documents,
        path="b.conllu",
    ),
    Reader(
        name="documents-jsonl",
        make=lambda path: path.write_text(f"{DOCUMENT}\n{DOCUMENT}\n", "utf-8"),  # type: ignore[func-returns-value]
        use=use_documents,
        path="b.jsonl",
    ),
    *(entities(name, text) for name, text in ENTITY_FILES.items()),
    Reader(name="documents-brat", make=make_brat, use=use_documents, path="brat"),
)
