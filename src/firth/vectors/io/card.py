"""The model card: what a person who finds the folder needs to know."""

import json

from firth.vectors.space import VectorSpace


def card(vectors: VectorSpace, dtype: str) -> str:
    """Return the text of the README.md beside saved vectors."""
    name = str(vectors.metadata.get("name", "Word vectors"))
    facts = "".join(f"| {_cell(key)} | {_cell(value)} |\n" for key, value in vectors.metadata.items() if key != "name")
    return f"""---
library_name: firth
tags: [word-embeddings, static-embeddings]
---

# {" ".join(name.split())}

| fact | value |
|---|---|
| words | {len(vectors):,} |
| width | {vectors.dim} |
| precision | {dtype} |
| output vectors (training can go on) | {"yes" if vectors.output_vectors is not None else "no"} |
{facts}
```python
import firth

vectors = firth.load("this/folder")
vectors.most_similar({json.dumps(vectors.words[0] if vectors.words else "word")})
```

`model.safetensors` holds the matrix (`embeddings`, one row a word), `vocab.json` the words row by row.
"""


def _cell(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return " ".join(text.split()).replace("|", "\\|")
